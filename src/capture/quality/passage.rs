//! A text under judgement: as it stands, as its own prose, and clause by clause.

use crate::text::{is_cjk, one_line};

/// The most characters that are judged. A fact is a sentence or two; what follows them cannot make it one again.
const MOST_CHARS: usize = 4_000;
/// The most words of a clause that are read.
const MOST_WORDS: usize = 80;
/// From this many Chinese, Japanese or Korean letters on, the grammar is theirs.
const FEWEST_CJK: usize = 4;
/// Stands in a clause for whatever was quoted: code, a path, a saying. No language has the word.
pub(super) const QUOTED: &str = "\u{fffc}";
/// Marks of what is done, under way or to be done.
const TICKS: [char; 10] = ['✅', '☑', '✔', '✓', '❌', '⏳', '🔄', '🚧', '☐', '🔜'];
/// Signs that begin and end a quotation.
const QUOTES: [(char, char); 7] = [
    ('`', '`'),
    ('"', '"'),
    ('“', '”'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('„', '“'),
];

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
        let end = text
            .char_indices()
            .nth(MOST_CHARS)
            .map_or(text.len(), |(end, _)| end);
        let whole = &text[..end];
        Self {
            whole,
            prose: prose(whole),
        }
    }

    /// True when the text begins with the box or the mark of a list of work: `[x]`, `✅`.
    pub(super) fn is_ticked(&self) -> bool {
        let text = self.whole.trim_start_matches(['-', '*', '+', ' ']);
        ["[x]", "[ ]", "~~"].iter().any(|mark| text.starts_with(mark)) || text.starts_with(TICKS)
    }

    /// True when the prose is Chinese, Japanese or Korean, however many foreign words it has.
    pub(super) fn is_cjk(&self) -> bool {
        self.prose.chars().filter(|c| is_cjk(*c)).count() >= FEWEST_CJK
    }

    /// The sentences, each with the sign that ends it, in order.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        let chars = self.prose.char_indices().peekable();
        let ends = chars
            .clone()
            .zip(chars.skip(1).map(|(_, next)| next).chain([' ']));
        let ends = ends.filter_map(|((at, c), next)| {
            let ends = "。；！？".contains(c) || (".;!?".contains(c) && next.is_whitespace());
            ends.then_some(at + c.len_utf8())
        });
        let mut begin = 0;
        ends.chain([self.prose.len()])
            .map(move |end| {
                let sentence = self.prose[begin..end].trim();
                begin = end;
                sentence
            })
            .filter(|sentence| {
                sentence
                    .chars()
                    .any(|c| c.is_alphanumeric() || QUOTED.contains(c))
            })
    }
}

/// A word of a clause, and whether a comma, colon or bracket parts it from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) parted: bool,
}

/// The words of a clause.
pub(super) fn words(clause: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for piece in clause.split_whitespace().take(MOST_WORDS) {
        let inner = |c: char| c.is_alphanumeric() || "/+#@_".contains(c) || QUOTED.contains(c);
        let text = piece.trim_matches(|c| !inner(c));
        if text.is_empty() {
            if let Some(last) = words.last_mut() {
                last.parted = true;
            }
            continue;
        }
        if piece.starts_with('(')
            && let Some(last) = words.last_mut()
        {
            last.parted = true;
        }
        let parted = piece.ends_with([',', ':', ')']);
        words.push(Word { text, parted });
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
    let mut line = line
        .replace(['’', '‘', '´'], "'")
        .replace("**", "")
        .replace("__", "");
    for (open, close) in QUOTES {
        line = without_quoted(&line, open, close);
    }
    // Bullets, boxes and pictures before the first word say nothing.
    let line = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && !QUOTED.contains(c) && !"/<([@.~".contains(c));
    line.split_whitespace()
        .filter(|word| *word != "*")
        .collect::<Vec<_>>()
        .join(" ")
}

fn without_quoted(text: &str, open: char, close: char) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((_, behind)) = after.split_once(close) else {
            break;
        };
        kept.push_str(before);
        kept.push_str(QUOTED);
        rest = behind;
    }
    kept.push_str(rest);
    kept
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
        let words = words("if a, b (c) runs: \u{fffc}");
        let parted: Vec<bool> = words.iter().map(|word| word.parted).collect();
        assert_eq!(parted, [false, true, true, true, true, false]);
    }
}
