//! Obstacles to a commit: while one stands, no commit is made and no tracked file is written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::spelled;
use super::index::IndexState;
use super::lock::{Left, Note};
use super::work_file::Stamp;
use super::{GitError, Head, Repo, TreeFile};
use crate::model::{Oid, Timestamp};
use crate::sys::{Inode, read_text, shell_word};

/// After somebody else changed the index or HEAD, mdmem waits so long: a git command that takes several steps
/// (stash, pull, rebase) is not disturbed between two of them.
const QUIET_AFTER_GIT: Duration = Duration::from_millis(500);

/// The files in `.git` that show an operation; the first that is there counts.
const OPERATIONS: [(&str, Operation); 8] = [
    ("rebase-merge", REBASE),
    ("rebase-apply/applying", MAILBOX),
    ("rebase-apply", REBASE),
    ("MERGE_HEAD", MERGE),
    ("REVERT_HEAD", REVERT),
    ("CHERRY_PICK_HEAD", CHERRY_PICK),
    (SEQUENCE, CHERRY_PICK),
    ("BISECT_LOG", BISECT),
];
const SEQUENCE: &str = "sequencer";

/// An operation of git's, and how it ends.
type Operation = (&'static str, &'static str);

const MERGE: Operation = (
    "a merge",
    "Finish it with `git commit` or drop it with `git merge --abort`.",
);
const REBASE: Operation = (
    "a rebase",
    "Finish it with `git rebase --continue` or drop it with `git rebase --abort`.",
);
const MAILBOX: Operation = (
    "`git am`",
    "Finish it with `git am --continue` or drop it with `git am --abort`.",
);
const CHERRY_PICK: Operation = (
    "a cherry-pick",
    "Finish it with `git cherry-pick --continue` or drop it with `git cherry-pick --abort`.",
);
const REVERT: Operation = (
    "a revert",
    "Finish it with `git revert --continue` or drop it with `git revert --abort`.",
);
const BISECT: Operation = ("a bisect", "End it with `git bisect reset`.");

/// An obstacle to a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// An operation of git is in progress.
    #[error("{what} is in progress{}", shown_unmerged(unmerged))]
    Operation {
        /// The operation.
        what: &'static str,
        /// The commands that end it.
        end: &'static str,
        /// The paths at which a merge stopped.
        unmerged: Vec<PathBuf>,
    },
    /// HEAD is at a commit, not on a branch.
    #[error("HEAD is detached at {}", tip.short())]
    Detached {
        /// The commit.
        tip: Oid,
    },
    /// Git holds a lock: a command is running, or left it when it was killed.
    #[error("git's lock {} is held{}", path.display(), shown_age(*age_seconds))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Its age in seconds, when the clocks agree.
        age_seconds: Option<u64>,
    },
    /// Git's index cannot be read, neither by git.
    #[error("git's index {} is {what}", path.display())]
    OddIndex {
        /// The index.
        path: PathBuf,
        /// The fault: it is no file, or cut off or spoilt.
        what: &'static str,
    },
    /// Another program changed the index or HEAD a moment ago. Passes by itself.
    #[error("another program changed {} a moment ago", path.display())]
    JustChanged {
        /// The file that shows it.
        path: PathBuf,
    },
}

impl Obstacle {
    /// Says whether it passes by itself in less than a second.
    pub const fn is_momentary(&self) -> bool {
        matches!(self, Self::JustChanged { .. })
    }

    /// Says whether it may pass within milliseconds: a lock that is so young may be that of a `git status`.
    pub const fn may_pass(&self) -> bool {
        let is_young = matches!(
            self,
            Self::Locked {
                age_seconds: Some(0),
                ..
            }
        );
        self.is_momentary() || is_young
    }

    /// Tells a person what to do about it.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Operation { end, unmerged, .. } => match unmerged.first() {
                None => *end,
                Some(path) => {
                    let path = shell_word(path);
                    return Some(format!(
                        "In the store's folder, `git add {path}` keeps the file and `git rm {path}` \
                         removes it; then finish with `git commit`, or drop the merge with `git merge \
                         --abort`."
                    ));
                }
            },
            Self::Detached { .. } => "Go back to a branch with `git switch main`.",
            Self::Locked { path, .. } => {
                return Some(format!(
                    "If no git command is running there, remove {}. Your files are saved, and are \
                     committed as soon as the lock is gone.",
                    shell_word(path)
                ));
            }
            Self::OddIndex { path, .. } => {
                return Some(format!(
                    "Remove {}: mdmem rebuilds it from the last commit. Changes are committed after that; \
                     stage again what you had only staged.",
                    shell_word(path)
                ));
            }
            Self::JustChanged { .. } => return None,
        };
        Some(format!("{text} Changes are committed after that."))
    }
}

impl Repo {
    /// Finds the obstacle to a commit now, the lasting before the momentary; `None` when there is no obstacle.
    /// Reads a handful of files, takes no lock. A lock that mdmem itself holds is no obstacle.
    pub fn obstacle(&self, now: Timestamp) -> Result<Option<Obstacle>, GitError> {
        self.check_still_there()?;
        if let Some(operation) = self.operation_in_progress() {
            return Ok(Some(operation));
        }
        let head = self.head()?;
        if let Head::Detached { tip } = head {
            return Ok(Some(Obstacle::Detached { tip }));
        }
        if let Some(foreign) = self.foreign_index_lock(now) {
            return Ok(Some(foreign));
        }
        let index = self.index_path();
        if index.metadata().is_ok_and(|index| !index.is_file()) {
            return Ok(Some(odd_index(index, NO_FILE)));
        }
        let mut ref_locks = vec![self.git_dir.join("HEAD.lock")];
        if let Head::Branch { branch, .. } | Head::Unborn { branch } = &head {
            ref_locks.push(self.branch_lock_path(branch));
        }
        for path in ref_locks {
            let is_noted = |note: Note| note.branch_lock.is_some_and(|(_, inode)| inode.is_at(&path));
            if let Some(stamp) = Stamp::read(&path)
                && !is_noted(Note::read(&self.lock_path()))
            {
                let age_seconds = age(stamp.modified(), now);
                return Ok(Some(Obstacle::Locked { path, age_seconds }));
            }
        }
        Ok(self.just_changed(&head, now))
    }

    /// The operation of git that is in progress, by the files that it keeps.
    pub(super) fn operation_in_progress(&self) -> Option<Obstacle> {
        let is_there = |(file, _): &(&str, Operation)| self.git_dir.join(file).exists();
        let (file, mut operation) = OPERATIONS.into_iter().find(is_there)?;
        // Between two steps of a sequence only its list says which operation it is.
        let todo = || read_text(&self.git_dir.join("sequencer/todo")).unwrap_or_default();
        if file == SEQUENCE && todo().starts_with("revert") {
            operation = REVERT;
        }
        let mut unmerged = Vec::new();
        if let (MERGE, Ok(index)) = (operation, self.index()) {
            let in_conflict = index
                .entries
                .iter()
                .filter(|(_, entry)| entry.state == IndexState::Conflict);
            unmerged.extend(in_conflict.map(|(path, _)| path.clone()));
        }
        let (what, end) = operation;
        Some(Obstacle::Operation { what, end, unmerged })
    }

    pub(super) fn index_path(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    pub(super) fn index_lock_path(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// An index.lock that is not mdmem's.
    fn foreign_index_lock(&self, now: Timestamp) -> Option<Obstacle> {
        let path = self.index_lock_path();
        // mdmem notes its lock before it makes it and clears the note after it is gone: when the note does not fit,
        // the lock was foreign, or has gone meanwhile; a second look tells.
        for _ in 0..3 {
            let meta = std::fs::symlink_metadata(&path).ok()?;
            if Note::read(&self.lock_path()).index_lock == Some(Inode::of(&meta)) {
                return None;
            }
            let again = std::fs::symlink_metadata(&path).ok()?;
            if Inode::of(&again) == Inode::of(&meta) {
                let age_seconds = age(Stamp::of(&meta).modified(), now);
                return Some(Obstacle::Locked { path, age_seconds });
            }
        }
        // Another one at each look: somebody is at work.
        Some(Obstacle::JustChanged { path })
    }

    fn just_changed(&self, head: &Head, now: Timestamp) -> Option<Obstacle> {
        let left = Note::read(&self.lock_path()).left;
        let index = self.index_path();
        if let Some(stamp) = Stamp::read(&index)
            && left.as_ref().and_then(|left| left.index) != Some(stamp)
            && is_recent(stamp.modified(), now)
            && self.is_anything_staged(head)
        {
            return Some(Obstacle::JustChanged { path: index });
        }
        let tip = head.tip().map(|oid| oid.to_string());
        let log = self.git_dir.join("logs/HEAD");
        if tip.is_some()
            && left.and_then(|left| left.head) != tip
            && let Some(stamp) = Stamp::read(&log)
            && is_recent(stamp.modified(), now)
        {
            return Some(Obstacle::JustChanged {
                path: self.git_dir.join("HEAD"),
            });
        }
        None
    }

    /// Says whether the index says of any path something else than HEAD. Where it does not, a `git status` renewed what it
    /// knows of the files, and nobody is between two steps.
    fn is_anything_staged(&self, head: &Head) -> bool {
        let files = head.tip().map_or(Ok(Vec::new()), |tip| self.tree(tip));
        let (Ok(index), Ok(files)) = (self.index(), files) else {
            return true;
        };
        let is_in_index = |file: &TreeFile| {
            let there = index.get(&file.path);
            there.is_some_and(|there| there.entry == file.entry && there.state != IndexState::Conflict)
        };
        index.entries.len() != files.len() || !files.iter().all(is_in_index)
    }

    /// The index and HEAD as they are now.
    pub(super) fn left(&self) -> Result<Left, GitError> {
        Ok(Left {
            index: Stamp::read(&self.index_path()),
            head: self.head()?.tip().map(|oid| oid.to_string()),
        })
    }
}

/// The fault of an index that is a folder or a fifo.
pub(super) const NO_FILE: &str = "not a file";
/// The fault of an index whose checksum does not fit.
pub(super) const SPOILT: &str = "damaged";

pub(super) const fn odd_index(path: PathBuf, what: &'static str) -> Obstacle {
    Obstacle::OddIndex { path, what }
}

fn shown_unmerged(unmerged: &[PathBuf]) -> String {
    match unmerged {
        [] => String::new(),
        [path] => format!(", and stopped at {}", path.display()),
        [path, more @ ..] => format!(", and stopped at {} and {} more", path.display(), more.len()),
    }
}

fn shown_age(age_seconds: Option<u64>) -> String {
    age_seconds.map_or_else(String::new, |age| format!(", for {}", spelled(age)))
}

/// Seconds since `then`, unless that is in the future.
pub(super) fn age(then: Timestamp, now: Timestamp) -> Option<u64> {
    u64::try_from(now.millis_since(then))
        .ok()
        .map(|millis| millis / 1000)
}

/// The age of a file in seconds, if it is there.
pub(super) fn age_of(path: &Path, now: Timestamp) -> Option<u64> {
    age(Stamp::read(path)?.modified(), now)
}

fn is_recent(then: Timestamp, now: Timestamp) -> bool {
    // The file system's clock may run a few milliseconds ahead of the system's.
    u128::from(now.millis_since(then).unsigned_abs()) < QUIET_AFTER_GIT.as_millis()
}
