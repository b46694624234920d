//! Use case: commit what was saved while nobody watched (`mdmem sweep`).

use crate::evidence;
use crate::store::{MassDeletion, Store, Sweep, Unfinished};

use super::ServiceError;
use super::change::pack_if_needed;
use super::mend::mend;

/// The outcome of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// The changes that were committed, or would be.
    pub sweep: Sweep,
    /// The troubles that were found and put right first.
    pub notices: Vec<String>,
    /// A restore, undo or import that stopped half way before, and still waits for its cause.
    pub unfinished: Option<Unfinished>,
}

/// Gives the changes that a sweep would commit.
pub fn plan_sweep(store: &Store, mass_deletion: MassDeletion) -> Result<Swept, ServiceError> {
    Ok(Swept {
        sweep: store.pending(&store.load()?, mass_deletion)?,
        notices: Vec::new(),
        unfinished: None,
    })
}

/// Commits it, brings MEMORY.md up to date, and tidies the log of evidence.
pub fn sweep(store: &Store, mass_deletion: MassDeletion) -> Result<Swept, ServiceError> {
    let mut writer = store.writer("mdmem sweep")?;
    let sweep = writer.sweep(mass_deletion)?;
    mend(&mut writer);
    // A commit sets it up by itself; this is for a sweep that makes none.
    store.repo().ensure_merge_driver()?;
    let mut notices = writer.finish();
    let unfinished = writer.unfinished.take();
    drop(writer);
    pack_if_needed(store);
    if let Err(error) = evidence::prune(store.root(), store.now()) {
        notices.push(format!("the evidence log was left as it is: {error}"));
    }
    Ok(Swept {
        sweep,
        notices,
        unfinished,
    })
}
