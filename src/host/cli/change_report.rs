//! What a command says after it changed a store: the commit, or why there is none yet, and what else was done.

use std::io;

use super::changed_file::changed_line;
use super::held::tell_held;
use super::ui::{Ui, harmless_line};
use crate::service::{Aftermath, Changed, ChangedFile, CommitOutcome, Held};

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
