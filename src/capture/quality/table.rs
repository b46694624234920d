//! A table of patterns: rows of one reason, compiled once.

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet, RegexSetBuilder};

use super::classes::{CLASSES, GENERATED};

/// Rows of regular expressions; one that matches is enough. `%name%` in a row stands for a class of words
/// ([`CLASSES`]).
pub(super) struct Table {
    rows: &'static [&'static str],
    compiled: OnceLock<RegexSet>,
}

impl Table {
    pub(super) const fn new(rows: &'static [&'static str]) -> Self {
        Self {
            rows,
            compiled: OnceLock::new(),
        }
    }

    /// Whether a row matches somewhere in the text.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.compiled.get_or_init(|| compile(self.rows)).is_match(text)
    }
}

fn compile(rows: &[&str]) -> RegexSet {
    let rows = rows.iter().map(|row| expanded(row));
    RegexSetBuilder::new(rows)
        .build()
        .expect("because a test compiles every table")
}

static CLASS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("%([a-z]+)%").expect("because a test compiles every table"));

/// The row with its classes written out, and with word boundaries of ASCII: those of Unicode would find none between
/// a Latin and a Chinese letter, and cost the engine its linear automaton.
fn expanded(row: &str) -> String {
    let row = CLASS.replace_all(row, |found: &regex::Captures<'_>| {
        let name = &found[1];
        let words = CLASSES
            .iter()
            .find(|(class, _)| *class == name)
            .map(|(_, words)| words.join("|"))
            .or_else(|| {
                GENERATED
                    .iter()
                    .find(|(class, _)| *class == name)
                    .map(|(_, words)| words().join("|"))
            });
        format!("(?:{})", words.expect("because a test compiles every table"))
    });
    row.replace(r"\b", r"(?-u:\b)")
}
