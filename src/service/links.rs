//! `[[links]]` between the memories of a snapshot: what they mean, and the links to one memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::select_memory::{NameError, Named, Reach, below_store, ends_path, named, select_memory};
use crate::document::{IndexLink, Link, index_links, link_names, links};
use crate::model::StorePath;
use crate::store::{Snapshot, Store, StoredFile};
use crate::text::{folded_path, folded_stem};

/// The memories of a snapshot by each of their names, to find what many links mean.
pub(super) struct LinkTargets<'a> {
    memories: Vec<Named<'a>>,
    by_name: HashMap<String, Vec<usize>>,
}

impl<'a> LinkTargets<'a> {
    pub(super) fn new(files: &'a [Arc<StoredFile>]) -> Self {
        let memories = named(files);
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, memory) in memories.iter().enumerate() {
            for name in memory.link_names() {
                let places = by_name.entry(name).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        Self { memories, by_name }
    }

    /// The place of the memory that the name of a link means.
    pub(super) fn find(&self, target: &str) -> Result<usize, NameError> {
        let places = self
            .by_name
            .get(&folded_target(target))
            .map_or(&[][..], Vec::as_slice);
        let called: Vec<Named<'_>> = places.iter().map(|at| self.memories[*at]).collect();
        select_memory(target, &called, Path::new(""), Reach::Link).map(|at| places[at])
    }
}

/// The links of Claude Code's own index, in order: a `[[name]]` leads to the memory of the snapshot that it means.
pub(super) fn links_of_index(text: &str, snapshot: &Snapshot) -> Vec<IndexLink> {
    let mut links = index_links(text);
    if links.iter().any(|link| link.name.is_some()) {
        let targets = LinkTargets::new(&snapshot.files);
        links.retain_mut(|link| match link.name.as_deref().map(|name| targets.find(name)) {
            Some(Ok(at)) => {
                link.path = snapshot.files[at].memory.path.as_str().into();
                true
            }
            Some(Err(NameError::Ambiguous { .. })) => snapshot
                .files
                .iter()
                .any(|file| link.path == Path::new(file.memory.path.as_str())),
            _ => true,
        });
    }
    links
}

pub(super) fn folded_target(target: &str) -> String {
    folded_stem(below_store(target, Path::new("")))
}

/// Says whether a memory may have links.
pub(super) fn may_link(file: &StoredFile) -> bool {
    texts(file).any(|text| text.contains("[["))
}

fn texts(file: &StoredFile) -> impl Iterator<Item = &str> {
    let content = &file.memory.content;
    [Some(content.keyed_text()), content.rationale()]
        .into_iter()
        .flatten()
}

/// The links of other memories that mean the one at place `at` of a snapshot, by file. It reads only the files that
/// seem to have one.
fn links_to(store: &Store, snapshot: &Snapshot, at: usize) -> Vec<(usize, Vec<Link>)> {
    let names: BTreeSet<String> = named(&snapshot.files[at..=at])[0].link_names().collect();
    let mut targets = None;
    let mut found = Vec::new();
    for (place, file) in snapshot.files.iter().enumerate() {
        let mut said = texts(file).flat_map(link_names);
        if place == at || !said.any(|(name, _)| names.contains(&folded_target(name))) {
            continue;
        }
        let bytes = store.read(&file.memory.path).unwrap_or_default();
        let mut links = links(&bytes);
        let targets = targets.get_or_insert_with(|| LinkTargets::new(&snapshot.files));
        links.retain(|link| targets.find(&link.target) == Ok(at));
        if !links.is_empty() {
            found.push((place, links));
        }
    }
    found
}

/// The other memories with a link to the one at place `at` of a snapshot, by path.
pub(super) fn backlinks(store: &Store, snapshot: &Snapshot, at: usize) -> Vec<StorePath> {
    let files = links_to(store, snapshot, at).into_iter();
    files
        .map(|(place, _)| snapshot.files[place].memory.path.clone())
        .collect()
}

/// A memory whose links name another one by a path that it will not have any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LinkMend {
    /// The memory with the links.
    pub path: StorePath,
    /// False where it is `readonly`: its links stay as they are, and mean the other one by its former path.
    pub may_change: bool,
    /// The names in its links, each with the new one.
    pub(super) names: BTreeMap<String, String>,
}

/// The names by which links mean a memory that goes to another path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OldNames {
    /// Its path: the memory keeps its titles, its aliases and its id, and the path that it had.
    Path,
    /// All of them: another memory takes its place.
    All,
}

/// The links that name the memory at `from`, and what they say once that at `to` is meant. A name that means it anyway is
/// not touched.
pub(super) fn mends(
    store: &Store,
    snapshot: &Snapshot,
    (from, to): (&StorePath, &StorePath),
    old: OldNames,
) -> Vec<LinkMend> {
    let Some(at) = snapshot.place_of(from.as_str()) else {
        return Vec::new();
    };
    let found = links_to(store, snapshot, at);
    if found.is_empty() {
        return Vec::new();
    }
    let long = to.as_str().strip_suffix(".md").unwrap_or(to.as_str());
    let stem = folded_stem(to.stem());
    let mut others = snapshot.files.iter().map(|file| &file.memory.path);
    let is_taken = others.any(|path| path != from && path != to && folded_stem(path.stem()) == stem);
    let short = if is_taken { long } else { to.stem() };
    let heir = snapshot.place_of(to.as_str());
    let heir_names: BTreeSet<String> = heir.map_or_else(BTreeSet::new, |at| {
        named(&snapshot.files[at..=at])[0].link_names().collect()
    });
    let names_path =
        |path: &StorePath, target: &str| ends_path(&folded_path(path.as_str()), &folded_target(target));
    let mend = |(place, links): (usize, Vec<Link>)| {
        let memory = &snapshot.files[place].memory;
        let targets = links.into_iter().map(|link| link.target);
        let new = |target: &str| {
            let name = if target.contains('/') { long } else { short };
            let end = if target.ends_with(".md") { ".md" } else { "" };
            format!("{name}{end}")
        };
        let is_old = |target: &String| match old {
            OldNames::Path => names_path(from, target) && !names_path(to, target),
            OldNames::All => !heir_names.contains(&folded_target(target)),
        };
        let names = targets.filter(is_old);
        LinkMend {
            path: memory.path.clone(),
            may_change: !memory.readonly,
            names: names.map(|target| (target.clone(), new(&target))).collect(),
        }
    };
    let mends = found.into_iter().map(mend);
    mends.filter(|mend| !mend.names.is_empty()).collect()
}
