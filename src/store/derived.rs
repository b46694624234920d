//! The account that the history gives of each file: when and where it first appeared, its creation, the last change of
//! its text.
//!
//! The history is folded commit by commit, oldest first, so that a cached state is carried on by the commits that
//! came since. A file that was deleted is remembered: when it comes back under its path, it is the same file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::derived_id;
use crate::model::{Id, Oid, Timestamp};
use crate::text::folded_name;

/// The account that the history gives of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileHistory {
    /// The path under which it first appeared.
    first_path: String,
    /// The blob with which it first appeared.
    first_blob: [u8; 20],
    /// The blob that it has now, or had last.
    blob: [u8; 20],
    /// Committer time of its first commit, in milliseconds.
    created: i64,
    /// Committer time of the last commit that changed its text, in milliseconds.
    updated: i64,
    /// Its place in the order of first appearance.
    order: u32,
    /// Tells whether HEAD has it.
    present: bool,
    /// The last paths that it had before its present one, the oldest first.
    former: Vec<String>,
    /// The last blobs that it had before its present one, the oldest first, each with the time of its text.
    earlier: Vec<([u8; 20], i64)>,
}

/// The number of earlier blobs that are known of a file: an undo of one of them gives the text its age back.
const MOST_EARLIER: usize = 8;

/// The number of former paths that are known of a file.
const MOST_FORMER: usize = 16;

impl FileHistory {
    /// When it was first committed.
    pub(super) fn created(&self) -> Timestamp {
        Timestamp::from_millis(self.created)
    }

    /// When its text was last changed by a commit.
    pub(super) fn updated(&self) -> Timestamp {
        Timestamp::from_millis(self.updated)
    }

    /// The blob that HEAD has for it, if it has it.
    pub(super) fn head_blob(&self) -> Option<Oid> {
        self.present.then_some(Oid(self.blob))
    }

    /// Its place in the order of first appearance: of two copies with one id, the lesser keeps it.
    pub(super) fn order(&self) -> u32 {
        self.order
    }

    /// The last paths that it had before its present one, the oldest first.
    pub(super) fn former(&self) -> &[String] {
        &self.former
    }

    /// The time of the text of a blob that it had before.
    fn age_of(&self, blob: Oid) -> Option<Timestamp> {
        let known = self.earlier.iter().rfind(|(earlier, _)| *earlier == blob.0);
        known.map(|(_, updated)| Timestamp::from_millis(*updated))
    }

    fn leave(&mut self, path: &str) {
        self.former.retain(|former| former != path);
        self.former.push(path.to_owned());
        let more = self.former.len().saturating_sub(MOST_FORMER);
        self.former.drain(..more);
    }

    /// The id of a file that states none.
    pub(super) fn derived_id(&self) -> Id {
        derived_id(&self.first_path, Oid(self.first_blob))
    }
}

/// One commit, as the fold needs it.
#[derive(Debug, Clone)]
pub(super) struct FoldedCommit {
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

/// The folded history up to one commit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Derived {
    files: BTreeMap<String, FileHistory>,
    activities: Vec<i64>,
    appeared: u32,
}

impl Derived {
    /// Gives the account of a path.
    pub(super) fn file(&self, path: &str) -> Option<&FileHistory> {
        self.files.get(path)
    }

    /// The content of every file that left this path, or one that a disk takes for the same: its present content
    /// where it
    /// was moved away, its last one where it was removed.
    pub(super) fn left(&self, path: &str) -> impl Iterator<Item = Oid> {
        let wanted = folded_name(path);
        let left = move |(at, file): (&String, &FileHistory)| {
            let is_there = folded_name(at) == wanted;
            let was_there = || file.former.iter().any(|former| folded_name(former) == wanted);
            let has_left = if is_there { !file.present } else { was_there() };
            has_left.then_some(Oid(file.blob))
        };
        self.files.iter().filter_map(left)
    }

    /// The times of all commits that are activity, ascending.
    pub(super) fn activities(&self) -> Vec<Timestamp> {
        self.activities
            .iter()
            .copied()
            .map(Timestamp::from_millis)
            .collect()
    }

    /// Carries the state on by one commit. `text_changed` compares two blobs of one file.
    pub(super) fn fold<E>(
        &mut self,
        commit: &FoldedCommit,
        text_changed: &mut impl FnMut(&str, Oid, Oid) -> Result<bool, E>,
    ) -> Result<(), E> {
        if !commit.is_housekeeping {
            self.record_activity(commit.time.as_millis());
        }
        for change in &commit.changes {
            if let Some(from) = &change.renamed_from
                && let Some(mut file) = self.files.remove(from)
            {
                file.leave(from);
                self.files.insert(change.path.clone(), file);
            }
        }
        for change in &commit.changes {
            match (change.old, change.new) {
                (Some(old), Some(new)) if self.files.contains_key(&change.path) => {
                    let changed = old != new && text_changed(&change.path, old, new)?;
                    let earlier = commit
                        .is_undo
                        .then(|| self.files[&change.path].age_of(new))
                        .flatten();
                    let updated = earlier.or_else(|| changed.then_some(commit.time));
                    self.change(&change.path, new, updated);
                }
                (_, Some(new)) => self.appear(&change.path, new, commit.time),
                (_, None) => self.disappear(&change.path),
            }
        }
        Ok(())
    }

    /// Takes over the blob that a merge has at a path, if it is not the blob that was folded last: the blob of the
    /// other line, whose text is as old as `updated`, or nothing.
    pub(super) fn settle(&mut self, path: &str, blob: Option<Oid>, updated: Timestamp) {
        match blob {
            Some(blob) => {
                self.appear(path, blob, updated);
                self.change(path, blob, Some(updated));
            }
            None => self.disappear(path),
        }
    }

    fn record_activity(&mut self, millis: i64) {
        let place = self.activities.partition_point(|time| *time <= millis);
        self.activities.insert(place, millis);
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
        let file = FileHistory {
            first_path: path.to_owned(),
            first_blob: blob.0,
            blob: blob.0,
            created: time.as_millis(),
            updated: time.as_millis(),
            order: self.appeared,
            present: true,
            former: Vec::new(),
            earlier: Vec::new(),
        };
        self.appeared += 1;
        self.files.insert(path.to_owned(), file);
    }

    fn disappear(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            file.present = false;
        }
    }

    fn change(&mut self, path: &str, blob: Oid, text_changed_at: Option<Timestamp>) {
        if let Some(file) = self.files.get_mut(path) {
            if file.blob != blob.0 {
                file.earlier.push((file.blob, file.updated));
                let more = file.earlier.len().saturating_sub(MOST_EARLIER);
                file.earlier.drain(..more);
            }
            file.blob = blob.0;
            file.present = true;
            if let Some(time) = text_changed_at {
                file.updated = time.as_millis();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                .fold(commit, &mut |_, _, _| Ok::<_, std::convert::Infallible>(true))
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
        for number in 1..=MOST_FORMER + 4 {
            let renamed = format!("{} > {}", path(number - 1), path(number));
            commits.push(commit(1, &[(&renamed, Some(A), Some(A))]));
        }
        let derived = fold(&commits);
        let former = derived.file(&path(MOST_FORMER + 4)).unwrap().former();
        assert_eq!((former.len(), former[0].as_str()), (MOST_FORMER, "4.md"));
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
        assert!(derived.file("b.md").unwrap().order() < derived.file("a.md").unwrap().order());
        assert_ne!(
            derived.file("b.md").unwrap().derived_id(),
            derived.file("a.md").unwrap().derived_id()
        );
    }
}
