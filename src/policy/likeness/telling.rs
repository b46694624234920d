//! The words that make a difference on their own: tables, for a reader to extend. A word too many here leaves two
//! memories where one would do; a word too few merges two that say the opposite of each other.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Negations that stand as words of their own. Canonical text parts `don't` into `don` and `t`, hence the `t`.
const NEGATIONS: &[&str] = &[
    // English
    "not t no non none nor neither never nothing nobody nowhere cannot without w except unless instead \
     hardly rarely seldom barely dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt \
     shouldnt mustnt neednt hasnt havent hadnt aint",
    // English verbs and states that negate what follows or precedes them
    "avoid avoids avoided avoiding stop stops stopped forbid forbids forbidden prohibit prohibits \
     prohibited disallow disallows disallowed deny denies denied refuse refuses refused disable disables \
     disabled exclude excludes excluded omit omits omitted ignore ignores ignored skip skips skipped \
     deprecated obsolete unsupported",
    // Korean: an adverb of one syllable, which is the first half of many other words
    "안",
    // German, French, Spanish
    "nicht kein keine keinen nie niemals ohne ne pas jamais sans sin nunca jamás",
];

/// Negations that are part of a longer word, or of one of the pairs into which CJK text is parted.
const NEGATIVE_PARTS: &[&str] = &[
    // Chinese, most of them also Japanese
    "不", "沒", "没", "無", "无", "非", "未", "別", "别", "勿", "莫", "禁", "否", "避免", "停用", "取消",
    "拒", // Japanese
    "ない", "なく", "なか", "せん", "ぬ", "せず", "ずに", "まい", "避け", "やめ", // Korean
    "않", "못", "없", "말", "금지", "아니", "마세", "마라", // Signs
    "≠", "¬", "✗", "✘", "❌", "🚫", "⛔",
];

/// The same, to be asked for each word of a store.
static NEGATION: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let tables = NEGATIONS.iter();
    tables.flat_map(|words| words.split_whitespace()).collect()
});

/// Says whether a canonical word (or pair of CJK letters) holds a digit or a negation.
pub(super) fn is_telling(word: &str) -> bool {
    word.contains(char::is_numeric)
        || NEGATION.contains(word)
        || (!word.is_ascii() && NEGATIVE_PARTS.iter().any(|part| word.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{canonical, words};

    #[test]
    fn every_entry_is_a_word_of_canonical_text() {
        for entry in NEGATION.iter().chain(NEGATIVE_PARTS) {
            assert_eq!(canonical(entry), *entry);
            assert_eq!(words(entry).count(), 1, "{entry} would never be met");
        }
        assert!(NEGATIVE_PARTS.iter().all(|part| !part.is_ascii()));
    }

    #[test]
    fn tells() {
        for word in [
            "8080", "v2", "x１", "Ⅳ", "never", "t", "不要", "ない", "않는", "안", "≠",
        ] {
            assert!(is_telling(word), "{word}");
        }
        for word in ["api", "the", "設定", "安定", "안정", "note", "=", ""] {
            assert!(!is_telling(word), "{word}");
        }
    }
}
