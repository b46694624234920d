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

fn is_meant(line: &str) -> bool {
    let Some((key, value)) = line.split_once([':', '=', '：']) else {
        return false;
    };
    let sign = &line[key.len()..line.len() - value.len()];
    // The key itself was read.
    let is_key = || {
        key.trim_end_matches([' ', '\t']) == "readonly"
            && sign == ":"
            && (value.is_empty() || value.starts_with([' ', '\t']))
    };
    if key.len() > LONGEST || is_key() {
        return false;
    }
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
}
