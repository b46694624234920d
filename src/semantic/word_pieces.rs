//! A text as the word pieces of BERT, by the vocabulary of tokenizer.json.

use std::collections::HashMap;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::text::is_punctuation;

/// The most letters of a word that is taken apart.
const MOST_LETTERS: usize = 100;

/// The vocabulary.
#[derive(Debug)]
pub(super) struct WordPieces {
    pieces: HashMap<String, usize>,
    begin: usize,
    end: usize,
    unknown: usize,
}

#[derive(Deserialize)]
struct File {
    normalizer: Normalizer,
    model: Model,
}

#[derive(Deserialize)]
struct Normalizer {
    lowercase: bool,
}

#[derive(Deserialize)]
struct Model {
    continuing_subword_prefix: String,
    vocab: HashMap<String, usize>,
}

impl WordPieces {
    /// Reads tokenizer.json; an error is the reason why it cannot.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let File { normalizer, model } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if !normalizer.lowercase || model.continuing_subword_prefix != "##" {
            return Err("not the word pieces of a BERT in lower case".to_owned());
        }
        let pieces = model.vocab;
        let known = |piece: &str| pieces.get(piece).copied().ok_or(format!("no piece `{piece}`"));
        Ok(Self {
            begin: known("[CLS]")?,
            end: known("[SEP]")?,
            unknown: known("[UNK]")?,
            pieces,
        })
    }

    /// The number of the last piece.
    pub(super) fn last(&self) -> usize {
        self.pieces.values().copied().max().unwrap_or_default()
    }

    /// The pieces of a text, `most` at most: what comes after them is not read.
    pub(super) fn of(&self, text: &str, most: usize) -> Vec<usize> {
        let mut found = vec![self.begin];
        let mut spaced = String::with_capacity(text.len());
        let letters = text.nfd().filter(|c| !is_combining_mark(*c));
        for c in letters.flat_map(char::to_lowercase) {
            if is_alone(c) {
                spaced.extend([' ', c, ' ']);
            } else if !c.is_control() || c.is_whitespace() {
                spaced.push(c);
            }
        }
        for word in spaced.split_whitespace() {
            if found.len() >= most {
                break;
            }
            self.add(word, &mut found);
        }
        found.truncate(most.saturating_sub(1));
        found.push(self.end);
        found
    }

    /// Takes a word apart: the longest piece that is known first.
    fn add(&self, word: &str, found: &mut Vec<usize>) {
        let start = found.len();
        let (mut rest, mut front) = (word, "");
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends: Vec<usize> = ends.take(MOST_LETTERS + 1).collect();
            let piece = |end: &usize| Some((*end, *self.pieces.get(&format!("{front}{}", &rest[..*end]))?));
            let is_long = start == found.len() && ends.len() > MOST_LETTERS;
            let Some((end, piece)) = ends.iter().rev().find_map(piece).filter(|_| !is_long) else {
                found.truncate(start);
                found.push(self.unknown);
                return;
            };
            found.push(piece);
            (rest, front) = (&rest[end..], "##");
        }
    }
}

/// Punctuation and the characters of Chinese are words of their own.
fn is_alone(c: char) -> bool {
    is_punctuation(c)
        || c.is_ascii_punctuation()
        || matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}
