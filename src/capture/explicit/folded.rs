//! A line as its table of words sees it: one spelling for what only looks different.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::text::{is_hidden, is_space};

/// A line in one spelling: NFKC (full-width forms, half-width kana, letters in parts), lower case, straight
/// apostrophes and quotes, each run of white space one space, nothing that is invisible. It knows where each of its
/// bytes stands in the line as it was typed.
#[derive(Debug)]
pub(super) struct Folded {
    text: String,
    /// For each byte of `text`, and for its end, where it begins in the line.
    places: Vec<usize>,
}

impl Folded {
    pub(super) fn new(line: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(line.len()),
            places: Vec::with_capacity(line.len() + 1),
        };
        let mut at = 0;
        while at < line.len() {
            let end = at + cluster(&line[at..]);
            folded.push_cluster(&line[at..end], at);
            at = end;
        }
        folded.places.push(line.len());
        folded
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Gives the place in the line of a byte of the folded text.
    pub(super) fn place(&self, at: usize) -> usize {
        self.places[at]
    }

    fn push_cluster(&mut self, cluster: &str, place: usize) {
        if cluster.len() == 1 {
            self.push(char::from(cluster.as_bytes()[0].to_ascii_lowercase()), place);
            return;
        }
        for c in cluster.nfkc() {
            for lower in c.to_lowercase() {
                self.push(lower, place);
            }
        }
    }

    fn push(&mut self, c: char, place: usize) {
        let c = match c {
            c if is_space(c) => ' ',
            '‘' | '’' | 'ʼ' | '´' => '\'',
            '“' | '”' => '"',
            c => c,
        };
        if is_invisible(c) || (c == ' ' && self.text.ends_with(' ')) {
            return;
        }
        self.text.push(c);
        self.places.resize(self.text.len(), place);
    }
}

/// White space, and what nobody sees.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Characters that nobody sees, controls among them.
fn is_invisible(c: char) -> bool {
    c.is_control() || is_hidden(c)
}

/// The length of the first character with what composes with it: accents, voiced marks, the parts of a syllable.
fn cluster(text: &str) -> usize {
    let joins = |c: char| {
        !c.is_ascii()
            && (canonical_combining_class(c) != 0
                || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}'))
    };
    text.char_indices()
        .skip(1)
        .find(|&(_, c)| !joins(c))
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;

    #[test]
    fn one_spelling_for_what_looks_alike() {
        for (line, folded) in [
            ("Ｒｅｍｅｍｂｅｒ：　x", "remember: x"),
            ("Don’t  forget,\tok", "don't forget, ok"),
            ("re\u{200b}mem\0ber", "remember"),
            ("ﾒﾓして", "メモして"),
        ] {
            assert_eq!(Folded::new(line).as_str(), folded);
        }
        let parted: String = "기억해줘 メモしておいて で".nfd().collect();
        assert_eq!(Folded::new(&parted).as_str(), "기억해줘 メモしておいて で");
    }

    #[test]
    fn knows_where_a_byte_was() {
        let line = "Ａ\u{200b} 기b";
        let folded = Folded::new(line);
        assert_eq!(folded.as_str(), "a 기b");
        let place = |text: &str| folded.place(folded.as_str().find(text).unwrap());
        assert_eq!(&line[place("기")..], "기b");
        assert_eq!(&line[place("b")..], "b");
        assert_eq!(folded.place(folded.as_str().len()), line.len());
    }
}
