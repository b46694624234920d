//! The lines that stay wherever they stand.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::kind::{Kind, has_severe_word, is_severe};
use crate::capture::{are_named, tells_trouble};
use crate::policy::KeepRule;

/// Indented lines behind a line that stays which belong to it: the place of a warning, a stack trace.
const MOST_INDENTED: usize = 8;

/// Words of the host's about what it left out itself.
const CUT_BY_HOST: [&str; 4] = [
    "truncated",
    "output saved to:",
    "<shell_metadata>",
    "</shell_metadata>",
];

static CUT: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(CUT_BY_HOST).expect("because the words are constants"));

/// The beginning of words of ours.
const OURS: &str = "[mdmem";

/// The rules by which the lines of a text stay.
pub(super) struct Stays<'a> {
    keep: &'a [KeepRule<'a>],
    errors: &'a [String],
    /// The text is a log and has a word for what is badly wrong. Most have none, and their lines need no look.
    may_be_severe: bool,
    /// The text has words of the host's about what it left out.
    is_cut: bool,
}

impl<'a> Stays<'a> {
    /// Those of an output of this kind.
    pub(super) fn new(text: &str, kind: Kind, keep: &'a [KeepRule<'a>], errors: &'a [String]) -> Self {
        Self {
            keep,
            errors,
            may_be_severe: kind == Kind::Log && has_severe_word(text),
            is_cut: CUT.is_match(text),
        }
    }

    /// Tells of each line whether it stays.
    pub(super) fn of(&self, lines: &[&str]) -> Vec<bool> {
        let mut behind = MOST_INDENTED;
        let mut stays = Vec::with_capacity(lines.len());
        for line in lines {
            let by_itself = self.stays(line);
            let is_indented = line.starts_with([' ', '\t']) && !line.trim().is_empty();
            behind = match (by_itself, is_indented) {
                (true, _) => 0,
                (false, true) => behind + 1,
                (false, false) => MOST_INDENTED,
            };
            stays.push(by_itself || (is_indented && behind <= MOST_INDENTED));
        }
        stays
    }

    fn stays(&self, line: &str) -> bool {
        let line = line.trim_end_matches(['\r', '\n']);
        line.starts_with(OURS)
            || tells_trouble(line)
            || (self.may_be_severe && is_severe(line))
            || (self.is_cut && CUT.is_match(line))
            || self.keep.iter().any(|rule| rule.keeps_line(line))
            || are_named(self.errors, line)
    }
}
