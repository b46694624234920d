//! The index: what git has staged, what is sparse, which files are unchanged for sure, and what a person has staged and
//! is left alone for a while.
//!
//! The index after a commit: only the entries of the paths that the commit changed are made new, everything else in
//! it (a person's staging, intent to add, sparse files, conflicts) stays as it is.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha1::{Digest as _, Sha1};

use super::lock::WriterLock;
use super::objects::{from_git2, to_git2};
use super::obstacle::{NO_FILE, SPOILT, odd_index};
use super::publish::{PreparedBranch, Replacement};
use super::work_file::{Stamp, WorkFile, low, low_unsigned, modified, read_regular, size};
use super::{Entry, GitError, Mode, Repo, durable, paths};
use crate::model::Timestamp;
use crate::sys::Inode;

/// The index, read at one moment.
#[derive(Debug, Default)]
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

impl Repo {
    /// Reads the index. A repository without one has an empty index.
    pub fn index(&self) -> Result<Arc<IndexView>, GitError> {
        let path = self.index_path();
        let written = Stamp::read(&path);
        if written.is_none() {
            self.check_still_there()?;
            return Ok(Arc::default());
        }
        // A commit asks for it three times.
        if let Some(seen) = self
            .seen_index
            .borrow()
            .as_ref()
            .filter(|seen| seen.written == written)
        {
            return Ok(Arc::clone(seen));
        }
        self.check_index_is_file()?;
        let Ok(index) = git2::Index::open(&path) else {
            // A split or sparse index: git can read it.
            self.check_index_is_whole()?;
            return Ok(Arc::new(IndexView {
                entries: self.list_index()?,
                written: None,
            }));
        };
        let entries = index.iter().map(|entry| read_entry(&entry)).collect();
        let index = Arc::new(IndexView { entries, written });
        self.seen_index.replace(Some(Arc::clone(&index)));
        Ok(index)
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
            // Git leaves the checksum at zero where it is told to.
            let is_set = |key| {
                self.git
                    .config()
                    .is_ok_and(|set| set.get_bool(key).unwrap_or(false))
            };
            let is_left_out = || ["index.skipHash", "feature.manyFiles"].into_iter().any(is_set);
            let is_right = checksum.as_slice() == Sha1::digest(content).as_slice();
            if content.starts_with(b"DIRC") && (is_right || *checksum == [0; 20] && is_left_out()) {
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
        let wanted = paths.iter().cloned().collect();
        let heads = match self.head()?.tip() {
            Some(head) => self.entries(head, Some(&wanted))?,
            None => BTreeMap::new(),
        };
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

const PRIVATE_INDEX: &str = "mdmem-index";

/// Set by a person on an index entry (`git update-index --assume-unchanged`), in `flags`.
const ASSUME_VALID: u16 = 0x8000;
/// Set on the entry of a sparse file, in `flags_extended`.
pub(super) const SKIP_WORKTREE: u16 = 1 << 14;
/// Set by `git add -N`, in `flags_extended`.
pub(super) const INTENT_TO_ADD: u16 = 1 << 13;

/// The new entry of a path: `None` when the index shall not name it.
pub(super) type IndexChange = (PathBuf, Option<Entry>);

/// A new index in a file of our own, made from the index as it was at `base`.
pub(super) struct PreparedIndex {
    pub(super) replacement: Replacement,
    base: Option<Stamp>,
}

impl Repo {
    /// Writes the new index to the file of our own.
    pub(super) fn prepare_index(&self, changes: &[IndexChange]) -> Result<PreparedIndex, GitError> {
        let index_path = self.index_path();
        let private = self.git_dir.join(PRIVATE_INDEX);
        clear(&private)?;
        let base = Stamp::read(&index_path);
        File::create_new(&private).map_err(|e| GitError::io("write", &private, e))?;
        let started = Stamp::read(&private);
        self.fill_index(&private, base, changes, started)
            .inspect_err(|_| drop(clear(&private)))?;
        let meta = std::fs::symlink_metadata(&private).map_err(|e| GitError::io("access", &private, e))?;
        Ok(PreparedIndex {
            replacement: Replacement {
                private,
                inode: Inode::of(&meta),
                lock: self.index_lock_path(),
                file: index_path,
            },
            base,
        })
    }

    /// Changes the entries in a copy of the index; without an index, in one that begins as HEAD.
    fn fill_index(
        &self,
        private: &Path,
        base: Option<Stamp>,
        changes: &[IndexChange],
        started: Option<Stamp>,
    ) -> Result<(), GitError> {
        if base.is_some() {
            self.check_index_is_file()?;
            let index = self.index_path();
            std::fs::copy(&index, private).map_err(|e| GitError::io("copy", &index, e))?;
        } else {
            clear(private)?;
        }
        match git2::Index::open(private) {
            Ok(mut copy) => {
                match base {
                    Some(written) => self.unsettle(&mut copy, written)?,
                    None => self.start_from_head(&mut copy)?,
                }
                // Asked once: the answer takes a look at every entry.
                if copy.has_conflicts() {
                    self.remove_conflicts(&mut copy, changes)?;
                }
                for (path, new) in changes {
                    self.set_entry(&mut copy, path, *new, started)?;
                }
                copy.write().map_err(|e| self.failed("write the index", &e))?;
            }
            // A split or a sparse index, which libgit2 cannot read: git itself can change it.
            Err(error) => {
                tracing::debug!(%error, "libgit2 cannot read the index");
                self.check_index_is_whole()?;
                self.update_index(private, changes)?;
            }
        }
        Ok(())
    }

    /// Takes the size, without which git reads the file, from each entry whose file changed since it was made, which only
    /// the time of the old index shows: git compares whole seconds, and the new index is younger.
    fn unsettle(&self, index: &mut git2::Index, written: Stamp) -> Result<(), GitError> {
        let is_unsure = |entry: &git2::IndexEntry| {
            let is_one_side = (entry.flags >> 12) & 3 > 0;
            let (oid, mode) = (from_git2(entry.id), Mode::from_raw(entry.mode));
            let path = self.root.join(paths::from_git(&entry.path));
            !written.is_after(entry.mtime.seconds().cast_unsigned().into(), 999_999_999)
                && !is_one_side
                && mode.is_file()
                && paths::is_plain(&entry.path)
                && WorkFile::with_content(&path, Entry { oid, mode }).is_none()
        };
        let unsure: Vec<git2::IndexEntry> = index.iter().filter(is_unsure).collect();
        for mut entry in unsure {
            entry.file_size = 0;
            index
                .add(&entry)
                .map_err(|e| self.failed("change the index", &e))?;
        }
        Ok(())
    }

    /// An index that somebody removed begins as HEAD: with the changed paths alone in it, git would take every other
    /// file for deleted.
    fn start_from_head(&self, index: &mut git2::Index) -> Result<(), GitError> {
        let failed = |e: git2::Error| self.failed("make the index", &e);
        let Some(tip) = self.head()?.tip() else {
            return Ok(());
        };
        for file in self.tree(tip)? {
            let entry = self.index_entry(&file.path, file.entry, None);
            index.add(&entry).map_err(failed)?;
        }
        Ok(())
    }

    /// Takes the sides of a conflict out, for paths that the commit settles.
    fn remove_conflicts(&self, index: &mut git2::Index, changes: &[IndexChange]) -> Result<(), GitError> {
        for (path, _) in changes {
            for side in 1..=3 {
                if index.get_path(path, side).is_some() {
                    index
                        .remove(path, side)
                        .map_err(|e| self.failed("change the index", &e))?;
                }
            }
        }
        Ok(())
    }

    fn set_entry(
        &self,
        index: &mut git2::Index,
        path: &Path,
        new: Option<Entry>,
        started: Option<Stamp>,
    ) -> Result<(), GitError> {
        let failed = |e: git2::Error| self.failed("change the index", &e);
        let before = index.get_path(path, 0);
        let Some(new) = new else {
            if before.is_some() {
                index.remove(path, 0).map_err(failed)?;
            }
            return Ok(());
        };
        let mut entry = self.index_entry(path, new, started);
        if let Some(kept) = before {
            entry.flags = kept.flags & ASSUME_VALID;
            entry.flags_extended = kept.flags_extended & SKIP_WORKTREE;
        }
        index.add(&entry).map_err(failed)
    }

    /// The index entry of a path with this content: with the file's metadata where the file has the very content.
    pub(super) fn index_entry(&self, path: &Path, new: Entry, started: Option<Stamp>) -> git2::IndexEntry {
        let mut entry = bare_entry(path, new);
        if let Some(file) = WorkFile::with_content(&self.root.join(path), new) {
            file.describe(&mut entry, started);
        }
        entry
    }

    /// Flushes what was written so far, then takes `index.lock` with the new index in it, waiting a second for git.
    /// [`GitError::Restless`] when the index is no longer what the new index was made from.
    pub(super) fn hold_index(
        &self,
        lock: &mut WriterLock,
        prepared: &PreparedIndex,
        branch: &PreparedBranch,
        unflushed: &[git2::Oid],
    ) -> Result<(), GitError> {
        let new = &prepared.replacement;
        lock.note_locks(Some(new.inode), branch)?;
        let branch = branch.replacement.private.clone();
        self.flush(unflushed, &[new.private.clone(), self.lock_path(), branch])
            .map_err(|error| self.or_collected(error, unflushed))?;
        self.take(new)?;
        if Stamp::read(&new.file) == prepared.base {
            Ok(())
        } else {
            Err(self.restless())
        }
    }
}

/// The entry of a path with this content, of whose file nothing is known.
pub(super) fn bare_entry(path: &Path, new: Entry) -> git2::IndexEntry {
    git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: new.mode.as_raw(),
        uid: 0,
        gid: 0,
        file_size: 0,
        id: to_git2(new.oid),
        flags: 0,
        flags_extended: 0,
        path: paths::to_git(path).to_vec(),
    }
}

/// Removes what an earlier, killed writer left of the file of our own.
fn clear(private: &Path) -> Result<(), GitError> {
    let mut lock = private.as_os_str().to_owned();
    lock.push(".lock");
    durable::remove(private)?;
    durable::remove(Path::new(&lock))
}
