//! Texts that are refused whatever else they show: questions, subjects of commits, and the file that is open.

use super::passage::{Passage, QUOTED};
use super::words::{Phrases, Words};
use crate::capture::Rejection;

static HASHED: Words = Words::new(
    "commit commits head main rebase landed merged pushed rebased cherry-picked hash merge as fixed",
);
const EDITING: Phrases = Phrases(
    "
    open file, open files, files open, active file, cursor is, ^editing, ^viewing, ^working in, ^looking at,
    currently open, are editing, i am in, being worked on, tab with
    ",
);
const CONVENTIONAL: &[&str] = &[
    "feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert",
];

/// Words that say that something is not decided.
const OPEN: Phrases = Phrases(
    "
    unclear, not clear, open whether, still open, undecided, not decided, to be decided, not sure, open question,
    clarified, 是否需要, 要不要, 还没决定, まだ決ま, べきか, べきでしょうか
    ",
);

/// Gives the reason to refuse a text whatever other signs it has.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    if asks(passage) {
        return Some(Rejection::UnresolvedQuestion);
    }
    if is_commit(passage) {
        return Some(Rejection::CommitOrCiSnapshot);
    }
    let editing = passage.sentences().any(is_editing);
    editing.then_some(Rejection::ActiveFileSnapshot)
}

/// True when a sentence names the file that is open.
fn is_editing(sentence: &str) -> bool {
    let placed = sentence.contains(|c: char| "/+@=<".contains(c))
        || sentence.contains(QUOTED)
        || sentence
            .trim_end_matches('.')
            .contains(|c: char| c == '.' || c.is_ascii_digit());
    EDITING.is_in(sentence) && placed
}

/// True when a text asks: it ends as a question, or says that something is not decided.
fn asks(passage: &Passage<'_>) -> bool {
    let asks = passage
        .sentences()
        .any(|sentence| sentence.ends_with(['?', '？']));
    asks || OPEN.is_in(&passage.prose)
}

/// True when a whole text is the subject of a commit, or tells of a commit or of a run of the pipeline.
fn is_commit(passage: &Passage<'_>) -> bool {
    let kind = passage.prose.split(['(', ':', '!']).next().unwrap_or("");
    let subject = passage.prose[kind.len()..]
        .split_once(": ")
        .is_some_and(|(scope, _)| {
            scope.is_empty()
                || scope == "!"
                || (scope.starts_with('(') && scope.trim_end_matches('!').ends_with(')'))
        });
    let words: Vec<&str> = passage
        .whole
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let lower = |word: &&str| word.to_lowercase();
    let hash = |word: &&str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
            && word.contains(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
    };
    let hashed = words.iter().any(hash) && words.iter().map(lower).any(|word| HASHED.contains(&word));
    let listed = words.iter().filter(|word| hash(word)).count() > 1;
    // A label begins with a capital, and an address is what a reference names.
    let address = passage.prose.contains("://") || !passage.whole.starts_with(kind);
    CONVENTIONAL.contains(&kind) && subject && !address || hashed || listed
}
