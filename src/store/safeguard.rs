//! The text that a change would lose: text that no commit has, or that no commit could bring back. A dry run asks the same as the
//! command itself, so that both say the same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::sys::{self, FailureKind};

use super::contents::MAX_FILE;
use super::difference::{Change, difference};
use super::sweep::MassDeletion;
use super::transition::{LeftOut, Target};
use super::{Held, Snapshot, Store, StoreError};

/// No file.
static NONE: BTreeSet<PathBuf> = BTreeSet::new();

/// The files of a store beside its history.
pub struct Safeguard<'a> {
    pub(super) store: &'a Store,
    pub(super) snapshot: &'a Snapshot,
    /// Files that are committed although git ignores them.
    pub(super) tracked: &'a BTreeSet<PathBuf>,
    /// Files that the command would commit first.
    pub(super) swept: BTreeSet<PathBuf>,
}

impl Store {
    /// The files as a command finds them once it has committed what can be committed; nothing is written. An error where
    /// the machine refuses to write.
    pub fn safeguard<'a>(&'a self, snapshot: &'a Snapshot) -> Result<Safeguard<'a>, StoreError> {
        sys::try_writing(self.repo.git_dir())?;
        let pending = self.pending(snapshot, MassDeletion::Ask)?.changes;
        let swept = pending.iter().flat_map(Change::touched).map(Path::to_owned);
        Ok(Safeguard {
            store: self,
            snapshot,
            tracked: &NONE,
            swept: swept.collect(),
        })
    }

    /// An error where git's own work keeps a change of many files from being made, now and later.
    pub fn check_no_obstacle(&self) -> Result<(), StoreError> {
        match self.repo.obstacle(self.now())? {
            Some(obstacle) if !obstacle.is_momentary() => Err(StoreError::busy(self.root(), obstacle)),
            _ => Ok(()),
        }
    }
}

impl Safeguard<'_> {
    /// The files.
    pub const fn snapshot(&self) -> &Snapshot {
        self.snapshot
    }

    /// An error where one of the targets cannot be changed, or one that goes could not be brought back.
    pub fn check(&self, targets: &[Target]) -> Result<(), StoreError> {
        if let Some((_, error)) = self.refused(targets)?.into_iter().next() {
            return Err(error);
        }
        self.store.check_no_obstacle()?;
        let gone = targets.iter().filter(|(_, entry)| entry.is_none());
        self.check_restorable(&gone.map(|(path, _)| path).collect::<Vec<_>>())
    }

    /// Tells which paths [`super::Writer::transition`] would leave out of this change; an error where it would fail.
    pub fn left_out_of(&self, targets: &[Target]) -> Result<Vec<LeftOut>, StoreError> {
        if self.changes_to(targets).is_empty() {
            return Ok(Vec::new());
        }
        self.store.check_no_obstacle()?;
        Ok(self.free_of(targets)?.1)
    }

    /// Parts the targets that can be changed from those that cannot; an error where that is every one.
    pub(super) fn free_of(&self, targets: &[Target]) -> Result<(Vec<Target>, Vec<LeftOut>), StoreError> {
        let mut free = targets.to_vec();
        let refused = self.refused(targets)?;
        let left = self.leave_out(&mut free, refused)?;
        Ok((free, left))
    }

    /// Takes paths out of a change, and gives them; the first error where nothing of it is left.
    pub(super) fn leave_out(
        &self,
        targets: &mut Vec<Target>,
        refused: Vec<(PathBuf, StoreError)>,
    ) -> Result<Vec<LeftOut>, StoreError> {
        let paths: BTreeSet<&PathBuf> = refused.iter().map(|(path, _)| path).collect();
        targets.retain(|(path, _)| !paths.contains(path));
        let mut refused = refused.into_iter();
        if self.changes_to(targets).is_empty()
            && let Some((_, error)) = refused.next()
        {
            return Err(error);
        }
        let left = refused.map(|(path, error)| LeftOut {
            why: error.to_string(),
            path,
        });
        Ok(left.collect())
    }

    /// The changes that bring the files there.
    pub(super) fn changes_to(&self, targets: &[Target]) -> Vec<Change> {
        let change = |(path, wanted): &Target| match (self.snapshot.entry(path), wanted) {
            (None, Some(_)) => Some(Change::Added(path.clone())),
            (Some(now), Some(wanted)) if now != *wanted => Some(Change::Edited(path.clone())),
            (Some(_), None) => Some(Change::Removed(path.clone())),
            _ => None,
        };
        targets.iter().filter_map(change).collect()
    }

    /// The targets that cannot be changed, each for its own reason.
    pub(super) fn refused(&self, targets: &[Target]) -> Result<Vec<(PathBuf, StoreError)>, StoreError> {
        let is_written = |(_, entry): &&Target| entry.is_some();
        let written = targets.iter().filter(is_written).map(|(path, _)| path.as_path());
        let mut unfit = self.store.repo.unfit_paths(written)?;
        let uncommitted = self.uncommitted_of(targets.iter().map(|(path, _)| path))?;
        let uncommitted: BTreeSet<&Path> = uncommitted.iter().map(PathBuf::as_path).collect();
        let mut refused = Vec::new();
        let stays = |path: &Path| uncommitted.contains(path);
        let goes = |(path, entry): &&Target| entry.is_none() && !stays(path);
        let going: BTreeSet<&Path> = targets
            .iter()
            .filter(goes)
            .map(|(path, _)| path.as_path())
            .collect();
        let is_unseen = |path: &Path| self.snapshot.entry(path).is_none() && self.store.is_unseen(path);
        for (path, entry) in targets {
            let error = if let Some(why) = unfit.remove(path) {
                let path = path.clone();
                GitError::Unfit { path, why }.into()
            } else if stays(path) {
                self.uncommitted(path)
            } else if entry.is_some()
                && let Err(error) = sys::stat(self.store.root(), path)
            {
                // A folder, a link or the like has the place of the file.
                if error.kind() != FailureKind::InTheWay {
                    return Err(StoreError::NothingChanged { source: error });
                }
                if self.gives_way(path, &going) {
                    continue;
                }
                error.into()
            } else if is_unseen(path) {
                self.unseen(path)
            } else {
                continue;
            };
            refused.push((path.clone(), error));
        }
        Ok(refused)
    }

    /// The reason why a file that is there was not read.
    fn unseen(&self, path: &Path) -> StoreError {
        match sys::read(self.store.root(), path, MAX_FILE) {
            Err(error) => error.into(),
            Ok(_) => self.uncommitted(path),
        }
    }

    /// Says whether everything that stands in the place of a file, or of a folder above it, goes by the same change.
    fn gives_way(&self, path: &Path, going: &BTreeSet<&Path>) -> bool {
        let root = self.store.root();
        let above = path
            .ancestors()
            .skip(1)
            .filter(|above| !above.as_os_str().is_empty());
        let mut above = above.map(|above| (above, root.join(above).symlink_metadata()));
        if let Some((above, _)) = above.find(|(_, meta)| meta.as_ref().is_ok_and(|meta| !meta.is_dir())) {
            return going.contains(above);
        }
        let is_folder = root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        is_folder && is_emptied(root, path, going)
    }

    /// An error where a file holds what HEAD does not have: a commit that waits for git, a path that is staged by hand,
    /// a file that git ignores. Content that only the work tree has cannot be restored from history.
    pub fn check_committed<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<(), StoreError> {
        match self.uncommitted_of(paths)?.first() {
            Some(path) => Err(self.uncommitted(path)),
            None => Ok(()),
        }
    }

    /// An error where a file that HEAD has could not be brought back as it is now: what protects it came after it.
    pub fn check_restorable<P: AsRef<Path>>(&self, paths: &[P]) -> Result<(), StoreError> {
        let unfit = self.store.repo.unfit_paths(paths.iter().map(AsRef::as_ref))?;
        match unfit.into_iter().next() {
            Some((path, why)) => Err(StoreError::said(
                format!(
                    "{} is not removed, because it could not be restored: {why}",
                    sys::shown_path(&path)
                ),
                why.hint(&path),
            )),
            None => Ok(()),
        }
    }

    /// Gives those of the paths whose content HEAD does not have.
    pub(super) fn uncommitted_of<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let paths: BTreeSet<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let head = self.store.head_tree(Some(&paths))?;
        let is_swept = |path: &PathBuf| self.swept.contains(path);
        let is_lost = |path: &PathBuf| {
            let known = head.get(path).map(|entry| entry.oid);
            let entry = self.snapshot.entry(path);
            entry.is_some_and(|entry| Some(entry.oid) != known) && !is_swept(path)
        };
        Ok(paths.into_iter().filter(is_lost).collect())
    }

    /// Gives the reason why a file cannot be written over or removed.
    pub(super) fn uncommitted(&self, path: &Path) -> StoreError {
        match self.held_at([path.to_owned()]).unwrap_or_default().pop() {
            Some(held) => StoreError::Held(held),
            None => StoreError::Uncommitted {
                path: path.to_owned(),
            },
        }
    }

    /// The files at these paths that are held out of every commit.
    pub fn held_at(&self, paths: impl IntoIterator<Item = PathBuf>) -> Result<Vec<Held>, StoreError> {
        let scope: BTreeSet<PathBuf> = paths.into_iter().collect();
        let files = scope
            .iter()
            .filter_map(|path| Some((path.clone(), self.snapshot.entry(path)?)));
        let committed = self.store.head_tree(Some(&scope))?;
        let changes = difference(&files.collect(), &committed, Some(&scope), |_| false);
        let (_, held) = self
            .store
            .hold_back(changes, self.snapshot, &committed, self.tracked)?;
        Ok(held)
    }
}

/// Says whether a folder has no file, or what it has goes.
fn is_emptied(root: &Path, folder: &Path, going: &BTreeSet<&Path>) -> bool {
    let Ok(mut entries) = root.join(folder).read_dir() else {
        return false;
    };
    entries.all(|entry| {
        entry.is_ok_and(|entry| {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => is_emptied(root, &path, going),
                _ => going.contains(path.as_path()),
            }
        })
    })
}
