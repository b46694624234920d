//! The changes of a commit, path by path, and the files that follow it: each for itself, and a person's save stands.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::contents::{MAX_FILE, is_brought, is_hidden};
use super::{Snapshot, Store, StoreError};
use crate::git::{Entry, Mode, PathChange, hash_blob};
use crate::model::Oid;
use crate::sys;
use crate::sys::{FailureKind, Prepared, SysError};

/// The number of files that are read ahead: with the largest that there may be, 64 MiB.
pub(super) const BATCH: usize = 64;

/// The contents of one path before a commit, and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The path.
    pub path: PathBuf,
    /// Its contents before.
    pub old: Option<Entry>,
    /// Its contents after.
    pub new: Option<Entry>,
}

impl Replacement {
    /// The order in which changes are carried out: removals first, each part by path.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |change: &Self| change.new.is_some();
        key(self)
            .cmp(&key(other))
            .then_with(|| self.path.cmp(&other.path))
    }
}

impl Store {
    /// Path by path, what differs from one commit to another; a rename is one path that goes and one that comes. The paths
    /// that go are the first, so that a file can give way to a folder of its name, and a folder to a file. Hidden files are
    /// among them. A link is not: mdmem makes none, and leaves those that are there.
    pub fn replacements(&self, old: Option<Oid>, new: Oid) -> Result<Vec<Replacement>, StoreError> {
        let changes = self.repo.changes_between(old, new)?.into_iter();
        let mut replacements: Vec<Replacement> = changes
            .map(|change| Replacement {
                path: change.path,
                old: change.old,
                new: change.new,
            })
            .collect();
        let is_file = |entry: Option<Entry>| entry.is_none_or(|entry| entry.mode.is_file());
        replacements
            .retain(|Replacement { path, old, new }| is_brought(path) && is_file(*old) && is_file(*new));
        replacements.sort_by(Replacement::order);
        Ok(replacements)
    }

    /// The blob that a file makes now. No snapshot has the hidden ones.
    pub(super) fn blob_at(&self, snapshot: &Snapshot, path: &Path) -> Option<Oid> {
        if !is_hidden(path) {
            return snapshot.entry(path).map(|entry| entry.oid);
        }
        let read = sys::read_if_there(self.root(), path, MAX_FILE).ok()?;
        read.map(|read| hash_blob(&read.bytes))
    }

    /// Brings files to what a commit wants, side by side: each waits for the disk, and the file system joins the waits. The
    /// first error is returned after every file was tried. A person who put something else in the place of a file keeps it.
    pub(super) fn bring(&self, changes: &[Replacement], wanted: &[Wanted]) -> Result<(), SysError> {
        let work = changes.iter().zip(wanted);
        let (removals, writes): (Vec<_>, Vec<_>) = work.partition(|(change, _)| change.new.is_none());
        let root = self.root();
        let is_failure = |result: &Result<(), SysError>| matches!(result, Err(error) if !matches!(error.kind(), FailureKind::InTheWay | FailureKind::TooLarge));
        let mut brought = Vec::with_capacity(changes.len());
        for work in [removals, writes] {
            brought.extend(sys::side_by_side(&work, |(change, wanted)| {
                bring_to(root, change, wanted)
            }));
        }
        brought.into_iter().find(is_failure).unwrap_or(Ok(()))
    }

    /// Writes the contents of files beside them. An error leaves nothing behind.
    pub(super) fn prepare(&self, changes: &[Replacement]) -> Result<Vec<Wanted>, StoreError> {
        let root = self.root();
        let mut prepared = Vec::with_capacity(changes.len());
        let missing = self.missing_folders(changes);
        for batch in changes.chunks(BATCH) {
            let blob = |change: &Replacement| change.new.map(|entry| self.repo.blob(entry.oid)).transpose();
            let contents: Result<Vec<Option<Vec<u8>>>, _> = batch.iter().map(blob).collect();
            let tried = contents.map_err(StoreError::from).map(|contents| {
                let work: Vec<_> = batch.iter().zip(&contents).collect();
                sys::side_by_side(&work, |(change, content)| match content {
                    // No scan meets what a kill would leave beside it: only the journal leads there.
                    Some(content) if is_hidden(&change.path) => Ok(Wanted::Bytes(content.clone())),
                    Some(content) => match sys::prepare(root, &change.path, content) {
                        // There is no place beside it before the folder or the file there gives way.
                        Err(error) if error.kind() == FailureKind::InTheWay => {
                            Ok(Wanted::Bytes(content.clone()))
                        }
                        prepared => prepared.map(Wanted::Prepared),
                    },
                    None => sys::try_removal(root, &change.path).map(|()| Wanted::Nothing),
                })
            });
            let mut failure = None;
            match tried {
                Err(error) => failure = Some(error),
                Ok(tried) => {
                    for tried in tried {
                        let wanted = tried.unwrap_or_else(|source| {
                            failure.get_or_insert(StoreError::NothingChanged { source });
                            Wanted::Nothing
                        });
                        prepared.push(wanted);
                    }
                }
            }
            if let Some(failure) = failure {
                self.discard(changes, &prepared);
                for folder in missing.iter().rev() {
                    // One that was not made, or that somebody uses by now, stays as it is.
                    let _ = std::fs::remove_dir(root.join(folder));
                }
                return Err(failure);
            }
        }
        Ok(prepared)
    }

    /// The folders that have to be made for the files, each after those above it.
    fn missing_folders(&self, changes: &[Replacement]) -> BTreeSet<PathBuf> {
        let written = changes.iter().filter(|change| change.new.is_some());
        let folders: BTreeSet<&Path> = written.filter_map(|change| change.path.parent()).collect();
        let all = folders.iter().flat_map(|folder| folder.ancestors());
        let is_missing = |folder: &&Path| self.root().join(folder).symlink_metadata().is_err();
        all.filter(is_missing).map(Path::to_owned).collect()
    }

    /// Removes contents that are of no use any more. What cannot be removed is removed by the next writer.
    pub(super) fn discard(&self, changes: &[Replacement], prepared: &[Wanted]) {
        for (change, wanted) in changes.iter().zip(prepared) {
            if let Wanted::Prepared(content) = wanted {
                let _ = content.discard(self.root(), &change.path);
            }
        }
    }
}

/// The content that a file is to get.
pub(super) enum Wanted {
    /// No content: the file is to go.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Bytes that stand beside the file.
    Prepared(Prepared),
}

/// Brings one file to what a commit wants, if it is as it was before that commit.
fn bring_to(root: &Path, change: &Replacement, wanted: &Wanted) -> Result<(), SysError> {
    bring_content(root, change, wanted)?;
    let mode = |entry: Option<Entry>| entry.map_or(Mode::Plain, |entry| entry.mode);
    if change.new.is_none() || mode(change.old) == mode(change.new) {
        return Ok(());
    }
    match sys::follow_execution(root, &change.path, mode(change.new).as_raw()) {
        // The file is somebody else's, or the file system has no such bits.
        Err(error) if error.kind() == FailureKind::Denied => Ok(()),
        followed => followed,
    }
}

fn bring_content(root: &Path, change: &Replacement, wanted: &Wanted) -> Result<(), SysError> {
    let path = change.path.as_path();
    let read = || sys::read_if_there(root, path, MAX_FILE);
    let is_new = change.old.is_none() && change.new.is_some();
    let read = match read() {
        // The folder in the place of the file lost its last file by this change.
        Err(error) if is_new && error.kind() == FailureKind::InTheWay => {
            sys::remove_empty_folders(root, path)?;
            read()?
        }
        read => read?,
    };
    let present = read.map(|read| read.bytes);
    let blob = present.as_deref().map(hash_blob);
    if blob == change.new.map(|entry| entry.oid) || blob != change.old.map(|entry| entry.oid) {
        return match wanted {
            Wanted::Prepared(content) => content.discard(root, path),
            Wanted::Bytes(_) | Wanted::Nothing => Ok(()),
        };
    }
    match (present, wanted) {
        // A person's save in between stands.
        (present, Wanted::Prepared(content)) => content.put(root, path, present.as_deref()),
        (Some(present), Wanted::Bytes(wanted)) => sys::exchange(root, path, &present, wanted).map(drop),
        (Some(present), Wanted::Nothing) => sys::remove_expected(root, path, &present).map(drop),
        (None, Wanted::Bytes(wanted)) => sys::write_new(root, path, wanted).map(drop),
        (None, Wanted::Nothing) => Ok(()),
    }
}

pub(super) fn path_change(path: &Path, entry: Option<Entry>) -> PathChange {
    match entry {
        Some(entry) => PathChange::point(path, entry.oid, entry.mode),
        None => PathChange::remove(path),
    }
}
