//! The index after a commit: only the entries of the paths that the commit changed are made new, everything else in
//! it (a person's staging, intent to add, sparse files, conflicts) stays as it is.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::branch::PreparedBranch;
use super::lock::WriterLock;
use super::objects::{from_git2, to_git2};
use super::replacement::Replacement;
use super::stamp::Stamp;
use super::tree::{Entry, Mode};
use super::work_file::WorkFile;
use super::{GitError, Repo, durable, paths};
use crate::sys::Inode;

const PRIVATE: &str = "mdmem-index";

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
        let private = self.git_dir.join(PRIVATE);
        clear(&private)?;
        let base = Stamp::read(&index_path);
        File::create_new(&private).map_err(|e| GitError::io("write", &private, e))?;
        let started = Stamp::read(&private);
        self.fill_index(&private, base, changes, started)
            .inspect_err(|_| drop(clear(&private)))?;
        let meta = std::fs::symlink_metadata(&private).map_err(|e| GitError::io("look at", &private, e))?;
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
