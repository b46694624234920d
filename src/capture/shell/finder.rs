//! Words and marks by which lines tell of trouble, found in one quick pass: most lines of most outputs have none of them.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{signs, words};

/// The meaning of what is found, if it stands there as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A word that names an error.
    Error,
    /// A word by which trouble is told without that name.
    Trouble,
    /// A word of warnings.
    Warning,
    /// The end of the name of an exception, or the beginning of one.
    Name,
    /// A word behind which every number but 0 is trouble.
    End,
    /// A word behind which the status of an answer stands.
    Answer,
    /// The same, behind a path.
    Method,
    /// The beginning of a mark.
    Mark,
}

/// An automaton, and the sorts of its patterns.
type Finder = (AhoCorasick, Vec<Sort>);

/// Quick, and made in some milliseconds: for the pruning of outputs.
static QUICK: LazyLock<Finder> =
    LazyLock::new(|| finder(AhoCorasickKind::DFA, words::patterns().chain(signs::patterns())));

/// The words alone, made at once: a process that reads one command reads few lines.
static SMALL: LazyLock<Finder> = LazyLock::new(|| finder(AhoCorasickKind::ContiguousNFA, words::patterns()));

fn finder(kind: AhoCorasickKind, patterns: impl Iterator<Item = (&'static str, Sort)>) -> Finder {
    let (patterns, sorts): (Vec<&str>, Vec<Sort>) = patterns.unzip();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(kind))
        .build(patterns);
    (finder.expect("because the words are constants"), sorts)
}

/// Everything that is found in one of many lines, whatever its case, also within other words and over each other.
pub(super) fn found(line: &str) -> impl Iterator<Item = (Sort, Range<usize>)> {
    found_by(&QUICK, line)
}

/// The words that are found in one of few lines.
pub(super) fn found_words(line: &str) -> impl Iterator<Item = (Sort, Range<usize>)> {
    found_by(&SMALL, line)
}

fn found_by<'l>(finder: &'static Finder, line: &'l str) -> impl Iterator<Item = (Sort, Range<usize>)> + 'l {
    let (finder, sorts) = finder;
    let found = finder.find_overlapping_iter(line);
    found.map(|found| (sorts[found.pattern().as_usize()], found.range()))
}
