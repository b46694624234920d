//! A new content beside the file that it is for: written and flushed, so that what is left to do is to change names.
//!
//! Whoever changes many files first prepares all of them: a folder that may not be written to and a disk without room are
//! found while every file is as it was. A killed process leaves temporary files that hold the engine's own bytes, which
//! [`leftovers`](crate::sys::leftovers) removes.

use std::ffi::OsString;
use std::path::Path;

use rustix::fs::{AtFlags, Stat};
use rustix::io::Errno;

use crate::sys::SysError;
use crate::sys::files::beneath::{Flush, Place};
use crate::sys::files::displaced::{Known, Slot};
use crate::sys::files::exchange::{Swap, exchange_with};
use crate::sys::files::rename::rename_into_free;
use crate::sys::files::temporary::{Access, Part, short_hash};

/// A content that stands whole in a temporary file beside its file.
#[derive(Debug)]
pub struct Prepared {
    temporary: OsString,
    content: String,
}

/// Writes `new` beside the file `path` below `root`, with the folders on the way. The file itself stays as it is.
pub fn prepare(root: &Path, path: &Path, new: &[u8]) -> Result<Prepared, SysError> {
    let place = Place::make(root, path, Flush::Now)?;
    let there = check_movable(&place)?;
    let access = there.as_ref().map_or(Access::New, Access::like);
    let part = Part::write(&place.folder, &place.name, new, access)?;
    part.flush()?;
    let content = short_hash(new);
    let temporary = part.place_whole(&place.name, &content)?;
    Ok(Prepared { temporary, content })
}

/// An error where the file `path` below `root` could not be taken out of its folder.
pub fn try_removal(root: &Path, path: &Path) -> Result<(), SysError> {
    let Some(place) = Place::find(root, path)? else {
        return Ok(());
    };
    if check_movable(&place)?.is_none() {
        return Ok(());
    }
    let part = Part::write(&place.folder, &place.name, b"", Access::New)?;
    // A folder may let files be made in it, and not be renamed.
    let temporary = part.place_whole(&place.name, &short_hash(b""))?;
    place.folder.unlink(&temporary)
}

impl Prepared {
    /// Gives the content its name: in exchange for the file, if it holds `expected`; without `expected`, if no file is
    /// there. A save of a person's in between stands. An error leaves the content, or what it was exchanged for, to
    /// [`leftovers`](crate::sys::leftovers).
    pub fn put(&self, root: &Path, path: &Path, expected: Option<&[u8]>) -> Result<(), SysError> {
        let Some(place) = Place::find(root, path)? else {
            return Ok(());
        };
        let Some(expected) = expected else {
            if !rename_into_free(&place.folder, &self.temporary, &place.folder, &place.name)? {
                return place.folder.unlink(&self.temporary);
            }
            return place.folder.flush();
        };
        let slot = Slot::reserve(root, path, Known::Bytes(expected))?;
        let swap = Swap::new(&place, self.temporary.clone(), &self.content);
        exchange_with(root, path, swap, expected, slot, &mut |_| {}).map(drop)
    }

    /// Removes the content, which is of no use any more.
    pub fn discard(&self, root: &Path, path: &Path) -> Result<(), SysError> {
        match Place::find(root, path)? {
            Some(place) => place.folder.unlink(&self.temporary),
            None => Ok(()),
        }
    }
}

/// The stat of a file. An error where the file is marked so that nobody may change or rename it (`chattr +i`); a mode
/// without write permission is no such mark.
fn check_movable(place: &Place) -> Result<Option<Stat>, SysError> {
    let there = place.stat()?;
    let write = rustix::fs::Access::WRITE_OK;
    if there.is_some()
        && let Err(errno @ Errno::PERM) =
            rustix::fs::accessat(&place.folder, &place.name, write, AtFlags::empty())
    {
        return Err(SysError::io("write", &place.path, errno));
    }
    Ok(there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::{FailureKind, leftovers, read, scan, write_atomic, write_new};
    use std::os::unix::fs::PermissionsExt as _;

    fn names(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_prepared_content_changes_nothing_until_it_is_put() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write_new(root, "d/a.md", b"old").unwrap();
        let mode = std::fs::Permissions::from_mode(0o640);
        std::fs::set_permissions(root.join("d/a.md"), mode).unwrap();
        let text = |path: &str| read(root, path, 1 << 20).unwrap().bytes;
        let [a, b] = ["d/a.md", "new/b.md"].map(Path::new);
        let (edited, added) = (
            prepare(root, a, b"new").unwrap(),
            prepare(root, b, b"added").unwrap(),
        );
        assert_eq!(text("d/a.md"), b"old");
        assert!(!root.join("new/b.md").exists());
        edited.put(root, a, Some(b"old")).unwrap();
        added.put(root, b, None).unwrap();
        assert_eq!(
            (text("d/a.md"), text("new/b.md")),
            (b"new".to_vec(), b"added".to_vec())
        );
        let kept = std::fs::metadata(root.join("d/a.md"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(
            (kept & 0o777, names(&root.join("d")), names(&root.join("new"))),
            (0o640, 1, 1)
        );
    }

    #[test]
    fn what_a_person_saves_in_between_stands() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write_new(root, "a.md", b"old").unwrap();
        let [a, b] = ["a.md", "b.md"].map(Path::new);
        let (edited, added) = (
            prepare(root, a, b"new").unwrap(),
            prepare(root, b, b"new").unwrap(),
        );
        for path in [a, b] {
            write_atomic(&root.join(path), b"theirs").unwrap();
        }
        edited.put(root, a, Some(b"old")).unwrap();
        added.put(root, b, None).unwrap();
        for path in [a, b] {
            assert_eq!(read(root, path, 1 << 20).unwrap().bytes, b"theirs");
        }
    }

    #[test]
    fn a_killed_process_leaves_what_the_next_one_removes() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir(root.join(".git")).unwrap();
        write_new(root, "a.md", b"old").unwrap();
        let a = Path::new("a.md");
        prepare(root, a, b"new").unwrap();
        let temporaries = scan(root).unwrap().temporaries;
        assert_eq!(temporaries.len(), 1);
        assert_eq!(leftovers(root, &temporaries).unwrap(), []);
        let discarded = prepare(root, a, b"new").unwrap();
        discarded.discard(root, a).unwrap();
        try_removal(root, a).unwrap();
        assert_eq!(scan(root).unwrap().temporaries, Vec::<std::path::PathBuf>::new());
    }

    #[test]
    fn a_folder_that_may_not_be_written_to_is_found_out() {
        if rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: root may write to every folder");
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write_new(root, "d/a.md", b"old").unwrap();
        std::fs::set_permissions(root.join("d"), std::fs::Permissions::from_mode(0o555)).unwrap();
        let a = Path::new("d/a.md");
        let errors = [prepare(root, a, b"new").map(drop), try_removal(root, a)];
        for error in errors {
            assert_eq!(error.unwrap_err().kind(), FailureKind::Denied);
        }
    }
}
