//! The fate of the file of a memory that another one absorbs.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::model::{Importance, Memory};
use crate::policy::Likeness;
use crate::text::{is_space, wording};

/// The fate of a file. The engine does this to what it is just adding or importing, and to its own files; a
/// person's file is hidden at most, unless the person asks (`tidy`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFate {
    /// Removed by a commit that says so, because the other one has every word of it; git keeps it.
    Removed,
    /// Stays in force; the render hides it.
    Hidden,
    /// Stays, with `status: superseded` and `superseded_by`.
    Superseded,
}

impl FileFate {
    /// The fate of the file of `absorbed`, which `kept` absorbs. A `readonly` file is only hidden, and so is a note.
    pub fn new(absorbed: &Memory, kept: &Memory, likeness: Likeness) -> Self {
        if absorbed.readonly || absorbed.content.is_note() || kept.content.is_note() {
            return Self::Hidden;
        }
        match likeness {
            Likeness::Exact if adds_nothing(absorbed, kept) && has_reason(absorbed) == has_reason(kept) => {
                Self::Removed
            }
            Likeness::Exact => Self::Hidden,
            Likeness::Identity => Self::Superseded,
        }
    }

    /// The fate of the file of `absorbed` where a person asks that duplicates be settled: a note too is settled where it
    /// says the same. What stays is `readonly`, or is spelled differently (`foo-bar` and `foo bar`), or has a reason, a
    /// weight or keys that the other one has not: those would leave the prompt with it.
    pub(super) fn on_request(absorbed: &Memory, kept: &Memory, likeness: Likeness) -> Self {
        let (gone, stays) = (&absorbed.content, &kept.content);
        match Self::new(absorbed, kept, likeness) {
            Self::Hidden if absorbed.readonly || gone.is_note() != stays.is_note() => Self::Hidden,
            _ if likeness == Likeness::Exact && loses_by(absorbed, kept) => Self::Hidden,
            Self::Hidden if gone.is_note() && gone == stays && !has_own(absorbed, kept) => Self::Removed,
            Self::Hidden if spelling(gone.keyed_text()) == spelling(stays.keyed_text()) => Self::Superseded,
            fate => fate,
        }
    }
}

/// Says whether nothing would be lost with `absorbed`: both are facts, its text and its rationale, if it has one, are
/// those of `kept` but for spelling, and it states nothing of its own. A file that is there already is removed only if
/// both have a rationale or neither.
pub(in crate::policy) fn adds_nothing(absorbed: &Memory, kept: &Memory) -> bool {
    let same = |a: &str, b: &str| a == b || (spelling(a) == spelling(b) && wording(a) == wording(b));
    let (reason, other) = (absorbed.content.rationale(), kept.content.rationale());
    let facts = !absorbed.content.is_note() && !kept.content.is_note();
    facts
        && reason.is_none_or(|reason| other.is_some_and(|other| same(reason, other)))
        && same(absorbed.content.keyed_text(), kept.content.keyed_text())
        && !has_own(absorbed, kept)
}

/// Says whether a reason, a weight or a key would be lost if `kept` took the place of `absorbed`.
pub(super) fn loses_by(absorbed: &Memory, kept: &Memory) -> bool {
    let reason = absorbed.content.rationale();
    let has_reason = reason.is_some_and(|reason| {
        kept.content
            .rationale()
            .is_none_or(|other| spelling(reason) != spelling(other))
    });
    let lighter = Memory {
        importance: Importance::Normal,
        ..absorbed.clone()
    };
    has_reason || absorbed.importance > kept.importance || has_own(&lighter, kept)
}

fn has_reason(memory: &Memory) -> bool {
    memory.content.rationale().is_some()
}

/// Says whether a memory states more than text, rationale and what the engine counts.
fn has_own(absorbed: &Memory, kept: &Memory) -> bool {
    let more = |own: &[String], of_kept: &[String]| own.iter().any(|word| !of_kept.contains(word));
    let stated = |own: &Option<String>, of_kept: &Option<String>| own.is_some() && own != of_kept;
    absorbed.has_own_keys
        || more(&absorbed.tags, &kept.tags)
        || more(&absorbed.aliases, &kept.aliases)
        || more(&absorbed.paths, &kept.paths)
        || stated(&absorbed.name, &kept.name)
        || stated(&absorbed.description, &kept.description)
        || (absorbed.stale_after.is_some() && absorbed.stale_after != kept.stale_after)
        || (absorbed.limit.is_some() && absorbed.limit != kept.limit)
        || (absorbed.strength.is_some() && absorbed.strength != kept.strength)
        || (absorbed.importance != Importance::Normal && absorbed.importance != kept.importance)
        || !absorbed.supersedes.is_empty()
        || absorbed.conflict_of.is_some()
}

/// A text without what is only spelling: case, white space, quotes around the whole, and the marks of a sentence at
/// the end of a word. Stricter than the wording in what it takes for one, because a file is removed on its word: `foo-bar`
/// is not `foo bar` here.
fn spelling(text: &str) -> String {
    let text: String = text.nfc().collect::<String>().to_lowercase().nfc().collect();
    let words = unquoted(text.trim_matches(is_space)).split(is_space);
    let words: Vec<&str> = words.map(unmarked).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Without the quotes around the whole.
fn unquoted(text: &str) -> &str {
    const PAIRS: [(char, char); 10] = [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('‘', '’'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('＂', '＂'),
    ];
    let mut rest = text;
    while let Some(inside) = PAIRS.iter().find_map(|(open, close)| {
        let inside = rest.strip_prefix(*open)?.strip_suffix(*close)?;
        // `"a" and "b"` is not quoted as a whole.
        (!inside.contains([*open, *close])).then_some(inside)
    }) {
        rest = inside.trim_matches(is_space);
    }
    rest
}

/// Without the marks of a sentence that follow a letter, a digit or a closing bracket at the end of a word.
fn unmarked(word: &str) -> &str {
    const MARKS: [char; 16] = [
        '.', ',', ';', ':', '!', '?', '…', '。', '，', '、', '；', '：', '！', '？', '．', '｡',
    ];
    const CLOSING: [char; 12] = [
        ')', ']', '}', '）', '］', '｝', '」', '』', '】', '》', '〉', '〕',
    ];
    let bare = word.trim_end_matches(MARKS);
    let follows = |c: char| c.is_alphanumeric() || CLOSING.contains(&c);
    if bare.ends_with(follows) { bare } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_case_space_quotes_and_marks_at_the_end_of_words() {
        for (a, b) in [
            ("Use npm  cache!", "use npm cache"),
            ("\"Use npm cache.\"", "Use npm cache"),
            ("「文件在這裡。」", "文件在這裡"),
            ("Use it (always).", "use it (always)"),
            ("caf\u{e9}, au lait...", "cafe\u{301} au lait…"),
            ("“ use\u{3000}it ”", "use it"),
        ] {
            assert_eq!(spelling(a), spelling(b));
        }
    }

    #[test]
    fn anything_else_is_a_difference() {
        for (a, b) in [
            ("C# is used", "C is used"),
            ("a != b", "a = b"),
            ("timeout -1", "timeout 1"),
            ("100% coverage", "100 coverage"),
            ("foo-bar", "foo bar"),
            ("don't merge", "don t merge"),
            ("ends in #.", "ends in #"),
            ("\"a\" or \"b\"", "a\" or \"b"),
            ("Ｕｓｅ it", "use it"),
            ("use .env", "use env"),
        ] {
            assert_ne!(spelling(a), spelling(b));
        }
    }
}
