//! A text as it is seen: without the sequences and the characters that nobody sees, which part a credential.

use std::ops::Range;

use crate::text::escapes::{begins_escape, escapes};
use crate::text::is_hidden;

/// A text as it is seen, and the place of each of its parts in the text that is stored.
pub(super) struct Seen {
    pub(super) text: String,
    /// Where a part begins here, and where in the stored text.
    parts: Vec<(usize, usize)>,
}

/// The text as it is seen, unless that is the text itself. Where it has escapes, also with a space for each: what stands
/// before a colour may end a word.
pub(super) fn seen(text: &str) -> impl Iterator<Item = Seen> {
    // Most texts have no such byte at all.
    let is_plain = |byte| matches!(byte, b' '..=b'~' | b'\t'..=b'\r' | 0);
    let first = text.bytes().position(|byte| !is_plain(byte));
    let has_unseen = first.is_some_and(|at| text[at..].chars().any(|c| is_unseen(c) || begins_escape(c)));
    let with_gaps = has_unseen && text.contains(begins_escape);
    let has_other = has_unseen || text.contains(ESCAPED);
    let gaps = [has_other.then_some(""), with_gaps.then_some(" ")];
    gaps.into_iter().flatten().map(|gap| Seen::new(text, gap))
}

/// A joint of a name as editors of markdown write it.
const ESCAPED: &str = "\\_";

/// True for what shows nothing and ends no word: the hidden characters, and the controls but for white space and NUL.
fn is_unseen(c: char) -> bool {
    // Most characters are these, and the look into the tables costs more.
    !matches!(c, ' '..='~' | '\n')
        && (is_hidden(c)
            || matches!(c, '\u{1}'..='\u{8}' | '\u{e}'..='\u{1a}' | '\u{1c}'..='\u{1f}' | '\u{7f}'))
}

impl Seen {
    fn new(text: &str, gap: &str) -> Self {
        let mut seen = Self {
            text: String::with_capacity(text.len()),
            parts: Vec::new(),
        };
        let mut from = 0;
        for escape in escapes(text) {
            seen.add(text, from..escape.start);
            seen.push(escape.start, gap);
            from = escape.end;
        }
        seen.add(text, from..text.len());
        seen
    }

    /// Adds what is seen of a part without escapes.
    fn add(&mut self, text: &str, part: Range<usize>) {
        let mut from = part.start;
        for (at, unseen) in text[part.clone()].match_indices(|c| is_unseen(c) || c == '\\') {
            let at = part.start + at;
            if unseen == "\\" && !text[at..part.end].starts_with(ESCAPED) {
                continue;
            }
            self.push(from, &text[from..at]);
            from = at + unseen.len();
        }
        self.push(from, &text[from..part.end]);
    }

    fn push(&mut self, stored: usize, part: &str) {
        if !part.is_empty() {
            self.parts.push((self.text.len(), stored));
            self.text.push_str(part);
        }
    }

    /// The place in the stored text of something that is seen.
    pub(super) fn stored(&self, range: &Range<usize>, text: &str) -> Range<usize> {
        if range.is_empty() {
            return 0..0;
        }
        let place = |at: usize| {
            let next = self.parts.partition_point(|(seen, _)| *seen <= at);
            let (seen, stored) = self.parts[next - 1];
            stored + at - seen
        };
        // The last byte may be that of a space in the place of a sequence.
        place(range.start)..text.ceil_char_boundary(place(range.end - 1) + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Redactor;
    use super::super::tests::LEAKS;
    use super::*;

    /// Characters of a terminal's or of Unicode's that nobody sees.
    fn unseen() -> impl Strategy<Value = String> {
        prop_oneof![
            "\u{1b}\\[[0-9;:?]{0,6}[ -/]{0,1}[@-~]",
            "\u{9b}[0-9;]{0,4}[@-~]",
            "\u{1b}\\][0-9];[a-z:/.]{0,8}(\u{7}|\u{1b}\\\\)",
            "(\u{1b}\\(B|\u{1b}[=>78]|\u{84}|\u{8}|\u{7f})",
            "[\u{200b}\u{ad}\u{2060}\u{feff}\u{202e}\u{e0041}]{1,3}",
        ]
    }

    fn shown(text: &str) -> String {
        seen(text)
            .next()
            .map_or_else(|| text.to_owned(), |seen| seen.text)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn nothing_that_nobody_sees_hides_a_secret(
            case in 0..LEAKS.len(),
            parts in proptest::collection::vec((any::<prop::sample::Index>(), unseen()), 1..5),
        ) {
            let (plain, secrets) = LEAKS[case];
            let mut at: Vec<_> = plain.char_indices().map(|(at, _)| at).chain([plain.len()]).collect();
            at.dedup();
            let mut parts: Vec<(usize, String)> = parts.into_iter().map(|(place, part)| (*place.get(&at), part)).collect();
            parts.sort();
            let mut text = plain.to_owned();
            for (at, part) in parts.iter().rev() {
                text.insert_str(*at, part);
            }
            let redactor = Redactor::standard();
            let redacted = redactor.redact(&text);
            prop_assert!(!redactor.find(&text).is_empty());
            for form in [shown(&redacted), redactor.redact_line(&text).into_owned()] {
                prop_assert!(secrets.iter().all(|secret| !form.contains(secret)), "{:?}: {:?}", text, form);
            }
            prop_assert_eq!(redactor.redact(&redacted), &*redacted);
        }
    }

    #[test]
    fn an_escaped_joint_hides_no_token() {
        let redactor = Redactor::standard();
        let text = "with ghp\\_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5, and API\\_KEY=fake0123456789";
        let redacted = "with [REDACTED:github_token], and API\\_KEY=[REDACTED:api_key]";
        assert_eq!(redactor.redact(text), redacted);
    }

    #[test]
    fn a_finding_covers_what_is_stored() {
        let token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
        let redactor = Redactor::standard();
        for text in [
            format!("deploy with \u{1b}[32m{token}\u{1b}[0m always"),
            format!("deploy with word\u{1b}[32m{token}\u{1b}[0m always"),
            format!("deploy\nwith \u{1b}[1mgh\u{200b}{}\u{1b}[0m always", &token[2..]),
        ] {
            let found = redactor.find(&text);
            assert_eq!(found.len(), 1, "{text:?}");
            assert_eq!(shown(&text[found[0].range.clone()]), token);
            assert!(shown(&redactor.redact(&text)).ends_with("[REDACTED:github_token] always"));
        }
        let many = format!("\u{1b}[32m{token}\u{1b}[0m\n").repeat(50);
        assert_eq!(redactor.find(&many).len(), 50);
    }
}
