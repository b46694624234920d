//! The index after a commit: only the entries of the paths that the commit changed are made new, everything else in
//! it (a person's staging, intent to add, sparse files, conflicts) stays as it is.
//!
//! The new index is written to a file of our own first. Taking `index.lock` is then one rename that fails when
//! there is one, so git's lock is held for a millisecond, and its inode is known before it exists.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::branch::PreparedBranch;
use super::index_splice::splice;
use super::lock::WriterLock;
use super::object::to_git2;
use super::process::Program;
use super::raw_index::RawIndexEntry;
use super::stamp::{Inode, Stamp};
use super::tree::{Entry, Mode};
use super::work_file::WorkFile;
use super::{GitError, Repo, durable, obstacle, paths};
use crate::model::Oid;

/// How long a commit waits for git's own locks before it gives up.
pub(super) const GIT_LOCK_WAIT: Duration = Duration::from_secs(1);

const PRIVATE: &str = "mdmem-index";

/// Set by a person on an index entry (`git update-index --assume-unchanged`), in `flags`.
const ASSUME_VALID: u16 = 0x8000;
/// Set on the entry of a sparse file, in `flags_extended`.
pub(super) const SKIP_WORKTREE: u16 = 1 << 14;
/// Set by `git add -N`, in `flags_extended`.
pub(super) const INTENT_TO_ADD: u16 = 1 << 13;

/// What the index shall say about a path: `None` when it shall not name it.
pub(super) type IndexChange = (PathBuf, Option<Entry>);

/// A new index in a file of our own, made from the index as it was at `base`.
pub(super) struct PreparedIndex {
    private: PathBuf,
    inode: Inode,
    base: Option<Stamp>,
}

/// `index.lock`, held by us, with the new index in it.
pub(super) struct HeldIndex {
    lock: PathBuf,
    index: PathBuf,
    inode: Inode,
}

impl Repo {
    /// Writes the new index to the file of our own.
    pub(super) fn prepare_index(&self, changes: &[IndexChange]) -> Result<PreparedIndex, GitError> {
        let index_path = self.index_path();
        let private = self.git_dir.join(PRIVATE);
        clear(&private)?;
        let base = Stamp::read(&index_path);
        let mut file = File::create_new(&private).map_err(|e| GitError::io("write", &private, e))?;
        let started = Stamp::read(&private);
        let done = if let Some(new) = self.spliced_index(&index_path, base, changes, started) {
            file.write_all(&new)
                .map_err(|e| GitError::io("write", &private, e))
        } else {
            self.fill_index(&private, base.map(|_| index_path.as_path()), changes, started)
        };
        done.inspect_err(|_| drop(clear(&private)))?;
        let meta = std::fs::symlink_metadata(&private).map_err(|e| GitError::io("look at", &private, e))?;
        Ok(PreparedIndex {
            inode: Inode::of(&meta),
            private,
            base,
        })
    }

    /// The bytes of the index with the new entries in them. `None` where libgit2 or git must make them.
    fn spliced_index(
        &self,
        index: &Path,
        written: Option<Stamp>,
        changes: &[IndexChange],
        started: Option<Stamp>,
    ) -> Option<Vec<u8>> {
        let old = std::fs::read(index).ok()?;
        let entries = changes.iter().map(|(path, new)| {
            let entry = new.map(|new| self.index_entry(path, new, started));
            (paths::to_git(path).to_vec(), entry)
        });
        splice(&old, &entries.collect(), |entry| {
            self.hides_a_change(entry, written)
        })
    }

    /// Whether a file changed since its entry was made, which only the time of the old index shows: git compares whole
    /// seconds, and reads a file that is not older than the index. The new index is younger.
    fn hides_a_change(&self, entry: &RawIndexEntry<'_>, written: Option<Stamp>) -> bool {
        let is_older = written.is_some_and(|written| written.is_after(entry.mtime.0.into(), 999_999_999));
        let (oid, mode) = (Oid(*entry.oid), Mode::from_raw(entry.mode));
        !is_older
            && mode.is_file()
            && paths::is_plain(entry.path)
            && WorkFile::with_content(&self.root.join(paths::from_git(entry.path)), Entry { oid, mode })
                .is_none()
    }

    /// Changes the entries in a copy of the index; without an index, in one that begins as HEAD.
    fn fill_index(
        &self,
        private: &Path,
        index: Option<&Path>,
        changes: &[IndexChange],
        started: Option<Stamp>,
    ) -> Result<(), GitError> {
        match index {
            Some(index) => drop(std::fs::copy(index, private).map_err(|e| GitError::io("copy", index, e))?),
            None => clear(private)?,
        }
        match git2::Index::open(private) {
            Ok(mut copy) => {
                if index.is_none() {
                    self.start_from_head(&mut copy)?;
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
                Program::new(&self.root).update_index(private, changes)?;
            }
        }
        Ok(())
    }

    /// An index that somebody removed begins as HEAD: with the changed paths alone in it, git would take every other file
    /// for deleted.
    fn start_from_head(&self, index: &mut git2::Index) -> Result<(), GitError> {
        let failed = |e: git2::Error| self.failed("make the index", &e);
        let Some(tip) = self.head()?.tip() else {
            return Ok(());
        };
        let tree = self
            .git
            .find_commit(to_git2(tip))
            .and_then(|commit| commit.tree());
        index.read_tree(&tree.map_err(failed)?).map_err(failed)
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

    /// What the index says of a path that holds this: with the file's metadata where the file has the very content.
    pub(super) fn index_entry(&self, path: &Path, new: Entry, started: Option<Stamp>) -> git2::IndexEntry {
        let mut entry = git2::IndexEntry {
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
        };
        if let Some(file) = WorkFile::with_content(&self.root.join(path), new) {
            file.describe(&mut entry, started);
        }
        entry
    }

    /// Flushes what was written so far, then takes `index.lock` with the new index in it, waiting a second for git.
    /// `Ok(None)` when the index is no longer
    /// the one that the new one was made from.
    pub(super) fn hold_index(
        &self,
        lock: &mut WriterLock,
        prepared: &PreparedIndex,
        branch: Option<&PreparedBranch>,
        unflushed: &[git2::Oid],
    ) -> Result<Option<HeldIndex>, GitError> {
        let path = self.index_lock_path();
        lock.note_index_lock(prepared.inode, branch)?;
        let mut files = vec![prepared.private.clone(), self.lock_path()];
        files.extend(branch.map(|branch| branch.private.clone()));
        self.flush(unflushed, &files)?;
        let taken = take(&prepared.private, &path);
        if let Err(e) = taken {
            clear(&prepared.private)?;
            lock.forget_index_lock(None)?;
            return Err(if e.kind() == std::io::ErrorKind::AlreadyExists {
                // The note was written a second ago: its time is now, by the clock that dates the lock too.
                let now = Stamp::read(&self.lock_path()).map(|note| note.modified());
                GitError::IndexLocked {
                    age_seconds: now.and_then(|now| obstacle::age_of(&path, now)),
                    path,
                }
            } else {
                GitError::io("take", &path, e)
            });
        }
        let held = HeldIndex {
            lock: path,
            index: self.index_path(),
            inode: prepared.inode,
        };
        Ok((Stamp::read(&held.index) == prepared.base).then_some(held))
    }

    /// Makes the index name these paths as they are in HEAD, without a commit: for what a crash or a foreign lock
    /// left behind. Does nothing when the index cannot be taken now.
    pub fn refresh_index(&self, lock: &mut WriterLock, paths: &[PathBuf]) -> Result<(), GitError> {
        self.check_still_there()?;
        let tip = self.head()?.tip();
        let mut changes = Vec::with_capacity(paths.len());
        for path in paths {
            let entry = tip.map_or(Ok(None), |tip| self.entry_at(tip, path))?;
            changes.push((path.clone(), entry));
        }
        let prepared = self.prepare_index(&changes)?;
        let held = self.hold_index(lock, &prepared, None, &[])?;
        if let Some(index) = held {
            index.publish()?;
            lock.forget_index_lock(Some(self.left()?))
        } else {
            lock.forget_index_lock(None)
        }
    }
}

impl HeldIndex {
    /// Puts the new index in place, which also lets git's lock go.
    pub(super) fn publish(self) -> Result<(), GitError> {
        std::fs::rename(&self.lock, &self.index).map_err(|e| GitError::io("replace", &self.index, e))
    }
}

impl Drop for HeldIndex {
    /// Lets git's lock go when the index was not published. After `publish` there is no lock of this inode any more.
    fn drop(&mut self) {
        let is_ours = std::fs::symlink_metadata(&self.lock).is_ok_and(|meta| Inode::of(&meta) == self.inode);
        if is_ours && let Err(error) = std::fs::remove_file(&self.lock) {
            tracing::warn!(path = %self.lock.display(), %error, "a lock of git\'s that mdmem held could not be removed");
        }
    }
}

/// Renames a file of our own to a lock of git's, waiting a second for git to let it go.
pub(super) fn take(private: &Path, lock: &Path) -> std::io::Result<()> {
    let deadline = Instant::now() + GIT_LOCK_WAIT;
    let mut pause = Duration::from_millis(1);
    loop {
        match durable::rename_exclusively(private, lock) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists && Instant::now() < deadline => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            done => return done,
        }
    }
}

/// Removes what an earlier, killed writer left of the file of our own.
fn clear(private: &Path) -> Result<(), GitError> {
    let mut lock = private.as_os_str().to_owned();
    lock.push(".lock");
    for path in [private, Path::new(&lock)] {
        match std::fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(GitError::io("remove", path, e));
            }
            _ => {}
        }
    }
    Ok(())
}
