//! What becomes of the files of a store without a change: each with its reason where it stays.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, Entry, Mode, trailer};
use crate::merge::{Blob, Content, Contents, Files, Step, take_back};
use crate::model::{CLAUDE_INDEX, Oid, StorePath};
use crate::store::{
    Change, Description, FORGOTTEN, LeftOut, MAX_FILE, MassDeletion, Snapshot, Store, StoreError, Tree,
    difference,
};
use crate::sys::{self, FailureKind, shown_path};

use super::change::{ChangedFile, Transaction};
use super::forget::{ForgottenChange, write_lines};
use super::restore::{held as forgotten_of, index_without_forgotten};
use super::undo::Undone;
use super::{Context, ServiceError};

/// A change that may be taken back: a commit, or what is not committed yet.
pub(super) struct Candidate {
    commit: Option<Oid>,
    subject: String,
    is_move: bool,
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
            is_move: commit.message.trailer(trailer::OP) == Some("move"),
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
            is_move: false,
            parent: head,
            before,
            after,
        }))
    }

    /// Plans to take the change back. A file that is there and cannot be read is left, and so are one that is `new` and one
    /// that is held out of every commit. A forgetting and a move are taken back whole, or not at all.
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
        let lines = ForgottenChange::of(&blobs.of(was)?, &blobs.of(became)?);
        let is_new = |path: &Path| format!("{} is new, and new files stay", shown_path(path));
        let mut left = BTreeMap::new();
        for path in new {
            now.remove(path);
            after.remove(path);
            if changed.contains(path) {
                left.insert(path.clone(), is_new(path));
            }
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
        if lines.is_empty() {
            let old = changed
                .iter()
                .filter_map(|path| Some((path.clone(), Some(*before.get(path)?))));
            let held = forgotten_of(store, self.parent, &old.collect::<Vec<_>>(), snapshot)?;
            away.extend(held.iter().filter_map(|(path, _)| Some(before.get(path)?.oid)));
        }
        let held: BTreeMap<PathBuf, String> = store
            .held(snapshot)?
            .into_iter()
            .map(|held| {
                let why = format!("{} is not committed: {}", shown_path(&held.path), held.describe());
                (held.path, why)
            })
            .collect();
        let is_away = |oid| away.contains(&oid);
        let forgotten_since = |path: &Path| format!("{} was forgotten for good since then", shown_path(path));
        let refused = |step: &Step<'_>| -> Result<Option<String>, StoreError> {
            for path in [step.now, step.goal()].into_iter().flatten() {
                if let Some(why) = held.get(path) {
                    return Ok(Some(why.clone()));
                }
                if new.contains(path) {
                    return Ok(Some(is_new(path)));
                }
                if unseen.contains(path) {
                    return Ok(Some(changed_since(store, path)));
                }
            }
            match &step.then {
                Some((path, Content::Blob(blob))) if is_away(blob.oid) => Ok(Some(forgotten_since(path))),
                Some((path, Content::Bytes { bytes, .. })) => {
                    let known = before.get(*path).or(present.get(*path)).map(|entry| entry.oid);
                    match store.check_no_new_credential(path, bytes, known) {
                        Err(StoreError::Held(held)) => Ok(Some(format!(
                            "without the change, {} would be held back: {}",
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
        for (path, refused) in back.stays {
            let is_away = || before.get(&path).is_some_and(|entry| is_away(entry.oid));
            let why = match (held.get(&path), refused) {
                (Some(why), _) => why.clone(),
                (None, Some(why)) => why,
                (None, None) if !present.contains_key(&path) && is_away() => forgotten_since(&path),
                (None, None) => changed_since(store, &path),
            };
            left.entry(path).or_insert(why);
        }
        let mut forgotten = lines.is_left(&store.forgotten()?).then_some(lines);
        if let (Some(_), Some(why)) = (&forgotten, held.get(Path::new(FORGOTTEN))) {
            left.insert(FORGOTTEN.into(), why.clone());
        }
        if !left.is_empty() && (forgotten.take().is_some() || self.is_move) {
            back.changes.clear();
        }
        left.extend(back.mixed.into_iter().map(|path| {
            let why = format!("lines of {} were changed again since then", shown_path(&path));
            (path, why)
        }));
        let index = Path::new(CLAUDE_INDEX);
        if let (None, Some(Some(content))) = (&forgotten, back.changes.get(index)) {
            let bytes = match content {
                Content::Blob(blob) => blobs.bytes(blob.oid)?,
                Content::Bytes { bytes, .. } => bytes.clone(),
            };
            if let Some((_, lost)) = index_without_forgotten(store, self.parent, &bytes, snapshot, &[])? {
                back.changes.remove(index);
                left.extend(lost.into_iter().map(|path| {
                    let why = forgotten_since(&path);
                    (path, why)
                }));
            }
        }
        let gone = back.changes.iter().filter(|(_, content)| content.is_none());
        let promoted = gone.filter_map(|(path, _)| {
            let memory = &snapshot.file(&StorePath::new(path.to_str()?).ok()?)?.memory;
            let file = memory.promoted.as_ref()?;
            let why = format!(
                "its text is still in {file} (`mdmem promote --undo {}`)",
                memory.id
            );
            Some((PathBuf::from(file), why))
        });
        left.extend(promoted.collect::<Vec<_>>());
        Ok(Plan {
            undone: Undone {
                commit: self.commit,
                subject: self.subject,
                files: Vec::new(),
                left: left
                    .into_iter()
                    .map(|(path, why)| LeftOut { path, why })
                    .collect(),
            },
            changes: back.changes,
            forgotten,
        })
    }
}

impl Plan {
    /// Says whether nothing would be taken back.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.forgotten.is_none()
    }

    /// The error where everything is left.
    pub(super) fn or_impossible(self) -> Result<Self, ServiceError> {
        if !self.is_empty() {
            return Ok(self);
        }
        let mut left: Vec<&str> = self.undone.left.iter().map(|left| left.why.as_str()).collect();
        // Both paths of a move may stay for one reason.
        left.dedup();
        Err(nothing_taken_back(
            &self.undone,
            match &*left.join("; ") {
                "" => "nothing is left of it",
                why => why,
            },
        ))
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
        let shown = with_moves(tx.shown());
        let mut moved = shown.iter().filter_map(|change| match change {
            Change::Renamed { from, .. } => StorePath::new(from.to_str()?).ok(),
            _ => None,
        });
        if let (None, Some(from), None) = (&self.forgotten, moved.next(), moved.next()) {
            // What else changes is the links to it.
            description = description.about(&from);
        }
        undone.files = shown.iter().map(ChangedFile::from).collect();
        Ok((undone, description))
    }
}

/// The changes, where a memory that goes and one of its name that comes are a move: one that also changed keys.
fn with_moves(changes: Vec<Change>) -> Vec<Change> {
    let (gone, mut others): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|change| matches!(change, Change::Removed(_)));
    for gone in gone {
        let is_it = |other: &&mut Change| {
            matches!(other, Change::Added(_)) && other.path().file_name() == gone.path().file_name()
        };
        match others.iter_mut().find(is_it) {
            Some(there) => {
                let (from, to) = (gone.path().to_owned(), there.path().to_owned());
                *there = Change::Renamed { from, to };
            }
            None => others.push(gone),
        }
    }
    others.sort_by(|a, b| a.path().cmp(b.path()));
    others
}

/// The error of a change of which nothing is taken back.
pub(super) fn nothing_taken_back(undone: &Undone, why: &str) -> ServiceError {
    let commit = undone.commit.map_or_else(String::new, Oid::short);
    ServiceError::said(
        format!("cannot undo {commit} ({}): {why}", undone.subject),
        format!(
            "Undo the later changes first (`mdmem log` lists them). `mdmem undo --past {commit}` skips this \
             change and undoes the one before it."
        ),
    )
}

/// The subject of a commit, without what looks like a credential: a person may have written it by hand.
pub(super) fn shown_subject(store: &Store, commit: &CommitInfo) -> String {
    store.redactor().redact_line(&commit.message.subject).into_owned()
}

/// The reason for a file of which somebody else made something since.
fn changed_since(store: &Store, path: &Path) -> String {
    match sys::read(store.root(), path, MAX_FILE) {
        Ok(_) => format!("{} was changed again since then", shown_path(path)),
        Err(error) if error.kind() == FailureKind::Missing => {
            format!("{} was removed or moved since then", shown_path(path))
        }
        Err(error) => error.to_string(),
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
