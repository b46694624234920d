//! The file system's facts about a file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

use crate::sys::SysError;

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
