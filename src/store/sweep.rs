//! Committing what changed in the work tree, whoever changed it.
//!
//! The few keys that the engine sets in a file which a person has just saved, in the same commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::contents::is_seen;
use super::difference::{Change, Description, Tree, difference, is_most};
use super::writer::{CommitOutcome, Writer};
use super::{Held, Snapshot, Store, StoreError, contents, held};
use crate::document::{Key, KeyEdit, Value};
use crate::git::{GitError, Obstacle, trailer};
use crate::model::{CLAUDE_FOLDER, Id, Memory, Oid, Source, StorePath};
use crate::policy::restated_strength;
use crate::{document, sys};

/// The way in which many missing files are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MassDeletion {
    /// More than 10 files and more than half of the store: not committed, but asked about.
    #[default]
    Ask,
    /// A person said that they are meant to be gone.
    Confirmed,
}

/// The result of a sweep, or the plan of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sweep {
    /// The changes from HEAD that are committed, or would be.
    pub changes: Vec<Change>,
    /// The commit, if one was made.
    pub commit: Option<CommitOutcome>,
    /// Missing files that were not taken as deleted, because they are too many.
    pub withheld: Vec<PathBuf>,
    /// Paths that somebody has staged by hand and that are left alone for a while.
    pub staged: Vec<PathBuf>,
    /// Files that are not committed, each with its cause. Those of a change that is not finished are not among them.
    pub held: Vec<Held>,
}

impl Sweep {
    /// The obstacle that keeps the commit from being made.
    pub fn obstacle(&self) -> Option<&Obstacle> {
        match &self.commit {
            Some(CommitOutcome::Deferred(obstacle)) => Some(obstacle),
            _ => None,
        }
    }
}

impl Store {
    /// Plans a sweep of the files as they were loaded, without a lock and without writing anything.
    pub fn pending(&self, files: &Snapshot, mass_deletion: MassDeletion) -> Result<Sweep, StoreError> {
        self.sweep_of(files, None, mass_deletion)
    }

    /// A sweep of these paths; of all where there is no scope.
    fn sweep_of(
        &self,
        snapshot: &Snapshot,
        scope: Option<&BTreeSet<PathBuf>>,
        mass_deletion: MassDeletion,
    ) -> Result<Sweep, StoreError> {
        let files = snapshot.tree_of(scope);
        let head = self.head_tree(scope)?;
        let index = std::cell::OnceCell::new();
        let is_sparse = |path: &Path| {
            // Read once, and only when something is missing; an index that cannot be read counts as yes.
            index
                .get_or_init(|| self.repo.index().ok())
                .as_ref()
                .is_none_or(|index| index.is_sparse(path))
        };
        let is_kept = |path: &Path| self.is_something_there(path) || is_sparse(path);
        let changes = difference(&files, &head, scope, is_kept);
        let changes = self.leave_out_half_seen(changes, snapshot);
        let (changes, staged) = self.leave_out_staged(changes)?;
        let (mut changes, mut left_out) = self.hold_back(changes, snapshot, &head, &BTreeSet::new())?;
        left_out.retain(|held| !held.is_unfinished());
        let mut withheld = Vec::new();
        if mass_deletion == MassDeletion::Ask && self.is_mass_deletion(&changes)? {
            let removed = changes.extract_if(.., |change| matches!(change, Change::Removed(_)));
            withheld.extend(removed.map(|change| change.path().to_owned()));
        }
        Ok(Sweep {
            changes,
            commit: None,
            withheld,
            staged,
            held: left_out,
        })
    }

    /// Says whether a path that the scan did not show is there all the same: behind a link, in a repository of its own,
    /// too large, unreadable, or under a name that the file system takes for the same (by case, or NFC and NFD). A file
    /// that cannot be seen is not deleted.
    pub fn is_something_there(&self, path: &Path) -> bool {
        if let Ok(there) = sys::stat(self.root(), path) {
            return there.is_some();
        }
        // A file in the place of one of its folders leaves no room for it.
        let is_file = |folder: &Path| {
            let there = self.root().join(folder).symlink_metadata();
            there.is_ok_and(|there| there.is_file())
        };
        !path.ancestors().skip(1).any(is_file)
    }

    /// Says whether a file of this name is there, for a path that no snapshot has: nobody can read it, it is too large, or
    /// the file system takes the name for that of another file.
    pub fn is_unseen(&self, path: &Path) -> bool {
        matches!(sys::stat(self.root(), path), Ok(Some(_)))
    }

    fn is_mass_deletion(&self, changes: &[Change]) -> Result<bool, StoreError> {
        // Of a few paths it is cheap to see that they cannot be too many; only then is the whole tree read.
        let removed = changes
            .iter()
            .filter(|change| matches!(change, Change::Removed(_)))
            .count();
        Ok(is_most(removed, removed) && is_most(removed, self.head_tree(None)?.len()))
    }

    /// HEAD's files: all of them, or those of `scope`. Hidden ones are not among them.
    pub(super) fn head_tree(&self, scope: Option<&BTreeSet<PathBuf>>) -> Result<Tree, StoreError> {
        let mut tree = self.whole_head_tree(scope)?;
        tree.retain(|path, _| is_seen(path));
        Ok(tree)
    }

    /// The same with the hidden ones.
    pub(super) fn whole_head_tree(&self, scope: Option<&BTreeSet<PathBuf>>) -> Result<Tree, StoreError> {
        let Some(head) = self.repo.head()?.tip() else {
            return Ok(Tree::new());
        };
        let mut tree = self.repo.entries(head, scope)?;
        tree.retain(|_, entry| entry.mode.is_file());
        Ok(tree)
    }

    /// Without the removals below a folder that went away while its files were loaded: the others below it are gone too,
    /// and whoever looks next sees how many they are in all.
    fn leave_out_half_seen(&self, changes: Vec<Change>, snapshot: &Snapshot) -> Vec<Change> {
        let mut half_seen = BTreeMap::new();
        let mut is_half_seen = |folder: PathBuf| {
            // A file may have come in the place of the folder.
            let is_below = |folder: &Path| {
                let mut paths = snapshot.committable().map(|(path, _)| path);
                paths.any(|path| path.starts_with(folder) && path != folder)
            };
            *half_seen
                .entry(folder)
                .or_insert_with_key(|folder| is_below(folder))
        };
        let mut is_whole = |change: &Change| match change {
            Change::Removed(path) => !self.gone_folder(path).is_some_and(&mut is_half_seen),
            _ => true,
        };
        changes.into_iter().filter(|change| is_whole(change)).collect()
    }

    /// The highest folder above a path that is not there.
    fn gone_folder(&self, path: &Path) -> Option<PathBuf> {
        let folders = path.ancestors().skip(1);
        let is_gone = |folder: &&Path| !self.root().join(folder).is_dir();
        folders.take_while(is_gone).last().map(Path::to_owned)
    }

    fn leave_out_staged(&self, changes: Vec<Change>) -> Result<(Vec<Change>, Vec<PathBuf>), StoreError> {
        // While git is in the middle of something nothing is committed, and that is what is told.
        let is_busy = || {
            Ok::<_, StoreError>(
                self.repo
                    .obstacle(self.now())?
                    .is_some_and(|it| !it.is_momentary()),
            )
        };
        if changes.is_empty() || is_busy()? {
            return Ok((changes, Vec::new()));
        }
        let staged = match held::left_alone(self, &changes) {
            // Nothing is known of the index, and nothing is committed while that is so.
            Err(StoreError::Git(GitError::Blocked(_))) => BTreeSet::new(),
            staged => staged?,
        };
        let kept = |change: &Change| change.touched().into_iter().all(|path| !staged.contains(path));
        let (kept, left): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(kept);
        Ok((kept, left.iter().map(|change| change.path().to_owned()).collect()))
    }
}

impl Writer<'_> {
    /// Commits everything that differs from HEAD.
    pub fn sweep(&mut self, mass_deletion: MassDeletion) -> Result<Sweep, StoreError> {
        let base = self.store.repo.head()?.tip();
        self.sweep_scope(None, mass_deletion, base)
    }

    /// Commits what differs from HEAD at these paths, after reading them again.
    pub fn absorb(&mut self, paths: &BTreeSet<PathBuf>) -> Result<Sweep, StoreError> {
        let base = self.store.repo.head()?.tip();
        let paths = self.with_files_below(paths)?;
        let source = self.store.source_with(self.loaded.allowed.clone());
        let is_changed = |path: &&PathBuf| !source.is_as_loaded(&self.loaded.snapshot, path);
        let changed: BTreeSet<PathBuf> = paths.iter().filter(is_changed).cloned().collect();
        source.reload(&mut self.loaded, &changed)?;
        self.sweep_scope(Some(&paths), MassDeletion::Ask, base)
    }

    /// Commits these paths although git ignores them; from then on each is a tracked file like others.
    pub fn track(&mut self, paths: &[&str], description: &Description) -> Result<CommitOutcome, StoreError> {
        self.tracked.extend(paths.iter().map(PathBuf::from));
        self.commit_saved(paths, description)
    }

    /// Commits what a person has just saved at these paths by a command of ours, and sets what a save asks for.
    pub fn commit_saved(
        &mut self,
        paths: &[&str],
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        let scope = paths.iter().map(PathBuf::from).collect();
        let (changes, _) = self.difference(Some(&scope))?;
        let mut lifted = None;
        if self.obstacle()?.is_none() {
            self.follow_up(&changes)?;
            lifted = self.lift_what_is_written(&changes)?;
        }
        let paths = paths.iter().map(Path::new);
        self.commit(paths.chain(lifted.as_ref().map(Change::path)), description)
    }

    /// A folder that was removed or renamed away stands for every file below it that is loaded or that HEAD has:
    /// somebody may have loaded the files since the folder went.
    fn with_files_below(&self, paths: &BTreeSet<PathBuf>) -> Result<BTreeSet<PathBuf>, StoreError> {
        let snapshot = &self.loaded.snapshot;
        let is_file = |path: &Path| matches!(sys::stat(self.store.root(), path), Ok(Some(_)));
        let folders: BTreeSet<&Path> = paths
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| snapshot.entry(path).is_none() && !is_file(path))
            .collect();
        let mut all = paths.clone();
        if !folders.is_empty() {
            let mut known = snapshot.tree();
            known.append(&mut self.store.head_tree(None)?);
            let is_below = |file: &PathBuf| {
                let mut above = file.ancestors().skip(1);
                above.any(|folder| folders.contains(folder))
            };
            all.extend(known.into_keys().filter(is_below));
        }
        Ok(all)
    }

    fn sweep_scope(
        &mut self,
        scope: Option<&BTreeSet<PathBuf>>,
        mass_deletion: MassDeletion,
        base: Option<Oid>,
    ) -> Result<Sweep, StoreError> {
        let mut sweep = self.store.sweep_of(&self.loaded.snapshot, scope, mass_deletion)?;
        if sweep.changes.is_empty() {
            return Ok(sweep);
        }
        for change in &sweep.changes {
            if let Change::Renamed { from, to } = change {
                self.carry_allowances(from, to)?;
            }
        }
        if self.obstacle()?.is_none() {
            self.follow_up(&sweep.changes)?;
            let lifted = self.lift_what_is_written(&sweep.changes)?;
            sweep.changes.extend(lifted);
        }
        let mut description = Description::saves();
        if sweep
            .changes
            .iter()
            .all(|change| change.path().starts_with(CLAUDE_FOLDER))
        {
            description = description.with(trailer::SOURCE, Source::Agent.as_str());
        }
        sweep.commit = Some(self.commit_changes(&sweep.changes, &description, base)?);
        Ok(sweep)
    }

    /// The changes from HEAD that can be committed, and the files that are held.
    pub(super) fn difference(
        &self,
        scope: Option<&BTreeSet<PathBuf>>,
    ) -> Result<(Vec<Change>, Vec<Held>), StoreError> {
        let files = self.loaded.snapshot.tree_of(scope);
        let head = self.store.head_tree(scope)?;
        let changes = difference(&files, &head, scope, |_| false);
        self.store
            .hold_back(changes, &self.loaded.snapshot, &head, &self.tracked)
    }
}

impl Writer<'_> {
    /// Sets what a save asks for. A file that cannot be changed (`readonly`, broken YAML, saved again meanwhile) is
    /// committed as it is.
    pub(super) fn follow_up(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let mut written: Vec<PathBuf> = Vec::new();
        for change in changes {
            let Some((path, edit)) = self.edit_after(change)? else {
                continue;
            };
            let as_it_was = self.loaded.snapshot.file(&path).map(|file| file.blob);
            let decide = |bytes: &[u8]| {
                // Saved again since: the next sweep decides about that.
                let is_as_it_was = Some(crate::git::hash_blob(bytes)) == as_it_was;
                is_as_it_was.then(|| edit.clone()).into_iter().collect()
            };
            match self.store.edit_file(&path, decide) {
                Ok(()) => written.push(change.path().to_owned()),
                Err(StoreError::Edit { .. } | StoreError::Contended { .. } | StoreError::Gone { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.reload(written)
    }

    /// A stated strength that is what the keys before the save gave follows the keys after it.
    fn edit_after(&self, change: &Change) -> Result<Option<(StorePath, KeyEdit)>, StoreError> {
        let (before, now) = match change {
            Change::Renamed { from, to } => (from, to),
            Change::Edited(path) => (path, path),
            Change::Added(_) | Change::Removed(_) => return Ok(None),
        };
        let path = now.to_str().and_then(|text| StorePath::new(text).ok());
        let Some(file) = path.as_ref().and_then(|path| self.loaded.snapshot.file(path)) else {
            return Ok(None);
        };
        let memory = &file.stated.put_into(file.memory.clone());
        if memory.strength.is_none() || memory.readonly || !file.is_readable {
            return Ok(None);
        }
        let Some(before) = self.memory_in_head(before)? else {
            return Ok(None);
        };
        let restated = restated_strength(&before, memory, self.store.rules());
        let edit = restated.map(|strength| KeyEdit::Set(Key::Strength, Value::Number(strength)));
        Ok(edit.map(|edit| (memory.path.clone(), edit)))
    }

    pub(super) fn memory_in_head(&self, path: &Path) -> Result<Option<Memory>, StoreError> {
        let repo = &self.store.repo;
        let Some(head) = repo.head()?.tip() else {
            return Ok(None);
        };
        let Some(entry) = repo.entry_at(head, path)?.filter(|entry| entry.mode.is_file()) else {
            return Ok(None);
        };
        let Some(path) = path.to_str().and_then(|text| StorePath::new(text).ok()) else {
            return Ok(None);
        };
        let kind = contents::folder_kind(&path, self.store.rules());
        let unstated = || Id::parse("unstated").expect("because it is one word");
        Ok(Some(
            document::parse(&path, &repo.blob(entry.oid)?, kind.as_ref(), unstated).memory,
        ))
    }
}
