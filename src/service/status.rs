//! Use case: how is the store?

use std::path::PathBuf;

use super::watch::{Watcher, watcher_of};
use super::{ChangedFile, EditCopy, EngineLine, HealthCheck, Ranking, ServiceError, engine_troubles};
use crate::git::{GitError, Staged, StagedKind};
use crate::model::{Diagnostic, Oid, Severity, Timestamp};
use crate::policy::{Fate, Reason};
use crate::store::{Held, LOCAL, MassDeletion, Store, StoreError, Sweep, Unfinished};
use crate::sync::not_taken_over;
use crate::sys::{self, FailureKind};

/// The fates by which memories are counted, in the order in which they are told.
const FATES: [&str; 6] = ["pinned", "ranked", "cold", "omitted", "superseded", "archived"];

/// The state of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreStatus {
    /// Its folder.
    pub root: PathBuf,
    /// The workspace that it is the memory of; `None` for the global store.
    pub workspace: Option<PathBuf>,
    /// The name of the store.
    pub name: String,
    /// The last commit and its time.
    pub head: Option<(Oid, Timestamp)>,
    /// The number of memories.
    pub total: usize,
    /// The number of memories with each fate: `pinned` (shown in full), `ranked` (shown by a line), `cold` (in other
    /// folders, for the tree), `omitted` (in force, and left out of the prompt), `superseded`, and `archived`.
    pub counts: [(&'static str, usize); 6],
    /// The number of files that would be memories, and are none by `exclude.folders`.
    pub excluded: usize,
    /// The files that are saved and not committed yet, by path.
    pub uncommitted: Vec<ChangedFile>,
    /// Files that are not committed, each with its cause.
    pub held: Vec<Held>,
    /// Files that no commit takes in, because they are too large or cannot be read; they are among the findings too.
    pub uncommittable: Vec<Diagnostic>,
    /// The restore, undo or import that stopped half way; it is among the obstacles too.
    pub unfinished: Option<Unfinished>,
    /// The texts of `mdmem edit` that were not saved.
    pub drafts: Vec<PathBuf>,
    /// The things that stand in the way of commits.
    pub obstacles: Vec<HealthCheck>,
    /// The process that watches, as it describes itself; `None` when nobody watches.
    pub watcher: Option<String>,
    /// The lines of the engine's log of the last day that tell of trouble that is not over, the oldest first.
    pub troubles: Vec<EngineLine>,
    /// The findings that are worth attention in the files.
    pub diagnostics: Vec<Diagnostic>,
}

/// Looks at a store without changing anything.
pub fn status(store: &Store) -> Result<StoreStatus, ServiceError> {
    let snapshot = store.load()?;
    let (pending, damage) = match store.pending(&snapshot, MassDeletion::Ask) {
        Err(StoreError::Git(error @ GitError::Damaged { .. })) => (Sweep::default(), Some(error)),
        pending => (pending?, store.damage()),
    };
    let dated = |oid| Some((oid, store.repo().commit_info(oid).ok()?.time));
    let head = snapshot.head.and_then(dated);
    let ranking = Ranking::new(store, &snapshot, store.now());
    let place = store.place();
    let watcher = watcher_of(store.root())?;
    let unfinished = store.unfinished(&snapshot).unwrap_or_else(|error| {
        tracing::info!(%error, "a journal cannot be told of");
        None
    });
    let mut obstacles = match damage {
        Some(damage) => vec![damaged(&damage)],
        None => obstacles(store, &pending, watcher.as_ref())?,
    };
    obstacles.extend(unfinished.as_ref().map(half_done));
    obstacles.extend(not_taken_over(store)?.map(|error| {
        let mend = error.hint().unwrap_or_default();
        HealthCheck::of(Severity::Error, "sync", error.to_string(), mend)
    }));
    let fates: Vec<&str> = ranking.views().iter().map(|view| counted_as(view.fate)).collect();
    Ok(StoreStatus {
        root: place.root.clone(),
        workspace: place
            .workspace
            .as_ref()
            .map(|workspace| workspace.root().to_owned()),
        name: place.name.clone(),
        head,
        total: fates.len(),
        counts: FATES.map(|word| (word, fates.iter().filter(|fate| **fate == word).count())),
        excluded: snapshot.excluded().count(),
        uncommitted: pending.changes.iter().map(ChangedFile::from).collect(),
        obstacles,
        unfinished,
        held: pending.held,
        uncommittable: snapshot.uncommittable(),
        drafts: EditCopy::kept(store),
        watcher: watcher.map(|watcher| watcher.holder),
        troubles: engine_troubles(store.root(), store.now()),
        diagnostics: snapshot.diagnostics(),
    })
}

/// The word of [`FATES`] for a fate.
const fn counted_as(fate: Fate) -> &'static str {
    match fate {
        Fate::Pinned => "pinned",
        Fate::Ranked => "ranked",
        Fate::Cold => "cold",
        Fate::Omitted(Reason::Archived) => "archived",
        Fate::Omitted(Reason::Superseded) => "superseded",
        Fate::Omitted(_) => "omitted",
    }
}

/// Tells where one of the folders that every write needs takes no new file.
fn not_writable(store: &Store) -> Option<HealthCheck> {
    let folders = [store.root().join(LOCAL), store.repo().git_dir().join("objects")];
    let tried = folders.iter().map(|folder| sys::try_writing(folder));
    // A folder that is missing is made when it is needed, or told of elsewhere.
    let mut refused = tried.filter_map(Result::err);
    let error = refused.find(|error| error.kind() != FailureKind::Missing)?;
    let mend = "Nothing can be stored until that is mended: `df -h` and `df -i` show space and inodes, `mount` what is read-only. Requests wait meanwhile.";
    Some(HealthCheck::of(Severity::Error, "store", error.to_string(), mend))
}

/// Tells where git lacks the merge driver.
pub(super) fn merges_without_mdmem(store: &Store) -> Result<Option<HealthCheck>, ServiceError> {
    let what =
        "git does not merge the files of this store by mdmem: its settings or attributes lack the driver";
    let mend =
        "The next command that writes sets it up (`mdmem sweep`); before that, `git pull` stops more often.";
    let is_set = store.repo().merges_by_mdmem()?;
    Ok((!is_set).then(|| HealthCheck::note("git", what.to_owned(), mend)))
}

fn damaged(damage: &GitError) -> HealthCheck {
    let mend = damage.hint().unwrap_or_default();
    HealthCheck::of(Severity::Error, "git", damage.to_string(), mend)
}

fn half_done(unfinished: &Unfinished) -> HealthCheck {
    HealthCheck::of(Severity::Error, "git", unfinished.describe(), unfinished.hint())
}

fn obstacles(
    store: &Store,
    pending: &Sweep,
    watcher: Option<&Watcher>,
) -> Result<Vec<HealthCheck>, ServiceError> {
    let mut obstacles = Vec::new();
    if let Some(obstacle) = store.repo().obstacle(store.now())? {
        let mend = obstacle.hint();
        let mend = mend.as_deref().unwrap_or("It passes by itself.");
        obstacles.push(if obstacle.is_momentary() {
            HealthCheck::note("git", obstacle.to_string(), mend)
        } else {
            HealthCheck::of(Severity::Error, "git", obstacle.to_string(), mend)
        });
    }
    if let Err(error) = store.repo().check_attributes() {
        let mend = error.hint().unwrap_or_default();
        obstacles.push(HealthCheck::of(Severity::Error, "git", error.to_string(), &mend));
    }
    obstacles.extend(merges_without_mdmem(store)?);
    obstacles.extend(not_writable(store));
    // An obstacle of git's was told above, in its own words.
    if obstacles.is_empty()
        && let Some((since, cause)) = watcher.and_then(|watcher| watcher.trouble.as_ref())
    {
        let what = format!("the process that watches has committed nothing since {since}: {cause}");
        let mend = "It tries again by itself; `mdmem log --engine` shows what happened.";
        obstacles.push(HealthCheck::of(Severity::Error, "git", what, mend));
    }
    if !pending.withheld.is_empty() {
        let what = format!(
            "{} files are missing, more than half of the store",
            pending.withheld.len()
        );
        let mend =
            "If they are meant to be gone: `mdmem sweep --yes`. Else `mdmem restore HEAD` brings them back.";
        obstacles.push(HealthCheck::warning("git", what, mend));
    }
    // An index that cannot be read is told of above.
    let staged = store.repo().staged_by_hand(&pending.staged).unwrap_or_default();
    for path in &pending.staged {
        let is_unmerged = |staged: &Staged| staged.kind == StagedKind::Conflict && staged.path == *path;
        let shown = sys::shown_path(path);
        obstacles.push(if staged.iter().any(is_unmerged) {
            let mend = "Write the text as it should be, without git's markers, and `git add` it.";
            let what = format!("{shown} is unmerged: git left several versions of it");
            HealthCheck::note("git", what, mend)
        } else {
            let mend = "Commit it with git; after ten minutes mdmem does.";
            HealthCheck::note("git", format!("{shown} is staged by hand"), mend)
        });
    }
    Ok(obstacles)
}
