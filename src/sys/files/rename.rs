//! Renaming without overwriting.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

use crate::sys::SysError;
use crate::sys::files::beneath::{Flush, Folder, Place};

/// The outcome of a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// The file has the new name, and that is flushed.
    Renamed,
    /// Something has the new name already; nothing was changed.
    Taken,
    /// Nothing has the old name.
    Missing,
}

/// Renames the file `from` to `to`, both below `root`, making the folders on the way. Never overwrites. A rename of
/// case alone on a file system that ignores case is a rename like any other.
pub fn rename_noreplace(
    root: &Path,
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
) -> Result<Renamed, SysError> {
    let Some(old) = Place::find(root, from.as_ref())? else {
        return Ok(Renamed::Missing);
    };
    let Some(stat) = old.stat()? else {
        return Ok(Renamed::Missing);
    };
    let new = Place::make(root, to.as_ref(), Flush::Now)?;
    if !rename_into_free(&old.folder, &old.name, &new.folder, &new.name)? {
        let taken = new.folder.stat(&new.name)?;
        let same_file = taken.is_some_and(|it| (it.st_dev, it.st_ino) == (stat.st_dev, stat.st_ino));
        let case_alone = same_file
            && stat.st_nlink == 1
            && old.name != new.name
            && old.name.eq_ignore_ascii_case(&new.name);
        if !case_alone {
            return Ok(Renamed::Taken);
        }
        rustix::fs::renameat(&old.folder, &old.name, &new.folder, &new.name)
            .map_err(|errno| SysError::io("rename", &old.path, errno))?;
    }
    new.folder.flush()?;
    old.folder.flush()?;
    Ok(Renamed::Renamed)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::{NewFile, write_new};

    #[test]
    fn renames_into_new_folders_and_never_over_a_file() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(write_new(root, "a.md", b"a").unwrap(), NewFile::Written);
        assert_eq!(write_new(root, "b.md", b"b").unwrap(), NewFile::Written);
        assert_eq!(rename_noreplace(root, "a.md", "b.md").unwrap(), Renamed::Taken);
        assert_eq!(
            rename_noreplace(root, "a.md", "archive/x/a.md").unwrap(),
            Renamed::Renamed
        );
        assert_eq!(rename_noreplace(root, "a.md", "c.md").unwrap(), Renamed::Missing);
        assert_eq!(std::fs::read(root.join("archive/x/a.md")).unwrap(), b"a");
        assert_eq!(std::fs::read(root.join("b.md")).unwrap(), b"b");
        assert_eq!(rename_noreplace(root, "b.md", "B.md").unwrap(), Renamed::Renamed);
    }

    #[test]
    fn neither_renames_links_nor_through_links() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
        write_new(root, "a.md", b"a").unwrap();
        assert!(matches!(
            rename_noreplace(root, "a.md", "out/a.md"),
            Err(SysError::Link(_))
        ));
        assert!(matches!(
            rename_noreplace(root, "out", "in.md"),
            Err(SysError::Link(_))
        ));
        assert!(matches!(
            rename_noreplace(root, "a.md", "../a.md"),
            Err(SysError::Outside(_))
        ));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
