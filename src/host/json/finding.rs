//! What is worth attention in a file, in JSON.

use serde::Serialize;

use crate::model::{Diagnostic, Severity};

/// A finding in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct FindingJson<'a> {
    severity: &'static str,
    code: &'static str,
    path: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
    mend: Option<&'a str>,
}

impl<'a> From<&'a Diagnostic> for FindingJson<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Self {
            severity: severity_word(diagnostic.severity),
            code: diagnostic.code,
            path: &diagnostic.path,
            line: diagnostic.line,
            column: diagnostic.column,
            message: &diagnostic.message,
            mend: diagnostic.mend.as_deref(),
        }
    }
}

/// The word for a severity.
pub(crate) const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
