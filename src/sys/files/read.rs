//! Reading a whole file below a root.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::sys::files::beneath::{FileStat, Place};
use crate::sys::{FailureKind, SysError};

/// The most that is read of a file when it is compared with what had been read before.
pub(crate) const COMPARED_BYTES: u64 = 256 << 20;

/// The most that is read of a small file.
const MOST_TEXT: u64 = 16 << 20;

/// A file's bytes and what the file system said about it when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// The content.
    pub bytes: Vec<u8>,
    /// Taken before the bytes were read: a change in between shows as a newer stat at the next look.
    pub stat: FileStat,
}

impl FileBytes {
    /// The content as text; what is no UTF-8 in it becomes `U+FFFD`.
    pub fn into_text(self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Reads the file `path` below `root`, following no link. A missing file is an error of kind
/// [`Missing`](crate::sys::FailureKind::Missing), one of more than `max_bytes` of kind
/// [`TooLarge`](crate::sys::FailureKind::TooLarge), a link, a folder or a fifo of kind
/// [`InTheWay`](crate::sys::FailureKind::InTheWay).
pub fn read(root: &Path, path: impl AsRef<Path>, max_bytes: u64) -> Result<FileBytes, SysError> {
    let path = path.as_ref();
    let missing = || SysError::io("read", root.join(path), rustix::io::Errno::NOENT);
    let place = Place::find(root, path)?.ok_or_else(missing)?;
    let (bytes, stat) = place.read(max_bytes)?.ok_or_else(missing)?;
    let stat = FileStat::of(&stat);
    Ok(FileBytes { bytes, stat })
}

/// [`read`], and `None` for a missing file.
pub fn read_if_there(
    root: &Path,
    path: impl AsRef<Path>,
    max_bytes: u64,
) -> Result<Option<FileBytes>, SysError> {
    match read(root, path, max_bytes) {
        Err(error) if error.kind() == FailureKind::Missing => Ok(None),
        read => read.map(Some),
    }
}

/// The bytes of a regular file of any folder, or of what a link to it names; `None` where there is no file. Anything else
/// is an error, and not waited for, and so is a file of more than `max_bytes`.
pub fn read_regular(path: &Path, max_bytes: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Some(file) = open_regular(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let many = format!("it has more than the {max_bytes} bytes that mdmem reads");
        return Err(std::io::Error::other(many));
    }
    Ok(Some(bytes))
}

/// The text of a small file of any folder that is a regular one, or of what a link to it names; `None` where no such text
/// can be read.
pub fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular(path, MOST_TEXT).ok()??).ok()
}

/// Opens a regular file of any folder, or what a link to it names; `None` where there is no file. Anything else is an
/// error, and not waited for.
pub fn open_regular(path: &Path) -> std::io::Result<Option<File>> {
    // Not blocking: the name could be, or have become, that of a pipe.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file: File = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => file.into(),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    Ok(Some(file))
}

/// The stat of the file `path` below `root`; `None` where no file is there. A link, a folder or a
/// special file is an error of kind [`InTheWay`](crate::sys::FailureKind::InTheWay).
pub fn stat(root: &Path, path: impl AsRef<Path>) -> Result<Option<FileStat>, SysError> {
    match Place::find(root, path.as_ref())? {
        Some(place) => Ok(place.stat()?.map(|stat| FileStat::of(&stat))),
        None => Ok(None),
    }
}

pub(crate) fn read_open(file: File, size: u64, path: &Path, max_bytes: u64) -> Result<Vec<u8>, SysError> {
    let too_large = |size| SysError::TooLarge {
        path: path.to_path_buf(),
        size,
        limit: max_bytes,
    };
    if size > max_bytes {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // One byte more than allowed tells a file that grows while it is read.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| SysError::io("read", path, error))?;
    match u64::try_from(bytes.len()) {
        Ok(size) if size <= max_bytes => Ok(bytes),
        _ => Err(too_large(bytes.len() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::FailureKind;

    #[test]
    fn a_file_of_any_folder_is_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        crate::sys::write_new(folder.path(), "a", b"12345").unwrap();
        std::os::unix::fs::symlink("a", path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path("fifo"), Mode::from_raw_mode(0o600)).unwrap();
        for name in ["a", "link"] {
            assert_eq!(read_regular(&path(name), 5).unwrap().unwrap(), b"12345");
            assert!(
                read_regular(&path(name), 4)
                    .unwrap_err()
                    .to_string()
                    .contains("more than")
            );
        }
        assert_eq!(read_text(&path("link")).unwrap(), "12345");
        assert_eq!(read_text(&path("fifo")), None);
        assert_eq!(read_regular(&path("none"), 5).unwrap(), None);
        for name in ["zero", "fifo", "."] {
            assert_eq!(
                read_regular(&path(name), 5).unwrap_err().to_string(),
                "it is not a regular file"
            );
        }
    }

    #[test]
    fn reads_files_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let outside = tempfile::NamedTempFile::new().unwrap();
        crate::sys::write_new(root, "d/a.md", b"12345").unwrap();
        std::fs::create_dir(root.join("folder.md")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(root.join("d"), root.join("linked")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("fifo.md"), mode).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket.md")).unwrap();

        assert_eq!(read(root, "d/a.md", 5).unwrap().bytes, b"12345");
        assert_eq!(
            read(root, "d/a.md", 5).unwrap().stat,
            stat(root, "d/a.md").unwrap().unwrap()
        );
        assert_eq!(stat(root, "d/b.md").unwrap(), None);
        assert_eq!(stat(root, "e/b.md").unwrap(), None);
        let kind = |path: &str| {
            (
                read(root, path, 4).unwrap_err().kind(),
                stat(root, path).map_err(|e| e.kind()),
            )
        };
        assert_eq!(kind("d/a.md").0, FailureKind::TooLarge);
        assert_eq!(kind("d/b.md").0, FailureKind::Missing);
        for path in [
            "folder.md",
            "link.md",
            "fifo.md",
            "socket.md",
            "linked/a.md",
            "../x",
            ".",
        ] {
            assert_eq!(
                kind(path),
                (FailureKind::InTheWay, Err(FailureKind::InTheWay)),
                "{path}"
            );
        }
    }
}
