//! Files of lines that several processes add to, and that one of them sometimes makes shorter.
//!
//! A file of lines that another program adds to, read from where the last reading ended.

use std::fs::{File, TryLockError};
use std::io;
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};

use super::read::open_regular;
use crate::sys::SysError;
use crate::sys::files::beneath::{Flush, Place, check_is_file};
use crate::sys::files::read::{read_if_there, read_open};
use crate::sys::files::write::write_durable;

/// The time for which an addition waits for whoever makes the file shorter; a turn of a conversation may wait for it.
const WAIT_TO_APPEND: Duration = Duration::from_millis(200);
/// The time for which a rewrite waits for whoever holds the file.
const WAIT_TO_REWRITE: Duration = Duration::from_secs(1);

/// A file of lines below a store's root. No link is followed; the folders on the way are made.
#[derive(Debug, Clone)]
pub struct LineFile {
    root: PathBuf,
    path: PathBuf,
}

/// The outcome of a [`LineFile::rewrite`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewritten {
    /// The file has the new bytes.
    Written,
    /// Nothing was to be changed, or there is no file.
    Same,
    /// Another process holds the file.
    Busy,
}

impl LineFile {
    /// The file `path` below `root`.
    pub fn new(root: &Path, path: impl Into<PathBuf>) -> Self {
        Self {
            root: root.to_owned(),
            path: path.into(),
        }
    }

    /// Its place.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.path)
    }

    /// Adds lines, in one write, so that those of two processes do not mix; gives the size after it, in bytes. `lines`
    /// ends with a line break. Not flushed. A last line that was torn (its writer was killed, the disk was full) stays
    /// as it is, and the new lines begin below it.
    pub fn append(&self, lines: &[u8]) -> Result<u64, SysError> {
        self.append_below(u64::MAX, lines)
    }

    /// Adds lines as [`Self::append`] does. If the file would grow beyond `most` bytes, a new file begins, and the
    /// old one is kept beside it as `<name>.1`.
    pub fn append_below(&self, most: u64, lines: &[u8]) -> Result<u64, SysError> {
        let failed = |error| SysError::io("write", self.path(), error);
        loop {
            let file = self.open()?;
            // Without the lock (its holder is slow, or sleeps) the lines are added all the same: who makes the file
            // shorter looks for them at the end.
            lock(&file, WAIT_TO_APPEND);
            if !self.is_still(&file)? {
                continue;
            }
            let size = file.metadata().map_err(failed)?.len();
            if size > 0 && size + lines.len() as u64 > most {
                let path = self.path();
                std::fs::rename(&path, path.with_added_extension("1")).map_err(failed)?;
                continue;
            }
            let mut last = [b'\n'];
            if size > 0 {
                file.read_at(&mut last, size - 1).map_err(failed)?;
            }
            if last == *b"\n" {
                (&file).write_all(lines).map_err(failed)?;
                return Ok(size + lines.len() as u64);
            }
            (&file).write_all(&[b"\n", lines].concat()).map_err(failed)?;
            return Ok(size + 1 + lines.len() as u64);
        }
    }

    /// Its bytes; `None` where there is no file. More than `max_bytes` is an error of kind
    /// [`TooLarge`](crate::sys::FailureKind::TooLarge).
    pub fn read(&self, max_bytes: u64) -> Result<Option<Vec<u8>>, SysError> {
        let read = read_if_there(&self.root, &self.path, max_bytes)?;
        Ok(read.map(|read| read.bytes))
    }

    /// Puts other bytes in place of those it has, whole and flushed, while nobody adds lines. `decide` gets the present
    /// bytes, and gives the new ones or `None` to leave the file alone.
    pub fn rewrite(
        &self,
        max_bytes: u64,
        decide: impl FnOnce(&[u8]) -> Result<Option<Vec<u8>>, SysError>,
    ) -> Result<Rewritten, SysError> {
        let failed = |error| SysError::io("access", self.path(), error);
        loop {
            let Some(place) = Place::find(&self.root, &self.path)? else {
                return Ok(Rewritten::Same);
            };
            let Some((file, _)) = place.folder.open_file(&place.name)? else {
                return Ok(Rewritten::Same);
            };
            if !lock(&file, WAIT_TO_REWRITE) {
                return Ok(Rewritten::Busy);
            }
            if !self.is_still(&file)? {
                continue;
            }
            let size = file.metadata().map_err(failed)?.len();
            // The lock lives as long as any copy of the open file.
            let copy = || file.try_clone().map_err(failed);
            let bytes = read_open(copy()?, size, &place.path, max_bytes)?;
            let Some(new) = decide(&bytes)? else {
                return Ok(Rewritten::Same);
            };
            write_durable(&place.path, &new)?;
            // The lines that were added without the lock meanwhile are in the old file, behind those that were read.
            let late = read_open(copy()?, 0, &place.path, max_bytes)?;
            if !late.is_empty() {
                self.append(&late)?;
            }
            return Ok(Rewritten::Written);
        }
    }

    fn open(&self) -> Result<File, SysError> {
        let place = Place::make(&self.root, &self.path, Flush::Later)?;
        let flags = OFlags::RDWR
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&place.folder, &place.name, flags, Mode::from_raw_mode(0o644));
        let fd = match opened {
            Ok(fd) => fd,
            Err(rustix::io::Errno::LOOP) => return Err(SysError::Link(place.path)),
            Err(errno) => return Err(SysError::io("open", place.path, errno)),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|errno| SysError::io("access", &place.path, errno))?;
        check_is_file(&stat, &place.path)?;
        Ok(File::from(fd))
    }

    fn is_still(&self, file: &File) -> Result<bool, SysError> {
        let held = file
            .metadata()
            .map_err(|error| SysError::io("access", self.path(), error))?;
        let there = crate::sys::files::read::stat(&self.root, &self.path)?;
        Ok(there.is_some_and(|there| (there.dev, there.ino) == (held.dev(), held.ino())))
    }
}

/// Says whether the lock was got within `limit`. If the file system has no locks, nobody has the lock.
fn lock(file: &File, limit: Duration) -> bool {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(16));
            }
            Err(TryLockError::WouldBlock) => return false,
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
}

/// A file of another program's, open, with the length that it had then.
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    size: u64,
}

/// Whole lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrownLines {
    /// The bytes of the lines, with the line feed of the last.
    pub bytes: Vec<u8>,
    /// The place behind them in the file, where the next reading begins.
    pub end: u64,
}

impl GrowingFile {
    /// Opens it; `None` where there is no file. A folder or a pipe is an error, and not waited for.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let Some(file) = open_regular(path)? else {
            return Ok(None);
        };
        let size = file.metadata()?.len();
        Ok(Some(Self { file, size }))
    }

    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The whole lines among the `most` bytes from `start` on, from the file's beginning where it is shorter than that: it
    /// is another file then. A part of a line that is longer than `most` is passed over.
    pub fn lines_from(&self, start: u64, most: u64) -> io::Result<GrownLines> {
        let start = if start > self.size { 0 } else { start };
        let length = most.min(self.size - start);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut bytes, start)?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let end = match whole {
            0 if length == most => start + most,
            whole => start + whole as u64,
        };
        bytes.truncate(whole);
        Ok(GrownLines { bytes, end })
    }
}

#[cfg(test)]
mod line_file_tests {
    use super::*;
    use crate::sys::FailureKind;

    fn file() -> (tempfile::TempDir, LineFile) {
        let root = tempfile::tempdir().unwrap();
        let file = LineFile::new(root.path(), ".mdmem/lines");
        (root, file)
    }

    fn text(file: &LineFile) -> String {
        String::from_utf8(file.read(1 << 30).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn lines_begin_below_a_torn_one() {
        let (_root, file) = file();
        assert_eq!(file.read(9).unwrap(), None);
        assert_eq!(file.append(b"one\n").unwrap(), 4);
        crate::sys::write_atomic(&file.path(), b"one\ntor").unwrap();
        assert_eq!(file.append(b"two\n").unwrap(), 12);
        assert_eq!(text(&file), "one\ntor\ntwo\n");
        assert_eq!(file.read(9).unwrap_err().kind(), FailureKind::TooLarge);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (root, file) = file();
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target");
        crate::sys::write_atomic(&target, b"theirs").unwrap();
        std::fs::create_dir(root.path().join(".mdmem")).unwrap();
        std::os::unix::fs::symlink(&target, file.path()).unwrap();
        assert_eq!(file.append(b"x\n").unwrap_err().kind(), FailureKind::InTheWay);
        let rewritten = file.rewrite(99, |_| Ok(Some(Vec::new())));
        assert_eq!(rewritten.unwrap_err().kind(), FailureKind::InTheWay);
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");

        let linked = LineFile::new(root.path(), "linked/lines");
        std::os::unix::fs::symlink(outside.path(), root.path().join("linked")).unwrap();
        assert_eq!(linked.append(b"x\n").unwrap_err().kind(), FailureKind::InTheWay);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_fifo_is_refused_at_once() {
        let (root, file) = file();
        std::fs::create_dir(root.path().join(".mdmem")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, file.path(), mode).unwrap();
        assert_eq!(file.append(b"x\n").unwrap_err().kind(), FailureKind::InTheWay);
    }

    #[test]
    fn what_is_added_while_it_is_made_shorter_is_kept() {
        let (_root, file) = file();
        let lines = 300;
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let file = &file;
                scope.spawn(move || {
                    for n in 0..lines {
                        let line = format!("{writer} {n} {}\n", "y".repeat(500));
                        file.append(line.as_bytes()).unwrap();
                    }
                });
            }
            for _ in 0..20 {
                let shorter = file.rewrite(1 << 30, |bytes| Ok(Some([bytes, b"cut\n"].concat())));
                assert_ne!(shorter.unwrap(), Rewritten::Busy);
            }
        });
        let text = text(&file);
        let whole = text.lines().filter(|line| line.ends_with("yyyy")).count();
        assert_eq!(whole, 3 * lines);
        assert!(text.lines().all(|line| line == "cut" || line.ends_with("yyyy")));
    }

    #[test]
    fn what_is_added_without_the_lock_is_brought_along() {
        let (_root, file) = file();
        file.append(b"one\n").unwrap();
        let shorter = file.rewrite(1 << 20, |_| {
            // The lock is held here for longer than an addition waits.
            file.append(b"late\n")?;
            Ok(Some(b"cut\n".to_vec()))
        });
        assert_eq!(shorter.unwrap(), Rewritten::Written);
        assert_eq!(text(&file), "cut\nlate\n");
    }

    #[test]
    fn leaves_alone_what_needs_no_change() {
        let (_root, file) = file();
        assert_eq!(file.rewrite(9, |_| Ok(None)).unwrap(), Rewritten::Same);
        file.append(b"one\n").unwrap();
        assert_eq!(file.rewrite(9, |_| Ok(None)).unwrap(), Rewritten::Same);
        assert_eq!(text(&file), "one\n");
    }
}

#[cfg(test)]
mod growing_file_tests {
    use super::*;

    #[test]
    fn each_line_is_read_once_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        assert!(GrowingFile::open(&path).unwrap().is_none());
        assert!(GrowingFile::open(folder.path()).is_err());
        let read = |content: &[u8], start, most| {
            crate::sys::write_atomic(&path, content).unwrap();
            let lines = GrowingFile::open(&path).unwrap().unwrap().lines_from(start, most);
            let lines = lines.unwrap();
            (String::from_utf8(lines.bytes).unwrap(), lines.end)
        };
        let whole = |text: &str, end| (text.to_owned(), end);
        assert_eq!(read(b"", 0, 9), whole("", 0));
        assert_eq!(read(b"one\ntw", 0, 9), whole("one\n", 4));
        assert_eq!(read(b"one\ntw", 4, 9), whole("", 4));
        assert_eq!(read(b"one\ntwo\n", 4, 9), whole("two\n", 8));
        assert_eq!(
            read(b"one\ntwo\n", 0, 6),
            whole("one\n", 4),
            "the rest is for the next time"
        );
        assert_eq!(read(b"a\n", 8, 9), whole("a\n", 2), "another file");
        assert_eq!(read(b"too long\nb\n", 0, 4), whole("", 4));
        assert_eq!(read(b"too long\nb\n", 4, 6), whole("long\n", 9));
    }
}
