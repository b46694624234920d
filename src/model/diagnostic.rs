//! What is worth attention, in a file or in the store: one type for all of it, wherever it is shown.

use serde::Serialize;

/// The weight of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; a memory is read as written.
    Note,
    /// A memory is read, but not quite as written; something waits.
    Warning,
    /// A memory is left out, or is read-only to tools; nothing can be stored.
    Error,
}

impl Severity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What is worth attention: where, what, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The weight.
    pub severity: Severity,
    /// A stable word for programs, such as `yaml-syntax`, `unknown-type`, `not-utf8`.
    pub code: &'static str,
    /// The file, as a path below the store with `/` between parts, or a whole path outside of it; bytes that are no UTF-8
    /// are shown as `\xNN`.
    pub path: String,
    /// The line, counted from 1; absent when the whole file is meant.
    pub line: Option<u32>,
    /// The column in characters, counted from 1.
    pub column: Option<u32>,
    /// The message: lower case, no full stop.
    pub message: String,
    /// The way to mend it, as a sentence.
    pub mend: Option<String>,
}

/// The number of diagnostics of one kind that a person is told of one file.
const MOST_TOLD: usize = 20;

impl Diagnostic {
    /// One of a whole file; an empty `mend` is none.
    #[expect(clippy::needless_pass_by_value, reason = "a path or a text, as it is at hand")]
    pub fn new(
        severity: Severity,
        code: &'static str,
        path: impl ToString,
        message: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            path: path.to_string(),
            line: None,
            column: None,
            message: message.into(),
            mend: Some(mend.into()).filter(|mend| !mend.is_empty()),
        }
    }

    /// One that is only worth knowing.
    pub fn note(
        code: &'static str,
        path: impl ToString,
        message: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Note, code, path, message, mend)
    }

    /// One that somebody should look at.
    pub fn warning(
        code: &'static str,
        path: impl ToString,
        message: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Warning, code, path, message, mend)
    }

    /// One that somebody has to act on.
    pub fn error(
        code: &'static str,
        path: impl ToString,
        message: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Error, code, path, message, mend)
    }

    /// The first diagnostics of one kind of a file; where there are more, the last of them says how many.
    pub fn first_of(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all = all.into_iter();
        let mut told: Vec<Self> = all.by_ref().take(MOST_TOLD).collect();
        let more = all.count();
        if let Some(last) = told.last_mut().filter(|_| more > 0) {
            last.message = format!("{}; the file has {more} more of these", last.message);
        }
        told
    }
}
