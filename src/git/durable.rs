//! Small files of mdmem's own in `.git/`: written whole or not at all, and flushed.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::GitError;

/// Replaces `path` by these bytes: a neighbour is written and flushed, renamed over it, and the folder flushed.
/// After a crash the file has its old or its new content, and a neighbour ending in `.new` may be left,
/// which the next call overwrites. Two callers at once must hold the store's lock, or write the same bytes.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(".new");
    let neighbour = Path::new(&neighbour);
    // What an ended writer left, or a pipe in its place.
    let _ = std::fs::remove_file(neighbour);
    let written = File::create_new(neighbour).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|e| GitError::io("write", neighbour, e))?;
    std::fs::rename(neighbour, path).map_err(|e| GitError::io("replace", path, e))?;
    flush_parent(path)
}

/// Removes `path` if it is there, and flushes its folder so that it stays removed.
pub(super) fn remove(path: &Path) -> Result<(), GitError> {
    match std::fs::remove_file(path) {
        Ok(()) => flush_parent(path),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(GitError::io("remove", path, e)),
    }
}

/// Flushes the folder that `path` lies in, so that a rename or a removal in it survives a loss of power.
pub(super) fn flush_parent(path: &Path) -> Result<(), GitError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|e| GitError::io("flush", folder, e))
}

/// Renames `from` to `to` if there is no `to`, at once: of two who try, one gets `AlreadyExists`.
pub(super) fn rename_exclusively(from: &Path, to: &Path) -> std::io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            // Some file systems (and old kernels) cannot; a hard link is as exclusive.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    std::fs::hard_link(from, to)?;
    std::fs::remove_file(from)
}
