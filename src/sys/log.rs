//! Logs of lines, which never grow without end.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::sys::files::beneath::Place;
use crate::sys::{FailureKind, Inode, LineFile, SysError};

/// The size in bytes at which a log begins anew; the one before it is kept beside it as `<name>.1`.
pub const MAX_LOG_BYTES: u64 = 1 << 20;

/// Adds one line to a log, whole, also when several processes write it; a line break inside becomes a space. Not
/// flushed. The folder has to exist. While another process holds the log for long, a few lines may land in the log before.
pub fn append_line(path: &Path, line: &str) -> Result<(), SysError> {
    let outside = || SysError::Outside(path.to_path_buf());
    let (folder, name) = path.parent().zip(path.file_name()).ok_or_else(outside)?;
    let line = line.replace(['\n', '\r'], " ") + "\n";
    let log = LineFile::new(folder, name);
    log.append_below(MAX_LOG_BYTES, line.as_bytes()).map(drop)
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
            file: open_to_read(root, &path.with_added_extension("1"))?,
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
                if Inode::of(&file.metadata().map_err(failed)?).is_at(&path) {
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
        assert_eq!(
            std::fs::metadata(folder.path().join("log.1")).unwrap().len(),
            900_003
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_writer_that_was_stopped_stops_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        append_line(&path, "first").unwrap();
        let stopped = std::fs::File::open(&path).unwrap();
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
        let old = std::fs::read_to_string(folder.path().join("log.1")).unwrap();
        let new = std::fs::read_to_string(&path).unwrap();
        let all = old.lines().chain(new.lines()).collect::<Vec<_>>();
        assert!(
            all.iter()
                .all(|line| line.ends_with("yyyy") && line.len() > 6_000)
        );
        assert!(all.len() > 170, "{}", all.len());
    }
}
