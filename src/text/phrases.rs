//! Finding what some texts say in whatever quotes them: a log line, a preview, an older prompt.

use super::{canonical, without_escapes, without_strays};

/// The shortest phrase, in bytes of its canonical text, that is looked for inside a longer text.
const INSIDE: usize = 8;
/// The shortest line of a longer text, in bytes of its canonical text, that tells the text.
const LINE: usize = 24;
/// The shortest beginning of a phrase, in bytes of its canonical text, that counts as a quotation that was cut.
const CUT: usize = 40;

/// Texts, and their long lines, by their canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrases(Vec<String>);

impl Phrases {
    /// The phrases of some texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut phrases = Vec::new();
        for text in texts {
            phrases.push(said(text));
            let lines = text.lines().map(said);
            phrases.extend(lines.filter(|line| line.len() >= LINE));
        }
        phrases.retain(|phrase| !phrase.is_empty());
        phrases.sort_unstable();
        phrases.dedup();
        Self(phrases)
    }

    /// Says whether a text is one of them, in whatever spelling.
    pub fn is_one(&self, text: &str) -> bool {
        self.0.contains(&said(text))
    }

    /// Says whether a text says a phrase or, where the phrase is long, its beginning.
    pub fn are_in(&self, text: &str) -> bool {
        let text = said(text);
        self.0.iter().any(|phrase| {
            text == *phrase
                || (phrase.len() >= INSIDE && text.contains(phrase))
                || (text.len() >= CUT && phrase.starts_with(&text))
        })
    }
}

/// The canonical text of what is seen: a colour may begin in the middle of a quotation.
fn said(text: &str) -> String {
    canonical(&without_strays(&without_escapes(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_found_in_any_spelling_whole_or_cut() {
        let phrases = Phrases::of([
            "Use npm cache!",
            "tea",
            "Deploys are on\nMondays and never on a Friday evening",
        ]);
        for text in [
            "use NPM cache",
            "- decision: Use npm-cache (2026-11)",
            "\u{1b}[32mUse npm\u{1b}[0m ca\u{200b}che",
            "\"tea\"",
            "x\nmondays, and never on a friday evening",
            "Deploys are on Mondays and never on a Fri…",
        ] {
            assert!(phrases.are_in(text), "{text}");
        }
        for text in ["", "steam", "use npm", "green tea", "Deploys are on Mondays", "…"] {
            assert!(!phrases.are_in(text), "{text}");
        }
        assert!(!Phrases::of(["", "?"]).are_in("") && !Phrases::default().are_in("a"));
    }
}
