//! The objects of a commit survive a `git gc --prune=now` that runs beside it.
//!
//! A garbage collector looks at what the refs name, and removes everything else a moment later. The objects of a commit
//! that is made in between are not named yet, and go, and the branch then names a commit that is not there. Git's own
//! `git commit` loses that race as well.
//!
//! After a ref names the commit, mdmem looks in this order:
//!
//! 1. Does a collector run? Every `git gc` holds `gc.pid` from before it looks at the refs until after its last
//!    removal.
//! 2. Are the objects there? Those that are gone are written again, from what the commit was made of.
//!
//! If no collector runs, each one that can have missed the ref has ended, and every later one sees the ref: the second
//! look is final. If one runs it may still remove loose objects, so the objects are also written into a pack of
//! their own that bears a `.keep`: no collector removes such a pack, or an object in it. The next writer that finds no
//! collector takes the `.keep` away, and the pack is then as any other.
//!
//! A ref of mdmem's own (a "keep ref") before the branch moves would not do: the same race exists for that ref. A kept
//! pack for each commit would do, and cost three files and the flushes of them each time. These two looks cost a commit
//! a handful of `stat` calls. `git prune` by hand holds no `gc.pid`; against it only the second look helps.
//!
//! Packing: many small objects become one file, beside the work and never in its way.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::lock::{host, is_running};
use super::objects::{from_git2, hash_blob};
use super::publish::PRIVATE_REF;
use super::tree::NewContent;
use super::work_file::{Stamp, read_regular};
use super::{Draft, GitError, PathChange, Repo, durable};
use crate::model::{Oid, Timestamp};
use crate::sys;
use crate::sys::{make_folders_in, read_text};

/// The number of times that the objects are written while collectors remove them.
const MOST_ATTEMPTS: usize = 40;
/// The text of a `.keep` that mdmem made.
const KEPT: &str = "mdmem: made while git gc ran\n";
/// The folder in which a kept pack is made. It is there as long as there may be a `.keep` of mdmem's.
const FOLDER: &str = "mdmem-pack";
/// Git, too, takes a lock of a collector on another machine for a stale one after so many milliseconds (12 hours).
const STALE: i64 = 12 * 60 * 60 * 1000;
/// The ref of the commit that a change of many files is to make. Git never moves a ref of `refs/worktree` to its file
/// of packed refs, so that to remove it is to remove one file.
const DRAFT: &str = "refs/worktree/mdmem-draft";

impl Repo {
    /// Tries again while collectors remove what was just written. Where none runs in the end, its error is its own.
    pub(super) fn beside_collectors<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        for _ in 1..MOST_ATTEMPTS {
            match attempt() {
                Err(GitError::Collected { .. }) => {}
                done => return done,
            }
        }
        match attempt() {
            Err(GitError::Collected { error, .. }) if !self.is_being_collected() => Err(*error),
            done => done,
        }
    }

    /// Sees to it that the objects of a draft that a ref names by now are there, and stay. `changes` are those that the
    /// draft was made of.
    pub(super) fn let_survive(&self, draft: &Draft, changes: &[PathChange]) -> Result<(), GitError> {
        let is_loose = |oid: &git2::Oid| self.loose_path(from_git2(*oid)).exists();
        if !self.is_being_collected() && draft.objects.iter().all(is_loose) {
            return Ok(());
        }
        self.beside_collectors(|| {
            let is_collected = self.is_being_collected();
            let fresh = self.anew()?;
            let written = fresh.write_again(draft, changes).and_then(|()| {
                if is_collected {
                    fresh.write_kept_pack(draft)?;
                }
                Ok(())
            });
            written.map_err(|error| self.or_collected(error, &draft.objects))
        })
    }

    /// Takes away the `.keep` of each pack of mdmem's when no collector runs. The caller holds the store's lock.
    pub(super) fn release_kept_packs(&self) {
        let folder = self.git_dir.join(FOLDER);
        if !folder.exists() || self.is_being_collected() {
            return;
        }
        let entries = std::fs::read_dir(self.git_dir.join("objects/pack"));
        let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
        let is_ours = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ending == "keep")
                && read_regular(path).is_ok_and(|text| text.as_deref() == Some(KEPT.as_bytes()))
        };
        let released = paths.filter(is_ours).try_for_each(std::fs::remove_file);
        if let Err(error) = released.and_then(|()| std::fs::remove_dir_all(&folder)) {
            tracing::debug!(%error, "a kept pack could not be released");
        }
    }

    /// The error of a commit whose objects could not be written: [`GitError::Collected`] where one of these has gone
    /// meanwhile, or the folder of one that was being written, so that another attempt helps.
    pub(super) fn or_collected(&self, error: GitError, objects: &[git2::Oid]) -> GitError {
        let is_gone = |fresh: Self| objects.iter().any(|oid| !fresh.has_object(from_git2(*oid)));
        // libgit2 makes the folder, then renames the object into it; a collector removes the folders that are empty. And
        // it reads the folders that it has just written.
        let is_lost =
            |message: &str| message.contains("No such file") || message.contains("object not found");
        let was_lost = matches!(&error, GitError::Git { message, .. } if is_lost(message));
        if was_lost || self.anew().is_ok_and(is_gone) {
            GitError::Collected {
                root: self.root.clone(),
                error: Box::new(error),
            }
        } else {
            error
        }
    }

    /// Says whether a `git gc` runs that may remove objects. A lock that an ended one left does not count.
    pub(super) fn is_being_collected(&self) -> bool {
        let path = self.git_dir.join("gc.pid");
        let Some(text) = read_text(&path) else {
            return false;
        };
        let mut words = text.split_whitespace();
        let pid = words.next().and_then(|word| word.parse().ok());
        let (Some(pid), Some(on)) = (pid, words.next()) else {
            return true;
        };
        if on == host() {
            return is_running(pid);
        }
        // The note of our own lock was written a moment ago, by the clock that dates the other file too.
        let now = Stamp::read(&self.lock_path()).map(|note| note.modified());
        let since = Stamp::read(&path).map(|lock| lock.modified());
        now.zip(since)
            .is_none_or(|(now, since)| now.millis_since(since) < STALE)
    }

    /// Writes what is missing of a draft's objects, flushed. The content of a file that a change only names is read
    /// from the file itself.
    fn write_again(&self, draft: &Draft, changes: &[PathChange]) -> Result<(), GitError> {
        let with_bytes = |change: &PathChange| match &change.new {
            Some((NewContent::Blob(oid), mode)) if !self.has_object(*oid) => {
                match self.work_file_of(&change.path, *oid) {
                    Some(bytes) => PathChange::write(&change.path, bytes, *mode),
                    None => change.clone(),
                }
            }
            _ => change.clone(),
        };
        let changes: Vec<PathChange> = changes.iter().map(with_bytes).collect();
        let old_tree = draft.parent().map(|parent| self.tree_of(parent)).transpose()?;
        let mut written = Vec::new();
        self.write_content(old_tree, &changes, &mut written)?;
        written.push(self.write(git2::ObjectType::Commit, &draft.commit)?);
        self.flush(&written, &[])
    }

    /// The bytes of the file at a path, where they make this blob. No link is followed, and no fifo waited for.
    pub(super) fn work_file_of(&self, path: &Path, blob: Oid) -> Option<Vec<u8>> {
        let read = sys::read(&self.root, path, u64::MAX).ok()?;
        (hash_blob(&read.bytes) == blob).then_some(read.bytes)
    }

    fn write_kept_pack(&self, draft: &Draft) -> Result<(), GitError> {
        let failed = |e: git2::Error| self.failed("write a pack", &e);
        let mut pack = self.git.packbuilder().map_err(failed)?;
        for oid in &draft.objects {
            pack.insert_object(*oid, None).map_err(failed)?;
        }
        let [made_in, packs] = [FOLDER, "objects/pack"].map(|name| self.git_dir.join(name));
        for folder in [&made_in, &packs] {
            make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        }
        pack.write(&made_in, 0o444).map_err(failed)?;
        let name = pack.name().map_err(failed)?.unwrap_or_default();
        let at = |folder: &PathBuf, ending: &str| folder.join(format!("pack-{name}.{ending}"));
        let keep = at(&packs, "keep");
        durable::replace(&keep, KEPT.as_bytes())?;
        // Git finds a pack by its index, which therefore comes last.
        for ending in ["pack", "idx"] {
            let to = at(&packs, ending);
            std::fs::rename(at(&made_in, ending), &to).map_err(|e| GitError::io("replace", &to, e))?;
        }
        durable::flush_parent(&keep)
    }

    /// Names a draft by a ref of mdmem's own, from before its journal is written until that is removed: a collector
    /// must not take what a change of many files is about to become.
    pub(super) fn name_draft(&self, draft: &Draft) -> Result<(), GitError> {
        let path = self.git_dir.join(DRAFT);
        if let Some(folder) = path.parent() {
            make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        }
        // A file of another name among the refs would be a ref too, and a broken one until it is whole.
        let private = self.git_dir.join(PRIVATE_REF);
        File::create(&private)
            .and_then(|mut file| file.write_all(format!("{}\n", draft.oid).as_bytes()))
            .and_then(|()| std::fs::rename(&private, &path))
            .map_err(|e| {
                // Half a file, where the disk is full.
                _ = std::fs::remove_file(&private);
                GitError::io("write", &path, e)
            })
    }

    /// Removes that ref.
    pub(super) fn forget_draft(&self) -> Result<(), GitError> {
        durable::remove(&self.git_dir.join(DRAFT))
    }
}

/// Packing pays from so many loose objects on …
const MOST_OBJECTS: usize = 500;
/// … or from so many bytes on.
const MOST_LOOSE_BYTES: u64 = 32 << 20;
/// After an attempt (git may be missing, or the objects be such that git keeps them loose) the next one waits.
const PAUSE_MILLIS: u64 = 10 * 60 * 1000;

impl Repo {
    /// Says whether loose objects pass 500 or 32 MiB, and the last attempt is more than ten minutes old. Lists folders;
    /// a few milliseconds at most.
    pub fn needs_packing(&self, now: Timestamp) -> bool {
        let tried = Stamp::read(&self.attempt_path()).map(|stamp| stamp.modified());
        if tried.is_some_and(|tried| now.millis_since(tried).unsigned_abs() < PAUSE_MILLIS) {
            return false;
        }
        let (mut objects, mut bytes) = (0, 0);
        for folder in 0..=255_u8 {
            let folder = self.git_dir.join(format!("objects/{folder:02x}"));
            let Ok(entries) = std::fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.flatten() {
                objects += 1;
                bytes += entry.metadata().map_or(0, |meta| meta.len());
                if objects > MOST_OBJECTS || bytes > MOST_LOOSE_BYTES {
                    return true;
                }
            }
        }
        false
    }

    /// Has git put the loose objects into a pack, and does not wait: that goes on when mdmem ends. Errors when git is
    /// missing; then the objects stay loose, which harms nothing.
    ///
    /// Call it at the end of a command, without the store's lock.
    pub fn pack_detached(&self) -> Result<(), GitError> {
        self.check_still_there()?;
        durable::replace(&self.attempt_path(), b"")?;
        let mut child = self.start_packing()?;
        // A thread takes leave of it where it ends first.
        std::thread::spawn(move || match child.wait() {
            Ok(status) if status.success() => tracing::debug!("git packed the history"),
            ended => tracing::info!(?ended, "git could not pack the history"),
        });
        Ok(())
    }

    fn attempt_path(&self) -> PathBuf {
        self.git_dir.join("mdmem-packed")
    }
}

#[cfg(test)]
mod pack_tests {
    use super::super::testing::{NOON, Scratch, commit_files};
    use super::*;

    fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
        let start = std::time::Instant::now();
        while !is_so() {
            assert!(start.elapsed().as_secs() < 60, "{what}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    #[test]
    fn packs_when_there_is_much_and_not_again_at_once() {
        let (scratch, repo) = Scratch::with_repo();
        assert!(!repo.needs_packing(NOON));
        scratch.write("a.md", "1\n");
        commit_files(&repo, "add", &["a.md"]).unwrap();
        for n in 0..MOST_OBJECTS {
            repo.git.blob(format!("loose {n}").as_bytes()).unwrap();
        }
        assert!(repo.needs_packing(NOON));
        repo.pack_detached().unwrap();
        let attempt = Stamp::read(&repo.attempt_path()).unwrap().modified();
        assert!(!repo.needs_packing(attempt));
        wait_until("the objects stay loose", || {
            scratch.git(&["count-objects"]).starts_with("0 objects")
        });
        assert_eq!(repo.tree(repo.head().unwrap().tip().unwrap()).unwrap().len(), 1);
        scratch.assert_clean();
    }
}
