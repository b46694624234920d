//! What every use case that changes a store does around its own work: take the store, sweep, work, bring the index up to date.

use crate::store::{CommitOutcome, MassDeletion, Store, Sweep, Writer};

use super::ServiceError;

/// What a change left behind besides its own result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aftermath {
    /// What was found and put right first: an interrupted command, a lock that an ended process had left.
    pub notices: Vec<String>,
    /// What people had saved before, committed first.
    pub swept: Sweep,
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
    let done = work(writer)?;
    // What was held before may be what the work has settled.
    swept.held.retain(|held| writer.is_held(&held.path));
    let notices = writer.finish();
    Ok((done, Aftermath { notices, swept }))
}

/// Loose objects are packed by git itself, detached, after the command's own work.
pub(super) fn pack_if_needed(store: &Store) {
    if store.repo().needs_packing(store.now())
        && let Err(error) = store.repo().pack_detached()
    {
        tracing::info!(%error, "the history was not packed");
    }
}

/// What became of the commit of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The commit, or why there is none yet.
    pub outcome: CommitOutcome,
    /// What else was done.
    pub aftermath: Aftermath,
}

/// An error while something that people saved could not be committed: a command that brings back other bytes would
/// otherwise write over it.
pub(super) fn refuse_unswept(writer: &mut Writer<'_>) -> Result<(), ServiceError> {
    if let Some(obstacle) = writer.obstacle()? {
        let root = writer.store().root().to_owned();
        return Err(crate::store::StoreError::Busy {
            root,
            obstacle: Box::new(obstacle),
        }
        .into());
    }
    Ok(())
}
