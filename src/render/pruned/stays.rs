//! The lines that stay wherever they stand.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::{Kind, head};
use crate::capture::{are_named, begins_with_place, tells_trouble};
use crate::policy::KeepRule;
use crate::text::pattern;

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

/// Levels of a log for which no word of ordinary outputs stands.
static SEVERE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?-u:\b)(?:crit|critical|severe|emerg|alert|err)(?-u:\b)"));

/// States that tables and plans show without a word of trouble, and the numbers before failed tests.
static STATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?-u:\b)(?:unhealthy|degraded|unreachable|severity: (?:critical|high)|status=[1-9]\d*|(?:be|forces) (?:replaced|destroyed|replacement)|[1-9]\d* to destroy|both (?:modified|added)|deleted by (?:us|them)|(?:9\d|100)% +/)|^ *\d+\) [^ ]",
    )
});

/// The beginning of words of ours.
const OURS: &str = "[mdmem";

/// The rules by which the lines of a text stay.
pub(super) struct Stays<'a> {
    keep: &'a [KeepRule<'a>],
    errors: &'a [String],
    is_log: bool,
    /// The text has words of the host's about what it left out.
    is_cut: bool,
}

impl<'a> Stays<'a> {
    /// Those of an output of this kind.
    pub(super) fn new(text: &str, kind: Kind, keep: &'a [KeepRule<'a>], errors: &'a [String]) -> Self {
        Self {
            keep,
            errors,
            is_log: kind == Kind::Log,
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
            || begins_with_place(line)
            || STATE.is_match(head(line))
            || (self.is_log && SEVERE.is_match(head(line)))
            || (self.is_cut && CUT.is_match(line))
            || self.keep.iter().any(|rule| rule.keeps_line(line))
            || are_named(self.errors, line)
    }
}
