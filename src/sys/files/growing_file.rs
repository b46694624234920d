//! A file of lines that another program adds to, read from where the last reading ended.

use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::read::open_regular;

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
    pub fn open(path: &Path) -> Result<Option<Self>> {
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

    /// At most `most` bytes from `start` on, whole lines or not.
    pub fn rest(&self, start: u64, most: u64) -> Result<Vec<u8>> {
        let length = most.min(self.size.saturating_sub(start));
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }

    /// The whole lines among the `most` bytes from `start` on, from the file's beginning where it is shorter than that: it
    /// is another file then. A part of a line that is longer than `most` is passed over.
    pub fn lines_from(&self, start: u64, most: u64) -> Result<GrownLines> {
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
mod tests {
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
