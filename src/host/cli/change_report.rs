//! What a command says after it changed a store: the commit, or why there is none yet, and what else was done.

use std::io;

use serde::Serialize;

use super::changed_file::{ChangedJson, changed_line};
use super::held::{HeldJson, held_json, tell_held};
use super::ui::{Ui, harmless_line};
use crate::service::{Aftermath, Changed, ChangedFile, CommitOutcome, Held};

/// The commit of a change in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct CommitJson {
    /// Its name; null where there is none (yet).
    pub(crate) commit: Option<String>,
    /// What keeps it from being made; null when nothing does.
    pub(crate) deferred: Option<String>,
    /// The files that hold what looks like a credential, where that is why there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) held: Vec<HeldJson>,
}

impl From<&CommitOutcome> for CommitJson {
    fn from(outcome: &CommitOutcome) -> Self {
        match outcome {
            CommitOutcome::Committed { oid, .. } => Self {
                commit: Some(oid.to_string()),
                deferred: None,
                held: Vec::new(),
            },
            CommitOutcome::Nothing => Self {
                commit: None,
                deferred: None,
                held: Vec::new(),
            },
            CommitOutcome::Held(held) => Self {
                commit: None,
                deferred: None,
                held: held_json(held),
            },
            CommitOutcome::Deferred(obstacle) => Self {
                commit: None,
                deferred: Some(obstacle.to_string()),
                held: Vec::new(),
            },
        }
    }
}

impl CommitJson {
    /// Of a change that may only have been a dry run.
    pub(crate) fn of(changed: Option<&Changed>) -> Self {
        changed.map_or(
            Self {
                commit: None,
                deferred: None,
                held: Vec::new(),
            },
            |changed| Self::from(&changed.outcome),
        )
    }
}

/// Files that changed, in JSON.
pub(crate) fn files_json(files: &[ChangedFile]) -> Vec<ChangedJson<'_>> {
    files.iter().map(ChangedJson::from).collect()
}

/// Files that changed, a line each.
pub(crate) fn print_files(files: &[ChangedFile], ui: &mut Ui) -> io::Result<()> {
    let color = ui.color();
    files
        .iter()
        .try_for_each(|file| ui.line(&changed_line(file, color)))
}

/// Says what else was done, and why a commit is missing.
pub(crate) fn tell_rest(changed: &Changed, ui: &mut Ui) -> io::Result<()> {
    let mut aftermath = changed.aftermath.clone();
    if let CommitOutcome::Held(told) = &changed.outcome {
        let is_told = |held: &Held| told.iter().any(|told| told.path == held.path);
        aftermath.swept.held.retain(|held| !is_told(held));
    }
    tell_aftermath(&aftermath, ui)?;
    if let CommitOutcome::Committed { oid, subject, .. } = &changed.outcome {
        ui.detail(&format!("committed {} {}", oid.short(), harmless_line(subject)))?;
    }
    tell_deferred(&changed.outcome, ui)
}

/// Why a commit is missing, if it is.
pub(crate) fn tell_deferred(outcome: &CommitOutcome, ui: &mut Ui) -> io::Result<()> {
    if let CommitOutcome::Deferred(obstacle) = outcome {
        ui.warning(&format!(
            "saved, and not committed yet: {}",
            harmless_line(&obstacle.to_string())
        ))?;
        if let Some(hint) = obstacle.hint() {
            ui.hint(&hint)?;
        }
    }
    if let CommitOutcome::Held(held) = outcome {
        tell_held(held, ui)?;
    }
    Ok(())
}

/// What was put right and committed before the command's own work.
pub(crate) fn tell_aftermath(aftermath: &Aftermath, ui: &mut Ui) -> io::Result<()> {
    for notice in &aftermath.notices {
        ui.notice(&harmless_line(notice))?;
    }
    if let Some(CommitOutcome::Committed { oid, subject, .. }) = &aftermath.swept.commit {
        ui.notice(&format!(
            "committed first what was saved before: {} {}",
            oid.short(),
            harmless_line(subject)
        ))?;
    }
    tell_held(&aftermath.swept.held, ui)?;
    if !aftermath.swept.withheld.is_empty() {
        let count = aftermath.swept.withheld.len();
        ui.warning(&format!(
            "{count} files are missing, more than half of the store: not taken as deleted"
        ))?;
        ui.hint("`mdmem sweep --yes` if they are meant to be gone; `mdmem restore HEAD` brings them back.")?;
    }
    Ok(())
}
