//! The state of a store in short.

use std::collections::BTreeSet;

use serde::Serialize;

use super::standing::{self, Standing};
use crate::model::{Diagnostic, Oid, Severity, Timestamp};
use crate::policy::{Fate, Reason};
use crate::service::{ChangedFile, Context, Ranking, RemoteState, ServiceError};
use crate::session::Pruning;
use crate::store::{Held, SessionFiles, Snapshot, Store};
use crate::sys::shown_path;

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreStatus {
    /// Its folder.
    pub store: String,
    /// Its name.
    pub name: String,
    /// The workspace that it is the memory of; `None` for the global store.
    pub workspace: Option<String>,
    /// The last commit.
    pub head: Option<Oid>,
    /// Its time.
    pub head_time: Option<Timestamp>,
    /// The number of memories.
    pub memories: Counts,
    /// The place with which the store is exchanged.
    pub remote: Option<RemoteState>,
    /// The process that watches, as it describes itself; `None` when nobody watches.
    pub watcher: Option<String>,
    /// The agent whose plugin connected last, and when.
    pub connected: Option<String>,
    /// The tool outputs that were shortened.
    pub outputs: Pruning,
    /// The number of texts that merges set aside, and of contradictions, that nobody has settled.
    pub conflicts: usize,
    /// The files that are saved and not committed yet, by path.
    pub uncommitted: Vec<ChangedFile>,
    /// What is in the way of commits, requests and exchanges, and what no commit takes in.
    pub findings: Vec<Diagnostic>,
    /// The number of files that `mdmem check` finds more than a note about.
    pub need_attention: usize,
}

/// The number of memories with each fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// All of them.
    pub total: usize,
    /// Shown in full.
    pub pinned: usize,
    /// Shown by a line.
    pub ranked: usize,
    /// In other folders, for the tree.
    pub cold: usize,
    /// In force, and left out of the prompt.
    pub omitted: usize,
    /// Out of force.
    pub superseded: usize,
    /// In the archive.
    pub archived: usize,
    /// The files that would be memories, and are none by `exclude.folders`.
    pub excluded: usize,
}

/// Looks at a store without changing anything.
pub fn status(context: &Context, store: &Store) -> Result<StoreStatus, ServiceError> {
    status_of(context, store, &store.load()?)
}

/// The same of files that are loaded.
pub(in crate::service) fn status_of(
    context: &Context,
    store: &Store,
    snapshot: &Snapshot,
) -> Result<StoreStatus, ServiceError> {
    let Standing {
        pending,
        watcher,
        remote,
        mut findings,
    } = standing::findings(context, store, snapshot)?;
    findings.extend(Held::diagnostics(&pending.held));
    findings.extend(snapshot.uncommittable());
    let mut memories = Counts {
        excluded: snapshot
            .excluded()
            .filter(|file| store.rules().excludes(&file.path.to_string_lossy()))
            .count(),
        ..Counts::default()
    };
    for view in Ranking::new(store, snapshot, store.now()).views() {
        memories.total += 1;
        *match view.fate {
            Fate::Pinned => &mut memories.pinned,
            Fate::Ranked => &mut memories.ranked,
            Fate::Cold => &mut memories.cold,
            Fate::Omitted(Reason::Archived) => &mut memories.archived,
            Fate::Omitted(Reason::Superseded) => &mut memories.superseded,
            Fate::Omitted(_) => &mut memories.omitted,
        } += 1;
    }
    let diagnostics = snapshot.diagnostics();
    let serious = diagnostics.iter().filter(|found| found.severity > Severity::Note);
    let serious: BTreeSet<&str> = serious.map(|found| found.path.as_str()).collect();
    let dated = |oid| Some((oid, store.repo().commit_info(oid).ok()?.time));
    let head = snapshot.head.and_then(dated);
    let set_aside = snapshot
        .files
        .iter()
        .filter(|file| file.memory.conflict_of.is_some());
    let sessions = SessionFiles::all(store.root()).into_iter();
    let place = store.place();
    Ok(StoreStatus {
        store: shown_path(&place.root),
        name: place.name.clone(),
        workspace: place
            .workspace
            .as_ref()
            .map(|workspace| shown_path(workspace.root())),
        head: head.map(|(oid, _)| oid),
        head_time: head.map(|(_, time)| time),
        memories,
        remote,
        watcher,
        connected: context.last_connection(store.root()),
        outputs: sessions
            .map(|session| session.pruning)
            .fold(Pruning::default(), |sum, more| sum + more),
        conflicts: set_aside.count() + store.open_contradictions(snapshot)?.len(),
        uncommitted: pending.changes.iter().map(ChangedFile::from).collect(),
        findings,
        need_attention: serious.len(),
    })
}
