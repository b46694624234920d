//! The errors that commands of a session left open.

use crate::capture::ErrorCategory;
use crate::model::Timestamp;

/// The number of errors that are kept (capture.md, "Tool events").
const KEPT: usize = 5;
/// An error that no command printed for this long is over: who works on it has run the command again.
const OVER_AFTER_MILLIS: u64 = 60 * 60 * 1000;

/// Tells whether an error is still believed to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorStatus {
    /// A command printed it, and nothing has happened since that could have mended it.
    Open,
    /// A file that it names was edited since; no command has said whether that helped.
    MaybeFixed,
}

impl ErrorStatus {
    /// Every status.
    pub const ALL: [Self; 2] = [Self::Open, Self::MaybeFixed];

    /// The word for it in the session's file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::MaybeFixed => "maybe_fixed",
        }
    }

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// An error that a command or a tool of this session ended in, and that no later one has cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    pub first_seen: Timestamp,
    /// When it was last printed.
    pub last_seen: Timestamp,
    /// The number of times that it was printed.
    pub count: u32,
}

/// The report of a failing command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorReport {
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
}

/// Opens an error, or counts it once more and opens it again; of more than five the one seen longest ago goes.
pub(super) fn open(errors: &mut Vec<OpenError>, report: ErrorReport, now: Timestamp) {
    let known = errors
        .iter()
        .position(|error| error.fingerprint == report.fingerprint);
    let earlier = known.map(|at| errors.remove(at));
    let error = OpenError {
        first_seen: earlier.as_ref().map_or(now, |error| error.first_seen),
        last_seen: now,
        count: earlier.map_or(0, |error| error.count).saturating_add(1),
        status: ErrorStatus::Open,
        category: report.category,
        program: report.program,
        summary: report.summary,
        fingerprint: report.fingerprint,
        files: report.files,
    };
    errors.push(error);
    if errors.len() > KEPT {
        errors.drain(..errors.len() - KEPT);
    }
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
pub(super) fn expire(errors: &mut Vec<OpenError>, now: Timestamp) {
    errors.retain(|error| now.millis_since(error.last_seen).unsigned_abs() < OVER_AFTER_MILLIS);
}

/// Marks those that name a file which was just edited.
pub(super) fn mark_edited(errors: &mut [OpenError], names: impl Fn(&OpenError) -> bool) {
    for error in errors.iter_mut().filter(|error| names(error)) {
        error.status = ErrorStatus::MaybeFixed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn report(category: ErrorCategory, program: &str, fingerprint: &str) -> ErrorReport {
        ErrorReport {
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
        mark_edited(&mut errors, |error| error.files == ["src/a.rs"]);
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
        let hour = i64::try_from(OVER_AFTER_MILLIS).unwrap();
        let mut errors = Vec::new();
        open(&mut errors, report(ErrorCategory::Test, "cargo", "a"), at(5));
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(5));
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(9));
        expire(&mut errors, at(4 + hour));
        assert_eq!(fingerprints(&errors), ["a", "b"]);
        expire(&mut errors, at(5 + hour));
        assert_eq!(fingerprints(&errors), ["b"], "seen again since");
        expire(&mut errors, at(9 - hour));
        assert_eq!(fingerprints(&errors), [""; 0]);
        open(
            &mut errors,
            report(ErrorCategory::Test, "cargo", "b"),
            at(9 + hour),
        );
        open(&mut errors, report(ErrorCategory::Test, "cargo", "b"), at(3));
        expire(&mut errors, at(4));
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
    fn a_status_reads_back() {
        for status in ErrorStatus::ALL {
            assert_eq!(ErrorStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(ErrorStatus::parse("fixed"), None);
    }
}
