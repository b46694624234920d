//! A file that is held because of what looks like a credential, as lines and as JSON.

use std::io;

use serde::Serialize;

use super::ui::{Ui, harmless_line, shell_word};
use crate::service::{Finding, Held};

/// A held file in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct HeldJson {
    path: String,
    findings: Vec<FoundJson>,
}

/// What was found, in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct FoundJson {
    line: u32,
    kind: &'static str,
}

impl From<&Held> for HeldJson {
    fn from(held: &Held) -> Self {
        Self {
            path: held.path.to_string_lossy().into_owned(),
            findings: held.findings.iter().map(FoundJson::from).collect(),
        }
    }
}

impl From<&Finding> for FoundJson {
    fn from(finding: &Finding) -> Self {
        Self {
            line: finding.line,
            kind: finding.kind,
        }
    }
}

/// Held files in JSON.
pub(crate) fn held_json(held: &[Held]) -> Vec<HeldJson> {
    held.iter().map(HeldJson::from).collect()
}

/// `decision/a.md is not committed: it holds what looks like a credential: password (line 3)`.
pub(crate) fn held_line(held: &Held) -> String {
    format!(
        "{} is not committed: it holds what looks like a credential: {}",
        harmless_line(&held.path.to_string_lossy()),
        held.describe()
    )
}

/// What to do about it, as a sentence.
pub(crate) fn held_hint(held: &Held) -> String {
    format!(
        "Take it out of the file, or `mdmem allow {}` if it is none.",
        shell_word(&held.path.to_string_lossy())
    )
}

/// Says that files are held, and what to do.
pub(crate) fn tell_held(held: &[Held], ui: &mut Ui) -> io::Result<()> {
    for held in held {
        ui.warning(&held_line(held))?;
        ui.hint(&held_hint(held))?;
    }
    Ok(())
}
