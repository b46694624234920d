//! Looking again and again, where the machine has no more watches to give.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sys::{FailureKind, ScannedFile, SysError, scan};

/// The shortest pause between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// A look may take at most one part in so many of the time.
const SHARE: u32 = 50;

/// The files as they were at the last look.
#[derive(Debug)]
pub(super) struct Polling {
    root: PathBuf,
    files: Vec<ScannedFile>,
    took: Duration,
}

impl Polling {
    /// Takes the first look.
    pub(super) fn new(root: &Path) -> Result<Self, SysError> {
        let mut polling = Self {
            root: root.to_path_buf(),
            files: Vec::new(),
            took: Duration::ZERO,
        };
        polling.look()?;
        Ok(polling)
    }

    /// The pause before the next look: the more files, the longer.
    pub(super) fn pause(&self) -> Duration {
        (self.took * SHARE).max(PAUSE)
    }

    /// The files that came, went or changed since the last look. That the store is gone is an error; what fails otherwise
    /// may succeed the next time, and nothing is taken for changed.
    pub(super) fn look(&mut self) -> Result<BTreeSet<PathBuf>, SysError> {
        let begin = Instant::now();
        let scan = match scan(&self.root) {
            Ok(scan) => scan,
            Err(error) if error.kind() == FailureKind::Missing => return Err(error),
            Err(_) => return Ok(BTreeSet::new()),
        };
        self.took = begin.elapsed();
        let changed = differences(&self.files, &scan.files);
        self.files = scan.files;
        Ok(changed)
    }
}

/// The paths that are in one of two sorted lists alone, or differ: one walk through both.
fn differences(old: &[ScannedFile], new: &[ScannedFile]) -> BTreeSet<PathBuf> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let mut changed = BTreeSet::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return changed,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old
                .path
                .as_os_str()
                .as_bytes()
                .cmp(new.path.as_os_str().as_bytes()),
        };
        let (before, now) = match order {
            Ordering::Less => (old.next(), None),
            Ordering::Greater => (None, new.next()),
            Ordering::Equal => (old.next(), new.next()),
        };
        if before != now {
            changed.extend(before.or(now).map(|file| file.path.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::{exchange, write_new};

    #[test]
    fn sees_what_came_what_went_and_what_changed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir(root.join(".git")).unwrap();
        for path in ["a.md", "d/gone.md", "d/same.md", "z.md"] {
            write_new(root, path, b"old").unwrap();
        }
        let mut polling = Polling::new(root).unwrap();
        assert!(polling.look().unwrap().is_empty());
        write_new(root, "b/new.md", b"").unwrap();
        std::fs::remove_file(root.join("d/gone.md")).unwrap();
        exchange(root, "z.md", b"old", b"new").unwrap();
        let changed = polling.look().unwrap();
        assert_eq!(
            changed,
            ["b/new.md", "d/gone.md", "z.md"].map(PathBuf::from).into()
        );
        assert!(polling.look().unwrap().is_empty());
        assert!(polling.pause() >= PAUSE);
        std::fs::remove_dir(root.join(".git")).unwrap();
        assert!(matches!(polling.look(), Err(SysError::GitMissing(_))));
    }
}
