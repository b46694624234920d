//! The index: what git has staged, what is sparse, which files are unchanged for sure, and what a person has staged and
//! is left alone for a while.

use std::collections::{BTreeMap, HashMap};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use sha1::{Digest as _, Sha1};

use super::index_update::{INTENT_TO_ADD, SKIP_WORKTREE};
use super::objects::from_git2;
use super::obstacle::{NO_FILE, SPOILT, odd_index};
use super::stamp::{Stamp, modified};
use super::work_file::{WorkFile, low, low_unsigned, read_regular, size};
use super::{Entry, GitError, Mode, Repo, paths};
use crate::model::{Oid, Timestamp};

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

/// A path that a person has staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The path.
    pub path: PathBuf,
    /// The way in which it is staged.
    pub kind: StagedKind,
    /// When, as far as git's objects tell: the blob's file is as old as the staging. `None` when they do not.
    pub since: Option<Timestamp>,
}

/// The way in which a path is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagedKind {
    /// The index has a content that neither HEAD nor the file has.
    Content,
    /// The index does not name the path (`git rm --cached`), HEAD and the working folder do.
    Removal,
    /// A merge (`git stash pop`, say) left several versions, and the file may hold conflict markers.
    Conflict,
}

/// From so many paths on HEAD's tree is listed once instead of looking each path up.
const LOOKUPS: usize = 16;

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
        let path = self.index_path();
        let bytes = read_regular(&path).map_err(|error| GitError::io("read", &path, error))?;
        let Some(bytes) = bytes else { return Ok(()) };
        if let Some((content, checksum)) = bytes.split_last_chunk::<20>() {
            // Git leaves the checksum at zero where `index.skipHash` is set.
            let is_right = *checksum == [0; 20] || checksum.as_slice() == Sha1::digest(content).as_slice();
            if content.starts_with(b"DIRC") && is_right {
                return Ok(());
            }
        }
        Err(GitError::Blocked(odd_index(path, SPOILT)))
    }

    /// Those of the paths that a person has staged: the index differs both from HEAD and from the file. A path
    /// that is staged exactly as the file is on disk does not count: committing the file commits the staging.
    pub fn staged_by_hand(&self, paths: &[PathBuf]) -> Result<Vec<Staged>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let index = self.index()?;
        let head = self.head()?.tip();
        let heads = self.entries_at(head, paths)?;
        Ok(paths
            .iter()
            .filter_map(|path| self.staged(path, &index, heads.get(path).copied()))
            .collect())
    }

    fn staged(&self, path: &Path, index: &IndexView, in_head: Option<Entry>) -> Option<Staged> {
        let staged = |kind, since| Staged {
            path: path.to_owned(),
            kind,
            since,
        };
        let on_disk = self.root.join(path);
        let Some(entry) = index.get(path) else {
            let is_removal = in_head.is_some() && std::fs::symlink_metadata(&on_disk).is_ok();
            return is_removal.then(|| staged(StagedKind::Removal, None));
        };
        match entry.state {
            IndexState::Conflict => return Some(staged(StagedKind::Conflict, None)),
            IndexState::Intent | IndexState::Sparse => return None,
            IndexState::Plain => {}
        }
        let is_on_disk = || {
            std::fs::symlink_metadata(&on_disk).is_ok_and(|meta| index.is_unchanged(path, &meta))
                || WorkFile::with_content(&on_disk, entry.entry).is_some()
        };
        if in_head == Some(entry.entry) || is_on_disk() {
            return None;
        }
        // Git renews the time of a loose object that is staged again.
        let since = Stamp::read(&self.loose_path(entry.entry.oid)).map(|stamp| stamp.modified());
        Some(staged(StagedKind::Content, since))
    }

    /// The entries of these paths in a commit; for many paths, those of every other one too.
    fn entries_at(
        &self,
        commit: Option<Oid>,
        wanted: &[PathBuf],
    ) -> Result<HashMap<PathBuf, Entry>, GitError> {
        let mut entries = HashMap::new();
        let Some(commit) = commit else {
            return Ok(entries);
        };
        if wanted.len() >= LOOKUPS {
            let files = self.tree(commit)?.into_iter();
            return Ok(files.map(|file| (file.path, file.entry)).collect());
        }
        for path in wanted {
            if let Some(entry) = self.entry_at(commit, path)? {
                entries.insert(path.clone(), entry);
            }
        }
        Ok(entries)
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
        let is_same_kind = meta.is_file()
            && entry.entry.mode.is_file()
            && (is_executable(meta) == (entry.entry.mode == Mode::Executable));
        written.is_after_change_of(meta)
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
    let state = if (raw.flags >> 12) & 3 > 0 {
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
