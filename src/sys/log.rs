//! Logs of lines, which never grow without end.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sys::files::beneath::Place;
use crate::sys::{FailureKind, SysError};

/// The size in bytes at which a log begins anew; the one before it is kept beside it as `<name>.1`.
pub const MAX_LOG_BYTES: u64 = 1 << 20;

/// Another writer's line is waited for by so many looks, with this pause between two of them.
const MOST_LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// Adds one line to a log, whole, also when several processes write it; a line break inside becomes a space. Not
/// flushed. The folder has to exist.
pub fn append_line(path: &Path, line: &str) -> Result<(), SysError> {
    let mut bytes: Vec<u8> = line
        .bytes()
        .map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { b })
        .collect();
    bytes.push(b'\n');
    let failed = |error| SysError::io("write", path, error);
    loop {
        let mut file = open(path).map_err(failed)?;
        // Others wait for a moment here, so that a single process begins the new file. Without locks, or beside a
        // process that was stopped while it held this one, there is a small chance that a few lines land in the old
        // file.
        wait_for_turn(&file);
        let there = file.metadata().map_err(failed)?;
        if !is_still(path, &there) {
            continue;
        }
        if there.len() > 0 && there.len() + bytes.len() as u64 > MAX_LOG_BYTES {
            std::fs::rename(path, older(path)).map_err(failed)?;
            continue;
        }
        return file.write_all(&bytes).map_err(failed);
    }
}

fn wait_for_turn(file: &File) {
    for _ in 0..MOST_LOOKS {
        if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW.bits();
    let flags = i32::try_from(flags).expect("because the open flags of every Unix fit a C int");
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o644)
        .custom_flags(flags)
        .open(path)
}

fn is_still(path: &Path, there: &std::fs::Metadata) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (there.dev(), there.ino()))
}

fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".1");
    PathBuf::from(name)
}

/// Reads a log below a root: its lines from the oldest on, then the lines that are added, also across the beginning of a
/// new file. It follows no link. A log that is not there has no lines.
#[derive(Debug)]
pub struct LogReader {
    root: PathBuf,
    path: PathBuf,
    file: Option<File>,
    /// The beginning of a line whose end has not been seen.
    rest: Vec<u8>,
}

impl LogReader {
    /// A reader that stands before the oldest line of the log `path` below `root`.
    pub fn open(root: &Path, path: PathBuf) -> Result<Self, SysError> {
        Ok(Self {
            file: open_to_read(root, &older(&path))?,
            root: root.to_owned(),
            path,
            rest: Vec::new(),
        })
    }

    /// The bytes of the whole lines since the last question.
    pub fn next_lines(&mut self) -> Result<Vec<u8>, SysError> {
        let path = self.root.join(&self.path);
        let failed = |error| SysError::io("read", &path, error);
        loop {
            // The last lines of the older file are taken in before the newer one is opened.
            if let Some(file) = &mut self.file {
                // A file that others fill without end is taken in by parts.
                let mut part = file.take(2 * MAX_LOG_BYTES);
                part.read_to_end(&mut self.rest).map_err(failed)?;
                if is_still(&path, &file.metadata().map_err(failed)?) {
                    break;
                }
            }
            let Some(newer) = open_to_read(&self.root, &self.path)? else {
                break;
            };
            self.file = Some(newer);
        }
        let end = self.rest.iter().rposition(|byte| *byte == b'\n');
        Ok(self.rest.drain(..end.map_or(0, |at| at + 1)).collect())
    }
}

fn open_to_read(root: &Path, path: &Path) -> Result<Option<File>, SysError> {
    match Place::find(root, path) {
        Ok(Some(place)) => Ok(place.folder.open_file(&place.name)?.map(|(file, _)| file)),
        Ok(None) => Ok(None),
        Err(error) if error.kind() == FailureKind::Missing => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_anew_at_its_limit_and_keeps_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let line = "x".repeat(300_000);
        for _ in 0..7 {
            append_line(&path, &line).unwrap();
        }
        append_line(&path, "one\r\nline").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("x\none  line\n"));
        assert!(text.len() as u64 <= MAX_LOG_BYTES);
        assert_eq!(std::fs::metadata(older(&path)).unwrap().len(), 900_003);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_writer_that_was_stopped_stops_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        append_line(&path, "first").unwrap();
        let stopped = open(&path).unwrap();
        stopped.lock().unwrap();
        append_line(&path, "second").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\nsecond\n");
    }

    #[test]
    fn lines_of_many_writers_stay_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for n in 0..100 {
                        append_line(path, &format!("{writer} {n} {}", "y".repeat(6_000))).unwrap();
                    }
                });
            }
        });
        let old = std::fs::read_to_string(older(&path)).unwrap();
        let new = std::fs::read_to_string(&path).unwrap();
        let all = old.lines().chain(new.lines()).collect::<Vec<_>>();
        assert!(
            all.iter()
                .all(|line| line.ends_with("yyyy") && line.len() > 6_000)
        );
        assert!(all.len() > 170, "{}", all.len());
    }
}
