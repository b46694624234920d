//! The index as it is: what git has staged, what is sparse, and which files are unchanged for sure.

use std::collections::{BTreeMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::index_splice::has_checksum;
use super::index_update::{INTENT_TO_ADD, SKIP_WORKTREE};
use super::object::from_git2;
use super::obstacle::{NO_FILE, SPOILT, odd_index};
use super::raw_index::{RawIndex, RawIndexEntry};
use super::stamp::{Stamp, modified};
use super::work_file::{low, low_unsigned, read_regular, size};
use super::{Entry, GitError, Mode, Repo, paths};

/// The index, read at one moment.
#[derive(Debug, Clone, Default)]
pub struct IndexView {
    pub(super) entries: BTreeMap<PathBuf, IndexEntry>,
    written: Option<Stamp>,
}

/// The entry of one path in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// The staged blob and mode; for a conflict those of one side.
    pub(super) entry: Entry,
    /// The state of the entry.
    pub(super) state: IndexState,
    /// `None` where git did not tell the metadata.
    pub(super) stat: Option<Stat>,
}

/// The state of an entry, apart from its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexState {
    /// An ordinary entry.
    Plain,
    /// The file is kept out of the working folder on purpose (sparse checkout): that it is missing is no deletion.
    Sparse,
    /// Only the intent to add it is noted (`git add -N`).
    Intent,
    /// A merge left several versions.
    Conflict,
}

/// The part of a file's metadata that git keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    modified: (i32, u32),
    changed: (i32, u32),
    inode: u32,
    size: u32,
}

impl Repo {
    /// Reads the index. A repository without one has an empty index.
    pub fn index(&self) -> Result<IndexView, GitError> {
        let path = self.index_path();
        let written = Stamp::read(&path);
        if written.is_none() {
            self.check_still_there()?;
            return Ok(IndexView::default());
        }
        self.check_index_is_file()?;
        let Ok(index) = git2::Index::open(&path) else {
            // A split or sparse index: git can read it.
            self.check_index_is_whole()?;
            return Ok(IndexView {
                entries: self.list_index()?,
                written: None,
            });
        };
        let entries = index.iter().map(|entry| read_entry(&entry)).collect();
        Ok(IndexView { entries, written })
    }

    /// The bytes of the index; `None` where there is no index.
    pub(super) fn index_bytes(&self) -> Result<Option<Vec<u8>>, GitError> {
        self.check_index_is_file()?;
        let path = self.index_path();
        read_regular(&path).map_err(|error| GitError::io("read", &path, error))
    }

    /// An error where opening the index could wait for ever, as for who writes into a fifo.
    pub(super) fn check_index_is_file(&self) -> Result<(), GitError> {
        let path = self.index_path();
        match path.metadata() {
            Ok(index) if !index.is_file() => Err(GitError::Blocked(odd_index(path, NO_FILE))),
            _ => Ok(()),
        }
    }

    /// An error where the index, which libgit2 could not read, is cut off or spoilt, so that git cannot read it either.
    pub(super) fn check_index_is_whole(&self) -> Result<(), GitError> {
        let bytes = self.index_bytes()?;
        if bytes.is_none_or(|bytes| bytes.starts_with(b"DIRC") && has_checksum(&bytes)) {
            return Ok(());
        }
        Err(GitError::Blocked(odd_index(self.index_path(), SPOILT)))
    }

    /// Says whether the index may have entries whose files git does not look at (`assume-unchanged`, `skip-worktree`).
    pub(super) fn index_hides_files(&self) -> bool {
        let Ok(bytes) = self.index_bytes() else {
            return true;
        };
        let Some(bytes) = bytes else { return false };
        RawIndex::new(&bytes).is_none_or(|mut index| index.any(RawIndexEntry::is_hidden))
    }

    /// The index, read for a few paths: what it says of others is left out.
    pub(super) fn index_at(&self, wanted: &[PathBuf]) -> Result<IndexView, GitError> {
        let path = self.index_path();
        let written = Stamp::read(&path);
        let bytes = self.index_bytes()?.unwrap_or_default();
        let Some(index) = RawIndex::new(&bytes) else {
            return self.index();
        };
        let wanted: HashSet<&[u8]> = wanted.iter().map(|path| paths::to_git(path)).collect();
        let entries = index
            .filter(|entry| wanted.contains(entry.path))
            .map(|entry| read_entry(&entry.to_git2()))
            .collect();
        Ok(IndexView { entries, written })
    }
}

impl IndexView {
    /// The entry of a path; `None` when the index does not name it.
    pub(super) fn get(&self, path: &Path) -> Option<&IndexEntry> {
        self.entries.get(path)
    }

    /// Says whether the path is kept out of the working folder on purpose.
    pub fn is_sparse(&self, path: &Path) -> bool {
        self.get(path)
            .is_some_and(|entry| entry.state == IndexState::Sparse)
    }

    /// Says whether a file surely has the content of its index entry, by its metadata (not of what a link names) alone.
    /// `false` means that it must be read. By git's own rules: a file that is not older than the index is not sure.
    pub(super) fn is_unchanged(&self, path: &Path, meta: &Metadata) -> bool {
        let (Some(entry), Some(written)) = (self.get(path), self.written) else {
            return false;
        };
        let (seconds, nanos) = modified(meta);
        let is_older = written.is_after(seconds, nanos);
        let is_same_kind = meta.is_file()
            && entry.entry.mode.is_file()
            && (is_executable(meta) == (entry.entry.mode == Mode::Executable));
        is_older
            && is_same_kind
            && entry.state == IndexState::Plain
            && entry.stat.is_some_and(|stat| stat == Stat::of(meta))
    }
}

impl Stat {
    fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let (seconds, nanos) = modified(meta);
        Self {
            modified: (low(seconds), nanos),
            changed: (low(meta.ctime()), u32::try_from(meta.ctime_nsec()).unwrap_or(0)),
            inode: low_unsigned(meta.ino()),
            size: size(meta.len()),
        }
    }
}

fn read_entry(raw: &git2::IndexEntry) -> (PathBuf, IndexEntry) {
    let is_one_side = (raw.flags >> 12) & 3 > 0;
    let state = if is_one_side {
        IndexState::Conflict
    } else if raw.flags_extended & SKIP_WORKTREE != 0 {
        IndexState::Sparse
    } else if raw.flags_extended & INTENT_TO_ADD != 0 {
        IndexState::Intent
    } else {
        IndexState::Plain
    };
    // A size of zero means "unknown" unless the file is empty, which it then surely is not known to be either.
    let stat = (raw.file_size != 0).then(|| Stat {
        modified: (raw.mtime.seconds(), raw.mtime.nanoseconds()),
        changed: (raw.ctime.seconds(), raw.ctime.nanoseconds()),
        inode: raw.ino,
        size: raw.file_size,
    });
    let entry = Entry {
        oid: from_git2(raw.id),
        mode: Mode::from_raw(raw.mode),
    };
    (paths::from_git(&raw.path), IndexEntry { entry, state, stat })
}

fn is_executable(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o100 != 0
}
