//! Tells one state of a file on disk from another: by inode, size and time.
//!
//! A file of the working folder as the index describes it.

use std::fs::Metadata;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::objects::hash_blob;
use super::tree::Entry;
use crate::model::Timestamp;
use crate::sys::{Inode, open_regular};

/// Names a file and its state: any write to it, and any file renamed over it, gives another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    file: Inode,
    size: u64,
    seconds: i64,
    nanos: u32,
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        let (seconds, nanos) = modified(meta);
        Self {
            file: Inode::of(meta),
            size: meta.len(),
            seconds,
            nanos,
        }
    }

    /// The stamp of the file itself (not of what a link names), `None` when there is no file.
    pub(super) fn read(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().map(|meta| Self::of(&meta))
    }

    /// Says whether the file was last written later than this, by the file system's clock.
    pub(super) fn is_after(&self, seconds: i64, nanos: u32) -> bool {
        (self.seconds, self.nanos) > (seconds, nanos)
    }

    /// Says whether the file was last written later than another one, or a folder, was changed.
    pub(super) fn is_after_change_of(&self, other: &Metadata) -> bool {
        let (seconds, nanos) = modified(other);
        self.is_after(seconds, nanos)
    }

    /// When the file was last written, by the file system's clock.
    pub(super) fn modified(&self) -> Timestamp {
        Timestamp::from_millis(
            self.seconds
                .saturating_mul(1000)
                .saturating_add(i64::from(self.nanos / 1_000_000)),
        )
    }
}

/// Seconds and nanoseconds since 1970 at which the file was last written.
pub(super) fn modified(meta: &Metadata) -> (i64, u32) {
    use std::os::unix::fs::MetadataExt;
    (meta.mtime(), u32::try_from(meta.mtime_nsec()).unwrap_or(0))
}

/// A file whose content was found to be that of a blob.
pub(super) struct WorkFile {
    meta: Metadata,
}

impl WorkFile {
    /// The file, if it holds exactly the content of this entry, and did so while it was read. Links are not followed.
    pub(super) fn with_content(path: &Path, entry: Entry) -> Option<Self> {
        if !entry.mode.is_file() {
            return None;
        }
        if !std::fs::symlink_metadata(path).ok()?.is_file() {
            return None;
        }
        let mut file = open_regular(path).ok()??;
        let meta = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let after = std::fs::symlink_metadata(path).ok()?;
        let same = Stamp::of(&meta) == Stamp::of(&after) && hash_blob(&bytes) == entry.oid;
        same.then_some(Self { meta })
    }

    /// Fills in what lets git see without reading it that the file is unchanged.
    ///
    /// `started` is the stamp of a file that was written just before this one was read: when this one is not
    /// older, it could change again within the same tick of the file system's clock, unseen. Its size is then left
    /// at zero, as git does it, which makes git read the file.
    pub(super) fn describe(&self, entry: &mut git2::IndexEntry, started: Option<Stamp>) {
        use std::os::unix::fs::MetadataExt;
        let (seconds, nanos) = modified(&self.meta);
        let is_racy = started.is_none_or(|started| !started.is_after(seconds, nanos));
        entry.mtime = git2::IndexTime::new(low(seconds), nanos);
        entry.file_size = if is_racy { 0 } else { size(self.meta.len()) };
        let changed_nanos = u32::try_from(self.meta.ctime_nsec()).unwrap_or(0);
        entry.ctime = git2::IndexTime::new(low(self.meta.ctime()), changed_nanos);
        entry.dev = low_unsigned(self.meta.dev());
        entry.ino = low_unsigned(self.meta.ino());
        entry.uid = self.meta.uid();
        entry.gid = self.meta.gid();
    }
}

/// The bytes of a file in `.git` or of an attributes file; `None` where there is no such file. A folder or a pipe is an
/// error, and not waited for.
pub(super) fn read_regular(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    crate::sys::read_regular(path, u64::MAX)
}

/// The low 32 bits, all that the index keeps of a time.
#[expect(clippy::cast_possible_truncation, reason = "the index keeps the low 32 bits")]
pub(super) const fn low(value: i64) -> i32 {
    value as i32
}

/// The low 32 bits, all that the index keeps of a number.
#[expect(clippy::cast_possible_truncation, reason = "the index keeps the low 32 bits")]
pub(super) const fn low_unsigned(value: u64) -> u32 {
    value as u32
}

/// The size as the index keeps it: zero is kept for "unknown", so that a multiple of 4 GiB is not taken for it.
pub(super) const fn size(length: u64) -> u32 {
    match low_unsigned(length) {
        0 if length > 0 => 0x8000_0000,
        size => size,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::git::Mode;

    #[test]
    fn only_the_very_content_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        File::create(&path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"one\n"))
            .unwrap();
        let entry = |bytes: &[u8]| Entry {
            oid: hash_blob(bytes),
            mode: Mode::Plain,
        };
        assert!(WorkFile::with_content(&path, entry(b"one\n")).is_some());
        assert!(WorkFile::with_content(&path, entry(b"two\n")).is_none());
        assert!(WorkFile::with_content(&dir.path().join("none"), entry(b"")).is_none());
        assert!(WorkFile::with_content(dir.path(), entry(b"")).is_none());
        std::os::unix::fs::symlink(&path, dir.path().join("link.md")).unwrap();
        assert!(WorkFile::with_content(&dir.path().join("link.md"), entry(b"one\n")).is_none());
    }

    #[test]
    fn a_fifo_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        assert_eq!(read_regular(&path).unwrap(), None);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        assert!(read_regular(&path).is_err());
        assert!(read_regular(dir.path()).is_err());
    }

    #[test]
    fn a_size_of_four_gigabytes_is_not_unknown() {
        assert_eq!(size(0), 0);
        assert_eq!(size(5), 5);
        assert_eq!(size(1 << 32), 0x8000_0000);
    }
}
