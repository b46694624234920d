//! The rule by which a name means a memory: for what a person types, for what a model says, and for `[[links]]`.

use std::path::Path;
use std::sync::Arc;

use super::create::check_no_reserved;
use crate::model::{Id, Memory, StorePath};
use crate::store::StoredFile;
use crate::text::folded_name;

/// The fewest characters of an id that name it without its `mem_`: a shorter word is too likely a slip.
const LEAST_OF_ID: usize = 4;
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
    /// It is the path of a file of the store's own.
    #[error("{path} is a file of the store itself, and no memory")]
    Own {
        /// The path.
        path: StorePath,
    },
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
const RULES: [(Reach, Rule); 9] = [
    (Reach::Link, |wanted, named| is_path(named.path(), wanted.path)),
    (Reach::Link, |wanted, named| {
        named.memory.id.as_str().eq_ignore_ascii_case(wanted.name)
    }),
    (Reach::Link, |wanted, named| ends_path(named.path(), wanted.path)),
    (Reach::Whole, |wanted, named| {
        starts_id(named.memory.id.as_str(), wanted.name)
    }),
    (Reach::Link, |wanted, named| {
        ends_path(&folded_name(named.path()), &wanted.folded)
    }),
    (Reach::Link, |wanted, named| {
        named.titles().any(|title| folded_stem(title) == wanted.folded)
    }),
    (Reach::Link, |wanted, named| {
        named
            .former
            .iter()
            .any(|path| ends_path(&folded_name(path), &wanted.folded))
    }),
    (Reach::Part, |wanted, named| {
        let begins = |name: &str| folded_name(name).starts_with(&wanted.folded);
        begins(named.path()) || begins(named.memory.path.stem()) || named.titles().any(begins)
    }),
    (Reach::Part, |wanted, named| {
        let contains = |name: &str| folded_stem(name).contains(&wanted.folded);
        contains(named.path()) || named.titles().any(contains)
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
/// case and Unicode form, title or alias, a path that it had before; as far as `reach` allows.
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
    let is_meant = name.starts_with("mem_") || name.chars().count() >= LEAST_OF_ID;
    let name = name.strip_prefix("mem_").unwrap_or(&name);
    let id = id.strip_prefix("mem_").unwrap_or(&id);
    is_meant && id.starts_with(name)
}

/// A name as it is compared: without `.md`, and without regard to case and Unicode form.
pub(super) fn folded_stem(name: &str) -> String {
    let mut folded = folded_name(name);
    if folded.ends_with(".md") {
        folded.truncate(folded.len() - 3);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, Kind};

    /// Path, id, `name:`, heading, aliases, former paths.
    type Row = (
        &'static str,
        &'static str,
        Option<&'static str>,
        Option<&'static str>,
        &'static [&'static str],
        &'static [&'static str],
    );

    const FILES: &[Row] = &[
        (
            "decision/use-npm-cache.md",
            "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R",
            Some("Plugin loading"),
            None,
            &["npm link, not"],
            &["project/npm.md", "decision/old-port-of-npm.md"],
        ),
        (
            "archive/old-port.md",
            "mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S",
            None,
            None,
            &["gone"],
            &[],
        ),
        (
            "project/old-port.md",
            "mem_01KA000000000000000000000A",
            None,
            None,
            &["Gone"],
            &["project/port.md"],
        ),
        (
            "user/Café.md",
            "mem_01KB000000000000000000000B",
            None,
            Some("Where to drink"),
            &[],
            &[],
        ),
        ("use-npm.md", "handmade", None, None, &[], &[]),
        (
            "reference/ノート 一覧.md",
            "n1",
            None,
            Some("Überblick: Ports"),
            &["索引"],
            &["reference/メモ.md"],
        ),
        (
            "reference/2026-11/c#.md",
            "n2",
            None,
            None,
            &[],
            &["use-npm-cache.md"],
        ),
        ("decision/gone-for-good.md", "n3", None, None, &[], &[]),
    ];

    fn memories() -> Vec<(Memory, Vec<String>)> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let memory = |(path, id, name, heading, aliases, former): &Row| {
            let path = StorePath::new(path).unwrap();
            let memory = Memory {
                name: name.map(str::to_owned),
                heading: heading.map(str::to_owned),
                aliases: owned(aliases),
                ..Memory::new(Id::parse(id).unwrap(), path, Kind::default(), Content::default())
            };
            (memory, owned(former))
        };
        FILES.iter().map(memory).collect()
    }

    fn select(name: &str, reach: Reach) -> Result<&'static str, NameError> {
        let memories = memories();
        let named = memories.iter().map(|(memory, former)| Named { memory, former });
        let named: Vec<Named<'_>> = named.collect();
        select_memory(name, &named, Path::new("/store"), reach).map(|at| FILES[at].0)
    }

    #[test]
    fn a_name_means_the_same_memory_however_it_is_said() {
        use Reach::{Link, Part, Whole};
        for (name, least, path) in [
            ("decision/use-npm-cache.md", Link, "decision/use-npm-cache.md"),
            ("decision/use-npm-cache", Link, "decision/use-npm-cache.md"),
            ("./decision/use-npm-cache.md", Link, "decision/use-npm-cache.md"),
            (
                "/store/decision/use-npm-cache.md",
                Link,
                "decision/use-npm-cache.md",
            ),
            ("use-npm-cache", Link, "decision/use-npm-cache.md"),
            ("use-npm-cache.md", Link, "decision/use-npm-cache.md"),
            ("USE-NPM-CACHE", Link, "decision/use-npm-cache.md"),
            ("Use-NPM-Cache.MD", Link, "decision/use-npm-cache.md"),
            ("use-npm", Link, "use-npm.md"),
            ("project/old-port", Link, "project/old-port.md"),
            ("mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S", Link, "archive/old-port.md"),
            ("handmade", Link, "use-npm.md"),
            ("cafe\u{301}", Link, "user/Café.md"),
            ("ノート 一覧", Link, "reference/ノート 一覧.md"),
            ("c#", Link, "reference/2026-11/c#.md"),
            ("2026-11/C#", Link, "reference/2026-11/c#.md"),
            // Titles and aliases.
            ("plugin LOADING", Link, "decision/use-npm-cache.md"),
            ("npm link, not", Link, "decision/use-npm-cache.md"),
            ("索引", Link, "reference/ノート 一覧.md"),
            ("u\u{308}berblick: ports", Link, "reference/ノート 一覧.md"),
            // Former names, where no present name is the same.
            ("npm", Link, "decision/use-npm-cache.md"),
            ("project/npm.md", Link, "decision/use-npm-cache.md"),
            ("port", Link, "project/old-port.md"),
            ("メモ", Link, "reference/ノート 一覧.md"),
            // Beginnings and parts.
            ("mem_01KA", Whole, "project/old-port.md"),
            ("01ka00", Whole, "project/old-port.md"),
            ("use-npm-c", Part, "decision/use-npm-cache.md"),
            ("decision/use", Part, "decision/use-npm-cache.md"),
            ("Where to", Part, "user/Café.md"),
            ("一覧", Part, "reference/ノート 一覧.md"),
            ("drink", Part, "user/Café.md"),
            ("for-good.md", Part, "decision/gone-for-good.md"),
        ] {
            for reach in [Link, Whole, Part] {
                let found = select(name, reach);
                if reach < least {
                    assert!(
                        matches!(found, Err(NameError::Unknown { .. })),
                        "{name} {reach:?}"
                    );
                } else {
                    assert_eq!(found, Ok(path), "{name} {reach:?}");
                }
            }
        }
    }

    #[test]
    fn an_ambiguous_name_lists_the_candidates() {
        let paths = |name| match select(name, Reach::Part) {
            Err(NameError::Ambiguous { candidates, .. }) => candidates
                .iter()
                .map(|(path, _)| path.to_string())
                .collect::<Vec<_>>(),
            other => panic!("{name}: {other:?}"),
        };
        let both = ["archive/old-port.md", "project/old-port.md"];
        assert_eq!(paths("old-port"), both);
        assert_eq!(paths("gone"), both, "an alias of two is none of another's slug");
        let two = ["archive/old-port.md", "decision/use-npm-cache.md"];
        assert_eq!(paths("mem_01K9ZQ4T"), two);
        assert_eq!(paths("mem_01K9"), two);
        assert_eq!(paths("mem_0").len(), 4);
        assert_eq!(paths("old"), both);
        assert_eq!(paths("E").len(), FILES.len());
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let nearest = |name| match select(name, Reach::Whole) {
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
        for odd in [
            "zzz",
            "mem",
            "",
            "/",
            "..",
            ".md",
            "\0",
            "*",
            "a".repeat(100_000).as_str(),
        ] {
            assert_eq!(nearest(odd), Vec::<String>::new(), "{odd:.20}");
        }
    }

    #[test]
    fn a_file_of_the_stores_own_is_no_memory() {
        for name in [
            "MEMORY.md",
            "PROTOCOL.md",
            "./memory.md",
            "/store/CONFLICTS.md",
            "README.md",
        ] {
            for reach in [Reach::Link, Reach::Part] {
                let found = select(name, reach);
                assert!(matches!(found, Err(NameError::Own { .. })), "{name}: {found:?}");
            }
        }
    }

    /// The index of links is made of these names: one that is missing would make a link dangle.
    #[test]
    fn whatever_a_link_means_is_called_so() {
        for (memory, former) in &memories() {
            let names: Vec<String> = Named { memory, former }.link_names().collect();
            for name in names
                .iter()
                .filter(|name| *name != "gone" && !name.contains("old-port"))
            {
                let found = select(name, Reach::Link);
                assert!(found.is_ok(), "{name}: {found:?}");
            }
        }
    }
}
