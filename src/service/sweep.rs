//! Use case: commit what was saved while nobody watched (`mdmem sweep`).

use serde::{Serialize, Serializer};

use crate::evidence;
use crate::model::Oid;
use crate::store::{CommitOutcome, Held, MassDeletion, Store, Sweep, Unfinished};
use crate::sys::lossy_all;

use super::change::pack_if_needed;
use super::git_merge::complete_merges;
use super::meaning::make_vectors;
use super::{ChangedFile, ServiceError};

/// The outcome of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    /// The changes that were committed, or would be.
    pub sweep: Sweep,
    /// The files that they are of.
    pub files: Vec<ChangedFile>,
    /// The troubles that were found and put right first.
    pub notices: Vec<String>,
    /// A restore, undo or import that stopped half way before, and still waits for its cause.
    pub unfinished: Option<Unfinished>,
}

impl Serialize for Swept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            files: &'a [ChangedFile],
            #[serde(serialize_with = "lossy_all")]
            withheld: &'a Vec<std::path::PathBuf>,
            #[serde(serialize_with = "lossy_all")]
            staged: &'a Vec<std::path::PathBuf>,
            commit: Option<Oid>,
            deferred: Option<String>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            held: &'a [Held],
        }
        let sweep = &self.sweep;
        let form = Form {
            files: &self.files,
            withheld: &sweep.withheld,
            staged: &sweep.staged,
            commit: sweep.commit.as_ref().and_then(CommitOutcome::oid),
            deferred: sweep.obstacle().map(ToString::to_string),
            held: &sweep.held,
        };
        form.serialize(serializer)
    }
}

impl Swept {
    fn of(sweep: Sweep, notices: Vec<String>, unfinished: Option<Unfinished>) -> Self {
        Self {
            files: sweep.changes.iter().map(ChangedFile::from).collect(),
            sweep,
            notices,
            unfinished,
        }
    }
}

/// Gives the changes that a sweep would commit.
pub fn plan_sweep(store: &Store, mass_deletion: MassDeletion) -> Result<Swept, ServiceError> {
    let sweep = store.pending(&store.load()?, mass_deletion)?;
    Ok(Swept::of(sweep, Vec::new(), None))
}

/// Commits it, brings MEMORY.md up to date, and tidies the log of evidence.
pub fn sweep(store: &Store, mass_deletion: MassDeletion) -> Result<Swept, ServiceError> {
    let mut writer = store.writer("mdmem sweep")?;
    let sweep = writer.sweep(mass_deletion)?;
    complete_merges(&mut writer);
    // A commit sets it up by itself; this is for a sweep that makes none.
    store.repo().ensure_merge_driver()?;
    let mut notices = writer.finish();
    let unfinished = writer.unfinished.take();
    drop(writer);
    pack_if_needed(store);
    if let Err(error) = make_vectors(store) {
        notices.push(format!("no search by meaning: {error}"));
    }
    if let Err(error) = evidence::prune(store.root(), store.now()) {
        notices.push(format!("the log of decisions could not be cleaned up: {error}"));
    }
    Ok(Swept::of(sweep, notices, unfinished))
}
