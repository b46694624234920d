//! The rule by which a person names a memory: its path, its slug, or the start of its id.

use std::path::Path;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::model::{Id, StorePath};
use crate::store::StoredFile;

/// The fewest characters of an id that name it without its `mem_`: a shorter word is too likely a slip.
const LEAST_OF_ID: usize = 4;
/// The likeness that a suggested name has at least, and the most suggestions.
const ALIKE: f64 = 0.6;
const SUGGESTIONS: usize = 3;

/// A memory that a name may mean, by what names it: its path and its id.
pub(super) type Named<'a> = (&'a StorePath, &'a Id);

/// The memories of a snapshot by what names them, in its order.
pub(super) fn named(files: &[Arc<StoredFile>]) -> Vec<Named<'_>> {
    let memories = files.iter().map(|file| &file.memory);
    memories.map(|memory| (&memory.path, &memory.id)).collect()
}

/// The reason why a name means no memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No memory has it.
    #[error("there is no memory `{name}`")]
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
}

/// The place in `memories` of the one that `name` means. Asked in this order, and the first that any memory answers
/// decides: the path (with or without `.md`, `./` or the store's folder before it), the whole id, the end of the path
/// (a slug is one), the start of the id, and then path and slug without regard to case and Unicode form.
pub(super) fn select_memory(name: &str, memories: &[Named<'_>], store: &Path) -> Result<usize, NameError> {
    let plain = below_store(name, store);
    let folded = fold(plain);
    let rules: [&dyn Fn(&Named<'_>) -> bool; 5] = [
        &|(path, _)| is_path(path.as_str(), plain),
        &|(_, id)| id.as_str() == name,
        &|(path, _)| ends_path(path.as_str(), plain),
        &|(_, id)| starts_id(id.as_str(), name),
        &|(path, _)| ends_path(&fold(path.as_str()), &folded),
    ];
    for rule in rules {
        let found: Vec<usize> = (0..memories.len()).filter(|&at| rule(&memories[at])).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(*one),
            several => return Err(ambiguous(name, several.iter().map(|&at| memories[at]))),
        }
    }
    Err(unknown(name, plain, memories))
}

fn ambiguous<'a>(name: &str, found: impl Iterator<Item = Named<'a>>) -> NameError {
    let mut candidates: Vec<(StorePath, Id)> = found.map(|(path, id)| (path.clone(), id.clone())).collect();
    candidates.sort();
    NameError::Ambiguous {
        name: name.to_owned(),
        candidates,
    }
}

fn unknown(name: &str, plain: &str, memories: &[Named<'_>]) -> NameError {
    let wanted = fold(plain);
    let wanted = wanted.strip_suffix(".md").unwrap_or(&wanted);
    let has_folder = wanted.contains('/');
    let likeness = |path: &StorePath| {
        let known = fold(path.as_str());
        let known = known.strip_suffix(".md").unwrap_or(&known);
        let known = if has_folder {
            known
        } else {
            known.rsplit('/').next().unwrap_or(known)
        };
        if known.starts_with(wanted) && !wanted.is_empty() {
            return 1.0;
        }
        strsim::normalized_damerau_levenshtein(wanted, known)
    };
    let mut nearest: Vec<(f64, &StorePath)> = memories
        .iter()
        .map(|(path, _)| (likeness(path), *path))
        .filter(|(ratio, _)| *ratio >= ALIKE)
        .collect();
    nearest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let nearest = nearest
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, path)| path.clone())
        .collect();
    NameError::Unknown {
        name: name.to_owned(),
        nearest,
    }
}

/// The name as a path below the store.
fn below_store<'a>(name: &'a str, store: &Path) -> &'a str {
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
    let is_meant = name.starts_with("mem_") || name.chars().count() >= LEAST_OF_ID;
    let name = name.strip_prefix("mem_").unwrap_or(&name);
    let id = id.strip_prefix("mem_").unwrap_or(&id);
    is_meant && id.starts_with(name)
}

fn fold(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[(&str, &str)] = &[
        ("decision/use-npm-cache.md", "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R"),
        ("archive/old-port.md", "mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S"),
        ("project/old-port.md", "mem_01KA000000000000000000000A"),
        ("user/Café.md", "mem_01KB000000000000000000000B"),
        ("use-npm.md", "handmade"),
    ];

    fn select(name: &str) -> Result<String, NameError> {
        let files: Vec<(StorePath, Id)> = FILES
            .iter()
            .map(|(path, id)| (StorePath::new(path).unwrap(), Id::parse(id).unwrap()))
            .collect();
        let named: Vec<Named<'_>> = files.iter().map(|(path, id)| (path, id)).collect();
        select_memory(name, &named, Path::new("/store")).map(|at| FILES[at].0.to_owned())
    }

    #[test]
    fn a_path_a_slug_or_the_start_of_an_id() {
        for (name, path) in [
            ("decision/use-npm-cache.md", "decision/use-npm-cache.md"),
            ("decision/use-npm-cache", "decision/use-npm-cache.md"),
            ("./decision/use-npm-cache.md", "decision/use-npm-cache.md"),
            ("/store/decision/use-npm-cache.md", "decision/use-npm-cache.md"),
            ("use-npm-cache", "decision/use-npm-cache.md"),
            ("use-npm-cache.md", "decision/use-npm-cache.md"),
            ("USE-NPM-CACHE", "decision/use-npm-cache.md"),
            ("use-npm", "use-npm.md"),
            ("project/old-port", "project/old-port.md"),
            ("mem_01KA", "project/old-port.md"),
            ("01ka00", "project/old-port.md"),
            ("mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S", "archive/old-port.md"),
            ("handmade", "use-npm.md"),
            ("cafe\u{301}", "user/Café.md"),
        ] {
            assert_eq!(select(name).as_deref(), Ok(path), "{name}");
        }
    }

    #[test]
    fn an_ambiguous_name_lists_the_candidates() {
        let paths = |name| match select(name) {
            Err(NameError::Ambiguous { candidates, .. }) => candidates
                .iter()
                .map(|(path, _)| path.to_string())
                .collect::<Vec<_>>(),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(paths("old-port"), ["archive/old-port.md", "project/old-port.md"]);
        assert_eq!(
            paths("mem_01K9ZQ4T"),
            ["archive/old-port.md", "decision/use-npm-cache.md"]
        );
        assert_eq!(
            paths("mem_01K9"),
            ["archive/old-port.md", "decision/use-npm-cache.md"]
        );
        assert_eq!(paths("mem_0").len(), 4);
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let nearest = |name| match select(name) {
            Err(NameError::Unknown { nearest, .. }) => {
                nearest.iter().map(ToString::to_string).collect::<Vec<_>>()
            }
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(nearest("use-nmp-cache")[0], "decision/use-npm-cache.md");
        assert_eq!(
            nearest("old-prot"),
            ["archive/old-port.md", "project/old-port.md"]
        );
        assert_eq!(nearest("decision/use-npm-cash"), ["decision/use-npm-cache.md"]);
        assert_eq!(nearest("zzz"), Vec::<String>::new());
        assert_eq!(nearest("mem"), Vec::<String>::new());
        assert_eq!(nearest(""), Vec::<String>::new());
    }
}
