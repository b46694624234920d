//! Canonical text: what two spellings of the same words have in common.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{is_punctuation, is_space, is_unspaced};

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

/// The words of a canonical text, in order: what stands between spaces, where a run of letters of such a script as
/// Chinese counts as its pairs of neighbours (設定檔 is 設定 and 定檔), because nobody marks where its words end.
pub fn words(canonical: &str) -> impl Iterator<Item = &str> {
    canonical.split(' ').flat_map(runs).flat_map(|run| {
        let cjk = run.starts_with(is_unspaced);
        let whole = (!cjk).then_some(run);
        let pairs = cjk.then(|| pairs(run)).into_iter().flatten();
        whole.into_iter().chain(pairs)
    })
}

/// The runs of a word that are CJK throughout or not at all.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let cjk = is_unspaced(rest.chars().next()?);
        let end = rest.find(|c| is_unspaced(c) != cjk).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

/// Each two neighbours of a run; a run of one is itself.
fn pairs(run: &str) -> impl Iterator<Item = &str> {
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
    let alone = run.chars().nth(1).is_none();
    starts
        .zip(ends.skip(usize::from(!alone)))
        .map(|(start, end)| &run[start..end])
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

    fn of(text: &str) -> Vec<&str> {
        words(text).collect()
    }

    #[test]
    fn spaces_part_words_and_cjk_runs_are_pairs() {
        assert_eq!(of("use c++ 2"), ["use", "c++", "2"]);
        assert_eq!(of("設定檔在v2改"), ["設定", "定檔", "檔在", "v2", "改"]);
        assert_eq!(of(""), [""; 0]);
    }
}
