//! The judge of merges: what each must have kept of both sides, told from the commits alone, by no code of mdmem's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use git2::{ObjectType, Oid, TreeWalkMode, TreeWalkResult};
use serde_yaml::{Mapping, Value};

/// The keys that the engine writes by itself: a deletion does not yield to them.
const ENGINES: [&str; 7] = [
    "id",
    "reinforcement",
    "reinforced",
    "session",
    "clock",
    "created",
    "updated",
];
/// The most siblings of a memory; of more the rest is in history alone.
const MOST_SIBLINGS: usize = 3;

/// The files of a commit.
pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A memory that states its id, and that no other file of its tree shares it with.
struct Known {
    path: PathBuf,
    bytes: Vec<u8>,
    keys: Mapping,
    body: String,
}

/// The part of both sides that a merge did not keep.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Faults {
    /// Lines that a side had written, and that are nowhere in the tree.
    pub(super) lost: Vec<String>,
    /// Changes of one side alone that were not kept.
    pub(super) reverted: Vec<String>,
    /// Files with markers, and files that cannot be read.
    pub(super) broken: Vec<String>,
}

impl Faults {
    pub(super) fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.reverted.is_empty() && self.broken.is_empty()
    }
}

/// The frontmatter without its marks, and the text, both as they are typed.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

/// A file that mdmem reads as a memory.
pub(super) fn is_memory(path: &Path) -> bool {
    let others = ["PROTOCOL.md", "README.md", "MEMORY.md", "CONFLICTS.md"];
    path.extension().is_some_and(|end| end == "md") && !others.iter().any(|name| path == Path::new(name))
}

/// A merge: the commits before it and its tree.
pub(super) struct Merge {
    pub(super) parents: [Oid; 2],
    pub(super) bases: Vec<Oid>,
    pub(super) commit: Oid,
}

/// The merges of a history, oldest first.
pub(super) fn merges(repo: &git2::Repository) -> Vec<Merge> {
    let mut walk = repo.revwalk().unwrap();
    walk.push_head().unwrap();
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)
        .unwrap();
    let commits = walk.map(|oid| repo.find_commit(oid.unwrap()).unwrap());
    let merges = commits.filter(|commit| commit.parent_count() == 2);
    merges
        .map(|commit| {
            let parents = [commit.parent_id(0).unwrap(), commit.parent_id(1).unwrap()];
            let bases = repo.merge_bases(parents[0], parents[1]);
            Merge {
                parents,
                bases: bases.map_or_else(|_| Vec::new(), |bases| bases.iter().copied().collect()),
                commit: commit.id(),
            }
        })
        .collect()
}

/// The files of a commit.
pub(super) fn files(repo: &git2::Repository, commit: Oid) -> Files {
    let mut files = Files::new();
    let tree = repo.find_commit(commit).unwrap().tree().unwrap();
    let walk = |folder: &str, entry: &git2::TreeEntry<'_>| {
        if entry.kind() == Some(ObjectType::Blob) {
            let path = Path::new(folder).join(entry.name().unwrap());
            files.insert(path, repo.find_blob(entry.id()).unwrap().content().to_vec());
        }
        TreeWalkResult::Ok
    };
    tree.walk(TreeWalkMode::PreOrder, walk).unwrap();
    files
}

/// Judges what a merge of two sides became.
pub(super) fn judge(base: &Files, sides: [&Files; 2], merged: &Files) -> Faults {
    let mut faults = Faults::default();
    lost(base, sides, merged, &mut faults.lost);
    reverted(base, sides, merged, &mut faults.reverted);
    let before: Vec<String> = [base, sides[0], sides[1]].into_iter().flat_map(broken).collect();
    faults.broken = broken(merged);
    faults.broken.retain(|fault| !before.contains(fault));
    faults
}

/// Files that no reader can read: with markers, with a frontmatter that is no YAML or says a key twice, and settings
/// that are no TOML. Ids of two files too.
fn broken(files: &Files) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    for (path, bytes) in files {
        let shown = path.display();
        let text = String::from_utf8_lossy(bytes);
        if path == Path::new("mdmem.toml") && text.parse::<toml_edit::DocumentMut>().is_err() {
            faults.push(format!("{shown}: no TOML"));
        }
        if ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| text.lines().any(|line| line.starts_with(mark)))
        {
            faults.push(format!("{shown}: markers"));
        }
        if !is_memory(path) {
            continue;
        }
        let Some(front) = split(&text).0 else { continue };
        match serde_yaml::from_str::<Option<Mapping>>(front) {
            Err(error) => faults.push(format!("{shown}: {error}")),
            Ok(keys) => {
                let keys = keys.unwrap_or_default();
                if let Some(id) = keys.get("id").and_then(Value::as_str)
                    && !ids.insert(id.to_owned())
                {
                    faults.push(format!("{id}: the id of two files"));
                }
            }
        }
    }
    faults
}

/// The lines of every text.
fn lines(files: &Files) -> BTreeSet<&str> {
    let texts = files.iter().filter(|(path, _)| is_memory(path));
    let texts = texts.filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok());
    let lines = texts.flat_map(|text| split(text).1.lines());
    lines.map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Nobody can have meant to remove a line that only the other side knows.
fn lost(base: &Files, sides: [&Files; 2], merged: &Files, faults: &mut Vec<String>) {
    let (before, after) = (lines(base), lines(merged));
    for side in sides {
        for (path, bytes) in side.iter().filter(|(path, _)| is_memory(path)) {
            let text = String::from_utf8_lossy(bytes);
            let is_lost = |line: &&str| !line.is_empty() && !before.contains(line) && !after.contains(line);
            let mut gone = split(&text).1.lines().map(str::trim).filter(is_lost).peekable();
            if gone.peek().is_some() && !has_all_siblings(merged, path) && !is_forgotten(merged, &text) {
                faults.push(format!(
                    "{}: {}",
                    path.display(),
                    gone.collect::<Vec<_>>().join(" / ")
                ));
            }
        }
    }
}

/// Says whether a memory, or the one whose sibling it is, has as many siblings as there may be.
fn has_all_siblings(files: &Files, path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let stem = name.split(".conflict-").next().unwrap();
    let is_one = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(&format!("{stem}.conflict-"))
    };
    files.keys().filter(is_one).count() >= MOST_SIBLINGS
}

/// Says whether the user said of a memory, by its id, that it shall be forgotten.
fn is_forgotten(files: &Files, text: &str) -> bool {
    let Some(lines) = files.get(Path::new("forgotten")) else {
        return false;
    };
    let lines = String::from_utf8_lossy(lines);
    let front = split(text).0.unwrap_or_default();
    let id = front.lines().find_map(|line| {
        let line = line
            .strip_prefix("conflict_of:")
            .or_else(|| line.strip_prefix("id:"));
        line.map(str::trim)
    });
    id.is_some_and(|id| lines.contains(id))
}

/// The memories of a tree by id.
fn known(files: &Files) -> BTreeMap<String, Known> {
    let mut known: BTreeMap<String, Option<Known>> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| is_memory(path)) {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let (front, body) = split(&text);
        let keys = front.and_then(|front| serde_yaml::from_str::<Option<Mapping>>(front).ok()?);
        let keys = keys.unwrap_or_default();
        if let Some(id) = keys.get("id").and_then(Value::as_str).map(str::to_owned) {
            let file = Known {
                path: path.clone(),
                bytes: bytes.clone(),
                keys,
                body: body.to_owned(),
            };
            known
                .entry(id)
                .and_modify(|other| *other = None)
                .or_insert(Some(file));
        }
    }
    let known = known.into_iter();
    known.filter_map(|(id, file)| Some((id, file?))).collect()
}

/// A change that only one side made must be in the merged tree.
fn reverted(base: &Files, sides: [&Files; 2], merged: &Files, faults: &mut Vec<String>) {
    let (before, after) = (known(base), known(merged));
    let of_sides = sides.map(known);
    for (ours, theirs) in [(0, 1), (1, 0)] {
        for (id, before) in &before {
            let (one, other) = (of_sides[ours].get(id), of_sides[theirs].get(id));
            let now = after.get(id);
            let mut fault = |what: &str| faults.push(format!("{id} ({}): {what}", before.path.display()));
            match (one, other, now) {
                (None, Some(other), Some(_)) if is_as_before(before, other) && !is_in(sides[ours], id) => {
                    fault("deleted by one side alone, and there");
                }
                (None, Some(other), None)
                    if is_changed_by_somebody(before, other)
                        && !is_in(sides[ours], id)
                        && !is_in_forgotten(merged, id) =>
                {
                    fault("changed by one side, and gone");
                }
                (Some(_), Some(_), None) if !is_in(merged, id) && !is_in_forgotten(merged, id) => {
                    fault("on both sides, and gone");
                }
                (Some(one), Some(other), Some(now)) => {
                    for what in one_sided(before, one, other, now) {
                        fault(&what);
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_in_forgotten(files: &Files, id: &str) -> bool {
    is_forgotten(files, &format!("---\nid: {id}\n---\n"))
}

/// Says whether any file states the id, perhaps several.
fn is_in(files: &Files, id: &str) -> bool {
    let line = format!("id: {id}");
    let mut texts = files.values().map(|bytes| String::from_utf8_lossy(bytes));
    texts.any(|text| text.lines().any(|other| other.trim_end() == line))
}

fn is_as_before(before: &Known, now: &Known) -> bool {
    before.path == now.path && before.bytes == now.bytes
}

fn is_changed_by_somebody(before: &Known, now: &Known) -> bool {
    let names = before.keys.keys().chain(now.keys.keys());
    let mut names = names.filter(|name| !ENGINES.iter().any(|engines| name.as_str() == Some(engines)));
    before.path != now.path
        || before.body != now.body
        || names.any(|name| before.keys.get(name) != now.keys.get(name))
}

/// The changes of `one` alone that `now` has not.
fn one_sided(before: &Known, one: &Known, other: &Known, now: &Known) -> Vec<String> {
    let mut faults = Vec::new();
    let names: Vec<&Value> = before.keys.keys().chain(one.keys.keys()).collect();
    for name in names {
        let value = |file: &Known| file.keys.get(name).cloned();
        if value(other) == value(before) && value(one) != value(before) && value(now) != value(one) {
            faults.push(format!(
                "{}: {:?} by one side, {:?} now",
                name.as_str().unwrap_or_default(),
                value(one),
                value(now)
            ));
        }
    }
    if other.body == before.body && one.body != before.body && now.body != one.body {
        faults.push(format!(
            "the text: {:?} by one side, {:?} now",
            one.body, now.body
        ));
    }
    let is_near = |path: &Path| {
        let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_renamed = stem(&now.path).starts_with(&format!("{}-", stem(path)));
        now.path == path || (now.path.parent() == path.parent() && is_renamed)
    };
    if other.path == before.path && one.path != before.path && !is_near(&one.path) {
        faults.push(format!(
            "moved to {}, and at {}",
            one.path.display(),
            now.path.display()
        ));
    }
    faults
}
