//! What becomes of the files of a store without a change: each with its reason where it stays.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::git::{CommitInfo, DiffLineKind, Entry, Mode, line_diff};
use crate::merge::{Blob, Content, Contents, Files, Mixed, Stays, Step, take_back};
use crate::model::Oid;
use crate::store::{
    Change, Description, FORGOTTEN, Held, MAX_FILE, MassDeletion, Snapshot, Store, StoreError, Tree,
    difference,
};
use crate::sys::{self, FailureKind, shown_path};

use super::change::{ChangedFile, Transaction};
use super::forget::{ForgottenChange, write_lines};
use super::restore::held as forgotten_of;
use super::undo::Undone;
use super::{Context, ServiceError};

/// The reason where a change has nothing left to take back.
const AS_BEFORE: &str = "its files are as they were before it";

/// Lines of a file that were changed again after the change that is taken back, and are left as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftLines {
    /// The file.
    #[serde(serialize_with = "sys::lossy")]
    pub path: PathBuf,
    /// Their first and last numbers in the file as the undo leaves it, from 1. Where lines were removed, it is the line
    /// after them.
    pub lines: Vec<[usize; 2]>,
}

impl fmt::Display for LeftLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.lines.iter().map(|[first, last]| match last - first {
            0 => format!("line {first}"),
            _ => format!("lines {first} to {last}"),
        });
        let named = named.collect::<Vec<_>>().join(", ");
        let is_one = matches!(self.lines[..], [[first, last]] if first == last);
        let verb = if is_one { "was" } else { "were" };
        let path = shown_path(&self.path);
        write!(f, "{named} of {path} {verb} changed again since")
    }
}

/// A change that may be taken back: a commit, or what is not committed yet.
pub(super) struct Candidate {
    commit: Option<Oid>,
    subject: String,
    parent: Oid,
    before: Tree,
    after: Tree,
}

/// What becomes of the files without a change.
pub(super) struct Plan {
    changes: BTreeMap<PathBuf, Option<Content>>,
    /// The change that was made to `forgotten`, where some of that is left.
    pub(super) forgotten: Option<ForgottenChange>,
    pub(super) undone: Undone,
}

impl Candidate {
    /// A commit; `None` where mdmem sees no file that it changed.
    pub(super) fn of(store: &Store, commit: &CommitInfo) -> Result<Option<Self>, ServiceError> {
        let Some(parent) = commit.parents.first().copied() else {
            return Ok(None);
        };
        let (before, after) = (store.files_of(parent)?, store.files_of(commit.oid)?);
        Ok((before != after).then(|| Self {
            commit: Some(commit.oid),
            subject: shown_subject(store, commit),
            parent,
            before,
            after,
        }))
    }

    /// The saves that an undo would commit first, where there are any.
    pub(super) fn saves(store: &Store, head: Oid, now: &Snapshot) -> Result<Option<Self>, ServiceError> {
        let saved = store.pending(now, MassDeletion::Ask)?.changes;
        let (before, now) = (store.files_of(head)?, now.tree());
        let mut after = before.clone();
        for path in saved.iter().flat_map(Change::touched) {
            match now.get(path) {
                Some(entry) => after.insert(path.to_owned(), *entry),
                None => after.remove(path),
            };
        }
        Ok((!saved.is_empty()).then(|| Self {
            commit: None,
            subject: Description::saves().message(&saved, store.redactor()).subject,
            parent: head,
            before,
            after,
        }))
    }

    /// Plans to take the change back. A file that is there and cannot be read is left, and so are one that is `new` and one
    /// that is held out of every commit.
    pub(super) fn plan(
        self,
        store: &Store,
        snapshot: &Snapshot,
        new: &BTreeSet<PathBuf>,
    ) -> Result<Plan, ServiceError> {
        let Self {
            mut before,
            mut after,
            ..
        } = self;
        let present = snapshot.tree();
        let mut now = present.clone();
        let blobs = Blobs::new(store, &present);
        let changed: BTreeSet<PathBuf> = difference(&after, &before, None, |_| false)
            .iter()
            .flat_map(Change::touched)
            .map(Path::to_owned)
            .collect();
        let [was, became] = [&mut before, &mut after].map(|tree| tree.remove(Path::new(FORGOTTEN)));
        now.remove(Path::new(FORGOTTEN));
        let [was, became] = [blobs.of(was)?, blobs.of(became)?];
        let mut forgotten = Some(ForgottenChange::of(&was, &became)).filter(|change| !change.is_empty());
        let is_unforgetting = forgotten.is_some();
        let present_lines = store.forgotten()?;
        forgotten = forgotten.filter(|change| change.is_left(&present_lines));
        let mut reasons: BTreeMap<PathBuf, String> = BTreeMap::new();
        for path in changed.iter().filter(|path| new.contains(*path)) {
            reasons.insert(path.clone(), format!("{} is new", shown_path(path)));
        }
        let mut forgotten_stays = None;
        if !reasons.is_empty() && forgotten.take().is_some() {
            forgotten_stays = Some(format!("{FORGOTTEN} belongs to new files, which stay"));
        }
        for path in new {
            now.remove(path);
            after.remove(path);
        }
        let mut unseen = BTreeSet::new();
        for path in &changed {
            if !present.contains_key(path) && store.is_unseen(path) {
                // It stands for itself, so that its memory does not come back elsewhere.
                now.extend(after.get(path).map(|entry| (path.clone(), *entry)));
                unseen.insert(path.as_path());
            }
        }
        // A memory that was forgotten since stays away; an undo of the forgetting itself lifts it.
        let mut away = BTreeSet::new();
        if !is_unforgetting {
            let old = changed
                .iter()
                .filter_map(|path| Some((path.clone(), Some(*before.get(path)?))));
            let held = forgotten_of(store, self.parent, &old.collect::<Vec<_>>(), snapshot)?;
            away.extend(held.iter().filter_map(|(path, _)| Some(before.get(path)?.oid)));
        }
        let held: BTreeMap<PathBuf, Held> = store
            .held(snapshot)?
            .into_iter()
            .map(|held| (held.path.clone(), held))
            .collect();
        let refused = |step: &Step<'_>| -> Result<Option<String>, StoreError> {
            for path in [step.now, step.goal()].into_iter().flatten() {
                if let Some(held) = held.get(path) {
                    return Ok(Some(not_committed(held)));
                }
                if new.contains(path) {
                    return Ok(Some(format!("{} is new", shown_path(path))));
                }
                if unseen.contains(path) {
                    return Ok(Some(why_gone(store, path)));
                }
            }
            match &step.then {
                Some((path, Content::Blob(blob))) if away.contains(&blob.oid) => {
                    Ok(Some(forgotten_since(path)))
                }
                Some((path, Content::Bytes { bytes, .. })) => {
                    let known = before.get(*path).or(present.get(*path)).map(|entry| entry.oid);
                    match store.check_no_new_credential(path, bytes, known) {
                        Err(StoreError::Held(held)) => Ok(Some(format!(
                            "{} would be held without the change: {}",
                            shown_path(path),
                            held.describe()
                        ))),
                        checked => checked.map(|()| None),
                    }
                }
                _ => Ok(None),
            }
        };
        let trees = [&before, &after, &now].map(merge_files);
        let mut back = take_back(trees.each_ref(), &blobs, refused)?;
        if let Some(held) = held.get(Path::new(FORGOTTEN))
            && forgotten.take().is_some()
        {
            // A memory comes back together with its line, or not at all.
            let why = not_committed(held);
            for path in std::mem::take(&mut back.changes).into_keys() {
                let stays = format!("{} stays, because {why}", shown_path(&path));
                back.stays.insert(path, Stays::Refused(stays));
            }
            back.mixed.clear();
            forgotten_stays = Some(why);
        }
        for (path, stays) in &back.stays {
            let shown = shown_path(path);
            let why = match (held.get(path), stays) {
                (Some(held), _) => not_committed(held),
                (None, Stays::Refused(why)) => why.clone(),
                (None, Stays::Changed) => format!("{shown} was changed again since"),
                (None, Stays::Gone) if before.get(path).is_some_and(|entry| away.contains(&entry.oid)) => {
                    forgotten_since(path)
                }
                (None, Stays::Gone) if present.contains_key(path) => {
                    format!("{shown} holds another memory since")
                }
                (None, Stays::Gone) => why_gone(store, path),
                (None, Stays::Moved(to)) => format!("{shown} was moved to {} since", shown_path(to)),
                (None, Stays::Taken) => format!("{shown} holds another memory since"),
            };
            reasons.entry(path.clone()).or_insert(why);
        }
        let mut undone = Undone {
            commit: self.commit,
            subject: self.subject,
            left: reasons.keys().map(|path| shown_path(path)).collect(),
            why_left: reasons.into_values().collect(),
            left_lines: back.mixed.iter().map(LeftLines::of).collect(),
            ..Undone::default()
        };
        if let Some(why) = forgotten_stays {
            undone.left.push(FORGOTTEN.into());
            undone.why_left.push(why);
        }
        let lines = undone.left_lines.iter().map(ToString::to_string);
        undone.why_left.extend(lines);
        let plan = Plan {
            changes: back.changes,
            forgotten,
            undone,
        };
        Ok(plan)
    }
}

impl Plan {
    /// Says whether nothing would be taken back.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.forgotten.is_none()
    }

    pub(super) fn commit(&self) -> Oid {
        self.undone.commit.unwrap_or(Oid([0; 20]))
    }

    /// The error where everything is left.
    pub(super) fn impossible(&self) -> ServiceError {
        let why = match self.undone.why_left.join("; ") {
            none if none.is_empty() => AS_BEFORE.to_owned(),
            why => why,
        };
        nothing_taken_back(self.commit(), &self.undone.subject, &why)
    }

    /// Takes the change back.
    pub(super) fn write(
        self,
        context: &Context,
        tx: &mut Transaction<'_>,
        mut description: Description,
    ) -> Result<(Undone, Description), ServiceError> {
        tx.bring([]);
        let count = self.changes.len() + 1;
        for (path, content) in self.changes {
            match content {
                None => tx.bring([(path, None)]),
                Some(Content::Blob(Blob { oid, mode })) => {
                    let mode = Mode::from_raw(mode);
                    tx.bring([(path, Some(Entry { oid, mode }))]);
                }
                Some(Content::Bytes { bytes, mode }) => tx.put(&path, bytes, Mode::from_raw(mode)),
            }
        }
        if let Some(change) = &self.forgotten {
            let (lines, now) = (tx.store.forgotten()?, tx.store.now());
            let back = change.taken_back(&lines, now, || context.ids.token(now));
            write_lines(tx, &lines, &back)?;
            description = description.unnamed(format!("{count} files"));
        }
        let mut undone = self.undone;
        undone.files = tx.shown().iter().map(ChangedFile::from).collect();
        Ok((undone, description))
    }
}

/// The error of a change of which nothing is taken back.
pub(super) fn nothing_taken_back(commit: Oid, subject: &str, why: &str) -> ServiceError {
    let commit = commit.short();
    ServiceError::said(
        format!("nothing of {commit} ({subject}) can be taken back: {why}"),
        format!(
            "Mend that, then `mdmem undo {commit}`; `mdmem undo --past {commit}` leaves it and takes back the change before it."
        ),
    )
}

/// The subject of a commit, without what looks like a credential: a person may have written it by hand.
pub(super) fn shown_subject(store: &Store, commit: &CommitInfo) -> String {
    store.redactor().redact_line(&commit.message.subject).into_owned()
}

/// The reason for a file that no commit takes.
fn not_committed(held: &Held) -> String {
    format!("{} is not committed: {}", shown_path(&held.path), held.describe())
}

fn forgotten_since(path: &Path) -> String {
    format!("{} was forgotten for good since", shown_path(path))
}

/// The reason for a file that the store does not have.
fn why_gone(store: &Store, path: &Path) -> String {
    match sys::read(store.root(), path, MAX_FILE) {
        Err(error) if error.kind() != FailureKind::Missing => error.to_string(),
        Err(_) => format!("{} was removed or moved since", shown_path(path)),
        Ok(_) => format!("{} was changed again since", shown_path(path)),
    }
}

/// The files of a tree, as a merge sees them.
pub(super) fn merge_files(tree: &Tree) -> Files {
    let blob = |entry: &Entry| Blob {
        oid: entry.oid,
        mode: entry.mode.as_raw(),
    };
    tree.iter()
        .map(|(path, entry)| (path.clone(), blob(entry)))
        .collect()
}

/// Committed blobs, and saves that are not committed yet.
pub(super) struct Blobs<'a> {
    store: &'a Store,
    saved: HashMap<Oid, &'a Path>,
}

impl<'a> Blobs<'a> {
    pub(super) fn new(store: &'a Store, present: &'a Tree) -> Self {
        let saved = present
            .iter()
            .map(|(path, entry)| (entry.oid, path.as_path()))
            .collect();
        Self { store, saved }
    }

    fn of(&self, entry: Option<Entry>) -> Result<Vec<u8>, StoreError> {
        entry.map_or_else(|| Ok(Vec::new()), |entry| self.bytes(entry.oid))
    }
}

impl Contents for Blobs<'_> {
    type Error = StoreError;

    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, StoreError> {
        match (self.store.repo().blob(oid), self.saved.get(&oid)) {
            (Err(_), Some(path)) => Ok(sys::read(self.store.root(), path, MAX_FILE)?.bytes),
            (read, _) => Ok(read?),
        }
    }
}

impl LeftLines {
    /// The lines in which a text differs from what it would be with them as they were before.
    fn of(mixed: &Mixed) -> Self {
        let mut lines: Vec<[usize; 2]> = Vec::new();
        let (mut at, mut is_open) = (1, false);
        for line in line_diff(mixed.text.as_bytes(), mixed.before.as_bytes()).unwrap_or_default() {
            match (line.kind, lines.last_mut()) {
                (DiffLineKind::Hunk, _) => at = first_line(&line.text).unwrap_or(at),
                (DiffLineKind::Removed, Some(open)) if is_open => open[1] = at,
                (DiffLineKind::Removed | DiffLineKind::Added, _) if !is_open => lines.push([at, at]),
                _ => {}
            }
            if line.kind != DiffLineKind::Unended {
                is_open = matches!(line.kind, DiffLineKind::Removed | DiffLineKind::Added);
            }
            at += usize::from(matches!(line.kind, DiffLineKind::Removed | DiffLineKind::Kept));
        }
        let path = mixed.path.clone();
        Self { path, lines }
    }
}

/// The number of the first line of a group of changes, by its header `@@ -3,2 +3,2 @@`.
fn first_line(header: &str) -> Option<usize> {
    let numbers = header.strip_prefix("@@ -")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit())?;
    numbers[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_by_their_numbers() {
        let numbers: Vec<String> = (1..=30).map(|n| n.to_string()).collect();
        let text = numbers.join("\n") + "\n";
        let before = text
            .replace("\n5\n", "\nfive\n")
            .replace("\n7\n8\n", "\n")
            .replace("\n20\n", "\n20\nnew\n");
        let path = PathBuf::from("decision/a.md");
        let left = LeftLines::of(&Mixed { path, text, before });
        assert_eq!(left.lines, [[5, 5], [7, 8], [21, 21]]);
        assert_eq!(
            left.to_string(),
            "line 5, lines 7 to 8, line 21 of decision/a.md were changed again since"
        );
    }
}
