//! Any history of two clones: no two memories of a commit have one id, and an id that a file states stays with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mdmem::document::{Key, KeyEdit, Value, edit};
use mdmem::merge::Content;
use mdmem::model::{Id, Oid};
use mdmem::store::Snapshot;
use mdmem::sync::plan_merge;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::*;

/// The cases of the short form; the long form has so many times as many.
const CASES: u32 = 24;

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A step of one of the two clones.
#[derive(Debug, Clone)]
enum Step {
    Save(Named, u8),
    Edit(Named),
    /// With the id that an engine's write gives it, or without.
    Move(Named, Named, bool),
    /// A move, and another save under the old name before anybody looked.
    MoveAndSave(Named, Named, u8),
    Copy(Named, Named),
    Remove(Named),
    /// A person takes the id out of a file.
    Unname(Named),
    Undo,
    Merge,
}

/// A name, as its place among the few names that there are.
type Named = u8;

const NAMES: u8 = 5;

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let name = || 0..NAMES;
    let step = prop_oneof![
        6 => (name(), 0_u8..2).prop_map(|(at, text)| Step::Save(at, text)),
        3 => name().prop_map(Step::Edit),
        6 => (name(), name(), any::<bool>()).prop_map(|(from, to, is_written)| Step::Move(from, to, is_written)),
        1 => (name(), name(), 0_u8..2).prop_map(|(from, to, text)| Step::MoveAndSave(from, to, text)),
        2 => (name(), name()).prop_map(|(from, to)| Step::Copy(from, to)),
        3 => name().prop_map(Step::Remove),
        1 => name().prop_map(Step::Unname),
        1 => Just(Step::Undo),
        4 => Just(Step::Merge),
    ];
    prop::collection::vec((0_usize..2, step), 4..24)
}

/// Two clones, as two lines of history in one repository.
struct Clones<'s> {
    store: &'s Store,
    git: git2::Repository,
    heads: [Oid; 2],
    /// The number of commits so far, by which the next one is told apart.
    commits: i64,
}

/// The ids of the memories of a commit.
type Ids = BTreeMap<PathBuf, Id>;

impl<'s> Clones<'s> {
    /// Both have a history of one commit. It is so large that the history up to there is cached.
    fn new(store: &'s Store, begun: i64) -> Self {
        let mut clones = Self {
            store,
            git: git2::Repository::open(store.root()).unwrap(),
            heads: [Oid([0; 20]); 2],
            commits: begun * 1000,
        };
        let others = (0..30).map(|at| (format!("archive/{at}.md").into(), Vec::new()));
        let mut files: Files = others.collect();
        files.insert(path(0), text(0, 0));
        let root = clones.commit(&files, &[], "begin");
        clones.heads = [root; 2];
        clones.load(root);
        clones
    }

    fn commit(&mut self, files: &Files, parents: &[Oid], message: &str) -> Oid {
        self.commits += 1;
        let mut folders: BTreeMap<&str, git2::TreeBuilder<'_>> = BTreeMap::new();
        for (path, bytes) in files {
            let (folder, name) = path.to_str().unwrap().split_once('/').unwrap();
            let builder = folders
                .entry(folder)
                .or_insert_with(|| self.git.treebuilder(None).unwrap());
            builder
                .insert(name, self.git.blob(bytes).unwrap(), 0o100_644)
                .unwrap();
        }
        let mut root = self.git.treebuilder(None).unwrap();
        for (folder, builder) in folders {
            root.insert(folder, builder.write().unwrap(), 0o040_000).unwrap();
        }
        let tree = self.git.find_tree(root.write().unwrap()).unwrap();
        let when = git2::Time::new(1_700_000_000 + self.commits, 0);
        let author = git2::Signature::new("a", "a@example.org", &when).unwrap();
        let parents: Vec<_> = parents.iter().map(|oid| self.found(*oid)).collect();
        let parents: Vec<_> = parents.iter().collect();
        let oid = self
            .git
            .commit(None, &author, &author, message, &tree, &parents)
            .unwrap();
        Oid(oid.as_bytes().try_into().unwrap())
    }

    fn found(&self, oid: Oid) -> git2::Commit<'_> {
        self.git
            .find_commit(git2::Oid::from_bytes(&oid.0).unwrap())
            .unwrap()
    }

    fn files(&self, commit: Oid) -> Files {
        let mut files = Files::new();
        let tree = self.found(commit).tree().unwrap();
        tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
            if entry.kind() == Some(git2::ObjectType::Blob) {
                let blob = self.git.find_blob(entry.id()).unwrap();
                files.insert(
                    Path::new(folder).join(entry.name().unwrap()),
                    blob.content().to_vec(),
                );
            }
            git2::TreeWalkResult::Ok
        })
        .unwrap();
        files
    }

    /// The memories of a commit, which is HEAD, so that what is folded is cached.
    fn load(&self, commit: Oid) -> Snapshot {
        let oid = git2::Oid::from_bytes(&commit.0).unwrap();
        self.git.reference("refs/heads/main", oid, true, "test").unwrap();
        self.load_like(commit, &Snapshot::default())
    }

    fn load_like(&self, commit: Oid, known: &Snapshot) -> Snapshot {
        self.store.load_commit(commit, self.store.now(), known).unwrap()
    }

    /// The merge of the other clone's head into this one's; `None` where there is nothing to merge.
    fn merge(&mut self, clone: usize) -> Option<Oid> {
        let (ours, theirs) = (self.heads[clone], self.heads[1 - clone]);
        let plan = plan_merge(self.store, Some(ours), theirs).unwrap();
        if plan.is_contained {
            return None;
        }
        if self.store.repo().is_ancestor(ours, theirs).unwrap() {
            return Some(theirs);
        }
        let mut files = self.files(ours);
        for (path, content) in plan.changes {
            let bytes = match content {
                None => None,
                Some(Content::Bytes { bytes, .. }) => Some(bytes),
                Some(Content::Blob(blob)) => Some(self.store.repo().blob(blob.oid).unwrap()),
            };
            match bytes {
                Some(bytes) => drop(files.insert(path, bytes)),
                None => drop(files.remove(&path)),
            }
        }
        Some(self.commit(&files, &[ours, theirs], "memory: merge"))
    }

    /// Takes a step, and says what has to hold of it.
    fn step(&mut self, clone: usize, step: &Step) -> Result<(), TestCaseError> {
        let head = self.heads[clone];
        let (before, mut files) = (self.load(head), self.files(head));
        let known = stated(&before);
        let has = |name: &Named| files.contains_key(&path(*name));
        // The name at which a memory of the commit before is now.
        let mut moved = None;
        match step {
            Step::Save(at, words) => drop(files.insert(path(*at), text(*at, *words))),
            Step::Edit(at) if has(at) => {
                let said = format!("changed {}\n", self.commits);
                files.get_mut(&path(*at)).unwrap().extend(said.as_bytes());
            }
            Step::Move(from, to, is_written) if has(from) && !has(to) => {
                let (from, to) = (path(*from), path(*to));
                let mut bytes = files.remove(&from).unwrap();
                let file = before
                    .files
                    .iter()
                    .find(|file| Path::new(file.memory.path.as_str()) == from);
                let memory = &file.unwrap().memory;
                if *is_written && !memory.id_stated {
                    let id = Value::Text(memory.id.to_string());
                    bytes = edit(&bytes, &[KeyEdit::Set(Key::Id, id)]).unwrap();
                }
                files.insert(to.clone(), bytes);
                moved = Some((from, to));
            }
            Step::MoveAndSave(from, to, words) if has(from) && !has(to) => {
                let bytes = files.insert(path(*from), text(*from, *words)).unwrap();
                files.insert(path(*to), bytes);
            }
            Step::Copy(from, to) if has(from) && !has(to) => {
                files.insert(path(*to), files[&path(*from)].clone());
            }
            Step::Remove(at) => drop(files.remove(&path(*at))),
            Step::Unname(at) if has(at) => {
                let bytes = edit(&files[&path(*at)], &[KeyEdit::Remove(Key::Id)]).unwrap();
                files.insert(path(*at), bytes);
            }
            Step::Undo if self.found(head).parent_count() == 1 => {
                let parent = self.found(head).parent_id(0).unwrap();
                files = self.files(Oid(parent.as_bytes().try_into().unwrap()));
            }
            Step::Merge => {
                let Some(merge) = self.merge(clone) else {
                    return Ok(());
                };
                self.heads[clone] = merge;
                let now = self.load(merge);
                self.check(&now, merge)?;
                // What both sides call the same by a stated id is called so now.
                let other = self.load(self.heads[1 - clone]);
                let other = stated(&other);
                let (known, now) = (stated(&before), ids(&now));
                for (path, id) in known.iter().filter(|(path, id)| other.get(*path) == Some(id)) {
                    let is_same = now.get(path).is_none_or(|now| now == id);
                    prop_assert!(is_same, "{}: {id} became {:?}", path.display(), now.get(path));
                }
                return Ok(());
            }
            _ => return Ok(()),
        }
        if files == self.files(head) {
            return Ok(());
        }
        let message = if matches!(step, Step::Undo) {
            "memory: undo\n\nMdmem-Op: undo\n"
        } else {
            "memory: change"
        };
        let commit = self.commit(&files, &[head], message);
        self.heads[clone] = commit;
        let now = self.load(commit);
        self.check(&now, commit)?;
        let is_copy = |snapshot: &Snapshot, path: &Path| {
            let is_it = |file: &&std::sync::Arc<mdmem::store::StoredFile>| {
                Path::new(file.memory.path.as_str()) == path
            };
            let file = snapshot.files.iter().find(is_it).unwrap();
            file.diagnostics.iter().any(|found| found.code == "duplicate-id")
        };
        let old = self.files(head);
        for (path, id) in ids(&now) {
            let was = match &moved {
                Some((from, to)) if *to == path => from,
                _ => &path,
            };
            // The id of a copy is given back when the memory goes that it is a copy of.
            let is_kept = (old.get(was) == files.get(&path) || moved.is_some()) && old.contains_key(was);
            if let Some(known) = known.get(was).filter(|_| is_kept)
                && !is_copy(&before, was)
                && !is_copy(&now, &path)
            {
                prop_assert_eq!(known, &id, "{}", path.display());
            }
        }
        Ok(())
    }

    /// No two memories have one id; a fold from nothing gives what was carried on, and so do files that are known.
    fn check(&self, now: &Snapshot, commit: Oid) -> Result<(), TestCaseError> {
        let ids = ids(now);
        let different: BTreeSet<&Id> = ids.values().collect();
        prop_assert_eq!(different.len(), ids.len(), "{:#?}", ids);
        let cache = self.store.root().join(".mdmem/cache/history");
        let aside = cache.with_extension("aside");
        std::fs::rename(&cache, &aside).unwrap();
        let anew = self.load(commit);
        std::fs::rename(&aside, &cache).unwrap();
        prop_assert_eq!(told(&anew), told(now));
        let again = self.load_like(commit, now);
        prop_assert_eq!(told(&again), told(now));
        Ok(())
    }
}

fn path(name: Named) -> PathBuf {
    format!("project/{name}.md").into()
}

fn text(name: Named, words: u8) -> Vec<u8> {
    format!("Of {name} it is said\nby many {words} people\nthat nobody knows\nwhere it began.\n").into_bytes()
}

fn ids(snapshot: &Snapshot) -> Ids {
    let memories = snapshot.files.iter().map(|file| &file.memory);
    memories
        .map(|memory| (memory.path.as_str().into(), memory.id.clone()))
        .collect()
}

/// The ids that files state, but for those of copies.
fn stated(snapshot: &Snapshot) -> Ids {
    let files = snapshot
        .files
        .iter()
        .filter(|file| file.memory.id_stated && file.states_id(&file.memory.id));
    files
        .map(|file| (file.memory.path.as_str().into(), file.memory.id.clone()))
        .collect()
}

/// Everything that the history says of a commit's files.
fn told(snapshot: &Snapshot) -> (Vec<String>, &[Timestamp]) {
    let files = snapshot.files.iter().map(|file| {
        let memory = &file.memory;
        let times = (memory.created, memory.updated);
        format!("{} {} {times:?} {:?}", memory.path, memory.id, file.former)
    });
    (files.collect(), &snapshot.activities)
}

#[test]
fn no_two_memories_have_one_and_each_keeps_its_own() {
    let machine = Machine::new();
    let store = machine.store();
    let cases = crate::torture::times().map_or(CASES, |times| u32::try_from(40 * times).unwrap() * CASES);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let begun = std::cell::Cell::new(0);
    let ran = TestRunner::new(config).run(&steps(), |steps| {
        begun.set(begun.get() + 1);
        let mut clones = Clones::new(&store, begun.get());
        for (clone, step) in &steps {
            clones.step(*clone, step)?;
        }
        clones.step(0, &Step::Merge)?;
        clones.step(1, &Step::Merge)
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_file_that_both_made_alike_keeps_its_id_where_its_text_is_in_contradiction() {
    let machine = Machine::new();
    let store = machine.store();
    let mut clones = Clones::new(&store, 1);
    let steps = [
        (1, Step::Save(1, 0)),
        (0, Step::Save(1, 0)),
        (0, Step::Save(1, 1)),
        (0, Step::Merge),
        (1, Step::Merge),
    ];
    for (clone, step) in &steps {
        clones
            .step(*clone, step)
            .unwrap_or_else(|error| panic!("{step:?}: {error}"));
    }
}

/// The ids of the files as they are, and what `check` says of them.
fn found(store: &Store) -> (Ids, Vec<String>) {
    let snapshot = store.load().unwrap();
    let findings = snapshot.diagnostics().into_iter();
    let findings = findings.filter(|finding| finding.code == "duplicate-id");
    let told = findings.map(|finding| format!("{} {}", finding.path, finding.message));
    (ids(&snapshot), told.collect())
}

#[test]
fn a_file_that_moved_and_one_that_says_the_same_where_it_was_are_two() {
    let machine = Machine::new();
    let store = machine.store();
    let save = |path: &str, text: &str| std::fs::write(file(&store, path), text).unwrap();
    let sweep = || drop(service::sweep(&store, MassDeletion::Ask).unwrap());
    let (first, moved) = ("project/first.md", "project/moved.md");
    save(first, "Use tabs in the makefiles of this house.\n");
    sweep();
    std::fs::rename(file(&store, first), file(&store, moved)).unwrap();
    sweep();
    assert!(
        !crate::service::read(&file(&store, moved)).contains("id:"),
        "a rename writes none"
    );
    let mut loaded = store.load_all(store.now()).unwrap();
    save(first, "Use tabs in the makefiles of this house.\n");
    // Before its commit and after it.
    for _ in 0..2 {
        let (ids, told) = found(&store);
        assert_ne!(ids[Path::new(first)], ids[Path::new(moved)]);
        assert_eq!(told, [""; 0]);
        sweep();
    }
    // A third one states the id that the second one has without stating it: who states it has it.
    let second = found(&store).0[Path::new(first)].clone();
    let copy = "project/copy.md";
    save(copy, &format!("---\nid: {second}\n---\nUse spaces elsewhere.\n"));
    let (ids, told) = found(&store);
    assert_eq!(ids[Path::new(copy)], second);
    assert_ne!(ids[Path::new(first)], second);
    assert_eq!(told, [""; 0]);
    sweep();
    // A watch that follows the files one by one comes to the same, also when the third one is gone.
    let mut follow = |paths: [&str; 2]| {
        let paths = paths.into_iter().map(PathBuf::from).collect();
        store.load_again(&mut loaded, paths).unwrap();
        let (ids, told) = found(&store);
        assert_eq!(self::ids(loaded.snapshot()), ids);
        (ids, told)
    };
    assert_eq!(follow([first, copy]).0, ids);
    std::fs::remove_file(file(&store, copy)).unwrap();
    let (ids, told) = follow([copy, moved]);
    assert_eq!((&ids[Path::new(first)], told), (&second, vec![]));
}
