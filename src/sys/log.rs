//! Logs of lines, which never grow without end.

use std::path::Path;

use crate::sys::{LineFile, SysError};

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
