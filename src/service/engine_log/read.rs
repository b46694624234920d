//! Use case: what did the engine do? (`mdmem log --engine`)

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{EngineLine, path};
use crate::service::ServiceError;
use crate::store::LOCAL;
use crate::sys::{self, FailureKind, MAX_LOG_BYTES, SysError};

/// The lines of the log of the store `root`, the oldest first: of the file that is written and of the one before it.
/// Needs no store that can be opened. A log that is not there has no lines.
pub fn engine_log(root: &Path) -> Result<Vec<EngineLine>, ServiceError> {
    let mut lines = Vec::new();
    for name in ["log.1", "log"] {
        // One line more than the limit may be there.
        let bytes = match sys::read(root, Path::new(LOCAL).join(name), 2 * MAX_LOG_BYTES) {
            Ok(read) => read.bytes,
            Err(error) if error.kind() == FailureKind::Missing => continue,
            Err(error) => return Err(error.into()),
        };
        lines.extend(parsed(&bytes));
    }
    Ok(lines)
}

/// The lines that come from now on.
#[derive(Debug)]
pub struct EngineLogTail {
    path: PathBuf,
    file: Option<File>,
    /// The beginning of a line whose end has not been seen.
    rest: Vec<u8>,
}

impl EngineLogTail {
    /// At the end of the log of the store `root`.
    pub fn of(root: &Path) -> Result<Self, ServiceError> {
        let mut tail = Self {
            path: path(root),
            file: None,
            rest: Vec::new(),
        };
        tail.file = tail.open()?;
        if let Some(file) = &mut tail.file {
            file.seek(SeekFrom::End(0))
                .map_err(|error| SysError::io("read", &tail.path, error))?;
        }
        Ok(tail)
    }

    /// The lines since the last question, also across the beginning of a new file.
    pub fn next_lines(&mut self) -> Result<Vec<EngineLine>, ServiceError> {
        self.take_in()?;
        if !self.is_current() {
            // The last lines of the old file were taken in above.
            self.file = self.open()?;
            self.take_in()?;
        }
        let end = self
            .rest
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        Ok(parsed(&whole).collect())
    }

    fn take_in(&mut self) -> Result<(), ServiceError> {
        if let Some(file) = &mut self.file {
            file.read_to_end(&mut self.rest)
                .map_err(|error| SysError::io("read", &self.path, error))?;
        }
        Ok(())
    }

    fn open(&self) -> Result<Option<File>, ServiceError> {
        let no_follow = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags =
            i32::try_from(no_follow.bits()).expect("because the open flags of every Unix fit a C int");
        match File::options().read(true).custom_flags(flags).open(&self.path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SysError::io("read", &self.path, error).into()),
        }
    }

    fn is_current(&self) -> bool {
        let open = self.file.as_ref().and_then(|file| file.metadata().ok());
        let there = std::fs::symlink_metadata(&self.path).ok();
        match (open, there) {
            (Some(open), Some(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
            (_, there) => there.is_none(),
        }
    }
}

fn parsed(bytes: &[u8]) -> impl Iterator<Item = EngineLine> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lines: Vec<EngineLine> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(EngineLine::parse)
        .collect();
    lines.into_iter()
}
