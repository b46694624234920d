//! Renaming without overwriting.
//!
//! Removing a file that holds what is expected, and no other.
//!
//! The bits that let a file be executed.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, RenameFlags};
use rustix::io::Errno;

use crate::sys::SysError;
use crate::sys::files::beneath::{Folder, Place};
use crate::sys::files::displaced::{Known, Slot};
use crate::sys::files::exchange::Swap;
use crate::sys::files::read::COMPARED_BYTES;
use crate::sys::files::temporary::short_hash;

/// Renames to a name that nothing has; `false` where something has it. If the file system cannot do that in one
/// step, a second link is made and the first removed.
pub(crate) fn rename_into_free(
    from: &Folder,
    old: &OsStr,
    to: &Folder,
    new: &OsStr,
) -> Result<bool, SysError> {
    let failed = |errno| SysError::io("write", to.path().join(new), errno);
    match rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(true),
        Err(Errno::EXIST) => return Ok(false),
        Err(Errno::INVAL | Errno::NOSYS) => {}
        Err(errno) => return Err(failed(errno)),
    }
    match rustix::fs::linkat(from, old, to, new, AtFlags::empty()) {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(false),
        Err(errno) => return Err(failed(errno)),
    }
    from.unlink(old)?;
    Ok(true)
}

/// The outcome of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// The file is gone, and that is flushed.
    Removed,
    /// Someone else changed the file: it stays, and holds these bytes, which are theirs.
    Changed(Vec<u8>),
    /// It was gone already.
    Missing,
}

/// Removes the file `path` below `root` if it holds `expected`. It is moved aside, then compared, and goes back if a
/// person saved in between. Needs the writer's lock; its folder stays, also when it is empty now.
pub fn remove_expected(root: &Path, path: impl AsRef<Path>, expected: &[u8]) -> Result<Removal, SysError> {
    let path = path.as_ref();
    let Some(place) = Place::find(root, path)? else {
        return Ok(Removal::Missing);
    };
    let Some((bytes, _)) = place.read(COMPARED_BYTES)? else {
        return Ok(Removal::Missing);
    };
    if bytes != expected {
        return Ok(Removal::Changed(bytes));
    }
    let slot = Slot::reserve(root, path, Known::Bytes(expected))?;
    let content = short_hash(expected);
    let Some(away) = Swap::take_away(&place, &content)? else {
        return Ok(Removal::Missing);
    };
    let sight = away.look()?;
    if sight.bytes.as_deref() == Some(expected) {
        away.keep_in(slot)?;
        return Ok(Removal::Removed);
    }
    drop(slot);
    if !rename_into_free(&place.folder, away.temporary(), &place.folder, &place.name)? {
        // Saved once more meanwhile: the newer save stands, the one before it is kept.
        away.keep_in(Slot::reserve(root, path, Known::Theirs)?)?;
        let newest = crate::sys::read(root, path, COMPARED_BYTES)?;
        return Ok(Removal::Changed(newest.bytes));
    }
    place.folder.flush()?;
    sight.into_bytes().map(Removal::Changed)
}

/// Removes the folder `path` below `root` and the folders in it, as far as they are empty: whatever else is there stays,
/// and so do the folders above it.
pub fn remove_empty_folders(root: &Path, path: impl AsRef<Path>) -> Result<(), SysError> {
    match Place::find(root, path.as_ref())? {
        Some(place) => remove_empty(&place.folder, &place.name),
        None => Ok(()),
    }
}

fn remove_empty(parent: &Folder, name: &OsStr) -> Result<(), SysError> {
    let Some(folder) = parent.child(name)? else {
        return Ok(());
    };
    for (name, kind) in folder.entries()? {
        if kind == FileType::Directory {
            remove_empty(&folder, &name)?;
        }
    }
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
        Err(errno) => Err(SysError::io("remove", parent.path().join(name), errno)),
    }
}

/// Lets the file `path` below `root` be executed by whoever may read it, or by nobody, as the owner's bit of `mode` says. A
/// missing file is no error.
pub fn follow_execution(root: &Path, path: impl AsRef<Path>, mode: u32) -> Result<(), SysError> {
    let Some(place) = Place::find(root, path.as_ref())? else {
        return Ok(());
    };
    let Some((file, stat)) = place.folder.open_file(&place.name)? else {
        return Ok(());
    };
    let bits = if mode & 0o100 == 0 {
        0
    } else {
        (stat.st_mode & 0o444) >> 2
    };
    let wanted = (stat.st_mode & 0o7666) | bits;
    if wanted == stat.st_mode & 0o7777 {
        return Ok(());
    }
    rustix::fs::fchmod(&file, Mode::from_raw_mode(wanted))
        .map_err(|errno| SysError::io("change the mode of", &place.path, errno))
}

#[cfg(test)]
mod remove_tests {
    use super::*;
    use crate::sys::{settle_displaced, write_new};
    use std::io::Write as _;
    use std::time::Duration;

    #[test]
    fn removes_folders_as_far_as_they_are_empty() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("d/empty/too")).unwrap();
        write_new(root, "d/kept/.file", b"").unwrap();
        remove_empty_folders(root, "d").unwrap();
        assert!(root.join("d/kept/.file").exists() && !root.join("d/empty").exists());
        std::fs::remove_file(root.join("d/kept/.file")).unwrap();
        std::os::unix::fs::symlink(root.join("d/kept"), root.join("link")).unwrap();
        assert!(remove_empty_folders(root, "link").is_err());
        assert!(remove_empty_folders(root, "link/x").is_err());
        remove_empty_folders(root, "d").unwrap();
        remove_empty_folders(root, "d").unwrap();
        assert!(!root.join("d").exists());
    }

    #[test]
    fn removes_what_is_expected_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write_new(root, "d/a.md", b"text").unwrap();
        assert_eq!(
            remove_expected(root, "d/a.md", b"other").unwrap(),
            Removal::Changed(b"text".to_vec())
        );
        let mut editor = std::fs::OpenOptions::new()
            .append(true)
            .open(root.join("d/a.md"))
            .unwrap();
        assert_eq!(
            remove_expected(root, "d/a.md", b"text").unwrap(),
            Removal::Removed
        );
        assert_eq!(std::fs::read_dir(root.join("d")).unwrap().count(), 0);
        assert_eq!(
            remove_expected(root, "d/a.md", b"text").unwrap(),
            Removal::Missing
        );
        assert_eq!(
            remove_expected(root, "e/a.md", b"text").unwrap(),
            Removal::Missing
        );
        editor.write_all(b", late").unwrap();
        let late = settle_displaced(root, Duration::ZERO).unwrap();
        assert_eq!(late[0].bytes, b"text, late");
    }
}

#[cfg(test)]
mod execution_tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn whoever_may_read_a_file_may_execute_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        crate::sys::write_new(root, "a", b"x").unwrap();
        for (before, mode, after) in [
            (0o640, 0o100_755, 0o750),
            (0o644, 0o100_755, 0o755),
            (0o755, 0o100_644, 0o644),
            (0o600, 0o100_644, 0o600),
        ] {
            std::fs::set_permissions(root.join("a"), PermissionsExt::from_mode(before)).unwrap();
            follow_execution(root, "a", mode).unwrap();
            let now = root.join("a").metadata().unwrap().permissions().mode();
            assert_eq!(now & 0o7777, after, "{before:o}");
        }
        follow_execution(root, "none", 0o100_755).unwrap();
    }
}
