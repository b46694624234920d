//! Loading a store: every file, read or known from the cache, with what history says about it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::allowed::Allowed;
use super::cache::KnownFiles;
use super::contents::{FileRole, INDEX};
use super::history::History;
use super::reading::{Reading, StoredFile, from_bytes, read_file};
use super::snapshot::{Snapshot, tell_apart};
use super::{StoreError, cache, contents};
use crate::git::{GitError, Repo, hash_blob};
use crate::model::{Oid, StorePath, Timestamp};
use crate::policy::Rules;
use crate::sys::{FailureKind, FileStat, Scan, ScannedFile, SysError};
use crate::text::Redactor;
use crate::{document, sys};

/// Over this share of files that had to be read, the cache is written anew: the cost stays in proportion to the change.
const REWRITE_SHARE: usize = 64;

/// So many commits, with the paths that they changed, are read anew by each process rather than that the history of ten
/// thousand files is written for each.
const FEW_STEPS: usize = 24;

/// The loaded part of a store: the files, and their history.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Others may read it while a writer changes it: the writer's first change makes a copy, which shares the memories.
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) history: Box<History>,
    /// The allowed values when the files were read.
    pub(super) allowed: Allowed,
    /// MEMORY.md as it was when it said what the files say; `None`: whether it does is not known.
    pub(super) index: Option<FileStat>,
    /// Temporary files that the scan found: the next writer looks for what a killed process left in them.
    pub(super) temporaries: Vec<PathBuf>,
}

impl Loaded {
    /// The files.
    pub const fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }
}

/// A history, and what is new in it.
type Followed = (History, Option<BTreeSet<String>>, usize);

/// A store's folder, as loading needs it.
#[derive(Clone)]
pub(super) struct Source<'a> {
    pub(super) root: &'a Path,
    pub(super) repo: &'a Repo,
    pub(super) rules: &'a Rules,
    pub(super) redactor: &'a Redactor,
    /// Values that look like a credential and are no secret.
    pub(super) allowed: Allowed,
    pub(super) now: Timestamp,
}

impl Source<'_> {
    /// The files as they are now.
    pub(super) fn load(&self) -> Result<Loaded, StoreError> {
        let begun = Instant::now();
        let (scan, (known, followed)) = scan_beside(self.root, || {
            let known = KnownFiles::read(self.root, self.rules, self.redactor);
            let followed = self.present_history(known.head);
            (known, followed)
        })?;
        let (mut known, (history, touched, steps)) = (known, followed?);
        let mut snapshot = Snapshot {
            problems: scan.problems,
            files: Vec::with_capacity(scan.files.len()),
            head: history.head(),
            ..Snapshot::default()
        };
        let mut read = Vec::new();
        for file in sys::each("reading memories", &scan.files) {
            let reading = known.take(file).unwrap_or_else(|| {
                read.extend(file.path.to_str());
                read_file(self, file)
            });
            snapshot.add(reading);
        }
        // The files come in the order of a scan, which is that of their paths.
        snapshot.sort_others();
        let mut stale = known.count - known.taken;
        self.fill_activities(&mut snapshot, &history);
        for file in &mut snapshot.files {
            let is_touched = |touched: &BTreeSet<String>| touched.contains(file.memory.path.as_str());
            let is_old = touched.as_ref().is_none_or(is_touched);
            if is_old || file.follows_now {
                let file = Arc::make_mut(file);
                self.fill_file(file, &history);
                stale += usize::from(is_old && !file.follows_now);
            }
        }
        tell_apart(&mut snapshot, &history);
        let read = read.into_iter();
        stale += read
            .filter(|path| cache::keeps(&snapshot, path, self.rules))
            .count();
        let is_stale = stale.saturating_mul(REWRITE_SHARE) > known.count.max(snapshot.files.len());
        let is_far = steps > FEW_STEPS;
        if is_stale || is_far && known.head != snapshot.head {
            cache::write_files(self.root, &snapshot, self.rules, self.redactor, begun);
        }
        if (is_stale || is_far) && snapshot.head.is_some() {
            cache::write_history(self.root, &history, self.rules);
        }
        Ok(Loaded {
            snapshot: Arc::new(snapshot),
            history: Box::new(history),
            allowed: self.allowed.clone(),
            index: None,
            temporaries: scan.temporaries,
        })
    }

    /// What the history up to HEAD says, the paths of which it says something else than up to a commit (`None`: perhaps of
    /// all), and the number of commits and paths that were looked at. If it is damaged, the files go without.
    fn present_history(&self, known: Option<Oid>) -> Result<Followed, StoreError> {
        let read = || match self.repo.head()?.tip() {
            Some(head) => {
                let mut history = self.known_history();
                let (is_from_there, before) = (history.head() == known, history.len());
                let touched = history.follow(self.repo, head)?;
                let paths = touched.as_ref().map_or(0, BTreeSet::len);
                let steps = history.len().abs_diff(before) + paths;
                let touched = if known == Some(head) {
                    Some(BTreeSet::new())
                } else {
                    touched.filter(|_| is_from_there)
                };
                Ok((history, touched, steps))
            }
            None => Ok((History::default(), known.is_none().then(BTreeSet::new), 0)),
        };
        match read() {
            Err(StoreError::Git(error @ GitError::Damaged { .. })) => {
                tracing::info!(%error, "the files are used without their history");
                Ok((History::default(), None, 0))
            }
            read => read,
        }
    }

    /// The files of one commit, with the history up to there. A file that `known` has with the same bytes is not read
    /// again.
    pub(super) fn load_commit(&self, commit: Oid, known: &Snapshot) -> Result<Snapshot, StoreError> {
        let stat = FileStat {
            mode: 0o100_644,
            ..FileStat::default()
        };
        let mut snapshot = Snapshot {
            head: Some(commit),
            ..Snapshot::default()
        };
        for file in self.repo.tree(commit)? {
            if !file.entry.mode.is_file() {
                continue;
            }
            if let FileRole::Memory(path) = contents::role_in(&file.path, self.rules) {
                let known = known.file(&path).filter(|known| known.blob == file.entry.oid);
                let file = match known {
                    Some(known) => StoredFile {
                        stat,
                        ..known.clone()
                    },
                    None => from_bytes(self, &path, &self.repo.blob(file.entry.oid)?, stat),
                };
                snapshot.files.push(Arc::new(file));
            }
        }
        snapshot.sort();
        let files = snapshot.files.iter();
        let files = files.map(|file| (file.memory.path.as_str(), file.blob));
        let history = self.history_at(commit, files)?;
        self.fill(&mut snapshot, &history);
        Ok(snapshot)
    }

    /// Reads some paths again, after something happened to them.
    pub(super) fn reload(&self, loaded: &mut Loaded, paths: &BTreeSet<PathBuf>) -> Result<(), StoreError> {
        if paths.is_empty() {
            // The snapshot stays the very one that it was: what somebody made of it still holds.
            return self.refill(loaded);
        }
        if paths.iter().any(|path| path != Path::new(INDEX)) {
            loaded.index = None;
        }
        let snapshot = Arc::make_mut(&mut loaded.snapshot);
        snapshot.forget(paths);
        for path in paths {
            let stat = match sys::stat(self.root, path) {
                Ok(Some(stat)) => stat,
                Ok(None) => continue,
                // Already something else again: a folder that came back, a link. That is no file, as in a scan.
                Err(error) if matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied) => continue,
                Err(error) => return Err(error.into()),
            };
            let file = ScannedFile {
                path: path.clone(),
                stat,
            };
            snapshot.put(read_file(self, &file));
        }
        self.refill(loaded)?;
        let snapshot = Arc::make_mut(&mut loaded.snapshot);
        self.fill_these(
            snapshot,
            &loaded.history,
            paths.iter().filter_map(|path| path.to_str()),
        );
        Ok(())
    }

    /// Says whether the bytes at a path are those that are loaded: the watch tells of a writer's own files too. What else
    /// decides about a file (an allowed value, HEAD's version beside a conflict) is not looked at.
    pub(super) fn is_as_loaded(&self, snapshot: &Snapshot, path: &Path) -> bool {
        let stat = match sys::stat(self.root, path) {
            Ok(stat) => stat,
            Err(error) if error.kind() == FailureKind::InTheWay => None,
            Err(_) => return false,
        };
        let known = path.to_str().and_then(|path| snapshot.place_of(path));
        let Some(known) = known.map(|place| &snapshot.files[place]) else {
            return stat.is_none() && !snapshot.tells_of(path);
        };
        // A change within a tick of the clock leaves the same stat.
        let has_same_bytes = || {
            let read = sys::read(self.root, path, contents::MAX_FILE);
            read.is_ok_and(|read| hash_blob(&read.bytes) == known.blob)
        };
        stat == Some(known.stat) && !known.has_conflict() && has_same_bytes()
    }

    /// Follows HEAD, and fills in what history says anew: of the files that the new commits touched, because a look at
    /// every file takes longer than a commit.
    pub(super) fn refill(&self, loaded: &mut Loaded) -> Result<(), StoreError> {
        match self.follow_head(loaded) {
            Err(StoreError::Git(error @ GitError::Damaged { .. })) => {
                tracing::info!(%error, "the files are used without their history");
                Arc::make_mut(&mut loaded.snapshot).head = None;
                Ok(())
            }
            followed => followed,
        }
    }

    fn follow_head(&self, loaded: &mut Loaded) -> Result<(), StoreError> {
        let Loaded {
            snapshot,
            history,
            index,
            ..
        } = loaded;
        let head = self.repo.head()?.tip();
        if snapshot.head == head {
            return Ok(());
        }
        let touched = if let Some(head) = head {
            history.follow(self.repo, head)?
        } else {
            **history = History::default();
            None
        };
        let snapshot = Arc::make_mut(snapshot);
        snapshot.head = head;
        *index = None;
        let Some(touched) = touched else {
            self.fill(snapshot, history);
            return Ok(());
        };
        self.fill_activities(snapshot, history);
        self.fill_these(snapshot, history, touched.iter().map(String::as_str));
        Ok(())
    }

    /// The history up to a commit that has these files.
    fn history_at<'f>(
        &self,
        commit: Oid,
        files: impl Iterator<Item = (&'f str, Oid)>,
    ) -> Result<History, StoreError> {
        let (mut history, tip) = (self.known_history(), self.repo.head()?.tip());
        match history.head() {
            Some(head) if tip != Some(commit) && self.repo.is_ancestor(commit, head)? => {
                history.until(self.repo, commit, files)
            }
            _ => {
                let before = history.len();
                let touched = history.follow(self.repo, commit)?;
                let steps = history.len().abs_diff(before) + touched.map_or(0, |touched| touched.len());
                if tip == Some(commit) && steps > FEW_STEPS {
                    cache::write_history(self.root, &history, self.rules);
                }
                Ok(history)
            }
        }
    }

    fn known_history(&self) -> History {
        cache::read_history(self.root, self.rules).unwrap_or_default()
    }

    fn fill(&self, snapshot: &mut Snapshot, history: &History) {
        self.fill_activities(snapshot, history);
        for file in &mut snapshot.files {
            self.fill_file(Arc::make_mut(file), history);
        }
        tell_apart(snapshot, history);
    }

    fn fill_activities(&self, snapshot: &mut Snapshot, history: &History) {
        snapshot.activities = history.activities();
        snapshot.activities.retain(|time| *time <= self.now);
    }

    /// Fills in what history says of the files at these paths.
    fn fill_these<'p>(
        &self,
        snapshot: &mut Snapshot,
        history: &History,
        paths: impl Iterator<Item = &'p str>,
    ) {
        for path in paths {
            if let Some(place) = snapshot.place_of(path) {
                self.fill_file(Arc::make_mut(&mut snapshot.files[place]), history);
            }
        }
        tell_apart(snapshot, history);
    }

    fn fill_file(&self, file: &mut StoredFile, history: &History) {
        file.fill(history, self.now, |path, old, new| {
            match (self.repo.blob(old), self.bytes_of(path, new)) {
                (Ok(old), Some(new)) => document::changes_text(&old, &new),
                _ => true,
            }
        });
    }

    /// The bytes of a blob, committed or still only in its file.
    fn bytes_of(&self, path: &StorePath, blob: Oid) -> Option<Vec<u8>> {
        let committed = self.repo.blob(blob).ok();
        committed.or_else(|| {
            sys::read(self.root, path.as_str(), contents::MAX_FILE)
                .ok()
                .map(|read| read.bytes)
        })
    }
}

/// Walks through a store on a thread of its own, which takes the longest of a load, beside other work.
fn scan_beside<T>(root: &Path, work: impl FnOnce() -> T) -> Result<(Scan, T), SysError> {
    std::thread::scope(|scope| {
        let scan = scope.spawn(|| sys::scan(root));
        let done = work();
        let scan = scan.join().expect("because a scan does not panic");
        Ok((scan?, done))
    })
}

impl Snapshot {
    fn add(&mut self, reading: Reading) {
        match reading {
            Reading::Memory(memory) => self.files.push(memory),
            Reading::Other(other, problems) => {
                self.others.push(other);
                self.problems.extend(problems);
            }
            Reading::Nothing => {}
        }
    }

    /// Adds one more to those that are sorted.
    fn put(&mut self, reading: Reading) {
        match reading {
            Reading::Memory(memory) => {
                let is_before = |file: &Arc<StoredFile>| file.memory.path < memory.memory.path;
                let place = self.files.partition_point(is_before);
                self.files.insert(place, memory);
            }
            other => {
                self.add(other);
                self.others.sort_by(|a, b| a.path.cmp(&b.path));
            }
        }
    }

    fn forget(&mut self, paths: &BTreeSet<PathBuf>) {
        let places = paths.iter().filter_map(|path| self.place_of(path.to_str()?));
        let places: BTreeSet<usize> = places.collect();
        if !places.is_empty() {
            let mut place = 0..;
            self.files
                .retain(|_| place.next().is_none_or(|place| !places.contains(&place)));
        }
        self.others.retain(|file| !paths.contains(&file.path));
        let shown: BTreeSet<String> = paths.iter().map(|path| sys::shown_path(path)).collect();
        self.problems.retain(|problem| !shown.contains(&problem.path));
    }

    fn sort(&mut self) {
        self.files.sort_by(|a, b| a.memory.path.cmp(&b.memory.path));
        self.sort_others();
    }

    fn sort_others(&mut self) {
        debug_assert!(self.files.is_sorted_by(|a, b| a.memory.path < b.memory.path));
        self.others.sort_by(|a, b| a.path.cmp(&b.path));
    }
}
