//! What git's history says of each file: when it was added, when its text changed, which paths it had before.
//!
//! A commit leaves an event at each path that it changed, and events stand in the order of their commits. So it makes no
//! difference when a line of history is folded, and a merge adds the events that are new. What is asked about a file is
//! read off its events. Ids are none of it: a file without an `id` is its path and what it says.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::document;
use crate::git::{Repo, Step, trailer};
use crate::model::{Oid, Timestamp};
use crate::text::folded_name;

use super::StoreError;
use super::cache::Zipped;
use super::contents::{self, FileRole};

/// The number of former paths that are known of a file.
const MOST_FORMER: usize = 16;

type Blob = [u8; 20];

/// The place of a commit in the history: its time in seconds, moved behind that of its parents where a clock was wrong,
/// and the beginning of its name.
type Order = (i64, u32);

/// The history up to a commit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct History {
    head: Option<Blob>,
    /// Sorted.
    commits: Vec<Commit>,
    /// In parts (see [`part`]), of which only those are unpacked that somebody asks for: a commit touches few.
    files: BTreeMap<u8, Zipped<BTreeMap<String, FileEvents>>>,
}

/// The part of the history in which a path is.
fn part(path: &str) -> u8 {
    path.bytes().fold(0, |sum: u8, byte| sum.wrapping_mul(31) ^ byte)
}

/// A commit that is part of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Commit {
    /// Committer time, in seconds.
    time: i64,
    /// The first four bytes of its name.
    name: u32,
    after: i64,
    /// False of the engine's own housekeeping (`Mdmem-Op: auto`).
    is_activity: bool,
}

/// The events at one path, in the order of their commits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct FileEvents {
    /// The blob that the head has there.
    blob: Option<Blob>,
    events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Event {
    order: Order,
    /// Committer time, in seconds.
    time: i64,
    what: What,
    /// The blob that the file has since.
    blob: Blob,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum What {
    /// It was moved to another path. Of two events of one commit this is the first.
    Left,
    /// It came from another path.
    Came(String),
    Added,
    /// Its text changed; `true` where a person saved or restored it.
    Text(bool),
    /// It changed, and says the same; `true` where a command edited it.
    Keys(bool),
    /// The commit took another one back; `true` where the text changed.
    TakenBack(bool),
}

/// What the history says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileHistory {
    /// The time of its first commit.
    pub(super) created: Timestamp,
    /// The time of the last commit that changed its text.
    pub(super) updated: Timestamp,
    /// The last paths that it had before its present one, the oldest first.
    pub(super) former: Vec<String>,
    /// Where its first commit stands.
    first: Order,
    blob: Blob,
    /// True where a person saved or restored its text last.
    pub(super) is_by_hand: bool,
    /// The blobs that it had, each with the time of its text, and whether a person saved it.
    earlier: Vec<(Blob, Timestamp, bool)>,
}

impl History {
    /// The commit up to which it goes.
    pub(super) fn head(&self) -> Option<Oid> {
        self.head.map(Oid)
    }

    /// The number of commits.
    pub(super) const fn len(&self) -> usize {
        self.commits.len()
    }

    fn at(&self, path: &str) -> Option<&FileEvents> {
        self.files.get(&part(path))?.get().get(path)
    }

    fn at_mut(&mut self, path: String) -> &mut FileEvents {
        let part = self.files.entry(part(&path)).or_default();
        part.get_mut().entry(path).or_default()
    }

    /// The blob that the head has at a path.
    pub(super) fn head_blob(&self, path: &str) -> Option<Oid> {
        self.at(path)?.blob.map(Oid)
    }

    /// What it says of the file at a path; `None` where no commit has had one.
    pub(super) fn file(&self, path: &str) -> Option<FileHistory> {
        let FileEvents { blob: head, events } = self.at(path)?;
        // Another line has a file where this one's was moved away.
        let stayed = || {
            let stayed = events.iter().filter(|event| event.what != What::Left);
            self.read(stayed)
        };
        let mut file = self.before(path, None).or_else(|| head.and_then(|_| stayed()))?;
        // A merge that took the other line's text: it is as old as there.
        if let Some(head) = head.filter(|head| *head != file.blob)
            && let Some((updated, is_by_hand)) = file.at(head)
        {
            (file.updated, file.is_by_hand) = (updated, is_by_hand);
        }
        Some(file)
    }

    /// Where the first commit of the file at a path stands among those of other files.
    pub(super) fn first(&self, path: &str) -> Option<impl Ord + use<>> {
        self.file(path).map(|file| file.first)
    }

    /// The content of every file that was removed from this path, or from one that a disk takes for the same, or moved
    /// away, as it was then.
    pub(super) fn left(&self, path: &str) -> impl Iterator<Item = Oid> {
        let wanted = folded_name(path);
        let files = self.files.values().flat_map(Zipped::get);
        let files = files.filter(move |(at, _)| folded_name(at) == wanted);
        files.flat_map(|(_, file)| {
            let is_left = |event: &&Event| event.what == What::Left;
            let moved = file.events.iter().filter(is_left);
            let last = file
                .events
                .last()
                .filter(|event| file.blob.is_none() && !is_left(event));
            moved.chain(last).map(|event| Oid(event.blob))
        })
    }

    /// The times of all commits that are activity, ascending.
    pub(super) fn activities(&self) -> Vec<Timestamp> {
        let active = self.commits.iter().filter(|commit| commit.is_activity);
        active
            .map(|commit| Timestamp::from_seconds(commit.time))
            .collect()
    }

    /// Goes on to another commit, and gives the paths of which it says something else since; `None`: perhaps of all. A
    /// commit that does not descend from the head has the history walked anew.
    pub(super) fn follow(&mut self, repo: &Repo, head: Oid) -> Result<Option<BTreeSet<String>>, StoreError> {
        let walk = repo.walk(head, self.head())?;
        let starts_over = walk.starts_over();
        if starts_over {
            *self = Self::default();
        }
        let mut is_one_line = !starts_over;
        let mut touched = BTreeSet::new();
        let mut places = HashMap::new();
        let mut commits = Vec::new();
        for step in walk {
            let step = step?;
            let commit = self.place(repo, &step, &places)?;
            places.insert(step.commit.oid, commit.after);
            is_one_line &= !step.commit.is_merge();
            commits.push(commit);
            self.take(repo, &step, (commit.after, commit.name), &mut touched);
        }
        self.commits.append(&mut commits);
        self.commits.sort();
        for change in repo.changes_between(self.head(), head)? {
            if let Some(path) = memory_at(&change.path) {
                let blob = change.new.map(|entry| entry.oid.0);
                self.at_mut(path.clone()).blob = blob;
                touched.insert(path);
            }
        }
        self.head = Some(head.0);
        // Another line may tell more of what a path left before it was moved.
        Ok(is_one_line.then_some(touched))
    }

    /// The history up to a commit before the head. `files` are those that the commit has.
    pub(super) fn until<'f>(
        &self,
        repo: &Repo,
        commit: Oid,
        files: impl Iterator<Item = (&'f str, Oid)>,
    ) -> Result<Self, StoreError> {
        let mut known = BTreeSet::new();
        for before in repo.commits_beyond(commit, &[])? {
            known.insert(first_bytes(before));
        }
        let mut until = self.clone();
        until.head = Some(commit.0);
        until.commits.retain(|commit| known.contains(&commit.name));
        for file in until
            .files
            .values_mut()
            .flat_map(|part| part.get_mut().values_mut())
        {
            file.blob = None;
            file.events.retain(|event| known.contains(&event.order.1));
        }
        for (path, blob) in files {
            until.at_mut(path.to_owned()).blob = Some(blob.0);
        }
        Ok(until)
    }

    /// Where a commit stands, behind its parents. A parent that no walk has met (of a shallow clone) counts as nothing.
    fn place(&self, repo: &Repo, step: &Step, places: &HashMap<Oid, i64>) -> Result<Commit, StoreError> {
        let time = seconds(step.commit.time);
        let mut after = time;
        for parent in &step.commit.parents {
            let known = match places.get(parent) {
                Some(after) => Some(*after),
                None => self.known(*parent, seconds(repo.commit_info(*parent)?.time)),
            };
            after = after.max(known.map_or(after, |known| known + 1));
        }
        Ok(Commit {
            time,
            name: first_bytes(step.commit.oid),
            after,
            is_activity: step.commit.message.trailer(trailer::OP) != Some("auto"),
        })
    }

    fn known(&self, oid: Oid, time: i64) -> Option<i64> {
        let wanted = (time, first_bytes(oid));
        let found = self
            .commits
            .binary_search_by_key(&wanted, |commit| (commit.time, commit.name));
        found.ok().map(|place| self.commits[place].after)
    }

    /// Takes in the events of a commit.
    fn take(&mut self, repo: &Repo, step: &Step, order: Order, touched: &mut BTreeSet<String>) {
        let op = step.commit.message.trailer(trailer::OP);
        let time = seconds(step.commit.time);
        let mut add = |path: String, blob: Blob, what: What| {
            let event = Event {
                order,
                time,
                what,
                blob,
            };
            let events = &mut self.at_mut(path.clone()).events;
            if let Err(place) = events.binary_search(&event) {
                events.insert(place, event);
            }
            touched.insert(path);
        };
        for change in &step.changes {
            let (path, from) = (memory_at(&change.path), change.renamed_from.as_deref());
            let from = from.and_then(memory_at);
            let (old, new) = (change.old.map(|old| old.oid), change.new.map(|new| new.oid));
            if let (Some(from), Some(old)) = (&from, old) {
                add(from.clone(), old.0, What::Left);
            }
            let (Some(path), Some(new)) = (path, new) else {
                continue;
            };
            let is_moved = from.is_some();
            match (from, old) {
                (Some(from), Some(old)) => add(path.clone(), old.0, What::Came(from)),
                (None, Some(_)) if change.renamed_from.is_none() => {}
                _ => add(path.clone(), new.0, What::Added),
            }
            let Some(old) = old.filter(|old| *old != new && (is_moved || change.renamed_from.is_none()))
            else {
                continue;
            };
            // A move mends the links to what it moved, and changes no text beside that.
            let is_text = op != Some("move") && changes_text(repo, old, new);
            let what = match (op, is_text) {
                (Some("undo"), _) => What::TakenBack(is_text),
                (None | Some("save" | "restore"), true) => What::Text(true),
                (_, true) => What::Text(false),
                (op, false) => What::Keys(op == Some("edit")),
            };
            add(path, new.0, what);
        }
    }

    /// What is said of the file that was at a path before a commit; `None` for the commit: of the one that is there now.
    fn before(&self, path: &str, until: Option<Order>) -> Option<FileHistory> {
        let events = &self.at(path)?.events;
        let end = until.map_or(events.len(), |until| {
            events.partition_point(|event| event.order < until)
        });
        // What came before a move tells of another file.
        let is_move = |event: &Event| matches!(event.what, What::Left | What::Came(_));
        let begin = events[..end].iter().rposition(is_move).unwrap_or(0);
        self.read(events[begin..end].iter())
    }

    fn read<'e>(&self, events: impl Iterator<Item = &'e Event>) -> Option<FileHistory> {
        let mut file: Option<FileHistory> = None;
        for event in events {
            let time = Timestamp::from_seconds(event.time);
            match (&event.what, &mut file) {
                (What::Left, _) => file = None,
                (What::Came(from), _) => {
                    let mut moved = self.before(from, Some(event.order));
                    if let Some(moved) = &mut moved {
                        moved.former.retain(|former| former != from);
                        moved.former.push(from.clone());
                        let more = moved.former.len().saturating_sub(MOST_FORMER);
                        moved.former.drain(..more);
                    }
                    file = Some(moved.unwrap_or_else(|| FileHistory::new(event)));
                }
                (_, None) => file = Some(FileHistory::new(event)),
                // It was removed, and comes back.
                (What::Added, Some(file)) if file.blob == event.blob => {}
                (What::Added, Some(file)) => file.change(event.blob, (file.updated.max(time), false)),
                (What::Text(is_by_hand), Some(file)) => file.change(event.blob, (time, *is_by_hand)),
                (What::Keys(is_edit), Some(file)) => {
                    let is_by_hand = file.is_by_hand && !is_edit;
                    file.change(event.blob, (file.updated, is_by_hand));
                }
                (What::TakenBack(is_text), Some(file)) => {
                    let now = if *is_text { time } else { file.updated };
                    let text = file.at(event.blob).unwrap_or((now, file.is_by_hand));
                    file.change(event.blob, text);
                }
            }
        }
        file
    }
}

impl FileHistory {
    fn new(event: &Event) -> Self {
        let time = Timestamp::from_seconds(event.time);
        Self {
            created: time,
            updated: time,
            former: Vec::new(),
            first: event.order,
            blob: event.blob,
            is_by_hand: false,
            earlier: Vec::new(),
        }
    }

    /// The time of the text that it had with this blob, and whether a person saved it.
    fn at(&self, blob: Blob) -> Option<(Timestamp, bool)> {
        let found = self.earlier.iter().rfind(|(earlier, ..)| *earlier == blob);
        found.map(|(_, updated, is_by_hand)| (*updated, *is_by_hand))
    }

    fn change(&mut self, blob: Blob, (updated, is_by_hand): (Timestamp, bool)) {
        self.earlier.push((self.blob, self.updated, self.is_by_hand));
        (self.blob, self.updated, self.is_by_hand) = (blob, updated, is_by_hand);
    }
}

/// Content that is lost to the history counts as another one.
fn changes_text(repo: &Repo, old: Oid, new: Oid) -> bool {
    match (repo.blob(old), repo.blob(new)) {
        (Ok(old), Ok(new)) => document::changes_text(&old, &new),
        _ => true,
    }
}

fn seconds(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(1000)
}

fn first_bytes(oid: Oid) -> u32 {
    let [a, b, c, d, ..] = oid.0;
    u32::from_be_bytes([a, b, c, d])
}

fn memory_at(path: &Path) -> Option<String> {
    match contents::role(path) {
        FileRole::Memory(path) => Some(path.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
