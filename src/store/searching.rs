//! The index of the search beside the files that it was made of.
//!
//! A writer that commits brings the index up to date for what it committed. A reader compares the files with what the
//! index knows, reads those that differ itself, and takes no lock; where too many differ, or there is no index that
//! can be used, it makes a new one and exchanges it whole.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use crate::model::{Content, Timestamp};
use crate::search::{Document, Facets, Frequencies, Index, IndexError, Query, Row};
use crate::sys::{self, Clock, FileStat, Inode};

use super::cache;
use super::contents::{FileRole, LOCAL, role};
use super::load::{Loaded, scan_beside};
use super::writer::Writer;
use super::{Snapshot, Store, StoreError, StoredFile};

/// So many files are read beside the index, or this part of all; if there are more, the index is made anew.
const FEW: usize = 64;
const FEW_SHARE: usize = 32;

/// The files of a store beside their index, for one question or for many.
pub struct Searching<'s> {
    store: &'s Store,
    index: Index,
    files: Files,
    /// Paths of which the index does not speak: their files were read.
    stale: HashSet<String>,
}

/// An index between two questions.
pub struct KnownIndex {
    index: Index,
    stale: HashSet<String>,
    /// The files that it was compared with, and the version that it had then.
    files: Weak<Snapshot>,
    version: i64,
    /// The file that it lies in; `None`: it is in memory.
    inode: Option<Inode>,
    stamp: String,
}

impl KnownIndex {
    /// True while no other index has taken its place, and its store reads files as it did.
    fn is_of(&self, store: &Store) -> bool {
        let path = store.search_path();
        let is_there = self
            .inode
            .map_or_else(|| !path.is_file(), |inode| inode.is_at(&path));
        is_there && self.stamp == store.search_stamp()
    }

    fn is_as_it_was(&self, snapshot: &Arc<Snapshot>) -> bool {
        let is_same = std::ptr::eq(self.files.as_ptr(), Arc::as_ptr(snapshot));
        is_same && self.index.version().is_ok_and(|version| version == self.version)
    }
}

/// The files as a reader has them.
enum Files {
    /// All of them are loaded.
    All(Arc<Snapshot>),
    /// Those that were asked for.
    Read(Box<Loaded>),
}

impl Store {
    /// Opens the search of a process that has nothing loaded: only the files that are asked for are read.
    pub fn searching(&self) -> Result<Searching<'_>, StoreError> {
        let stamp = self.search_stamp();
        if let Some(index) = Index::open(&self.search_path(), &stamp) {
            let (scan, loaded) = scan_beside(self.root(), || self.load_history(self.now()))?;
            let mut loaded = loaded?;
            let files = scan
                .files
                .iter()
                .filter_map(|file| Some((file.path.to_str()?, &file.stat)));
            if let Some(stale) = stale(
                &index,
                files.filter(|(path, _)| is_memory(path) && !self.rules().excludes(path)),
            ) {
                self.load_again(&mut loaded, stale.iter().map(PathBuf::from).collect())?;
                let files = Files::Read(Box::new(loaded));
                return Ok(Searching {
                    store: self,
                    index,
                    files,
                    stale,
                });
            }
        }
        Ok(self.searching_anew(Arc::new(self.load()?)))
    }

    /// Opens the search of a process that has the files loaded. `known` is what the last one left.
    pub fn searching_in(&self, snapshot: Arc<Snapshot>, known: Option<KnownIndex>) -> Searching<'_> {
        let open = || Index::open(&self.search_path(), &self.search_stamp());
        let known = match known.filter(|known| known.is_of(self)) {
            Some(known) if known.is_as_it_was(&snapshot) => Some((known.stale, known.index)),
            known => known.map(|known| known.index).or_else(open).and_then(|index| {
                let facts = snapshot
                    .files
                    .iter()
                    .map(|file| (file.memory.path.as_str(), &file.stat));
                Some((stale(&index, facts)?, index))
            }),
        };
        match known {
            Some((stale, index)) => Searching {
                store: self,
                index,
                files: Files::All(snapshot),
                stale,
            },
            None => self.searching_anew(snapshot),
        }
    }

    fn searching_anew(&self, snapshot: Arc<Snapshot>) -> Searching<'_> {
        let index = self.index_anew(&snapshot);
        let stale = index.again().unwrap_or_default();
        Searching {
            store: self,
            index,
            files: Files::All(snapshot),
            stale,
        }
    }

    /// Makes the index anew. Where it cannot be written it serves this process alone.
    fn index_anew(&self, snapshot: &Snapshot) -> Index {
        let now = Clock::Real.now();
        let rows = || snapshot.files.iter().map(|file| row(file, now));
        let (path, stamp) = (self.search_path(), self.search_stamp());
        let on_disk = || {
            let folder = path.parent()?;
            sys::make_folders_in(self.root(), folder).ok()?;
            let beside = tempfile::Builder::new()
                .prefix(".mdmem-")
                .tempfile_in(folder)
                .ok()?
                .into_temp_path();
            drop(Index::build(Some(&beside), &stamp, rows()).ok()?);
            // A journal of the old one would be rolled back into the new one.
            drop(std::fs::remove_file(&path));
            drop(std::fs::remove_file(path.with_file_name("search-journal")));
            beside.persist(&path).ok()?;
            Index::open(&path, &stamp)
        };
        on_disk().unwrap_or_else(|| {
            tracing::debug!("the index of the search is made in memory");
            let built = Index::build(None, &stamp, rows());
            built.expect("because memory takes what a database in memory needs")
        })
    }

    fn search_path(&self) -> PathBuf {
        self.root().join(LOCAL).join("cache/search")
    }

    fn search_stamp(&self) -> String {
        cache::files_stamp(self.rules(), self.redactor())
    }
}

/// Says whether a file that a scan found is a memory, or is taken for one until it is read: by its name alone,
/// because a thorough look at ten thousand names takes as long as a question.
fn is_memory(path: &str) -> bool {
    path.ends_with(".md") && (path.contains('/') || matches!(role(Path::new(path)), FileRole::Memory(_)))
}

/// The paths of the files that have to be read beside the index; `None`: too many of them, or an index that cannot be
/// read.
fn stale<'f>(
    index: &Index,
    facts: impl Iterator<Item = (&'f str, &'f FileStat)> + Clone,
) -> Option<HashSet<String>> {
    let find = || -> Result<(HashSet<String>, usize), IndexError> {
        let mut stale = index.again()?;
        let (mut sum, mut count) = (0_u64, 0);
        for (path, stat) in facts.clone() {
            sum = sum.wrapping_add(fact(path, stat));
            count += 1;
        }
        if sum == index.facts()? {
            return Ok((stale, count));
        }
        let mut known: HashMap<String, u64> = index.known()?;
        for (path, stat) in facts {
            if known.remove(path) != Some(fact(path, stat)) {
                stale.insert(path.to_owned());
            }
        }
        stale.extend(known.into_keys());
        Ok((stale, count))
    };
    let (stale, count) = find().ok()?;
    (stale.len() <= FEW.max(count / FEW_SHARE)).then_some(stale)
}

fn fact(path: &str, stat: &FileStat) -> u64 {
    let mut hasher = DefaultHasher::new();
    (path, stat).hash(&mut hasher);
    hasher.finish()
}

fn row(file: &StoredFile, now: Timestamp) -> Row {
    let memory = &file.memory;
    let changed = file.stat.ctime_ns.max(file.stat.mtime_ns);
    let is_young = changed >= now.as_millis().saturating_mul(1_000_000) - cache::TICK_NS;
    let is_searched = file.is_readable && memory.conflict_of.is_none();
    Row {
        path: memory.path.to_string(),
        fact: fact(memory.path.as_str(), &file.stat),
        // Something that looks like a credential may be allowed, and not be allowed any more.
        again: is_young || !file.findings.is_empty(),
        facets: facets(file),
        memory: memory.id.to_string(),
        stem: memory.path.stem().to_lowercase(),
        created: memory.created.known().map_or(0, Timestamp::as_millis),
        document: (is_searched && file.findings.is_empty()).then(|| document(file)),
    }
}

/// The properties of a memory that a question may ask for.
fn facets(file: &StoredFile) -> Facets {
    Facets {
        kind: file.memory.kind.to_string(),
        zone: file.zone.as_str().to_owned(),
        status: file.memory.status.as_str().to_owned(),
        tags: file.memory.tags.clone(),
    }
}

/// The texts of a memory that are searched, as they are shown.
pub fn document(file: &StoredFile) -> Document {
    let memory = &file.memory;
    let stem = memory.path.stem();
    let title = memory.title();
    let mut name = stem.to_owned();
    for other in std::iter::once(title)
        .filter(|title| *title != stem)
        .chain(memory.aliases.iter().map(String::as_str))
    {
        name.push('\n');
        name.push_str(other);
    }
    let hook = [
        memory.description.as_deref().unwrap_or_default(),
        &memory.properties,
        memory.path.parent(),
    ];
    let mut hook = hook.join("\n");
    for tag in &memory.tags {
        hook.push('\n');
        hook.push_str(tag);
    }
    let (body, why) = match &memory.content {
        Content::Fact { text, rationale } => (text, rationale.clone()),
        Content::Note { body } => (body, None),
    };
    Document {
        name,
        hook,
        body: body.clone(),
        why: why.unwrap_or_default(),
    }
}

impl<'s> Searching<'s> {
    /// The store.
    pub const fn store(&self) -> &'s Store {
        self.store
    }

    /// Closes it, and keeps what the next question can use; nothing where the files are not all loaded.
    pub fn close(self) -> Option<KnownIndex> {
        let Files::All(snapshot) = &self.files else {
            return None;
        };
        Some(KnownIndex {
            version: self.index.version().ok()?,
            inode: self
                .store
                .search_path()
                .metadata()
                .ok()
                .filter(Metadata::is_file)
                .map(|there| Inode::of(&there)),
            stamp: self.store.search_stamp(),
            files: Arc::downgrade(snapshot),
            index: self.index,
            stale: self.stale,
        })
    }

    /// The memories that may answer a question, `most` of those that `is_meant` lets through, and how often the
    /// tokens of the question occur.
    pub fn candidates(
        &mut self,
        query: &Query,
        most: usize,
        is_meant: impl Fn(&Facets) -> bool,
    ) -> Result<(Frequencies, Vec<Arc<StoredFile>>), StoreError> {
        let mut matches = self.matches(query, most, &is_meant);
        if matches.is_err() {
            // A page that is torn: the index was trusted until it was read.
            drop(std::fs::remove_file(self.store.search_path()));
            let snapshot = Arc::new(self.store.load()?);
            *self = self.store.searching_anew(snapshot);
            matches = self.matches(query, most, &is_meant);
        }
        let (frequencies, paths) = matches.unwrap_or_default();
        let mut files = self.files(paths)?;
        let read = self.files(self.stale.clone())?;
        let is_meant = |file: &Arc<StoredFile>| {
            file.is_readable && file.memory.conflict_of.is_none() && is_meant(&facets(file))
        };
        files.extend(read.into_iter().filter(is_meant));
        Ok((frequencies, files))
    }

    fn matches(
        &self,
        query: &Query,
        most: usize,
        is_meant: impl Fn(&Facets) -> bool,
    ) -> Result<(Frequencies, Vec<String>), IndexError> {
        let is_known = |path: &str| !self.stale.contains(path);
        self.index
            .matches(query, most, |path, facets| is_known(path) && is_meant(facets))
    }

    /// The memories at these paths, in this order; those that are gone are left out.
    pub fn files(
        &mut self,
        paths: impl IntoIterator<Item = String>,
    ) -> Result<Vec<Arc<StoredFile>>, StoreError> {
        let paths: Vec<String> = paths.into_iter().collect();
        if let Files::Read(loaded) = &mut self.files {
            let missing = paths
                .iter()
                .filter(|path| loaded.snapshot.place_of(path).is_none());
            let missing: BTreeSet<PathBuf> = missing.map(PathBuf::from).collect();
            self.store.load_again(loaded, missing)?;
        }
        let snapshot = self.snapshot();
        let places = paths.iter().filter_map(|path| snapshot.place_of(path));
        Ok(places.map(|place| Arc::clone(&snapshot.files[place])).collect())
    }

    /// The files that are loaded by now, with the activity of the store.
    pub fn snapshot(&self) -> &Snapshot {
        match &self.files {
            Files::All(snapshot) => snapshot,
            Files::Read(loaded) => &loaded.snapshot,
        }
    }

    /// The memories that go with one: those that it replaced, those that `links` name, those of its commit if these are
    /// `most` at most.
    pub fn neighbours(
        &mut self,
        file: &StoredFile,
        links: &[String],
        most: usize,
    ) -> Result<Vec<Arc<StoredFile>>, StoreError> {
        let memory = &file.memory;
        let ids = memory
            .supersedes
            .iter()
            .chain(&memory.superseded_by)
            .map(|id| id.as_str().to_owned());
        let stems = links
            .iter()
            .map(|link| link.trim_end_matches(".md").to_lowercase());
        let stems = stems.filter_map(|link| Some(link.rsplit('/').next()?.to_owned()));
        let named = stems
            .chain(ids)
            .filter_map(|name| self.index.named(&name).ok().flatten());
        let mut paths: Vec<String> = named.collect();
        let created = memory.created.known().map(Timestamp::as_millis);
        paths.extend(
            created
                .and_then(|at| self.index.made_at(at, most).ok())
                .unwrap_or_default(),
        );
        self.files(paths)
    }
}

impl Writer<'_> {
    /// Brings the index up to date for these paths, which are committed. A store that nobody searched has none. A
    /// failure leaves it behind, and readers see that.
    pub(super) fn index_search(&self, paths: &[PathBuf]) {
        let path = self.store.search_path();
        let Some(mut index) = Index::open(&path, &self.store.search_stamp()) else {
            return;
        };
        let now = Clock::Real.now();
        let paths: Vec<&str> = paths.iter().filter_map(|path| path.to_str()).collect();
        let files = paths.iter().filter_map(|path| {
            let place = self.loaded.snapshot.place_of(path)?;
            Some(row(&self.loaded.snapshot.files[place], now))
        });
        if let Err(error) = index.update(&paths, files) {
            tracing::debug!(%error, "stays behind");
        }
    }
}
