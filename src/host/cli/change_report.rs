//! The words that commands share: for the files that changed, the commit or why there is none yet, the files that are held,
//! the store that was made, and what is worth attention

use std::io;

use super::ui::{Color, Tone, Ui, in_zone};
use crate::model::{Diagnostic, Severity};
use crate::service::{
    self, Aftermath, ChangeKind, Changed, ChangedFile, CommitOutcome, Creation, Held, LeftOut, Store, Sweep,
    Unfinished,
};
use crate::sys::{TimeZone, shell_word};

/// The number of stores that a new one is told to stand beside.
const MOST_AKIN: usize = 3;

/// Files that changed, a line each; on a terminal the first of them.
pub(crate) fn print_files(files: &[ChangedFile], ui: &mut Ui) -> io::Result<()> {
    let color = ui.color;
    for file in ui.first_of(files) {
        ui.line(&changed_line(file, color))?;
    }
    ui.tell_more(files)
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
        ui.detail(&format!("committed {} {}", oid.short(), subject))?;
    }
    tell_unchanged(&changed.aftermath.left_out, ui)?;
    if !changed.aftermath.left_out.is_empty() {
        ui.hint("The rest is done. Fix the cause, then run it again, or edit that file by hand.")?;
    }
    tell_deferred(&changed.outcome, ui)
}

/// Says which paths a change leaves as they were, or would leave.
pub(crate) fn tell_unchanged(left_out: &[LeftOut], ui: &mut Ui) -> io::Result<()> {
    left_out
        .iter()
        .try_for_each(|left| ui.warning(&format!("not changed: {}", left.why)))
}

/// Says that a restore, undo or import stopped half way before, and what to do.
pub(crate) fn tell_unfinished(unfinished: Option<&Unfinished>, ui: &mut Ui) -> io::Result<()> {
    let Some(unfinished) = unfinished else {
        return Ok(());
    };
    ui.warning(&unfinished.describe())?;
    ui.hint(unfinished.hint())
}

/// Tells the reason why a commit is missing, if it is.
pub(crate) fn tell_deferred(outcome: &CommitOutcome, ui: &mut Ui) -> io::Result<()> {
    if let CommitOutcome::Deferred(obstacle) = outcome {
        ui.warning(&format!("saved, but not committed yet: {obstacle}"))?;
        if let Some(hint) = obstacle.hint() {
            ui.hint(&hint)?;
        }
    }
    if let CommitOutcome::Held(held) = outcome {
        tell_held(held, ui)?;
    }
    Ok(())
}

/// Says what was put right and committed before the command's own work.
pub(crate) fn tell_aftermath(aftermath: &Aftermath, ui: &mut Ui) -> io::Result<()> {
    for notice in &aftermath.notices {
        ui.notice(notice)?;
    }
    tell_unfinished(aftermath.unfinished.as_ref(), ui)?;
    if let Some(CommitOutcome::Committed { oid, subject, .. }) = &aftermath.swept.commit {
        ui.notice(&format!(
            "first committed earlier changes: {} {}",
            oid.short(),
            subject
        ))?;
    }
    let mut swept = aftermath.swept.clone();
    // A person asked for it: `status` and `check` say so, not each command.
    swept.held.retain(|held| !held.is_ignored());
    tell_left_out(&swept, ui)
}

/// Says which files a sweep leaves out of its commit, and what to do.
pub(crate) fn tell_left_out(sweep: &Sweep, ui: &mut Ui) -> io::Result<()> {
    tell_held(&sweep.held, ui)?;
    if !sweep.withheld.is_empty() {
        let count = sweep.withheld.len();
        ui.warning(&format!(
            "{count} files are missing, more than half of the store: their deletion is not committed"
        ))?;
        ui.hint("`mdmem sweep --yes` commits their deletion; `mdmem restore HEAD` brings them back.")?;
    }
    Ok(())
}

/// `added    decision/a.md`, `renamed  a.md -> b.md`.
pub(crate) fn changed_line(file: &ChangedFile, color: Color) -> String {
    let tone = match file.change {
        ChangeKind::Added => Tone::Good,
        ChangeKind::Removed => Tone::Bad,
        ChangeKind::Edited | ChangeKind::Renamed => Tone::Warning,
    };
    let word = color.paint(tone, &format!("{:<8}", file.change.as_str()));
    let path = &file.path;
    match &file.from {
        Some(from) => format!("{word} {from} -> {path}"),
        None => format!("{word} {path}"),
    }
}

/// Says that files are held, and what to do: `decision/a.md is not committed: suspected secret: password (line 3)`.
fn tell_held(held: &[Held], ui: &mut Ui) -> io::Result<()> {
    let held = Held::diagnostics(held);
    for told in ui.first_of(&held) {
        ui.warning(&format!("{} {}", told.path, told.message))?;
        ui.hint(told.mend.as_deref().unwrap_or_default())?;
    }
    ui.tell_more(&held)
}

/// Says where a store was made, or that it was found again, and beside which others it stands; nothing where it was there
/// already.
pub(crate) fn tell_creation(store: &Store, creation: &Creation, ui: &mut Ui) -> io::Result<()> {
    if *creation == Creation::Existed {
        return Ok(());
    }
    ui.notice(&creation_line(store, creation))?;
    tell_akin(store, creation, ui)
}

/// Says beside which stores a new one stands, and what to do if one of them was meant.
pub(crate) fn tell_akin(store: &Store, creation: &Creation, ui: &mut Ui) -> io::Result<()> {
    // What is akin is a hint: where the registry cannot be read, the next command says so.
    let akin = service::akin_stores(store, creation).unwrap_or_default();
    for other in akin.iter().take(MOST_AKIN) {
        let (called, name) = (&other.name, shell_word(&other.name));
        let workspace = other.workspace();
        let root = workspace.as_ref().map(|workspace| workspace.root().to_owned());
        let is_there = root.as_deref().is_some_and(std::path::Path::is_dir) && !other.is_without_repository();
        let root = root.map(|root| root.display().to_string());
        let link = format!("If this is the same project, `mdmem stores link {name}` links its store again.");
        let (what, hint) = match root {
            _ if store.place().store_before() == Some(called) => (
                format!("the store `{called}` belongs to another project that was here before"),
                link,
            ),
            Some(root) if is_there => (
                format!("{root} is a clone of this repository, and has its own store"),
                format!("`mdmem stores link {name}` shares it."),
            ),
            Some(root) => (
                format!("the store `{called}` belongs to {root}, which is unavailable"),
                link,
            ),
            None => (format!("the store `{called}` has no workspace"), link),
        };
        ui.notice(&what)?;
        ui.hint(&hint)?;
    }
    Ok(())
}

/// The line that says where a store is, or was made.
pub(crate) fn creation_line(store: &Store, creation: &Creation) -> String {
    let root = store.root().display();
    let place = store.place();
    let whose = match &place.workspace {
        Some(workspace) => format!("the store of {}", workspace.root().display()),
        None => format!("the {} store", place.name),
    };
    match creation {
        Creation::Existed => format!("{whose} is in {root}"),
        Creation::Created => format!("created {whose} in {root}"),
        Creation::Relinked { from } => {
            let was = service::was_before(from);
            format!("{whose} is in {root}: the workspace {was}")
        }
    }
}

/// `path:line:column: severity: message [code]`, and the mend on a line of its own.
pub(crate) fn finding_lines(diagnostic: &Diagnostic, color: Color, zone: TimeZone) -> Vec<String> {
    let number = |number: Option<u32>| number.map(|n| format!(":{n}")).unwrap_or_default();
    let place = format!(
        "{}{}{}:",
        diagnostic.path,
        number(diagnostic.line),
        number(diagnostic.line.and(diagnostic.column))
    );
    let word = format!("{}:", diagnostic.severity.as_str());
    let tone = match diagnostic.severity {
        Severity::Note => Tone::Hint,
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Bad,
    };
    let word = color.paint(tone, &word);
    let code = color.paint(Tone::Faint, &format!("[{}]", diagnostic.code));
    let place = color.paint(Tone::Heading, &place);
    let message = in_zone(&diagnostic.message, zone);
    let mut lines = vec![format!("{place} {word} {message} {code}")];
    lines.extend(diagnostic.mend.iter().map(|mend| format!("  fix: {mend}")));
    lines
}

/// The same on standard error, beside an answer.
pub(crate) fn tell_finding(diagnostic: &Diagnostic, ui: &mut Ui) -> io::Result<()> {
    finding_lines(diagnostic, ui.err_color, ui.zone)
        .iter()
        .try_for_each(|line| ui.notice(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_can_jump_to_it() {
        let mut diagnostic = Diagnostic {
            severity: Severity::Error,
            code: "yaml-syntax",
            path: "decision/a.md".to_owned(),
            line: Some(3),
            column: Some(17),
            message: "a `: ` inside a plain value".to_owned(),
            mend: Some("Put the value in quotes.".to_owned()),
        };
        assert_eq!(
            finding_lines(&diagnostic, Color::Off, TimeZone::Utc),
            [
                "decision/a.md:3:17: error: a `: ` inside a plain value [yaml-syntax]",
                "  fix: Put the value in quotes."
            ]
        );
        diagnostic.line = None;
        diagnostic.mend = None;
        assert_eq!(finding_lines(&diagnostic, Color::Off, TimeZone::Utc).len(), 1);
        assert!(
            finding_lines(&diagnostic, Color::Off, TimeZone::Utc)[0].starts_with("decision/a.md: error:")
        );
    }
}
