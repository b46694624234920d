//! The lists of a conversation's hot state: active files, open errors, decisions, what it stored, and the jobs that the
//! user asked not to forget. Each is bounded, and the newest entry takes the place of an earlier one that says the same.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::capture::{ErrorCategory, FileAction, ShellError};
use crate::model::{Id, Kind, Timestamp, millis};
use crate::text::canonical;

/// The numbers of entries that are kept (docs/capture.md).
const FILES: usize = 20;
const ERRORS: usize = 5;
const DECISIONS: usize = 8;
const STORED: usize = 100;
pub(super) const TODOS: usize = 20;
/// The rank that each naming by a tool adds to a file.
const RANK_PER_COUNT: u64 = 3;
/// Characters that are kept of a memory that was stored, and of a todo: more than a line of the snapshot shows.
const STORED_CHARS: usize = 500;
pub(super) const TODO_CHARS: usize = 300;
/// An error that no command printed for this long is over: who works on it has run the command again.
const ERROR_MILLIS: u64 = 60 * 60 * 1000;
/// A todo that nobody said again for this long is over: the user has moved on, or has said so in other words.
const TODO_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;

/// A file that tools of this session named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFile {
    /// The path, as the tool named it.
    pub path: String,
    /// The strongest of what tools did with it.
    pub action: FileAction,
    /// The number of times that tools named it.
    pub count: u32,
    /// When one last did.
    #[serde(with = "millis")]
    pub last_seen: Timestamp,
}

impl ActiveFile {
    /// Gives the strength of the sign that the session works on it: the weight of the strongest action, and 3 for each
    /// time.
    pub fn rank(&self) -> u64 {
        u64::from(self.action.weight()) + RANK_PER_COUNT * u64::from(self.count)
    }

    /// Sorts first what ranks higher, of equals what was seen later.
    pub(crate) fn order(&self) -> (Reverse<u64>, Reverse<Timestamp>) {
        (Reverse(self.rank()), Reverse(self.last_seen))
    }
}

/// Tells whether an error is still believed to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorStatus {
    /// A command printed it, and nothing has happened since that could have mended it.
    Open,
    /// A file that it names was edited since; no command has said whether that helped.
    MaybeFixed,
}

/// An error that a command or a tool of this session ended in, and that no later one has cleared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenError {
    /// The kind of work that failed.
    pub category: ErrorCategory,
    /// The program that failed, or the tool.
    pub program: String,
    /// The error lines, bounded.
    pub summary: String,
    /// The mark that tells it from other errors.
    pub fingerprint: String,
    /// The files that it names, as the command printed them.
    pub files: Vec<String>,
    /// Tells whether it is still believed to be there.
    pub status: ErrorStatus,
    /// When it was first printed.
    #[serde(with = "millis")]
    pub first_seen: Timestamp,
    /// When it was last printed.
    #[serde(with = "millis")]
    pub last_seen: Timestamp,
    /// The number of times that it was printed.
    pub count: u32,
}

/// A decision of this session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentDecision {
    /// The memory that says it; `None` in the states of older programs.
    pub id: Option<Id>,
    /// The text of the decision.
    pub text: String,
    /// Its exact key.
    pub exact: String,
    /// When.
    #[serde(with = "millis")]
    pub at: Timestamp,
}

/// A memory that this session stored since its epoch began: running prompts do not show it yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMemory {
    /// The memory.
    pub id: Id,
    /// Its type.
    pub kind: Kind,
    /// The text, as far as a line can show it.
    pub text: String,
}

/// A job that the user asked not to forget. It is no memory: it ends with the session's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionTodo {
    /// The text, as typed.
    pub text: String,
    /// When the user last said it.
    #[serde(with = "millis")]
    pub at: Timestamp,
    /// True when a compaction prompt listed it: the summary carries it from then on.
    #[serde(default, rename = "listed")]
    pub is_listed: bool,
}

/// Puts an entry at the end, in the place of one that is the same; of more than `most` the oldest goes.
pub(super) fn renew<T>(list: &mut Vec<T>, entry: T, most: usize, is_same: impl Fn(&T, &T) -> bool) {
    list.retain(|earlier| !is_same(earlier, &entry));
    list.push(entry);
    let over = list.len().saturating_sub(most);
    list.drain(..over);
}

/// Counts that a tool did this with a file; the 20 that rank highest stay, and always the one just named.
pub(super) fn touch(files: &mut Vec<ActiveFile>, path: &str, action: FileAction, now: Timestamp) {
    let known = files.iter().position(|file| file.path == path);
    let mut file = known.map_or_else(
        || ActiveFile {
            path: path.to_owned(),
            action,
            count: 0,
            last_seen: now,
        },
        |at| files.remove(at),
    );
    file.count = file.count.saturating_add(1);
    file.last_seen = file.last_seen.max(now);
    if action.weight() > file.action.weight() {
        file.action = action;
    }
    files.sort_by_key(ActiveFile::order);
    // Were the new one to compete at once, twenty busy files would keep a session from ever noticing another.
    files.truncate(FILES - 1);
    files.push(file);
    files.sort_by_key(ActiveFile::order);
}

/// Opens an error, or counts it once more and opens it again; of more than five the one seen longest ago goes.
pub(super) fn open(errors: &mut Vec<OpenError>, report: ShellError, now: Timestamp) {
    let mut known = errors.iter();
    let earlier = known.find(|error| error.fingerprint == report.fingerprint);
    let error = OpenError {
        first_seen: earlier.map_or(now, |error| error.first_seen),
        last_seen: now,
        count: earlier.map_or(0, |error| error.count).saturating_add(1),
        status: ErrorStatus::Open,
        category: report.category,
        program: report.program,
        summary: report.summary,
        fingerprint: report.fingerprint,
        files: report.files,
    };
    renew(errors, error, ERRORS, |one, other| {
        one.fingerprint == other.fingerprint
    });
}

/// Takes away what a success has disproved: the errors of its category; where that says little about what was done,
/// only those of the same program.
pub(super) fn clear(errors: &mut Vec<OpenError>, category: ErrorCategory, program: &str) {
    let any_program = match category {
        ErrorCategory::Typecheck | ErrorCategory::Test | ErrorCategory::Lint | ErrorCategory::Build => true,
        ErrorCategory::Runtime | ErrorCategory::Tool => false,
    };
    errors.retain(|error| error.category != category || !(any_program || error.program == program));
}

/// Takes away what is over by now. A time in the future (the clock was set back) counts by its distance.
pub(super) fn expire_errors(errors: &mut Vec<OpenError>, now: Timestamp) {
    errors.retain(|error| now.millis_since(error.last_seen).unsigned_abs() < ERROR_MILLIS);
}

/// Adds a decision as the newest; the same key once, in its newest words.
pub(super) fn decide(decisions: &mut Vec<RecentDecision>, decision: RecentDecision) {
    renew(decisions, decision, DECISIONS, |one, other| {
        one.exact == other.exact
    });
}

/// Adds a memory as the newest; the same memory once, in its newest words.
pub(super) fn remember(stored: &mut Vec<StoredMemory>, mut memory: StoredMemory) {
    memory.text = memory.text.chars().take(STORED_CHARS).collect();
    renew(stored, memory, STORED, |one, other| one.id == other.id);
}

/// Adds a todo as the newest; the same text once.
pub(super) fn add(todos: &mut Vec<SessionTodo>, text: &str, now: Timestamp) {
    let todo = SessionTodo {
        text: text.chars().take(TODO_CHARS).collect(),
        at: now,
        is_listed: false,
    };
    renew(todos, todo, TODOS, |one, other| {
        canonical(&one.text) == canonical(&other.text)
    });
}

/// The open tasks of the host's own list that are kept of it, as it gives them.
pub(super) fn of_host(open: Vec<String>) -> Vec<String> {
    let short = |text: String| text.trim().chars().take(TODO_CHARS).collect::<String>();
    let kept = open.into_iter().map(short).filter(|text| !text.is_empty());
    kept.take(TODOS).collect()
}

/// Takes away what is over by now. A time in the future (the clock was set back) is no age.
pub(super) fn expire_todos(todos: &mut Vec<SessionTodo>, now: Timestamp) {
    todos.retain(|todo| now.millis_since(todo.at) < TODO_MILLIS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn paths(files: &[ActiveFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn the_strongest_action_and_the_count_make_the_rank() {
        let mut files = Vec::new();
        touch(&mut files, "a", FileAction::Edit, at(1));
        touch(&mut files, "a", FileAction::Read, at(2));
        let expected = ActiveFile {
            path: "a".into(),
            action: FileAction::Edit,
            count: 2,
            last_seen: at(2),
        };
        assert_eq!((files[0].rank(), files), (56, vec![expected]));
    }

    #[test]
    fn ties_go_to_what_was_seen_last() {
        let mut files = Vec::new();
        for (time, path) in (1..).zip(["a", "b", "c"]) {
            touch(&mut files, path, FileAction::Read, at(time));
        }
        touch(&mut files, "a", FileAction::Grep, at(4));
        assert_eq!(paths(&files), ["a", "c", "b"]);
    }

    #[test]
    fn twenty_stay_and_the_newest_always_does() {
        let mut files = Vec::new();
        for n in 0..20 {
            touch(&mut files, &format!("busy{n}"), FileAction::Edit, at(n));
        }
        touch(&mut files, "new", FileAction::Read, at(20));
        assert_eq!(files.len(), FILES);
        assert_eq!(paths(&files)[18..], ["busy1", "new"]);
        touch(&mut files, "newer", FileAction::Read, at(21));
        assert_eq!(paths(&files)[18..], ["busy1", "newer"]);
    }

    fn report(category: ErrorCategory, program: &str, fingerprint: &str) -> ShellError {
        ShellError {
            category,
            program: program.into(),
            summary: format!("{fingerprint} failed"),
            fingerprint: fingerprint.into(),
            files: vec![format!("src/{fingerprint}.rs")],
        }
    }

    fn fingerprints(errors: &[OpenError]) -> Vec<&str> {
        errors.iter().map(|error| error.fingerprint.as_str()).collect()
    }

    #[test]
    fn the_same_one_again_counts_and_is_open_again() {
        let mut errors = Vec::new();
        open(&mut errors, report(ErrorCategory::Test, "cargo", "a"), at(1));
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(2));
        errors[0].status = ErrorStatus::MaybeFixed;
        let status = |errors: &[OpenError]| errors.iter().map(|error| error.status).collect::<Vec<_>>();
        assert_eq!(status(&errors), [ErrorStatus::MaybeFixed, ErrorStatus::Open]);
        open(&mut errors, report(ErrorCategory::Test, "cargo", "a"), at(3));
        assert_eq!(
            (fingerprints(&errors), status(&errors)),
            (vec!["b", "a"], vec![ErrorStatus::Open; 2])
        );
        let again = &errors[1];
        assert_eq!(
            (again.count, again.first_seen, again.last_seen),
            (2, at(1), at(3))
        );
    }

    #[test]
    fn the_five_seen_last_stay() {
        let mut errors = Vec::new();
        for (time, fingerprint) in (1..).zip(["a", "b", "c", "d", "e", "a", "f"]) {
            open(
                &mut errors,
                report(ErrorCategory::Lint, "eslint", fingerprint),
                at(time),
            );
        }
        assert_eq!(fingerprints(&errors), ["c", "d", "e", "a", "f"]);
    }

    #[test]
    fn an_hour_without_mention_ends_it_whichever_way_the_clock_goes() {
        let hour = i64::try_from(ERROR_MILLIS).unwrap();
        let mut errors = Vec::new();
        open(&mut errors, report(ErrorCategory::Test, "cargo", "a"), at(5));
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(5));
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(9));
        expire_errors(&mut errors, at(4 + hour));
        assert_eq!(fingerprints(&errors), ["a", "b"]);
        expire_errors(&mut errors, at(5 + hour));
        assert_eq!(fingerprints(&errors), ["b"], "seen again since");
        expire_errors(&mut errors, at(9 - hour));
        assert_eq!(fingerprints(&errors), [""; 0]);
        open(
            &mut errors,
            report(ErrorCategory::Test, "cargo", "b"),
            at(9 + hour),
        );
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(3));
        expire_errors(&mut errors, at(4));
        assert_eq!(
            fingerprints(&errors),
            ["b"],
            "printed again after the clock was set back"
        );
    }

    #[test]
    fn a_success_clears_its_category_and_of_what_says_little_its_program() {
        let all = || {
            let mut errors = Vec::new();
            open(&mut errors, report(ErrorCategory::Test, "jest", "t"), at(1));
            open(&mut errors, report(ErrorCategory::Runtime, "node", "n"), at(1));
            open(&mut errors, report(ErrorCategory::Runtime, "curl", "c"), at(1));
            open(&mut errors, report(ErrorCategory::Tool, "edit", "e"), at(1));
            errors
        };
        for (category, program, left) in [
            (ErrorCategory::Test, "vitest", vec!["n", "c", "e"]),
            (ErrorCategory::Runtime, "curl", vec!["t", "n", "e"]),
            (ErrorCategory::Runtime, "ls", vec!["t", "n", "c", "e"]),
            (ErrorCategory::Tool, "edit", vec!["t", "n", "c"]),
            (ErrorCategory::Build, "cargo", vec!["t", "n", "c", "e"]),
        ] {
            let mut errors = all();
            clear(&mut errors, category, program);
            assert_eq!(fingerprints(&errors), left, "{category:?} {program}");
        }
    }

    #[test]
    fn the_newest_eight_stay_each_once_in_its_newest_words() {
        let mut decisions = Vec::new();
        for n in 0..10 {
            let decision = RecentDecision {
                id: None,
                text: format!("Rule {n}"),
                exact: format!("decision:rule {}", if n == 9 { 5 } else { n }),
                at: Timestamp::from_millis(n),
            };
            decide(&mut decisions, decision);
        }
        let texts: Vec<&str> = decisions.iter().map(|decision| decision.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Rule 1", "Rule 2", "Rule 3", "Rule 4", "Rule 6", "Rule 7", "Rule 8", "Rule 9"
            ]
        );
    }

    #[test]
    fn the_same_memory_once_and_no_more_than_can_be_named() {
        let memory = |n: usize, text: &str| StoredMemory {
            id: Id::parse(&format!("mem_{n}")).unwrap(),
            kind: Kind::new("decision"),
            text: text.into(),
        };
        let mut stored = Vec::new();
        remember(&mut stored, memory(0, "first words"));
        remember(&mut stored, memory(1, "other"));
        remember(&mut stored, memory(0, "new words"));
        assert_eq!(stored, [memory(1, "other"), memory(0, "new words")]);
        for n in 0..STORED + 5 {
            remember(&mut stored, memory(n, "again"));
        }
        assert_eq!((stored.len(), stored[0].id.as_str()), (STORED, "mem_5"));
    }

    #[test]
    fn the_same_job_once_and_the_newest_twenty() {
        let mut todos = Vec::new();
        for (n, text) in (0..).zip(["Close the ticket", "rebase it", "close the ticket."]) {
            add(&mut todos, text, Timestamp::from_millis(n));
        }
        let texts: Vec<&str> = todos.iter().map(|todo| todo.text.as_str()).collect();
        assert_eq!(texts, ["rebase it", "close the ticket."]);
        for n in 0..TODOS {
            add(&mut todos, &format!("job {n}"), Timestamp::from_millis(9));
        }
        assert_eq!((todos.len(), todos[0].text.as_str()), (TODOS, "job 0"));
    }

    const YEARS: i64 = 20 * 365 * 24 * 60 * 60 * 1000;

    #[test]
    fn a_week_ends_it_and_no_time_before_it() {
        let mut todos = Vec::new();
        add(&mut todos, "close the ticket", Timestamp::from_millis(5));
        expire_todos(&mut todos, Timestamp::from_millis(4 + TODO_MILLIS));
        assert_eq!(todos.len(), 1);
        expire_todos(&mut todos, Timestamp::from_millis(5 + TODO_MILLIS));
        assert_eq!(todos, []);
        // The clock was set back, by years or by more than there are: no age.
        for (said, now) in [(YEARS, 0), (i64::MAX, i64::MIN), (i64::MIN, i64::MIN)] {
            add(&mut todos, "close the ticket", Timestamp::from_millis(said));
            expire_todos(&mut todos, Timestamp::from_millis(now));
            assert_eq!(todos.len(), 1, "{said} {now}");
        }
        expire_todos(&mut todos, Timestamp::from_millis(i64::MAX));
        assert_eq!(todos, []);
    }
}
