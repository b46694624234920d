//! Canonical text: what two spellings of the same words have in common.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{is_punctuation, is_space};

/// NFKC, lower case, every run of white space or punctuation as one space, trimmed. Symbols stay.
/// The canonical text of a canonical text is itself.
pub fn canonical(text: &str) -> String {
    let lower = nfkc(text).to_lowercase();
    // Once more, because a lower case letter may compose where its capital does not: J and a caron.
    let lower = nfkc(&lower);
    let mut canonical = String::with_capacity(lower.len());
    let parts = |c: char| !c.is_ascii_alphanumeric() && (is_space(c) || is_punctuation(c));
    for word in lower.split(parts) {
        if !word.is_empty() {
            if !canonical.is_empty() {
                canonical.push(' ');
            }
            canonical.push_str(word);
        }
    }
    canonical
}

/// The text in NFKC. Most texts are in it already, which is seen sooner than they are made anew. Nothing is composed
/// across a space.
pub(super) fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_nfkc = |word: &str| word.is_ascii() || is_nfkc_quick(word.chars()) == IsNormalized::Yes;
    let mut composed = String::new();
    let mut done = 0;
    let mut at = 0;
    for word in text.split_inclusive([' ', '\n']) {
        if !is_nfkc(word) {
            composed.push_str(&text[done..at]);
            composed.extend(word.nfkc());
            done = at + word.len();
        }
        at += word.len();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    composed.push_str(&text[done..]);
    Cow::Owned(composed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_the_same_words_are_one() {
        for text in [
            "Use npm cache!",
            "USE NPM CACHE.",
            "use npm cache",
            " use\u{feff}npm\u{2028}cache ",
            "「Ｕｓｅ　npm-cache」",
        ] {
            assert_eq!(canonical(text), "use npm cache", "{text:?}");
        }
    }

    #[test]
    fn symbols_and_other_characters_stay() {
        assert_eq!(canonical("C++ `x` != a|b\0\u{200b}"), "c++ `x` = a|b\0\u{200b}");
        assert_eq!(canonical("ΟΔΥΣΣΕΥΣ ΣΣ"), "οδυσσευς σς");
        assert_eq!(canonical("…!?"), "");
    }

    proptest! {
        #[test]
        fn a_text_that_is_normal_already_is_left_alone(
            text in "\\PC{0,40}|[\\x00-\\x7fJ\u{30c}\u{3a3}\u{307}Iİ´ ﬃ½…]{0,20}|[a-zé設定ー가 。]{0,20}",
        ) {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
        }

        #[test]
        fn is_idempotent(text in "\\PC{0,40}|[\\x00-\\x7fJ\u{30c}\u{3a3}\u{307}Iİ´ ﬃ½…]{0,20}|.{0,40}") {
            let once = canonical(&text);
            prop_assert_eq!(canonical(&once), once);
        }

        #[test]
        fn has_no_space_at_its_ends_nor_twice(text in ".{0,40}") {
            let canonical = canonical(&text);
            prop_assert_eq!(canonical.trim_matches(is_space), &canonical);
            prop_assert!(!canonical.contains("  "));
        }
    }
}
