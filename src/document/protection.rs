//! `readonly` in a form that YAML takes for another key, or for none: protection fails closed.

use super::layout::Fences;
use super::lines::lines;

/// The words that leave a file unprotected.
const NO: [&str; 5] = ["false", "no", "off", "n", "0"];
/// The longest key that is looked at, in bytes; each letter may have a sign beside it.
const LONGEST: usize = 64;

/// The offset of the line between the fences that means `readonly` and is no such key: in capitals, with a hyphen,
/// without a blank behind the colon, behind a tab, with a character that nobody sees.
pub(super) fn meant(text: &str, fences: &Fences) -> Option<usize> {
    let Fences::Closed { inner, .. } = fences else {
        return None;
    };
    let found = lines(text, inner.clone()).find(|line| is_meant(line.of(text)));
    found.map(|line| line.start)
}

/// Says whether a file that cannot be read asks to be left alone: by any line, or part of a line, above its body.
pub(super) fn is_named(text: &str, fences: &Fences) -> bool {
    let upper = match fences {
        Fences::None => return false,
        Fences::Unclosed { inner } => &text[*inner..],
        Fences::Closed { inner, .. } => &text[inner.clone()],
    };
    let mut parts = upper.split(['\n', '\r', ',', '{', '}']);
    parts.any(|part| split(part).is_some_and(|(key, _, value)| says_so(key, value)))
}

fn is_meant(line: &str) -> bool {
    let Some((key, sign, value)) = split(line) else {
        return false;
    };
    // The key itself was read.
    let is_key = key.trim_end_matches([' ', '\t']) == "readonly"
        && sign == ":"
        && (value.is_empty() || value.starts_with([' ', '\t']));
    !is_key && says_so(key, value)
}

/// A line that may state a key: the key, the sign after it, the rest.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (key, value) = line.split_once([':', '=', '：'])?;
    let sign = &line[key.len()..line.len() - value.len()];
    (key.len() <= LONGEST).then_some((key, sign, value))
}

fn says_so(key: &str, value: &str) -> bool {
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    letters(key) == "readonly" && !NO.contains(&letters(value).as_str())
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::*;

    #[test]
    fn every_form_that_a_hand_may_write_is_meant() {
        for (line, expected) in [
            ("\treadonly: true", true),
            ("Readonly: true", true),
            ("READONLY: yes # mine", true),
            ("read-only: true", true),
            ("read_only: 1", true),
            ("readonly:true", true),
            ("readonly = true", true),
            ("- readonly: true", true),
            ("readonly\u{a0}: true", true),
            ("\u{200b}readonly: true", true),
            ("readonly：true", true),
            ("Readonly: perhaps", true),
            ("readonly:false", false),
            ("readonly:", false),
            ("Read-only: off # for now", false),
            ("readonly: true", false),
            ("description: readonly: true", false),
            ("Readonly mode is for guests: nobody writes", false),
            ("read", false),
        ] {
            let text = format!("---\n{line}\n---\nbody: readonly=true\n");
            let found = meant(&text, &Layout::of(&text).fences);
            assert_eq!(found, expected.then_some(4), "{line:?}");
        }
    }
    #[test]
    fn a_file_that_cannot_be_read_asks_by_any_line_above_its_body() {
        for (text, expected) in [
            ("---\nid: [x\nreadonly: true\n---\n", true),
            ("---\n{id: x, Read-Only: yes\n---\n", true),
            ("---\nreadonly: true\nbody", true),
            ("---\nid: [x\nreadonly: no # yet\n---\n", false),
            ("---\nid: [x\n---\nreadonly: true\n", false),
            ("readonly: true\n", false),
        ] {
            assert_eq!(is_named(text, &Layout::of(text).fences), expected, "{text:?}");
        }
    }
}
