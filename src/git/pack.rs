//! Packing: many small objects become one file, beside the work and never in its way.

use std::path::PathBuf;

use super::stamp::Stamp;
use super::{GitError, Repo, durable};
use crate::model::Timestamp;

/// Packing pays from so many loose objects on …
const MOST_OBJECTS: usize = 500;
/// … or from so many bytes on.
const MOST_BYTES: u64 = 32 << 20;
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
                if objects > MOST_OBJECTS || bytes > MOST_BYTES {
                    return true;
                }
            }
        }
        false
    }

    /// Starts `git gc` in a process group of its own and does not wait: it goes on when mdmem ends, and is taken
    /// leave of by a thread when it ends first. Git itself sees to it that only one runs, and that objects younger
    /// than two weeks stay. Errors when git is missing; then the objects stay loose, which harms nothing.
    ///
    /// Call it at the end of a command, without the store's lock.
    pub fn pack_detached(&self) -> Result<(), GitError> {
        self.check_still_there()?;
        durable::replace(&self.attempt_path(), b"")?;
        let mut child = self.start_packing()?;
        let waiting = std::thread::Builder::new()
            .name("git gc".into())
            .spawn(move || match child.wait() {
                Ok(status) if status.success() => tracing::debug!("git gc packed the history"),
                Ok(status) => tracing::info!(%status, "git gc did not pack the history"),
                Err(error) => tracing::info!(%error, "how git gc ended is not known"),
            });
        if let Err(error) = waiting {
            tracing::debug!(%error, "nobody waits for git gc");
        }
        Ok(())
    }

    fn attempt_path(&self) -> PathBuf {
        self.git_dir.join("mdmem-packed")
    }
}

#[cfg(test)]
mod tests {
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
        let pack = scratch.root().join(".git/objects/pack");
        wait_until("no pack appeared", || {
            std::fs::read_dir(&pack).is_ok_and(|entries| {
                entries
                    .flatten()
                    .any(|entry| entry.path().extension().is_some_and(|ending| ending == "idx"))
            })
        });
        wait_until("git gc did not end", || {
            !scratch.root().join(".git/gc.pid").exists()
        });
        assert_eq!(repo.tree(repo.head().unwrap().tip().unwrap()).unwrap().len(), 1);
        scratch.assert_clean();
    }
}
