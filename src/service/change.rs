//! The frame of every use case that changes a store: it takes the store, sweeps, works, and brings the index up to
//! date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::document::{self, Key, KeyEdit, Value};
use crate::git::{self, Entry, Mode, hash_blob, trailer};
use crate::model::{Kind, Oid, StorePath, Zone};
use crate::policy::zone;
use crate::store::{
    Change, CommitOutcome, Description, Held, LeftOut, MassDeletion, Snapshot, Store, StoreError, StoredFile,
    Sweep, TakenPaths, Target, Unfinished, Writer, difference, folder_kind, free_path_in,
};
use crate::sys;
use crate::text::one_line;

use super::ServiceError;
use super::adding::unstated_id;
use super::forget::scrub_what_was_forgotten;
use super::git_merge::complete_merges;
use super::rename::{relink, states_type};

/// The folder of memories that are kept and shown to nobody.
pub(super) const ARCHIVE: &str = "archive";

/// Says whether a planned change is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// Nothing is written: the plan is the answer.
    Dry,
    /// The plan is carried out, in one commit.
    Real,
}

impl Run {
    /// A dry run where it is asked for.
    pub const fn dry_if(is_dry: bool) -> Self {
        if is_dry { Self::Dry } else { Self::Real }
    }

    /// The words for what was done, or for what would be.
    pub fn says(self, done: &'static str, would: &'static str) -> &'static str {
        if self == Self::Dry { would } else { done }
    }
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

/// A file that a transaction changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path.
    pub path: PathBuf,
    /// The bytes that it has; `None`: it is new.
    pub old: Option<Vec<u8>>,
    /// The bytes that it gets; `None`: it goes.
    pub new: Option<Vec<u8>>,
    mode: Mode,
}

/// An answer, and the commit that was made for it. A dry run has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Done<A> {
    /// The answer.
    #[serde(flatten)]
    pub answer: A,
    /// The commit; after a dry run the paths alone that would be left as they are.
    #[serde(flatten)]
    pub changed: Changed,
    /// Says whether it was done.
    #[serde(skip)]
    pub run: Run,
}

impl<A> Done<A> {
    /// The answer of what was done.
    pub const fn real(answer: A, changed: Changed) -> Self {
        let run = Run::Real;
        Self { answer, changed, run }
    }
}

/// The files that a use case changes in one commit, before anything is written. A dry run makes the same one, and does
/// not commit it.
pub(super) struct Transaction<'a> {
    pub(super) store: &'a Store,
    pub(super) snapshot: &'a Snapshot,
    taken: TakenPaths,
    pub(super) files: BTreeMap<PathBuf, FileChange>,
    /// The files that get a content which the repository has.
    aims: Vec<Target>,
    pub(super) moves: Vec<(StorePath, StorePath)>,
    /// Lines of the index of Claude Code's own memory that come back.
    pub(super) index_lines: Vec<String>,
    /// True where a path that cannot be changed is left out, and named.
    is_lenient: bool,
}

/// Makes a transaction and commits it after what people saved. A dry run fails where the real one would, and has no commit.
pub(super) fn transact<A>(
    store: &Store,
    command: &str,
    run: Run,
    work: impl FnOnce(&mut Transaction<'_>) -> Result<(A, Description), ServiceError>,
) -> Result<Done<A>, ServiceError> {
    let (answer, outcome, aftermath) = if run == Run::Dry {
        store.check_may_write()?;
        let snapshot = store.load()?;
        let mut tx = Transaction::new(store, &snapshot);
        let (answer, _) = work(&mut tx)?;
        let relinked = relink(&mut tx)?;
        let (guard, targets) = (store.safeguard(&snapshot)?, tx.targets());
        let mut aftermath = Aftermath::default();
        if tx.is_lenient {
            aftermath.left_out = guard.left_out_of(&targets)?;
        } else {
            guard.check(&targets)?;
        }
        match relinked {
            Some(Ok(index)) => aftermath.notices.push(format!("would update {index}")),
            left => aftermath.left_out.extend(left.and_then(Result::err)),
        }
        (answer, CommitOutcome::Nothing, aftermath)
    } else {
        let ((answer, outcome), aftermath) = changing(store, command, |writer| commit(writer, work))?;
        (answer, outcome, aftermath)
    };
    let changed = Changed { outcome, aftermath };
    Ok(Done { answer, changed, run })
}

/// Makes a transaction of the writer's files, and commits it.
pub(super) fn commit<A>(
    writer: &mut Writer<'_>,
    work: impl FnOnce(&mut Transaction<'_>) -> Result<(A, Description), ServiceError>,
) -> Result<(A, CommitOutcome), ServiceError> {
    let mut tx = Transaction::new(writer.store(), writer.snapshot());
    let (answer, mut description) = work(&mut tx)?;
    let relinked = relink(&mut tx)?;
    if let Some(Ok(index)) = &relinked {
        let mut changes = tx.shown();
        changes.retain(|change| change.path() != Path::new(index));
        description = description.of(&changes);
    }
    let wanted = tx.targets();
    if wanted.is_empty() {
        return Ok((answer, CommitOutcome::Nothing));
    }
    let Transaction {
        aims,
        moves,
        is_lenient,
        files,
        ..
    } = tx;
    // Before an object is made of a text that may be held.
    if !is_lenient {
        writer.safeguard().check(&wanted)?;
    }
    for (from, to) in &moves {
        writer.carry_allowances(from.as_ref(), to.as_ref())?;
    }
    let files: Vec<FileChange> = files.into_values().collect();
    let mut targets = targets(writer.store(), &files)?;
    targets.extend(aims);
    let outcome = if is_lenient {
        writer.transition(&targets, &description)?
    } else {
        writer.change_all(&targets, &description, None)?
    };
    match relinked {
        Some(Ok(index)) => writer.notices.push(format!("updated {index}")),
        left => writer.left_out.extend(left.and_then(Result::err)),
    }
    Ok((answer, outcome))
}

impl<'a> Transaction<'a> {
    pub(super) fn new(store: &'a Store, snapshot: &'a Snapshot) -> Self {
        let paths = snapshot.files.iter().map(|file| file.memory.path.as_str());
        Self {
            store,
            snapshot,
            taken: TakenPaths::new(paths),
            files: BTreeMap::new(),
            aims: Vec::new(),
            moves: Vec::new(),
            index_lines: Vec::new(),
            is_lenient: false,
        }
    }

    /// The paths that there are.
    pub(super) const fn taken(&self) -> &TakenPaths {
        &self.taken
    }

    /// The bytes that a file will have.
    pub(super) fn read(&self, path: &StorePath) -> Result<Vec<u8>, ServiceError> {
        match self.files.get(Path::new(path.as_str())) {
            Some(FileChange { new: Some(new), .. }) => Ok(new.clone()),
            _ => Ok(self.store.read(path)?),
        }
    }

    /// Gives a file, which has the bytes `old`, other bytes.
    pub(super) fn write(&mut self, path: impl AsRef<Path>, old: Option<Vec<u8>>, new: Option<Vec<u8>>) {
        let path = path.as_ref().to_owned();
        let mode = self.snapshot.entry(&path).map_or(Mode::Plain, |entry| entry.mode);
        if old != new {
            let change = FileChange {
                path: path.clone(),
                old,
                new: None,
                mode,
            };
            self.files.entry(path).or_insert(change).new = new;
        }
    }

    /// Gives a file these bytes and this mode.
    pub(super) fn put(&mut self, path: &Path, bytes: Vec<u8>, mode: Mode) {
        self.write(path, None, Some(bytes));
        self.files
            .entry(path.to_owned())
            .and_modify(|change| change.mode = mode);
    }

    /// Brings files to contents of the history. A path that cannot be changed is left out then, and named.
    pub(super) fn bring(&mut self, targets: impl IntoIterator<Item = Target>) {
        self.aims.extend(targets);
        self.is_lenient = true;
    }

    /// The files as people are shown what becomes of them.
    pub(super) fn shown(&self) -> Vec<Change> {
        let now = self.snapshot.tree();
        let mut goal = now.clone();
        for (path, entry) in self.targets() {
            match entry {
                Some(entry) => goal.insert(path, entry),
                None => goal.remove(&path),
            };
        }
        difference(&goal, &now, None, |_| false)
    }

    /// Removes a file.
    pub(super) fn remove(&mut self, path: &StorePath) -> Result<(), ServiceError> {
        self.write(path, Some(self.store.read(path)?), None);
        Ok(())
    }

    /// Changes keys of a file.
    pub(super) fn edit(&mut self, path: &StorePath, edits: &[KeyEdit]) -> Result<(), ServiceError> {
        self.rename(path, path, edits)
    }

    /// Gives a file another path, and changes of its keys.
    pub(super) fn rename(
        &mut self,
        from: &StorePath,
        to: &StorePath,
        edits: &[KeyEdit],
    ) -> Result<(), ServiceError> {
        let bytes = self.read(from)?;
        let source = |source| StoreError::Edit {
            path: from.clone(),
            source,
        };
        let new = match edits {
            [] => bytes.clone(),
            edits => document::edit(&bytes, edits).map_err(source)?,
        };
        if from == to {
            self.write(from, Some(bytes), Some(new));
            return Ok(());
        }
        self.taken.take(to.as_str());
        self.moves.push((from.clone(), to.clone()));
        self.write(from, Some(bytes), None);
        self.write(to, None, Some(new));
        let mode = self
            .snapshot
            .entry(from.as_ref())
            .map_or(Mode::Plain, |entry| entry.mode);
        self.files
            .entry(to.as_str().into())
            .and_modify(|new| new.mode = mode);
        Ok(())
    }

    /// Moves a memory to the archive, where it states its id, with these changes of its keys. Gives its new path.
    pub(super) fn archive(
        &mut self,
        path: &StorePath,
        mut edits: Vec<KeyEdit>,
    ) -> Result<StorePath, ServiceError> {
        edits.extend(self.unstated_id(path));
        edits.extend(self.unstated_type(path)?);
        let to = free_path_in(ARCHIVE, path.stem(), &self.taken);
        self.rename(path, &to, &edits)?;
        Ok(to)
    }

    /// Moves a memory out of the archive, with these changes of its keys. Gives its new path: one that is not there keeps
    /// its own.
    pub(super) fn bring_back(
        &mut self,
        file: &StoredFile,
        mut edits: Vec<KeyEdit>,
    ) -> Result<StorePath, ServiceError> {
        let path = &file.memory.path;
        let to = if file.zone == Zone::Archive {
            self.home(file)
        } else {
            path.clone()
        };
        edits.extend(self.unstated_id(path));
        self.rename(path, &to, &edits)?;
        Ok(to)
    }

    /// The last path of a memory in another zone than the one where it is, and not in the archive; else a path in the
    /// folder of its type.
    pub(super) fn home(&self, file: &StoredFile) -> StorePath {
        let rules = self.store.rules();
        let former = file
            .former
            .iter()
            .rev()
            .filter_map(|path| StorePath::new(path).ok());
        let mut elsewhere = former.filter(|path| ![Zone::Pinned, Zone::Archive].contains(&zone(path, rules)));
        let memory = &file.memory;
        match elsewhere.next() {
            Some(last) if !self.taken.contains(last.as_str()) => last,
            Some(last) => free_path_in(last.parent(), last.stem(), &self.taken),
            None => free_path_in(memory.kind.as_str(), memory.path.stem(), &self.taken),
        }
    }

    /// The type that a memory has by its folder, for where it goes to a folder of no type.
    pub(super) fn unstated_type(&self, path: &StorePath) -> Result<Option<KeyEdit>, ServiceError> {
        let kind = folder_kind(path, self.store.rules());
        let is_readable = self.snapshot.file(path).is_some_and(|file| file.is_readable);
        let states = !is_readable || states_type(path, &self.read(path)?);
        let set = |kind: Kind| KeyEdit::Set(Key::Type, Value::Text(kind.to_string()));
        Ok(kind.filter(|_| !states).map(set))
    }

    fn unstated_id(&self, path: &StorePath) -> Option<KeyEdit> {
        unstated_id(&self.snapshot.file(path)?.memory)
    }

    /// Where the files are to go; the contents are not written yet.
    pub(super) fn targets(&self) -> Vec<Target> {
        let target = |change: &FileChange| {
            let entry = |bytes: &Vec<u8>| Entry {
                oid: hash_blob(bytes),
                mode: change.mode,
            };
            (change.path.clone(), change.new.as_ref().map(entry))
        };
        let files = self.files.values().map(target);
        files.chain(self.aims.iter().cloned()).collect()
    }
}

/// The changes as the targets of one commit, with their contents written as objects.
pub(super) fn targets(store: &Store, changes: &[FileChange]) -> Result<Vec<Target>, ServiceError> {
    let written: Vec<(&PathBuf, &Vec<u8>)> = changes
        .iter()
        .filter_map(|change| Some((&change.path, change.new.as_ref()?)))
        .collect();
    let mut blobs = store.repo().write_files(&written)?.into_iter();
    let target = |change: &FileChange| {
        let entry = change.new.as_ref().and_then(|_| {
            let (oid, mode) = (blobs.next()?, change.mode);
            Some(Entry { oid, mode })
        });
        (change.path.clone(), entry)
    };
    Ok(changes.iter().map(target).collect())
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
    complete_merges(writer);
    let done = work(writer)?;
    scrub_what_was_forgotten(writer);
    // The work may have settled a file that was held before.
    let held = swept.held.into_iter().map(|held| held.path);
    swept.held = writer.safeguard().held_at(held).unwrap_or_default();
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
        tracing::info!(%error, "the history could not be packed");
    }
}

/// The commit of a change in JSON: `commit` is its name, or null; `deferred` says what keeps it from being made, or is null;
/// `held` lists the files that are kept out of it, and `left_out` those that the change left as they were.
#[derive(Serialize)]
struct CommitForm<'a> {
    commit: Option<Oid>,
    deferred: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a [Held]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [LeftOut],
}

/// The commit of a change, and the work around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changed {
    /// The commit, or why there is none yet.
    pub outcome: CommitOutcome,
    /// The work around the change.
    pub aftermath: Aftermath,
}

impl Serialize for Changed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = CommitForm {
            commit: self.outcome.oid(),
            deferred: match &self.outcome {
                CommitOutcome::Deferred(obstacle) => Some(obstacle.to_string()),
                _ => None,
            },
            held: match &self.outcome {
                CommitOutcome::Held(held) => Some(held),
                _ => None,
            },
            left_out: &self.aftermath.left_out,
        };
        form.serialize(serializer)
    }
}

impl Changed {
    /// Takes the files out that the change leaves as they are.
    pub(super) fn without_left(&self, files: &mut Vec<ChangedFile>) {
        let left: Vec<String> = self
            .aftermath
            .left_out
            .iter()
            .map(|left| sys::shown_path(&left.path))
            .collect();
        files.retain(|file| !left.contains(&file.path));
    }

    /// Says whether the change left a path as it was.
    pub(super) fn left_out(&self, path: &Path) -> bool {
        self.aftermath.left_out.iter().any(|left| left.path == path)
    }
}

/// The kind of a change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It has other bytes.
    Edited,
    /// It is gone.
    Removed,
    /// It has another path.
    Renamed,
}

impl ChangeKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
        }
    }
}

/// One file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// The kind of the change.
    pub change: ChangeKind,
    /// Its path, the new one after a rename, as shown to people (bytes that are no UTF-8 as `\xNN`).
    pub path: String,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl From<&Change> for ChangedFile {
    fn from(change: &Change) -> Self {
        let (kind, from) = match change {
            Change::Added(_) => (ChangeKind::Added, None),
            Change::Edited(_) => (ChangeKind::Edited, None),
            Change::Removed(_) => (ChangeKind::Removed, None),
            Change::Renamed { from, .. } => (ChangeKind::Renamed, Some(sys::shown_path(from))),
        };
        Self {
            change: kind,
            path: sys::shown_path(change.path()),
            from,
        }
    }
}

impl From<&git::FileChange> for ChangedFile {
    fn from(change: &git::FileChange) -> Self {
        let kind = match (&change.renamed_from, change.old, change.new) {
            (Some(_), ..) => ChangeKind::Renamed,
            (None, None, _) => ChangeKind::Added,
            (None, Some(_), None) => ChangeKind::Removed,
            (None, Some(_), Some(_)) => ChangeKind::Edited,
        };
        Self {
            change: kind,
            path: sys::shown_path(&change.path),
            from: change.renamed_from.as_deref().map(sys::shown_path),
        }
    }
}
