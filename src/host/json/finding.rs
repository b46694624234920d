//! A finding that is worth attention in a file, in JSON.

use serde_json::{Value, json};

use crate::model::{Diagnostic, Severity};

/// A finding in JSON.
pub(crate) fn finding_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "severity": severity_word(diagnostic.severity),
        "code": diagnostic.code,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "mend": diagnostic.mend,
    })
}

/// The word for a severity.
pub(crate) const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
