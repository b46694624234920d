//! Shapes of text: `*` is anything, `%` a number, capitals do not matter.

/// True when a text has one of the shapes of a list that is parted by `, `.
pub(super) fn has_shape(text: &str, shapes: &str) -> bool {
    shapes
        .split(", ")
        .any(|shape| ends(text, shape, str::is_empty).is_some())
}

/// Gives the length of the text's beginning that has a shape.
pub(super) fn length(text: &str, shape: &str) -> Option<usize> {
    ends(text, shape, |_| true).map(|rest| text.len() - rest.len())
}

/// Gives the rest of a text behind a shape, if that rest is as wanted.
fn ends<'a>(text: &'a str, shape: &str, is_wanted: fn(&str) -> bool) -> Option<&'a str> {
    let Some(sign) = shape.chars().next() else {
        return Some(text).filter(|text| is_wanted(text));
    };
    let rest = &shape[sign.len_utf8()..];
    match sign {
        '*' if rest.is_empty() => Some(""),
        '*' => text
            .char_indices()
            .find_map(|(at, _)| ends(&text[at..], rest, is_wanted)),
        '%' => {
            let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
            (behind.len() < text.len()).then(|| ends(behind, rest, is_wanted))?
        }
        sign => {
            let first = text
                .chars()
                .next()
                .filter(|first| first.eq_ignore_ascii_case(&sign))?;
            ends(&text[first.len_utf8()..], rest, is_wanted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_matched() {
        for (text, shape) in [
            ("12:3  error", "%:% *"),
            ("✓ a", "x*, ✓*"),
            ("FAIL a", "fail *"),
            ("a ... ok", "*... ok"),
            ("", "*"),
        ] {
            assert!(has_shape(text, shape), "{text} {shape}");
        }
        for (text, shape) in [("a:3", "%:%*"), ("ok", "ok *"), ("", "a"), ("ab", "a")] {
            assert!(!has_shape(text, shape), "{text} {shape}");
        }
        assert_eq!(length("(3,1): error", "(%,%)"), Some(5));
        assert_eq!(length(":(.text+0x1f): undefined", ":(.text*)"), Some(13));
        assert_eq!(length(": error", ":%"), None);
    }
}
