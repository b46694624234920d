//! Files that mdmem makes and can make again: replaced as a whole, and only when they differ.

use std::path::Path;

use rustix::fs::Stat;

use crate::sys::SysError;
use crate::sys::files::beneath::{Flush, Folder, Place};
use crate::sys::files::read::COMPARED_BYTES;
use crate::sys::files::stat::{FileStat, what_it_is};
use crate::sys::files::temporary::{Access, Part};

/// The outcome of replacing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// The bytes were written.
    Written,
    /// The file held these bytes already, and was not touched.
    Same,
}

/// Replaces one of mdmem's own, rebuildable files: who reads meanwhile sees the old or the new bytes, whole. The mode
/// is kept. Not flushed: after a power cut the file may be the old one. The folder has to exist.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<Replaced, SysError> {
    replace(path, bytes, Flush::Later, Access::New)
}

/// Like [`write_atomic`], and flushed: for mdmem's own files that cannot be made again, such as the registry.
pub fn write_durable(path: &Path, bytes: &[u8]) -> Result<Replaced, SysError> {
    replace(path, bytes, Flush::Now, Access::New)
}

/// Like [`write_durable`]; a new file is for nobody else to read.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<Replaced, SysError> {
    replace(path, bytes, Flush::Now, Access::Private)
}

fn replace(path: &Path, bytes: &[u8], flush: Flush, new: Access) -> Result<Replaced, SysError> {
    let outside = || SysError::Outside(path.to_path_buf());
    let name = path.file_name().ok_or_else(outside)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let place = Place {
        folder: Folder::open(parent.unwrap_or(Path::new(".")))?,
        name: name.to_os_string(),
        path: path.to_path_buf(),
    };
    let there = place.folder.stat(name)?;
    let access = match there.as_ref().map(|stat| (what_it_is(stat), stat)) {
        Some((None, stat)) => {
            if holds(&place, stat, bytes)? {
                return Ok(Replaced::Same);
            }
            Access::like(stat)
        }
        Some((Some(what @ "folder"), _)) => {
            return Err(SysError::NotAFile {
                path: place.path,
                what,
            });
        }
        // A link or a fifo is replaced itself; what a link points to is not touched.
        Some(_) | None => new,
    };
    let part = Part::write(&place.folder, name, bytes, access)?;
    if flush == Flush::Now {
        part.flush()?;
    }
    part.place_over(name)?;
    if flush == Flush::Now {
        place.folder.flush()?;
    }
    Ok(Replaced::Written)
}

fn holds(place: &Place, stat: &Stat, bytes: &[u8]) -> Result<bool, SysError> {
    let is_as_long = FileStat::of(stat).size == bytes.len() as u64;
    Ok(is_as_long
        && place
            .read(COMPARED_BYTES)?
            .is_some_and(|(there, _)| there == bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    #[test]
    fn writes_only_what_differs_and_keeps_the_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("MEMORY.md");
        assert_eq!(write_atomic(&path, b"one").unwrap(), Replaced::Written);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let before = std::fs::metadata(&path).unwrap();
        assert_eq!(write_atomic(&path, b"one").unwrap(), Replaced::Same);
        assert_eq!(std::fs::metadata(&path).unwrap().ino(), before.ino());
        assert_eq!(write_durable(&path, b"two").unwrap(), Replaced::Written);
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let private = folder.path().join("journal");
        write_private(&private, b"one").unwrap();
        assert_eq!(std::fs::metadata(&private).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn replaces_a_link_and_not_what_it_points_to() {
        let folder = tempfile::tempdir().unwrap();
        let (target, path) = (folder.path().join("target"), folder.path().join("MEMORY.md"));
        write_atomic(&target, b"theirs").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert_eq!(write_atomic(&path, b"ours").unwrap(), Replaced::Written);
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
        assert!(std::fs::symlink_metadata(&path).unwrap().is_file());
        let folder_there = write_atomic(folder.path(), b"");
        assert!(matches!(
            folder_there,
            Err(SysError::NotAFile { what: "folder", .. })
        ));
    }
}
