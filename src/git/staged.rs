//! The paths that a person has staged: they are left alone for a while.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::index_view::{IndexState, IndexView};
use super::stamp::Stamp;
use super::work_file::WorkFile;
use super::{Entry, GitError, Repo};
use crate::model::{Oid, Timestamp};

/// A path that a person has staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The path.
    pub path: PathBuf,
    /// The way in which it is staged.
    pub kind: StagedKind,
    /// When, as far as git's objects tell: the blob's file is as old as the staging. `None` when they do not.
    pub since: Option<Timestamp>,
}

/// The way in which a path is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagedKind {
    /// The index has a content that neither HEAD nor the file has.
    Content,
    /// The index does not name the path (`git rm --cached`), HEAD and the working folder do.
    Removal,
    /// A merge (`git stash pop`, say) left several versions, and the file may hold conflict markers.
    Conflict,
}

/// From so many paths on HEAD's tree is listed once instead of looking each path up.
const LOOKUPS: usize = 16;

impl Repo {
    /// Those of the paths that a person has staged: the index differs both from HEAD and from the file. A path
    /// that is staged exactly as the file is on disk does not count: committing the file commits the staging.
    pub fn staged_by_hand(&self, paths: &[PathBuf]) -> Result<Vec<Staged>, GitError> {
        let index = self.index_at(paths)?;
        let head = self.head()?.tip();
        let heads = self.entries_at(head, paths)?;
        Ok(paths
            .iter()
            .filter_map(|path| self.staged(path, &index, heads.get(path).copied()))
            .collect())
    }

    fn staged(&self, path: &Path, index: &IndexView, in_head: Option<Entry>) -> Option<Staged> {
        let found = |kind, since| {
            Some(Staged {
                path: path.to_owned(),
                kind,
                since,
            })
        };
        let Some(entry) = index.get(path) else {
            let is_there = std::fs::symlink_metadata(self.root.join(path)).is_ok();
            return if in_head.is_some() && is_there {
                found(StagedKind::Removal, None)
            } else {
                None
            };
        };
        match entry.state {
            IndexState::Conflict => return found(StagedKind::Conflict, None),
            IndexState::Intent | IndexState::Sparse => return None,
            IndexState::Plain => {}
        }
        if in_head == Some(entry.entry) || self.is_on_disk(path, index, entry.entry) {
            return None;
        }
        found(StagedKind::Content, self.written_at(entry.entry.oid))
    }

    fn is_on_disk(&self, path: &Path, index: &IndexView, entry: Entry) -> bool {
        let path_on_disk = self.root.join(path);
        std::fs::symlink_metadata(&path_on_disk).is_ok_and(|meta| index.is_unchanged(path, &meta))
            || WorkFile::with_content(&path_on_disk, entry).is_some()
    }

    /// The entries of these paths in a commit; for many paths, those of every other one too.
    fn entries_at(
        &self,
        commit: Option<Oid>,
        wanted: &[PathBuf],
    ) -> Result<HashMap<PathBuf, Entry>, GitError> {
        let mut entries = HashMap::new();
        let Some(commit) = commit else {
            return Ok(entries);
        };
        if wanted.len() >= LOOKUPS {
            let files = self.tree(commit)?.into_iter();
            return Ok(files.map(|file| (file.path, file.entry)).collect());
        }
        for path in wanted {
            if let Some(entry) = self.entry_at(commit, path)? {
                entries.insert(path.clone(), entry);
            }
        }
        Ok(entries)
    }

    /// When a loose object was written; git renews the time of one that is staged again. `None` for a packed one.
    fn written_at(&self, oid: Oid) -> Option<Timestamp> {
        Stamp::read(&self.loose_path(oid)).map(|stamp| stamp.modified())
    }
}
