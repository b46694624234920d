//! Names of files, as the systems compare them that do not tell case or composition apart.

use unicode_normalization::UnicodeNormalization;

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

#[cfg(test)]
mod tests {
    use super::*;

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
