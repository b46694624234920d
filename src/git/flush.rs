//! Flushing what was written, side by side.
//!
//! libgit2 would flush each object and each folder one after another: fourteen waits for the disk in a commit of one
//! file. Here objects are written first and then flushed together by a few threads, which the file system joins into
//! one or two waits. Flushing a file after it got its name makes the name durable too on the file systems with a
//! journal that git relies on in the same way.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{GitError, Repo};

const THREADS: usize = 8;

impl Repo {
    /// Flushes these objects, whoever wrote them and when, and these files. An object that is not loose is in a pack,
    /// which was flushed when it was made.
    pub(super) fn flush(&self, objects: &[git2::Oid], files: &[PathBuf]) -> Result<(), GitError> {
        let folder = self.git_dir.join("objects");
        let loose = objects.iter().map(|oid| {
            let name = oid.to_string();
            folder.join(&name[..2]).join(&name[2..])
        });
        let mut all: Vec<PathBuf> = loose.filter(|path| path.exists()).collect();
        all.extend_from_slice(files);
        let share = all.len().div_ceil(THREADS).max(1);
        let mut shares = all.chunks(share);
        let first = shares.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let others: Vec<_> = shares
                .map(|share| scope.spawn(move || flush_all(share)))
                .collect();
            let mut done = flush_all(first);
            for other in others {
                let other = other.join().expect("because flushing does not panic");
                done = done.and(other);
            }
            done
        })
    }
}

fn flush_all(paths: &[PathBuf]) -> Result<(), GitError> {
    paths.iter().try_for_each(|path| flush_one(path))
}

fn flush_one(path: &Path) -> Result<(), GitError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        // Git packed it meanwhile.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(|e| GitError::io("flush", path, e)),
    }
}
