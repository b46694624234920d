//! A wrong setting, as `check` tells it.

use std::path::Path;

use crate::config::{Origin, Problem};
use crate::model::{Diagnostic, Severity};
use crate::sys::shown_path;

/// What is wrong in a settings file, told where it stands: the store's by its name, the user's by its whole path.
pub(super) fn wrong_setting(problem: &Problem, root: &Path) -> Diagnostic {
    let name = |path: &Path| shown_path(path.strip_prefix(root).unwrap_or(path));
    let number = |number: usize| u32::try_from(number).ok();
    let text = problem.to_string();
    let (path, line, told) = match (problem, problem.origin()) {
        (
            Problem::Syntax {
                path,
                line,
                column,
                message,
            },
            _,
        ) => {
            return Diagnostic {
                severity: Severity::Error,
                code: "setting",
                path: name(path),
                line: number(*line),
                column: number(*column),
                message: message.clone(),
                mend: Some("Until it is mended, none of the file counts.".to_owned()),
            };
        }
        (_, Some(origin @ (Origin::User { path, line } | Origin::Store { path, line }))) => {
            (name(path), number(*line), format!("{origin}: "))
        }
        (_, Some(origin)) => (origin.to_string(), None, format!("{origin}: ")),
        (_, None) => (String::new(), None, String::new()),
    };
    Diagnostic {
        severity: problem.severity(),
        code: "setting",
        path,
        line,
        column: None,
        message: text.strip_prefix(&told).unwrap_or(&text).to_owned(),
        mend: None,
    }
}
