//! Flushing many files side by side.

use std::fs::File;
use std::path::PathBuf;

/// The file system joins what so many threads wait for into one or two waits for the disk.
const THREADS: usize = 8;

/// Flushes these files and folders. What is gone meanwhile needs no flush. Flushing a file after it got its name makes the
/// name durable too on the file systems with a journal that git relies on in the same way. An error comes with its path.
pub fn flush_all(paths: &[PathBuf]) -> Result<(), (PathBuf, std::io::Error)> {
    let share = paths.len().div_ceil(THREADS).max(1);
    let mut shares = paths.chunks(share);
    let first = shares.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = shares
            .map(|share| scope.spawn(move || flush_in_turn(share)))
            .collect();
        others.into_iter().fold(flush_in_turn(first), |done, other| {
            done.and(other.join().expect("because flushing does not panic"))
        })
    })
}

fn flush_in_turn(paths: &[PathBuf]) -> Result<(), (PathBuf, std::io::Error)> {
    paths
        .iter()
        .try_for_each(|path| match File::open(path).and_then(|file| file.sync_all()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(|error| (path.clone(), error)),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_flushed_and_what_is_gone_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths: Vec<PathBuf> = (0..20).map(|n| folder.path().join(n.to_string())).collect();
        for path in &paths[1..] {
            File::create(path).unwrap();
        }
        paths.push(folder.path().to_owned());
        assert!(flush_all(&paths).is_ok() && flush_all(&[]).is_ok());
        let below = paths[1].join("no folder");
        assert!(flush_all(&[below]).is_err());
    }
}
