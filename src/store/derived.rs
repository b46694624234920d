//! The account that the history gives of each file: when and where it first appeared, its creation, the last change of
//! its text.
//!
//! An id that is derived at a commit depends on the commits before it alone, and not on the order in which they were folded: so
//! every machine that has a commit gives the same id to each of its files. A file that was deleted is remembered: when it
//! comes back under its path, it is the same file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Id, Oid, Timestamp};
use crate::text::folded_name;

use super::accounts::Accounts;
use super::file_history::{FileHistory, Origin};

/// One commit, as the fold needs it.
#[derive(Debug, Clone)]
pub(super) struct FoldedCommit {
    /// Its name.
    pub oid: Oid,
    /// Committer time.
    pub time: Timestamp,
    /// Tells whether it is the engine's own housekeeping (`Mdmem-Op: auto`), which is no activity.
    pub is_housekeeping: bool,
    /// Tells whether it takes another commit back: a text that returns is as old as it was.
    pub is_undo: bool,
    /// The files that it changed.
    pub changes: Vec<FoldedChange>,
}

/// One file that a commit changed.
#[derive(Debug, Clone, Default)]
pub(super) struct FoldedChange {
    /// Its path; of a removed file the one that it had.
    pub path: String,
    /// The path that it had before, when it was renamed.
    pub renamed_from: Option<String>,
    /// The blob before.
    pub old: Option<Oid>,
    /// The blob after.
    pub new: Option<Oid>,
}

/// The time of a commit, and the beginning of its name, by which commits of one time are told apart.
pub(super) type Activity = (i64, u32);

/// The folded history up to one commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Derived {
    /// The cache has them in parts of their own.
    #[serde(skip)]
    pub(super) files: Accounts,
    /// The commits that are activity, ascending.
    pub(super) activities: Vec<Activity>,
    /// The number of commits on the longest way to here.
    pub(super) length: u32,
    /// The files that left the path under which they first appeared: the path and the blob, and the number of the last
    /// of them.
    pub(super) left: BTreeMap<(String, [u8; 20]), u32>,
}

impl Derived {
    /// Gives the account of a path.
    pub(super) fn file(&self, path: &str) -> Option<&FileHistory> {
        self.files.get(path)
    }

    /// The id of the file at a path that states none; of one that was not committed yet, the one that a commit of this
    /// blob would give it.
    pub(super) fn id_of(&self, path: &str, blob: Oid) -> Id {
        match self.file(path) {
            Some(file) => file.derived_id(),
            None => self.next(path, blob).id(),
        }
    }

    /// The content of every file that left this path, or one that a disk takes for the same: its present content where it
    /// was moved away, its last one where it was removed.
    pub(super) fn left(&self, path: &str) -> impl Iterator<Item = Oid> {
        let wanted = folded_name(path);
        let left = move |(at, file): (&String, &FileHistory)| {
            let is_there = folded_name(at) == wanted;
            let was_there = || file.former().iter().any(|former| folded_name(former) == wanted);
            let has_left = if is_there { !file.present } else { was_there() };
            has_left.then_some(Oid(file.blob))
        };
        self.files.iter().filter_map(left)
    }

    /// The times of all commits that are activity, ascending.
    pub(super) fn activities(&self) -> Vec<Timestamp> {
        let times = self.activities.iter().map(|(time, _)| *time);
        times.map(Timestamp::from_millis).collect()
    }

    /// Carries the state on by one commit. `text_changed` compares two blobs of one file.
    pub(super) fn fold<E>(
        &mut self,
        commit: &FoldedCommit,
        text_changed: &mut impl FnMut(Oid, Oid) -> Result<bool, E>,
    ) -> Result<(), E> {
        self.begin(commit);
        for change in &commit.changes {
            if let Some(from) = &change.renamed_from
                && let Some(mut file) = self.files.remove(from)
            {
                self.leave(from, &mut file);
                self.files.insert(&change.path, file);
            }
        }
        for change in &commit.changes {
            let known = self.files.get_mut(&change.path);
            match (change.old, change.new, known) {
                (Some(old), Some(new), Some(file)) => {
                    let changed = old != new && text_changed(old, new)?;
                    let earlier = commit.is_undo.then(|| file.age_of(new)).flatten();
                    file.change(new, earlier.or_else(|| changed.then_some(commit.time)));
                }
                (_, Some(new), _) => self.appear(&change.path, new, commit.time),
                (_, None, Some(file)) => file.present = false,
                (_, None, None) => {}
            }
        }
        Ok(())
    }

    /// Counts a commit.
    pub(super) fn begin(&mut self, commit: &FoldedCommit) {
        self.length += 1;
        let [a, b, c, d, ..] = commit.oid.0;
        let activity = (commit.time.as_millis(), u32::from_be_bytes([a, b, c, d]));
        if let (false, Err(place)) = (commit.is_housekeeping, self.activities.binary_search(&activity)) {
            self.activities.insert(place, activity);
        }
    }

    /// Moves a file away from a path.
    pub(super) fn leave(&mut self, path: &str, file: &mut FileHistory) {
        file.leave(path, self.length);
        if file.origin.path == path {
            let first = (path.to_owned(), file.origin.blob);
            let last = self.left.entry(first).or_default();
            *last = file.origin.nth.max(*last);
        }
    }

    /// The origin of a new file: of those that appeared with this path and this blob, some may live elsewhere.
    pub(super) fn next(&self, path: &str, blob: Oid) -> Origin {
        let first = (path.to_owned(), blob.0);
        Origin {
            nth: self.left.get(&first).map_or(0, |last| last + 1),
            path: first.0,
            blob: blob.0,
        }
    }

    /// A path that the commit adds: the same file again when it was here before, else a new one.
    fn appear(&mut self, path: &str, blob: Oid, time: Timestamp) {
        if let Some(file) = self.files.get_mut(path) {
            file.present = true;
            if file.blob != blob.0 {
                file.blob = blob.0;
                file.updated = file.updated.max(time.as_millis());
            }
            return;
        }
        let file = FileHistory::new(self.next(path, blob), time, self.length);
        self.files.insert(path, file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{derived_id, nth_derived_id};

    const A: Oid = Oid([1; 20]);
    const B: Oid = Oid([2; 20]);

    fn commit(second: i64, changes: &[(&str, Option<Oid>, Option<Oid>)]) -> FoldedCommit {
        let changes = changes
            .iter()
            .map(|(path, old, new)| {
                let (renamed_from, path) = match path.split_once(" > ") {
                    Some((from, to)) => (Some(from.to_owned()), to),
                    None => (None, *path),
                };
                FoldedChange {
                    path: path.to_owned(),
                    renamed_from,
                    old: *old,
                    new: *new,
                }
            })
            .collect();
        FoldedCommit {
            oid: Oid([second.try_into().unwrap(); 20]),
            time: Timestamp::from_seconds(second),
            is_housekeeping: false,
            is_undo: false,
            changes,
        }
    }

    fn fold(commits: &[FoldedCommit]) -> Derived {
        let mut derived = Derived::default();
        for commit in commits {
            derived
                .fold(commit, &mut |_, _| Ok::<_, std::convert::Infallible>(true))
                .unwrap();
        }
        derived
    }

    #[test]
    fn a_rename_keeps_the_first_path_and_the_times() {
        let derived = fold(&[
            commit(1, &[("a.md", None, Some(A))]),
            commit(2, &[("a.md > b.md", Some(A), Some(A))]),
            commit(3, &[("b.md", Some(A), Some(B))]),
        ]);
        let file = derived.file("b.md").unwrap();
        assert_eq!(
            (file.created(), file.updated()),
            (Timestamp::from_seconds(1), Timestamp::from_seconds(3))
        );
        assert_eq!(file.derived_id(), derived_id("a.md", A));
        assert!(derived.file("a.md").is_none());
    }

    #[test]
    fn a_path_is_left_by_what_was_removed_or_moved_away() {
        let derived = fold(&[
            commit(1, &[("a.md", None, Some(A)), ("b.md", None, Some(B))]),
            commit(2, &[("a.md > c.md", Some(A), Some(A))]),
            commit(3, &[("c.md > d.md", Some(A), Some(A))]),
            commit(4, &[("b.md", Some(B), None)]),
        ]);
        let left = |path: &str| derived.left(path).collect::<Vec<_>>();
        for path in ["a.md", "A.md", "c.md"] {
            assert_eq!(left(path), [A], "{path}");
        }
        assert_eq!((left("b.md"), left("B.MD")), (vec![B], vec![B]));
        assert_eq!((left("d.md"), left("e.md")), (vec![], vec![]));
        let removed = fold(&[
            commit(1, &[("a.md", None, Some(A))]),
            commit(2, &[("a.md > c.md", Some(A), Some(A))]),
            commit(3, &[("c.md", Some(A), None)]),
        ]);
        assert_eq!(removed.left("a.md").collect::<Vec<_>>(), [A]);
    }

    #[test]
    fn a_rename_leaves_a_former_path_each_once_and_not_without_end() {
        let back_and_forth = [
            commit(1, &[("a.md", None, Some(A))]),
            commit(2, &[("a.md > b.md", Some(A), Some(A))]),
            commit(3, &[("b.md > a.md", Some(A), Some(A))]),
            commit(4, &[("a.md > c.md", Some(A), Some(A))]),
        ];
        assert_eq!(
            fold(&back_and_forth).file("c.md").unwrap().former(),
            ["b.md", "a.md"]
        );
        let path = |number: usize| format!("{number}.md");
        let mut commits = vec![commit(0, &[("0.md", None, Some(A))])];
        for number in 1..=16 + 4 {
            let renamed = format!("{} > {}", path(number - 1), path(number));
            commits.push(commit(1, &[(&renamed, Some(A), Some(A))]));
        }
        let derived = fold(&commits);
        let former = derived.file(&path(16 + 4)).unwrap().former();
        assert_eq!((former.len(), former[0].as_str()), (16, "4.md"));
    }

    #[test]
    fn a_file_that_comes_back_is_the_same_file() {
        let derived = fold(&[
            commit(1, &[("a.md", None, Some(A))]),
            commit(2, &[("a.md", Some(A), None)]),
            commit(3, &[("a.md", None, Some(A))]),
        ]);
        let file = derived.file("a.md").unwrap();
        assert_eq!(
            (file.created(), file.updated()),
            (Timestamp::from_seconds(1), Timestamp::from_seconds(1))
        );
        assert_eq!(file.head_blob(), Some(A));
    }

    #[test]
    fn an_undo_gives_a_text_its_age_back_and_a_redo_too() {
        let undo = |second, old, new| FoldedCommit {
            is_undo: true,
            ..commit(second, &[("a.md", Some(old), Some(new))])
        };
        let mut commits = vec![
            commit(1, &[("a.md", None, Some(A))]),
            commit(5, &[("a.md", Some(A), Some(B))]),
            undo(9, B, A),
        ];
        let updated = |commits: &[FoldedCommit]| fold(commits).file("a.md").unwrap().updated();
        assert_eq!(updated(&commits), Timestamp::from_seconds(1));
        commits.push(undo(10, A, B));
        assert_eq!(updated(&commits), Timestamp::from_seconds(5));
        // A person who types the old words again says them anew.
        commits.push(commit(11, &[("a.md", Some(B), Some(A))]));
        assert_eq!(updated(&commits), Timestamp::from_seconds(11));
    }

    #[test]
    fn housekeeping_is_no_activity_and_activities_ascend() {
        let mut auto = commit(5, &[]);
        auto.is_housekeeping = true;
        let derived = fold(&[commit(9, &[]), auto, commit(7, &[])]);
        assert_eq!(
            derived.activities(),
            [Timestamp::from_seconds(7), Timestamp::from_seconds(9)]
        );
    }

    #[test]
    fn of_two_copies_the_first_is_known() {
        let derived = fold(&[
            commit(1, &[("b.md", None, Some(A))]),
            commit(2, &[("a.md", None, Some(A))]),
        ]);
        assert!(derived.file("b.md").unwrap().order < derived.file("a.md").unwrap().order);
        assert_ne!(
            derived.file("b.md").unwrap().derived_id(),
            derived.file("a.md").unwrap().derived_id()
        );
    }

    #[test]
    fn what_is_said_again_where_a_file_moved_away_is_another_file() {
        let mut commits = vec![
            commit(1, &[("a.md", None, Some(A))]),
            commit(2, &[("a.md > b.md", Some(A), Some(A))]),
        ];
        let ids = |commits: &[FoldedCommit]| {
            let derived = fold(commits);
            ["a.md", "b.md", "c.md"].map(|path| Some(derived.file(path)?.derived_id()))
        };
        let again = |nth| Some(nth_derived_id("a.md", A, nth));
        assert_eq!(
            fold(&commits).id_of("a.md", A),
            again(1).unwrap(),
            "before its commit"
        );
        commits.push(commit(3, &[("a.md", None, Some(A))]));
        assert_eq!(ids(&commits), [again(1), again(0), None]);
        // It is removed and comes back; it moves on, and so once more.
        commits.push(commit(4, &[("a.md", Some(A), None)]));
        commits.push(commit(5, &[("a.md", None, Some(A))]));
        assert_eq!(ids(&commits), [again(1), again(0), None]);
        commits.push(commit(6, &[("a.md > c.md", Some(A), Some(A))]));
        commits.push(commit(7, &[("a.md", None, Some(A))]));
        assert_eq!(ids(&commits), [again(2), again(0), again(1)]);
        // The first one is moved back to where it was, after the last one was removed.
        commits.push(commit(8, &[("a.md", Some(A), None)]));
        commits.push(commit(9, &[("b.md > a.md", Some(A), Some(A))]));
        assert_eq!(ids(&commits), [again(0), None, again(1)]);
    }
}
