//! Tells one state of a file on disk from another: by inode, size and time.

use std::fs::Metadata;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;
use crate::sys::Inode;

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
