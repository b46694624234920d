//! Joins what several lines of history say of each file, at the merge that joins the lines.
//!
//! A file has the account of the line from which the merge took it. Where each line has another file at a path, the merge
//! tells: the content of a line that is there unchanged brings its account along; else the file that came to the path
//! last is there. No two files get one origin.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Oid, Timestamp};

use super::derived::{Derived, FoldedChange, FoldedCommit};
use super::file_history::{FileHistory, Origin};

/// One line of history, and the way from its end to the merge.
pub(super) struct Line {
    derived: Derived,
    /// The blob that the merge has at each path that it has otherwise, and the path from which the file came.
    now: BTreeMap<String, (Option<Oid>, Option<String>)>,
}

impl Line {
    pub(super) fn new(derived: Derived, changes: Vec<FoldedChange>) -> Self {
        let moved = changes.iter().filter_map(|change| change.renamed_from.clone());
        let mut now: BTreeMap<_, _> = moved.map(|from| (from, (None, None))).collect();
        for change in changes {
            now.insert(change.path, (change.new, change.renamed_from));
        }
        Self { derived, now }
    }

    /// The blob that the merge has at a path.
    fn blob(&self, path: &str) -> Option<Oid> {
        let there = || self.derived.file(path).and_then(FileHistory::head_blob);
        self.now.get(path).map_or_else(there, |(blob, _)| *blob)
    }

    /// The file that this line has at a path.
    fn known(&self, path: &str) -> Option<Known<'_>> {
        let from = self.now.get(path).and_then(|(_, from)| from.as_deref());
        let account = self.derived.file(from.unwrap_or(path))?;
        Some(Known {
            account,
            is_same: account.head_blob().is_some() && account.head_blob() == self.blob(path),
            from,
        })
    }
}

/// A file of a line, as the candidate for a path of the merge.
struct Known<'l> {
    account: &'l FileHistory,
    /// Tells whether the merge has its content.
    is_same: bool,
    /// The path that it has on the line, where that is another one.
    from: Option<&'l str>,
}

impl Known<'_> {
    /// The greatest is the one that the merge has.
    fn rank(&self) -> (bool, bool, bool, u32, &Origin) {
        let Self {
            account,
            is_same,
            from,
        } = self;
        (
            account.present,
            *is_same,
            from.is_none(),
            account.placed,
            &account.origin,
        )
    }
}

impl Derived {
    /// The state after a merge of these lines. `text_changed` compares two blobs of one file.
    pub(super) fn join<E>(
        commit: &FoldedCommit,
        mut lines: Vec<Line>,
        text_changed: &mut impl FnMut(Oid, Oid) -> Result<bool, E>,
    ) -> Result<Self, E> {
        let mut joined = lines[0].derived.clone();
        let mut paths: BTreeSet<String> = BTreeSet::new();
        for line in &lines {
            let differing = joined.files.differing(&line.derived.files).into_iter();
            paths.extend(differing.map(str::to_owned));
            paths.extend(line.now.keys().cloned());
        }
        for line in &mut lines {
            joined.take_in(&mut line.derived);
        }
        joined.begin(commit);
        let mut claims: BTreeMap<Origin, Vec<(String, FileHistory)>> = BTreeMap::new();
        for path in paths {
            joined.files.remove(&path);
            if let Some(account) = joined.account(&path, &lines, commit.time, text_changed)? {
                let same = claims.entry(account.origin.clone()).or_default();
                same.push((path, account));
            }
        }
        for claims in claims.into_values() {
            joined.settle(claims);
        }
        Ok(joined)
    }

    /// Adds the activities of another line, and what was moved away there.
    fn take_in(&mut self, other: &mut Self) {
        self.length = self.length.max(other.length);
        self.activities.append(&mut other.activities);
        #[expect(
            clippy::stable_sort_primitive,
            reason = "it joins two ascending runs in one pass"
        )]
        self.activities.sort();
        self.activities.dedup();
        for (first, last) in &other.left {
            let known = self.left.entry(first.clone()).or_default();
            *known = (*known).max(*last);
        }
    }

    /// The account of the file that the merge has at a path, or of the one that was there.
    fn account<E>(
        &mut self,
        path: &str,
        lines: &[Line],
        time: Timestamp,
        text_changed: &mut impl FnMut(Oid, Oid) -> Result<bool, E>,
    ) -> Result<Option<FileHistory>, E> {
        let known: Vec<Known<'_>> = lines.iter().filter_map(|line| line.known(path)).collect();
        let chosen = known.iter().max_by_key(|known| known.rank());
        let Some(blob) = lines[0].blob(path) else {
            let mut file = chosen.map(|chosen| chosen.account.clone());
            if let Some(file) = &mut file {
                file.present = false;
            }
            return Ok(file);
        };
        let Some(chosen) = chosen else {
            return Ok(Some(FileHistory::new(self.next(path, blob), time, self.length)));
        };
        // The text is as old as on the line that had it first.
        let mut updated = None;
        for Known { account, .. } in known.iter().filter(|known| known.account.present) {
            if account.blob == blob.0 || !text_changed(Oid(account.blob), blob)? {
                updated = updated.into_iter().chain([account.updated()]).min();
            }
        }
        let mut file = chosen.account.clone();
        file.change(blob, updated.or(Some(time)));
        if let Some(from) = chosen.from {
            self.leave(from, &mut file);
        }
        Ok(Some(file))
    }

    /// Of several files with one origin the one that moved last keeps it. Another one that is there becomes a file that
    /// appeared here; another one that is gone is forgotten.
    fn settle(&mut self, mut claims: Vec<(String, FileHistory)>) {
        // The order of equal ones, by path, stays.
        claims.sort_by_key(|(_, file)| std::cmp::Reverse((file.present, file.placed)));
        for (at, (path, mut file)) in claims.into_iter().enumerate() {
            if at > 0 {
                if !file.present {
                    continue;
                }
                file.origin = self.next(&path, Oid(file.blob));
            }
            self.files.insert(&path, file);
        }
    }
}
