//! The words of a command for the files that changed, the commit or why there is none yet, the files that are held, and
//! the store that it made.

use std::io;

use super::report::CommandError;
use super::ui::{Color, Tone, Ui};
use crate::service::{
    self, Aftermath, ChangeKind, Changed, ChangedFile, CommitOutcome, Creation, Held, LeftOut, Store, Sweep,
    Unfinished,
};
use crate::sys::shell_word;

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
        ui.hint("The rest is done. Mend the cause, and run it again for what was left.")?;
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
        ui.warning(&format!("saved, and not committed yet: {obstacle}"))?;
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
            "committed first what was saved before: {} {}",
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
            "{count} files are missing, more than half of the store: not taken as deleted"
        ))?;
        ui.hint("`mdmem sweep --yes` if they are meant to be gone; `mdmem restore HEAD` brings them back.")?;
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

/// `decision/a.md is not committed: it holds what looks like a credential: password (line 3)`.
pub(crate) fn held_line(held: &Held) -> String {
    format!("{} is not committed: {}", held.path.display(), held.describe())
}

/// Says that files are held, and what to do.
fn tell_held(held: &[Held], ui: &mut Ui) -> io::Result<()> {
    for held in ui.first_of(held) {
        ui.warning(&held_line(held))?;
        ui.hint(&held.hint())?;
    }
    ui.tell_more(held)
}

/// Says where a store was made, or that it was found again; nothing where it was there already.
pub(crate) fn tell_creation(store: &Store, creation: &Creation, ui: &mut Ui) -> io::Result<()> {
    if *creation == Creation::Existed {
        return Ok(());
    }
    ui.notice(&creation_line(store, creation))
}

/// Says beside which stores a new one stands, and what to do if one of them was meant.
pub(crate) fn tell_akin(store: &Store, creation: &Creation, ui: &mut Ui) -> Result<(), CommandError> {
    for other in service::akin_stores(store, creation)?.iter().take(MOST_AKIN) {
        let name = shell_word(&other.name);
        let workspace = other.workspace();
        let is_there = workspace
            .as_ref()
            .is_some_and(|workspace| workspace.root().is_dir() && !other.is_without_repository());
        let (what, hint) = match workspace {
            _ if store.place().store_before() == Some(&other.name) => (
                format!(
                    "the store `{}` is that of another project, which was here before",
                    other.name
                ),
                format!("`mdmem stores link {name}` makes it the store of this one, if you began it anew."),
            ),
            Some(workspace) if is_there => (
                format!(
                    "{} is a copy of this workspace, with a store of its own",
                    workspace.root().display()
                ),
                format!(
                    "`mdmem --store {name} export --to json FILE` and `mdmem import FILE` bring its memories here."
                ),
            ),
            Some(workspace) => (
                format!(
                    "the store `{}` is that of {}, which is not there",
                    other.name,
                    workspace.root().display()
                ),
                format!(
                    "`mdmem stores link {name}` makes it the store of this workspace, if this is what was there."
                ),
            ),
            None => (
                format!("the store `{}` has no workspace", other.name),
                format!("`mdmem stores link {name}` makes it the store of this one."),
            ),
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
