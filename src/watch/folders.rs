//! The folders of a store that are watched: one by one and never recursively, so that `.git` and `.mdmem` stay out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use notify::{RecursiveMode, Watcher as _};

/// The folder of `exclude` and `attributes`, which hold for this clone alone.
pub(super) const GIT_INFO: &str = ".git/info";

/// Folders in folders that are watched; the scan looks no deeper either.
const MAX_DEPTH: usize = 64;

/// The folders of one store, and what watches them.
#[derive(Debug)]
pub(super) struct Folders {
    root: PathBuf,
    notify: notify::RecommendedWatcher,
    /// Repositories of their own: watched only to learn when they stop being one.
    foreign: BTreeSet<PathBuf>,
}

/// The machine has no more watches to give.
#[derive(Debug)]
pub(super) struct NoMoreWatches;

impl Folders {
    pub(super) fn new(root: PathBuf, notify: notify::RecommendedWatcher) -> Self {
        Self {
            root,
            notify,
            foreign: BTreeSet::new(),
        }
    }

    /// Watches the root itself, and the folder in which git is told what to leave out of this clone. Everything else
    /// comes by [`adopt`](Self::adopt).
    pub(super) fn watch_root(&mut self) -> Result<(), notify::Error> {
        self.notify.watch(&self.root, RecursiveMode::NonRecursive)?;
        match self
            .notify
            .watch(&self.root.join(GIT_INFO), RecursiveMode::NonRecursive)
        {
            Err(error) if is_exhausted(&error) => Err(error),
            // A repository need not have one.
            _ => Ok(()),
        }
    }

    /// Watches a folder (relative to the root) and the folders in it, and adds the files in them to `met`. Each folder
    /// is watched first and listed then: what comes into it after the listing raises an event.
    pub(super) fn adopt(&mut self, folder: &Path, met: &mut BTreeSet<PathBuf>) -> Result<(), NoMoreWatches> {
        let mut left = vec![folder.to_path_buf()];
        while let Some(folder) = left.pop() {
            let full = self.root.join(&folder);
            if folder.components().count() > MAX_DEPTH {
                continue;
            }
            match self.notify.watch(&full, RecursiveMode::NonRecursive) {
                Ok(()) => {}
                Err(error) if is_exhausted(&error) => return Err(NoMoreWatches),
                // Removed meanwhile, or not ours to read: the scan names what matters.
                Err(_) => continue,
            }
            let Ok(entries) = std::fs::read_dir(&full) else {
                continue;
            };
            let entries: Vec<_> = entries.filter_map(Result::ok).collect();
            let is_root = folder.as_os_str().is_empty();
            if !is_root && entries.iter().any(|entry| entry.file_name() == ".git") {
                self.foreign.insert(folder);
                continue;
            }
            self.foreign.remove(&folder);
            for entry in entries {
                let path = folder.join(entry.file_name());
                if !is_visible(&path) {
                    continue;
                }
                // The type of the entry itself: a link to a folder is not a folder.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    left.push(path);
                } else {
                    met.insert(path);
                }
            }
        }
        Ok(())
    }

    /// Says whether a path lies in a repository of its own, whose files are nobody else's affair.
    pub(super) fn is_foreign(&self, path: &Path) -> bool {
        !self.foreign.is_empty()
            && path
                .ancestors()
                .skip(1)
                .any(|folder| self.foreign.contains(folder))
    }
}

/// Says whether an error means that the machine's watches or watchers are used up.
pub(super) fn is_exhausted(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        notify::ErrorKind::Io(error) => {
            use rustix::io::Errno;
            let code = error.raw_os_error();
            [Errno::NOSPC, Errno::MFILE, Errno::NFILE]
                .iter()
                .any(|errno| code == Some(errno.raw_os_error()))
        }
        _ => false,
    }
}

/// Says whether a path below the store is visible: no part of it hidden, but for the files by which git is told what a
/// commit may hold.
pub(super) fn is_visible(path: &Path) -> bool {
    let is_told = |name: &OsStr| name == ".gitignore" || name == ".gitattributes";
    let path = match path.file_name() {
        Some(name) if is_told(name) => path.parent().unwrap_or(path),
        _ => path,
    };
    let hidden = |part: &OsStr| part.as_bytes().starts_with(b".");
    path.components()
        .all(|part| matches!(part, Component::Normal(part) if !hidden(part)))
}
