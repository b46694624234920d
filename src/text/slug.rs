//! Names of files: that of a new one, made from what it says, and names as the systems compare them that do not tell case
//! or composition apart.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use super::{is_cjk, is_hidden, without_escapes};
use crate::model::StorePath;

const MAX_WORDS: usize = 6;
const MAX_BYTES: usize = 60;

/// The slug of a text without a single letter or digit.
const NAMELESS: &str = "memory";

/// The stem of a file for this text: NFKC, lower case, words joined by `-`, at most six words and 60 bytes, CJK as
/// it is. Never empty, and always a name that [`StorePath`] takes, on every system; that no other file has it is
/// for the store to see to.
pub fn slug(text: &str) -> String {
    let lower: String = without_escapes(text)
        .nfkc()
        .collect::<String>()
        .to_lowercase()
        .nfkc()
        .collect();
    // An apostrophe inside a word is part of it: `don't` is one word, and a file name does without the mark.
    let plain: String = lower.chars().filter(|c| !matches!(c, '\'' | '’' | 'ʼ')).collect();
    let words = plain
        .split(|c| !belongs_to_word(c))
        .filter(|word| word.contains(char::is_alphanumeric));
    let mut slug = String::new();
    for word in words.take(MAX_WORDS) {
        let joint = usize::from(!slug.is_empty());
        let room = MAX_BYTES.saturating_sub(slug.len() + joint);
        let whole = word.len() <= room;
        // A long run of CJK is many words, so that a part of it says something; a part of a Latin word does not.
        if !whole && !slug.is_empty() && !word.contains(is_cjk) {
            break;
        }
        let part = &word[..word.floor_char_boundary(room)];
        if part.is_empty() {
            break;
        }
        if joint == 1 {
            slug.push('-');
        }
        slug.push_str(part);
        if !whole {
            break;
        }
    }
    if slug.is_empty() {
        slug.push_str(NAMELESS);
    }
    if StorePath::new(&format!("{slug}.md")).is_err() {
        // A device of Windows, such as `con`: the short ones are the only names of letters that are reserved.
        slug = format!("{NAMELESS}-{slug}");
    }
    slug
}

/// Letters, digits and the marks on them, but for those that show nothing.
fn belongs_to_word(c: char) -> bool {
    let mark = || {
        matches!(
            get_general_category(c),
            GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark
        )
    };
    !is_hidden(c) && (c.is_alphanumeric() || mark())
}

/// The name without what such a system ignores: two names that it takes for one file fold to the same text (NFC
/// and case fold; a few names more than that are taken for one, which costs a `-2` and never a file).
pub fn folded_name(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

/// A path as names are compared: without regard to case and Unicode form; blanks, `_` and `-` are one.
pub fn folded_path(path: &str) -> String {
    folded_name(path).replace(['_', ' '], "-")
}

/// A name as it is compared, without `.md`.
pub fn folded_stem(name: &str) -> String {
    let mut folded = folded_path(name);
    if folded.ends_with(".md") {
        folded.truncate(folded.len() - 3);
    }
    folded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_what_the_text_says() {
        for (text, name) in [
            (
                "Use npm cache for plugin loading, not npm link.",
                "use-npm-cache-for-plugin-loading",
            ),
            ("Don't use C++ & Ｒｕｓｔ", "dont-use-c-rust"),
            ("設定檔在 ./config/app.json。", "設定檔在-config-app-json"),
            ("プロジェクト", "プロジェクト"),
            ("Café de\u{301}jà", "café-déjà"),
            ("हिन्दी पाठ", "हिन्दी-पाठ"),
            ("../../etc/passwd", "etc-passwd"),
            ("★★ !!! \0", "memory"),
            ("\u{3164}", "memory"),
            ("", "memory"),
            ("CON", "memory-con"),
            ("com¹", "memory-com1"),
        ] {
            assert_eq!(slug(text), name, "{text:?}");
        }
    }

    #[test]
    fn is_cut_between_words_and_inside_cjk() {
        assert_eq!(slug(&"abcdefghij".repeat(7)).len(), 60);
        assert_eq!(
            slug("internationalisation internationalisation of-internationalisation"),
            "internationalisation-internationalisation-of"
        );
        assert_eq!(
            slug(&format!("a {}", "設".repeat(40))),
            format!("a-{}", "設".repeat(19))
        );
    }

    proptest! {
        #[test]
        fn is_a_name_that_every_system_takes(text in ".{0,80}|\\PC{0,80}|[a-z. 設ﾊﾞ\u{301}]{0,200}") {
            let slug = slug(&text);
            prop_assert!(!slug.is_empty() && slug.len() <= 60, "{slug}");
            prop_assert!(slug.split('-').count() <= 6, "{slug}");
            prop_assert!(slug.split('-').all(|word| !word.is_empty()), "{slug}");
            let path = StorePath::new(&format!("{slug}.md"));
            prop_assert_eq!(path.as_ref().map(StorePath::stem), Ok(slug.as_str()));
        }
    }

    #[test]
    fn folds_case_and_composition() {
        for (a, b) in [
            ("Use-NPM.md", "use-npm.md"),
            ("caf\u{e9}.md", "CAFE\u{301}.md"),
            ("straße.md", "STRASSE.md"),
            ("STRAẞE.md", "straße.md"),
            ("ΟΔΟΣ.md", "οδος.md"),
        ] {
            assert_eq!(folded_name(a), folded_name(b));
        }
        assert_ne!(folded_name("a.md"), folded_name("b.md"));
    }
}
