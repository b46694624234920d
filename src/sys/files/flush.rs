//! Flushing many files side by side.

use std::fs::File;
use std::path::{Path, PathBuf};

/// The file system joins what so many threads wait for into one or two waits for the disk.
const THREADS: usize = 8;

/// Does the same with every item, side by side for those that wait for the disk, and gives the results in their order.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let work = |share: &[T]| -> Vec<R> { share.iter().map(&work).collect() };
    let mut shares = items.chunks(items.len().div_ceil(THREADS).max(1));
    let first = shares.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut results = work(first);
        for other in others {
            results.extend(other.join().expect("because no work on files panics"));
        }
        results
    })
}

/// Flushes these files and folders. A file that is gone meanwhile needs no flush. Flushing a file after it got its name
/// makes the name durable too on the file systems with a journal that git relies on in the same way. An error comes
/// with its path.
pub fn flush_all(paths: &[PathBuf]) -> Result<(), (PathBuf, std::io::Error)> {
    let flushed = side_by_side(paths, |path| flush(path).map_err(|error| (path.clone(), error)));
    flushed.into_iter().collect()
}

fn flush(path: &Path) -> std::io::Result<()> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
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
