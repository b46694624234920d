//! A new file, whole or not at all, never over another.
//!
//! Files that mdmem makes and can make again: replaced as a whole, and only when they differ.
//!
//! Tells whether a folder takes a new file, and leaves no trace there.
//!
//! Flushing many files side by side.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::sys::SysError;
use crate::sys::files::beneath::{FileStat, Flush, Folder, Place, what_it_is};
use crate::sys::files::read::COMPARED_BYTES;
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

/// The bytes that are tried: about those of a memory and of what its commit needs.
const BYTES: [u8; 16 << 10] = [0; 16 << 10];

/// Writes a file without a name into a folder. It is gone when it is closed, also after a kill, and the folder keeps its
/// time. Nothing is flushed, because a person waits for the answer. A file system that knows no such files is not tried.
pub fn try_writing(folder: &Path) -> Result<(), SysError> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let failed = |error: std::io::Error| SysError::io("write into", folder, error);
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o600)) {
        Ok(fd) => File::from(fd).write_all(&BYTES).map_err(failed),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(()),
        Err(errno) => Err(failed(errno.into())),
    }
}

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
mod write_new_tests {
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

#[cfg(test)]
mod write_atomic_tests {
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

#[cfg(test)]
mod try_writing_tests {
    use super::*;
    use crate::sys::FailureKind;

    #[test]
    fn leaves_no_trace_and_names_what_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let changed = || std::fs::metadata(folder.path()).unwrap().modified().unwrap();
        let before = changed();
        try_writing(folder.path()).unwrap();
        assert_eq!(changed(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let gone = try_writing(&folder.path().join("gone")).unwrap_err();
        assert_eq!(gone.kind(), FailureKind::Missing);
    }
}

#[cfg(test)]
mod flush_tests {
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
