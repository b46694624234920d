//! A new file, whole or not at all, never over another.

use std::path::Path;

use crate::sys::SysError;
use crate::sys::files::beneath::{Flush, Place};
use crate::sys::files::temporary::{Access, Part};

/// The outcome of writing a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// It stands under its name, and content and name are flushed.
    Written,
    /// Something has that name; nothing was changed.
    Taken,
}

/// Writes a new file `path` below `root`, making the folders on the way. A reader in between sees the whole file or
/// none; after a crash there is the whole file or none.
pub fn write_new(root: &Path, path: impl AsRef<Path>, bytes: &[u8]) -> Result<NewFile, SysError> {
    write(root, path.as_ref(), bytes, Flush::Now, Access::New)
}

/// Like [`write_new`], for one of many files that are flushed together before anybody is told of them
/// ([`flush_all`](crate::sys::flush_all) of the file and its folder): until then a loss of power may leave an empty
/// file.
pub fn write_new_unflushed(root: &Path, path: impl AsRef<Path>, bytes: &[u8]) -> Result<NewFile, SysError> {
    write(root, path.as_ref(), bytes, Flush::Later, Access::New)
}

/// Like [`write_new`], for nobody else to read, and not flushed: for what a power cut may take.
pub fn write_new_private(root: &Path, path: impl AsRef<Path>, bytes: &[u8]) -> Result<NewFile, SysError> {
    write(root, path.as_ref(), bytes, Flush::Later, Access::Private)
}

fn write(root: &Path, path: &Path, bytes: &[u8], flush: Flush, access: Access) -> Result<NewFile, SysError> {
    let place = Place::make(root, path, Flush::Now)?;
    if place.folder.stat(&place.name)?.is_some() {
        return Ok(NewFile::Taken);
    }
    let part = Part::write(&place.folder, &place.name, bytes, access)?;
    if flush == Flush::Now {
        part.flush()?;
    }
    if !part.place_new(&place.name)? {
        return Ok(NewFile::Taken);
    }
    if flush == Flush::Now {
        place.folder.flush()?;
    }
    Ok(NewFile::Written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::FailureKind;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_whole_files_into_new_folders_and_leaves_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let path = crate::model::StorePath::new("decision/2026-11/use npm ノ.md").unwrap();
        assert_eq!(write_new(root, &path, b"text").unwrap(), NewFile::Written);
        assert_eq!(write_new(root, &path, b"other").unwrap(), NewFile::Taken);
        assert_eq!(std::fs::read(root.join(path.as_str())).unwrap(), b"text");
        assert_eq!(names(&root.join("decision/2026-11")), ["use npm ノ.md"]);
        let long = format!("{}.md", "x".repeat(252));
        assert_eq!(write_new(root, &long, b"long").unwrap(), NewFile::Written);
    }

    #[test]
    fn follows_no_link_and_needs_no_file_in_the_way() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("new"), root.join("link.md")).unwrap();
        write_new(root, "file", b"").unwrap();
        assert!(matches!(write_new(root, "out/a.md", b""), Err(SysError::Link(_))));
        assert!(matches!(
            write_new(root, "file/a.md", b""),
            Err(SysError::NotAFolder(_))
        ));
        assert!(matches!(
            write_new(root, "/etc/a.md", b""),
            Err(SysError::Outside(_))
        ));
        assert!(matches!(
            write_new(root, "a/../../b.md", b""),
            Err(SysError::Outside(_))
        ));
        assert_eq!(
            write_new(root, "link.md", b"").unwrap(),
            NewFile::Taken,
            "a dangling link is taken too"
        );
        assert_eq!(names(outside.path()), Vec::<String>::new());
        let missing = write_new(&root.join("gone"), "a.md", b"").unwrap_err();
        assert_eq!(missing.kind(), FailureKind::Missing);
    }

    #[test]
    fn of_many_writers_of_one_name_one_wins() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let won: usize = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..8)
                .map(|n| {
                    scope.spawn(move || {
                        (0..50)
                            .filter(|round| {
                                let path = format!("d/{round}.md");
                                write_new(root, path, format!("{n}").as_bytes()).unwrap() == NewFile::Written
                            })
                            .count()
                    })
                })
                .collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).sum()
        });
        assert_eq!(won, 50);
        assert_eq!(names(&root.join("d")).len(), 50, "no temporary file stays");
    }
}
