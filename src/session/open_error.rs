//! The errors that commands of a session left open.

use crate::capture::ErrorCategory;
use crate::model::Timestamp;

/// How many are kept (capture.md, "Tool events").
const KEPT: usize = 5;

/// Whether an error is still believed to be there.
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

/// An error that a command of this session printed, and that no later one has cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenError {
    /// The kind of work that failed.
    pub category: ErrorCategory,
    /// The program that failed.
    pub program: String,
    /// The error lines, bounded.
    pub summary: String,
    /// What tells it from other errors.
    pub fingerprint: String,
    /// The files that it names, as the command printed them.
    pub files: Vec<String>,
    /// Whether it is still believed to be there.
    pub status: ErrorStatus,
    /// When it was first printed.
    pub first_seen: Timestamp,
    /// When it was last printed.
    pub last_seen: Timestamp,
    /// How many times it was printed.
    pub count: u32,
}

/// What a failing command says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorReport {
    /// The kind of work that failed.
    pub category: ErrorCategory,
    /// The program that failed.
    pub program: String,
    /// The error lines, bounded.
    pub summary: String,
    /// What tells it from other errors.
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
        last_seen: earlier.as_ref().map_or(now, |error| error.last_seen.max(now)),
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

/// Takes away what a command that succeeded has disproved: the errors of its category, for
/// [`ErrorCategory::Runtime`], which says little, only those of the same program.
pub(super) fn clear(errors: &mut Vec<OpenError>, category: ErrorCategory, program: &str) {
    let disproved = |error: &OpenError| {
        error.category == category && (category != ErrorCategory::Runtime || error.program == program)
    };
    errors.retain(|error| !disproved(error));
}
