//! The sentences of a line, and the items of a list that is written in one line.

use std::sync::LazyLock;

use regex::Regex;

use super::language::compile;

/// Words whose full stop ends no sentence.
const SHORTENED: [&str; 12] = [
    "e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp", "dr", "mr", "mrs", "no",
];

/// The length from which on a text was pasted, and is taken as one sentence. Bytes.
const LONGEST: usize = 4_096;

/// Gives the length of the first sentence of a folded text, with the signs that end it. A mark inside quotes, brackets
/// or code ends nothing, and neither does one inside a word.
pub(super) fn first_sentence(text: &str) -> usize {
    if text.len() > LONGEST {
        return text.len();
    }
    let mut inside = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if inside.last() == Some(&c) {
            inside.pop();
            continue;
        }
        if let Some(closing) = closes(c).filter(|&closing| text[at + c.len_utf8()..].contains(closing)) {
            inside.push(closing);
            continue;
        }
        let next = chars.peek().map(|&(_, c)| c);
        let ends = match c {
            '。' => true,
            '!' | '?' | '…' => next.is_none_or(|c| c == ' '),
            '.' => next.is_none_or(|c| c == ' ') && !is_shortened(&text[..at]),
            _ => false,
        };
        if ends && inside.is_empty() {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// The beginning of an item inside a line: a number, a circled one, a Chinese one.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?:^|[ ;；,，。、])(?:[0-9]{1,2}[.)）] |[0-9]{1,2}[)）、]|[(（](?:[0-9]{1,2}|[a-h])[)）]|[①-⑳]|[一二三四五六七八九十]、) *",
    )
});

/// The items of a list that is written in one line; none for a text that is no such list.
pub(super) fn items(text: &str) -> Vec<&str> {
    let marks: Vec<_> = ITEM.find_iter(text).collect();
    if marks.len() < 2 || marks[0].start() > 0 {
        return Vec::new();
    }
    let ends = marks[1..].iter().map(regex::Match::start).chain([text.len()]);
    let items = marks.iter().zip(ends).map(|(mark, end)| &text[mark.end()..end]);
    items
        .map(|item| item.trim_end_matches([' ', ';', '；', ',', '，']))
        .collect()
}

/// The sign that ends what this one opens.
const fn closes(c: char) -> Option<char> {
    match c {
        '`' | '"' => Some(c),
        '(' => Some(')'),
        '[' => Some(']'),
        '「' => Some('」'),
        '『' => Some('』'),
        '《' => Some('》'),
        _ => None,
    }
}

/// Tells whether a text ends in a shortened word, in the number of a list or in other full stops.
fn is_shortened(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.ends_with('.') || is_number || SHORTENED.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_its_mark() {
        for (text, first) in [
            ("maria owns search. also, fix it", "maria owns search."),
            ("用 pnpm。另外修一下", "用 pnpm。"),
            ("stop!! then go on", "stop!!"),
            ("is it? yes", "is it?"),
        ] {
            assert_eq!(&text[..first_sentence(text)], first);
        }
    }

    #[test]
    fn numbers_begin_items() {
        assert_eq!(items("1) use x, 2) no y; 3) z"), ["use x", "no y", "z"]);
        assert_eq!(items("一、不要改；二、用 42"), ["不要改", "用 42"]);
        assert_eq!(items("①a ②b"), ["a", "b"]);
        assert_eq!(items("we need 1) a and 2) b"), [""; 0]);
        assert_eq!(items("1.5 and 2.5 are versions"), [""; 0]);
    }

    #[test]
    fn other_marks_end_nothing() {
        for text in [
            "use node 20.1 e.g. in ci",
            "say \"stop. then go\" once",
            "run `a. b` (see c. d) now",
            "call a.b() or x!y",
            "1. first",
            "「一。二」と書く",
            "wait... then go on",
        ] {
            assert_eq!(first_sentence(text), text.len(), "{text}");
        }
    }
}
