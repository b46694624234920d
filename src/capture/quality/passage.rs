//! A text under judgement: as it stands, as its own prose, and sentence by sentence.

use std::sync::LazyLock;

use regex::Regex;

use crate::text::{is_cjk, one_line, pattern};

/// The most characters that are judged. A fact is a sentence or two; what follows them cannot make it one again.
const MOST_CHARS: usize = 4_000;
/// The most words of a clause that are read.
const MOST_WORDS: usize = 80;
/// Stands in a clause for whatever was quoted: code, a path, a saying. No language has the word.
pub(super) const QUOTED: &str = "\u{fffc}";

static QUOTATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"`[^`]*`|"[^"]*"|“[^”]*”|«[^»]*»|「[^」]*」|『[^』]*』|„[^“]*“"#));

static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s).+?(?:[。；！？]|[.;!?](?:\s|$)|$)"));

/// A text, in the forms that the classes ask about.
pub(super) struct Passage<'t> {
    /// The beginning of the text, as it stands.
    pub(super) whole: &'t str,
    /// Its prose: in lower case, on one line, without emphasis, with a sign for what it quotes.
    pub(super) prose: String,
}

impl<'t> Passage<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let text = text.trim();
        let end = text.char_indices().nth(MOST_CHARS);
        let whole = &text[..end.map_or(text.len(), |(end, _)| end)];
        Self {
            whole,
            prose: prose(whole),
        }
    }

    /// The sentences, each with the sign that ends it, in order.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        let sentences = SENTENCE
            .find_iter(&self.prose)
            .map(|sentence| sentence.as_str().trim());
        sentences.filter(|sentence| sentence.contains(|c: char| c.is_alphanumeric() || QUOTED.contains(c)))
    }
}

/// The words of a clause, with a comma for whatever parts one from the next.
pub(super) fn words(clause: &str) -> Vec<&str> {
    let inner = |c: char| c.is_alphanumeric() || "/+#@_".contains(c) || QUOTED.contains(c);
    let mut words = Vec::new();
    for piece in clause.split_whitespace().take(MOST_WORDS) {
        let word = piece.trim_matches(|c| !inner(c));
        if word.is_empty() {
            continue;
        }
        words.push(word);
        if piece.ends_with([',', ':', ')']) {
            words.push(",");
        }
    }
    words
}

/// True when most letters of a text are Chinese, Japanese or Korean.
pub(super) fn is_mostly_cjk(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    let cjk = text.chars().filter(|c| is_cjk(*c)).count();
    cjk * 2 > letters
}

/// The prose of a text, see [`Passage::prose`].
fn prose(text: &str) -> String {
    let line = one_line(text).to_lowercase();
    let line = line
        .replace(['’', '‘', '´'], "'")
        .replace("**", "")
        .replace("__", "");
    let line = QUOTATION.replace_all(&line, QUOTED);
    // Bullets, boxes and pictures before the first word say nothing.
    let line = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && !QUOTED.contains(c) && !"/<([@.~".contains(c));
    let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "*").collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_has_no_quotation_and_no_decoration() {
        let passage = Passage::new("- **Never** run `a b` or “c d”.\n  Use 「e」");
        assert_eq!(passage.prose.replace(QUOTED, "Q"), "never run Q or Q. use Q");
    }

    #[test]
    fn sentences_end_before_white_space() {
        let passage = Passage::new("Node 1.2 is used. 不要加。好；Files: a.rs");
        let sentences: Vec<&str> = passage.sentences().collect();
        assert_eq!(
            sentences,
            ["node 1.2 is used.", "不要加。", "好；", "files: a.rs"]
        );
    }

    #[test]
    fn words_know_what_parts_them() {
        assert_eq!(
            words("if a, b (c) – runs: x"),
            ["if", "a", ",", "b", "c", ",", "runs", ",", "x"]
        );
    }
}
