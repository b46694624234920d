//! The rule by which a name means a memory: for what a person types, for what a model says, and for `[[links]]`.

use std::path::Path;
use std::sync::Arc;

use super::create::check_no_reserved;
use crate::model::{Id, Memory, StorePath};
use crate::store::StoredFile;
use crate::text::{folded_path, folded_stem, slug, some_of};

/// The fewest characters of an id, not counting its `mem_`, that name it: a shorter word is too likely a slip.
const LEAST_OF_ID: usize = 4;
/// The fewest bytes of a name by which it is suggested for a part of it.
const LEAST_OF_PART: usize = 3;
/// The likeness that a suggested name has at least, and the most suggestions.
const ALIKE: f64 = 0.6;
const SUGGESTIONS: usize = 3;

/// A memory that a name may mean, by what names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    /// The memory: its path, id, title and aliases.
    pub(super) memory: &'a Memory,
    /// The paths that it had before, the oldest first.
    pub(super) former: &'a [String],
}

/// The memories of a snapshot by what names them, in its order.
pub(super) fn named(files: &[Arc<StoredFile>]) -> Vec<Named<'_>> {
    let memories = files.iter().map(|file| Named {
        memory: &file.memory,
        former: &file.former,
    });
    memories.collect()
}

/// The names by which a memory may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Its whole names: path, id, slug, title, alias and former path, as a link has them.
    Link,
    /// Also the start of its id.
    Whole,
    /// Also the beginning of a name, else a part of it: for what only shows a memory, or leaves it where it can be seen.
    Part,
}

/// The reason why a name means no memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No memory has it.
    #[error("no memory `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// Paths of memories that are called nearly so, the nearest first.
        nearest: Vec<StorePath>,
    },
    /// Several memories have it.
    #[error("`{name}` names {} memories", candidates.len())]
    Ambiguous {
        /// The name.
        name: String,
        /// The memories: path and id, by path.
        candidates: Vec<(StorePath, Id)>,
    },
    /// It is the path of a file of the store's own.
    #[error("{path} is one of the store's own files, not a memory")]
    Own {
        /// The path.
        path: StorePath,
    },
}

impl NameError {
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Unknown { nearest, .. } if nearest.is_empty() => {
                "`mdmem list --all` lists every memory, `mdmem --global list` those of the global store."
                    .to_owned()
            }
            Self::Unknown { nearest, .. } => {
                let nearest: Vec<&str> = nearest.iter().map(StorePath::as_str).collect();
                format!("Did you mean {}?", nearest.join(" or "))
            }
            Self::Ambiguous { candidates, .. } => {
                let paths = candidates.iter().map(|(path, _)| path.as_str());
                format!("Name one of them: {}.", some_of(paths))
            }
            Self::Own { .. } => "`mdmem path` prints its folder.".to_owned(),
        }
    }
}

/// A name that is looked for.
struct Wanted<'a> {
    name: &'a str,
    /// As a path below the store.
    path: &'a str,
    /// That path without `.md`, folded.
    folded: String,
}

type Rule = fn(&Wanted<'_>, Named<'_>) -> bool;

/// The rules in the order in which they are asked, each with the least reach that it is for. The first one by which any
/// memory is meant decides.
const RULES: [(Reach, Rule); 10] = [
    (Reach::Link, |wanted, named| is_path(named.path(), wanted.path)),
    (Reach::Link, |wanted, named| {
        folded_stem(named.memory.id.as_str()) == wanted.folded
    }),
    (Reach::Link, |wanted, named| ends_path(named.path(), wanted.path)),
    (Reach::Whole, |wanted, named| {
        starts_id(named.memory.id.as_str(), wanted.name)
    }),
    (Reach::Link, |wanted, named| {
        ends_path(&folded_path(named.path()), &wanted.folded)
    }),
    (Reach::Link, |wanted, named| {
        named.titles().any(|title| folded_stem(title) == wanted.folded)
    }),
    (Reach::Link, |wanted, named| {
        named
            .former
            .iter()
            .any(|path| ends_path(&folded_path(path), &wanted.folded))
    }),
    (Reach::Part, |wanted, named| {
        let begins = |name: &str| folded_path(name).starts_with(&wanted.folded);
        begins(named.path()) || begins(named.memory.path.stem()) || named.titles().any(begins)
    }),
    (Reach::Part, |wanted, named| {
        let contains = |name: &str| folded_stem(name).contains(&wanted.folded);
        contains(named.path()) || named.titles().any(contains)
    }),
    // Words of a text, as its file's name has them.
    (Reach::Part, |wanted, named| {
        let is_words =
            wanted.name.contains(char::is_whitespace) && wanted.name.contains(char::is_alphanumeric);
        is_words && folded_stem(named.path()).contains(&slug(wanted.name))
    }),
];

impl<'a> Named<'a> {
    fn path(self) -> &'a str {
        self.memory.path.as_str()
    }

    /// `name`, the first heading and the aliases.
    fn titles(self) -> impl Iterator<Item = &'a str> {
        let titles = [&self.memory.name, &self.memory.heading].into_iter().flatten();
        titles.chain(&self.memory.aliases).map(|title| title.trim())
    }

    /// Everything that a link may call it, folded.
    pub(super) fn link_names(self) -> impl Iterator<Item = String> {
        let former = self.former.iter().map(String::as_str);
        let paths = [self.path()].into_iter().chain(former);
        let ends = |path: &'a str| {
            let after = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
            [path].into_iter().chain(after)
        };
        let others = [self.memory.id.as_str()].into_iter().chain(self.titles());
        paths.flat_map(ends).chain(others).map(folded_stem)
    }
}

/// The place in `memories` of the one that `name` means: the path (with or without `.md`, `./` or the store's folder
/// before it), the whole id, the end of the path (a slug is one), the start of the id, path and slug without regard to
/// case, Unicode form and dashes, title or alias, a path that it had before; as far as `reach` allows.
pub(super) fn select_memory(
    name: &str,
    memories: &[Named<'_>],
    store: &Path,
    reach: Reach,
) -> Result<usize, NameError> {
    let path = below_store(name, store);
    let wanted = Wanted {
        name,
        path,
        folded: folded_stem(path),
    };
    let own = own_file(path);
    let allowed = RULES.iter().filter(|(least, _)| *least <= reach);
    for (least, rule) in allowed.filter(|_| !wanted.folded.is_empty()) {
        if *least == Reach::Part && own.is_some() {
            break;
        }
        let found: Vec<usize> = (0..memories.len())
            .filter(|&at| rule(&wanted, memories[at]))
            .collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(*one),
            several => return Err(ambiguous(name, several.iter().map(|&at| memories[at]))),
        }
    }
    Err(own.map_or_else(|| unknown(name, path, memories), |path| NameError::Own { path }))
}

/// The path of a file that the store keeps for itself, such as MEMORY.md.
fn own_file(path: &str) -> Option<StorePath> {
    let path = StorePath::new(path).ok()?;
    check_no_reserved(&path).is_err().then_some(path)
}

fn ambiguous<'a>(name: &str, found: impl Iterator<Item = Named<'a>>) -> NameError {
    let mut candidates: Vec<(StorePath, Id)> = found
        .map(|named| (named.memory.path.clone(), named.memory.id.clone()))
        .collect();
    candidates.sort();
    NameError::Ambiguous {
        name: name.to_owned(),
        candidates,
    }
}

fn unknown(name: &str, path: &str, memories: &[Named<'_>]) -> NameError {
    let paths = memories.iter().map(|named| &named.memory.path);
    NameError::Unknown {
        name: name.to_owned(),
        nearest: nearest(path, paths),
    }
}

/// The paths that are called nearly so, the nearest first.
pub(super) fn nearest<'a>(name: &str, paths: impl Iterator<Item = &'a StorePath>) -> Vec<StorePath> {
    let wanted = folded_stem(name);
    let has_folder = wanted.contains('/');
    let likeness = |path: &StorePath| {
        let path = folded_stem(path.as_str());
        let known = if has_folder {
            path.as_str()
        } else {
            path.rsplit('/').next().unwrap_or(&path)
        };
        if wanted.is_empty() {
            return 0.0;
        }
        if known.starts_with(&wanted) {
            return 1.0;
        }
        if wanted.len() >= LEAST_OF_PART && known.contains(&wanted) {
            return ALIKE;
        }
        // The measure takes long, and that of lengths which differ so much is less.
        let (shorter, longer) = (wanted.len().min(known.len()), wanted.len().max(known.len()));
        if shorter * 2 < longer {
            return 0.0;
        }
        strsim::normalized_damerau_levenshtein(&wanted, known)
    };
    let mut nearest: Vec<(f64, &StorePath)> = paths
        .map(|path| (likeness(path), path))
        .filter(|(ratio, _)| *ratio >= ALIKE)
        .collect();
    nearest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let nearest = nearest.into_iter().take(SUGGESTIONS);
    nearest.map(|(_, path)| path.clone()).collect()
}

/// The name as a path below the store.
pub(super) fn below_store<'a>(name: &'a str, store: &Path) -> &'a str {
    let absolute = store
        .to_str()
        .and_then(|store| name.strip_prefix(store)?.strip_prefix('/'));
    absolute.unwrap_or_else(|| name.strip_prefix("./").unwrap_or(name))
}

fn is_path(path: &str, name: &str) -> bool {
    path == name || path.strip_suffix(".md") == Some(name)
}

/// True when a path ends in the parts of a name: `2026-11/use-npm` and `use-npm` name `decision/2026-11/use-npm.md`.
pub(super) fn ends_path(path: &str, name: &str) -> bool {
    let ends = |path: &str| {
        path.strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !name.is_empty() && (ends(path) || path.strip_suffix(".md").is_some_and(ends))
}

/// True when an id starts with a name, given with or without `mem_`, in any case.
pub(super) fn starts_id(id: &str, name: &str) -> bool {
    let (id, name) = (id.to_lowercase(), name.to_lowercase());
    let name = name.strip_prefix("mem_").unwrap_or(&name);
    let id = id.strip_prefix("mem_").unwrap_or(&id);
    name.chars().count() >= LEAST_OF_ID && id.starts_with(name)
}

#[cfg(test)]
mod tests;
