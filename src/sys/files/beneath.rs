//! Opening below a root without ever following a link: folder by folder, each relative to the one before it, so that
//! a link or a rename made in between cannot lead outside.
//!
//! The file system's facts about a file.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::sys::files::read::read_open;
use crate::sys::{FailureKind, SysError};

/// An open folder, and its path for messages.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

/// A name in an open folder: the file may or may not be there.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) folder: Folder,
    pub(crate) name: OsString,
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Opens a folder that the caller chose. Links on the way to it are the person's, and are followed.
    pub(crate) fn open(path: &Path) -> Result<Self, SysError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let path = path.to_path_buf();
        match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path }),
            Err(Errno::NOTDIR) => Err(SysError::NotAFolder(path)),
            Err(errno) => Err(SysError::io("open the folder", path, errno)),
        }
    }

    /// Opens a store's root; that it is missing is an error of its own.
    pub(crate) fn root(root: &Path) -> Result<Self, SysError> {
        Self::open(root).map_err(|error| match error.kind() {
            FailureKind::Missing => SysError::RootMissing(root.to_path_buf()),
            _ => error,
        })
    }

    /// Opens the folder `path` below `root`; `None` where it is missing.
    pub(crate) fn below(root: &Path, path: &Path) -> Result<Option<Self>, SysError> {
        match Place::find(root, path)? {
            Some(place) => place.folder.child(&place.name),
            None => Ok(None),
        }
    }

    /// Opens a folder in this one; `None` where nothing has that name.
    pub(crate) fn child(&self, name: &OsStr) -> Result<Option<Self>, SysError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = self.path.join(name);
        match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(match self.stat(name)? {
                Some(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                    SysError::Link(path)
                }
                _ => SysError::NotAFolder(path),
            }),
            Err(errno) => Err(SysError::io("open the folder", path, errno)),
        }
    }

    /// Opens a folder in this one, made if it is not there.
    pub(crate) fn child_or_new(&self, name: &OsStr) -> Result<Self, SysError> {
        // A second round is for a folder that was removed between the two steps.
        for _ in 0..8 {
            if let Some(folder) = self.child(name)? {
                return Ok(folder);
            }
            self.make_child(name)?;
        }
        Err(SysError::io(
            "create the folder",
            self.path.join(name),
            Errno::NOENT,
        ))
    }

    /// Makes a folder in this one, where nothing has that name.
    pub(crate) fn make_child(&self, name: &OsStr) -> Result<(), SysError> {
        match rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(SysError::io("create the folder", self.path.join(name), errno)),
        }
    }

    /// The stat of a name in this folder, without following a link; `None` where nothing has that name.
    pub(crate) fn stat(&self, name: &OsStr) -> Result<Option<Stat>, SysError> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(SysError::io("access", self.path.join(name), errno)),
        }
    }

    /// Opens a regular file for reading; `None` where nothing has that name. Never waits for a fifo's writer.
    pub(crate) fn open_file(&self, name: &OsStr) -> Result<Option<(File, Stat)>, SysError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let path = || self.path.join(name);
        let fd = match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(SysError::Link(path())),
            // A socket cannot be opened at all.
            Err(Errno::NXIO) => {
                let what = "socket";
                return Err(SysError::NotAFile { path: path(), what });
            }
            Err(errno) => return Err(SysError::io("open", path(), errno)),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|errno| SysError::io("access", path(), errno))?;
        check_is_file(&stat, &path())?;
        Ok(Some((File::from(fd), stat)))
    }

    /// The names in this folder, without `.` and `..`, and what each is as far as the folder itself says.
    pub(crate) fn entries(&self) -> Result<Vec<(OsString, FileType)>, SysError> {
        let failed = |errno| SysError::io("list the folder", &self.path, errno);
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                entries.push((OsStr::from_bytes(name).to_os_string(), entry.file_type()));
            }
        }
        Ok(entries)
    }

    /// Makes what was renamed, linked or removed in this folder last through a power cut.
    pub(crate) fn flush(&self) -> Result<(), SysError> {
        match rustix::fs::fsync(&self.fd) {
            // Some file systems cannot flush a folder, and have nothing to flush then.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(SysError::io("flush the folder", &self.path, errno)),
        }
    }

    /// Removes a name; no error where it is gone already.
    pub(crate) fn unlink(&self, name: &OsStr) -> Result<(), SysError> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(SysError::io("remove", self.path.join(name), errno)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Says whether a change has to last through a power cut by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// The change is flushed before the call returns.
    Now,
    /// The caller flushes it later, or can make it again.
    Later,
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Place {
    /// The place that `path` names below `root`; `None` where a folder on the way is missing.
    pub(crate) fn find(root: &Path, path: &Path) -> Result<Option<Self>, SysError> {
        let (parents, name) = parts(path)?;
        let mut folder = Folder::root(root)?;
        for part in parents {
            let Some(next) = folder.child(part)? else {
                return Ok(None);
            };
            folder = next;
        }
        Ok(Some(Self::new(folder, name)))
    }

    /// The same, with the folders on the way made where they are missing, and flushed.
    pub(crate) fn make(root: &Path, path: &Path, flush: Flush) -> Result<Self, SysError> {
        let (parents, name) = parts(path)?;
        let mut folder = Folder::root(root)?;
        for part in parents {
            folder = if let Some(next) = folder.child(part)? {
                next
            } else {
                let next = folder.child_or_new(part)?;
                if flush == Flush::Now {
                    folder.flush()?;
                }
                next
            };
        }
        Ok(Self::new(folder, name))
    }

    /// The stat of the regular file in this place; `None` where nothing is there.
    pub(crate) fn stat(&self) -> Result<Option<Stat>, SysError> {
        let stat = self.folder.stat(&self.name)?;
        stat.iter().try_for_each(|stat| check_is_file(stat, &self.path))?;
        Ok(stat)
    }

    /// The bytes of the regular file in this place, and its stat from before they were read; `None` where nothing is
    /// there.
    pub(crate) fn read(&self, max_bytes: u64) -> Result<Option<(Vec<u8>, Stat)>, SysError> {
        let Some((file, stat)) = self.folder.open_file(&self.name)? else {
            return Ok(None);
        };
        let bytes = read_open(file, FileStat::of(&stat).size, &self.path, max_bytes)?;
        Ok(Some((bytes, stat)))
    }

    pub(crate) fn new(folder: Folder, name: &OsStr) -> Self {
        let path = folder.path.join(name);
        Self {
            folder,
            name: name.to_os_string(),
            path,
        }
    }
}

/// The folders and the name of a relative path, which may hold nothing but names.
fn parts(path: &Path) -> Result<(Vec<&OsStr>, &OsStr), SysError> {
    let outside = || SysError::Outside(path.to_path_buf());
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            _ => return Err(outside()),
        }
    }
    let name = parts.pop().ok_or_else(outside)?;
    Ok((parts, name))
}

/// A file's size, times and identity: two equal ones at different times mean, very likely, an untouched file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of the content or of the inode, in nanoseconds since 1970; no program can set it back.
    pub ctime_ns: i64,
    /// The inode.
    pub ino: u64,
    /// The file system.
    pub dev: u64,
    /// Type and permissions, as in `st_mode`.
    pub mode: u32,
}

impl FileStat {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: nanos(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: nanos(stat.st_ctime, stat.st_ctime_nsec),
            ino: stat.st_ino,
            dev: stat.st_dev,
            mode: stat.st_mode,
        }
    }
}

fn nanos(seconds: i64, nanos: impl TryInto<i64>) -> i64 {
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanos.try_into().unwrap_or(0))
}

/// Tells a file from another file in its place. If the system has no inodes every file looks the same,
/// and the checks that compare them let everything pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inode {
    device: u64,
    inode: u64,
}

impl Inode {
    /// That of an open or named file.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
        }
    }

    /// Says whether this very file stands at the path; a link there is not followed.
    pub fn is_at(self, path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|meta| Self::of(&meta) == self)
    }
}

/// Refuses anything but a regular file, by the path that the error names.
pub(crate) fn check_is_file(stat: &Stat, path: &Path) -> Result<(), SysError> {
    let path = || path.to_path_buf();
    match what_it_is(stat) {
        None => Ok(()),
        Some("link") => Err(SysError::Link(path())),
        Some(what) => Err(SysError::NotAFile { path: path(), what }),
    }
}

/// The kind of thing in a file's place; `None` for a regular file.
pub(crate) fn what_it_is(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => None,
        FileType::Directory => Some("folder"),
        FileType::Symlink => Some("link"),
        FileType::Fifo => Some("fifo"),
        FileType::Socket => Some("socket"),
        _ => Some("device"),
    }
}
