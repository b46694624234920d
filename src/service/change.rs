//! The frame of every use case that changes a store: it takes the store, sweeps, works, and brings the index up to
//! date.

use std::path::Path;

use crate::git::trailer;
use crate::store::{
    CommitOutcome, Description, LeftOut, MassDeletion, Safeguard, Snapshot, Store, Sweep, Unfinished, Writer,
};
use crate::text::one_line;

use super::ServiceError;
use super::forget::scrub_what_was_forgotten;
use super::mend::mend;

/// Says whether a planned change is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// Nothing is written: the plan is the answer.
    Dry,
    /// The plan is carried out, in one commit.
    Real,
}

/// The work around a change, besides the change itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aftermath {
    /// The faults that were put right first: an interrupted command, a lock that an ended process had left.
    pub notices: Vec<String>,
    /// The sweep that committed first what people had saved before.
    pub swept: Sweep,
    /// The paths that the change left as they were.
    pub left_out: Vec<LeftOut>,
    /// A restore, undo or import that stopped half way before, and still waits for its cause.
    pub unfinished: Option<Unfinished>,
}

/// The session of a model that asked for a change, and the model's reason: trailers of the commit. A person's command
/// has neither.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AskedBy<'a> {
    /// The session, hashed.
    pub(super) session: Option<&'a str>,
    /// The reason.
    pub(super) reason: Option<&'a str>,
}

impl AskedBy<'_> {
    /// Puts them into a description.
    pub(super) fn sign(self, description: Description) -> Description {
        let reason = self.reason.map(|reason| (trailer::REASON, one_line(reason)));
        let session = self.session.map(|session| (trailer::SESSION, session.to_owned()));
        let trailers = reason.into_iter().chain(session);
        trailers.fold(description, |description, (key, value)| {
            description.with(key, value)
        })
    }
}

/// Plans a change. A real run then carries the plan out; it plans with the files as they are once people's saves are
/// committed. A dry run asks `foresee` what the real one would refuse or leave out: it fails where that would fail.
pub(super) fn planned<P>(
    store: &Store,
    command: &str,
    run: Run,
    plan: impl FnOnce(&Snapshot) -> Result<P, ServiceError>,
    foresee: impl FnOnce(&Safeguard<'_>, &mut P) -> Result<(), ServiceError>,
    work: impl FnOnce(&mut Writer<'_>, &P) -> Result<CommitOutcome, ServiceError>,
) -> Result<(P, Option<Changed>), ServiceError> {
    if run == Run::Dry {
        store.check_may_write()?;
        let snapshot = store.load()?;
        let mut plan = plan(&snapshot)?;
        foresee(&store.safeguard(&snapshot)?, &mut plan)?;
        return Ok((plan, None));
    }
    let ((plan, outcome), aftermath) = changing(store, command, |writer| {
        let plan = plan(writer.snapshot())?;
        let outcome = work(writer, &plan)?;
        Ok((plan, outcome))
    })?;
    Ok((plan, Some(Changed { outcome, aftermath })))
}

/// Takes the store for writing, commits what people saved before, does the work, and brings MEMORY.md up to date.
pub(super) fn changing<T>(
    store: &Store,
    command: &str,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T, ServiceError>,
) -> Result<(T, Aftermath), ServiceError> {
    let mut writer = store.writer(command)?;
    writer.check_may_write()?;
    let swept = writer.sweep(MassDeletion::Ask)?;
    let done = change(&mut writer, swept, work)?;
    drop(writer);
    pack_if_needed(store);
    Ok(done)
}

/// Does the work of a writer that has swept, and brings MEMORY.md up to date.
pub(super) fn change<T>(
    writer: &mut Writer<'_>,
    mut swept: Sweep,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T, ServiceError>,
) -> Result<(T, Aftermath), ServiceError> {
    mend(writer);
    let done = work(writer)?;
    scrub_what_was_forgotten(writer);
    // The work may have settled a file that was held before.
    swept.held.retain(|held| writer.is_held(&held.path));
    let store = writer.store();
    swept.withheld.retain(|path| !store.is_something_there(path));
    let aftermath = Aftermath {
        notices: writer.finish(),
        swept,
        left_out: std::mem::take(&mut writer.left_out),
        unfinished: writer.unfinished.take(),
    };
    Ok((done, aftermath))
}

/// Loose objects are packed by git itself, detached, after the command's own work.
pub(super) fn pack_if_needed(store: &Store) {
    if store.repo().needs_packing(store.now())
        && let Err(error) = store.repo().pack_detached()
    {
        tracing::info!(%error, "the history was not packed");
    }
}

/// The commit of a change, and the work around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The commit, or why there is none yet.
    pub outcome: CommitOutcome,
    /// The work around the change.
    pub aftermath: Aftermath,
}

impl Changed {
    /// Says whether the change left a path as it was.
    pub(super) fn left_out(&self, path: &Path) -> bool {
        self.aftermath.left_out.iter().any(|left| left.path == path)
    }
}
