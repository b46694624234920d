//! Texts that must not come back: the store's file `forgotten` (a line for each thing that was forgotten or allowed
//! again).
//!
//! `forget <token> <date> <id or -> <sha256 of the canonical text, without type>` puts a text out of reach of
//! extraction and import; `lift <token> <date>` takes one such line back. Lines are a set: their order says nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::text::{canonical, sha256_hex};

/// The lines of a `forgotten` file that are in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Tokens by the hash of the text that they forget.
    tokens: BTreeMap<String, BTreeSet<String>>,
}

impl Forgotten {
    /// Reads the file. A line that says neither `forget` nor `lift` is passed over.
    pub fn parse(text: &str) -> Self {
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<String>>()
        };
        let lines: Vec<Vec<String>> = text.lines().map(words).collect();
        let is = |line: &&Vec<String>, word: &str, len: usize| line.len() >= len && line[0] == word;
        let lifted: BTreeSet<&String> = lines
            .iter()
            .filter(|line| is(line, "lift", 2))
            .map(|line| &line[1])
            .collect();
        let mut tokens: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let forgotten = lines.iter().filter(|line| is(line, "forget", 5));
        for line in forgotten.filter(|line| !lifted.contains(&line[1])) {
            let hash = line[4].to_lowercase();
            tokens.entry(hash).or_default().insert(line[1].clone());
        }
        Self { tokens }
    }

    /// The tokens that forget this text; none when it may be remembered.
    pub fn tokens_of(&self, text: &str) -> impl Iterator<Item = &str> {
        let tokens = self.tokens.get(&sha256_hex(canonical(text).as_bytes()));
        tokens.into_iter().flatten().map(String::as_str)
    }

    /// Says whether this text was forgotten for good.
    pub fn holds(&self, text: &str) -> bool {
        self.tokens_of(text).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_by_its_canonical_form_and_a_lift_takes_it_back() {
        let hash = sha256_hex(canonical("Use npm cache").as_bytes());
        let forget = format!("forget t1 2026-11-01 - {hash}\r\nnonsense\n");
        let forgotten = Forgotten::parse(&forget);
        assert!(forgotten.holds("use NPM cache!"));
        assert!(!forgotten.holds("Use npm link"));
        let lifted = Forgotten::parse(&format!("lift t1 2026-11-02\n{forget}"));
        assert!(!lifted.holds("Use npm cache"));
        let again = format!("{forget}lift t1 2026-11-02\nforget t2 2026-11-03 mem_a {hash}\n");
        let again = Forgotten::parse(&again);
        assert_eq!(again.tokens_of("use npm cache").collect::<Vec<_>>(), ["t2"]);
    }
}
