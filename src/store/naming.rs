//! The path of a new memory.

use std::collections::{HashMap, HashSet};

use crate::model::{Kind, StorePath, Timestamp};
use crate::text::{folded_name, slug};

/// Over this many files in a type, new ones go to `<type>/<yyyy-mm>/`, because a commit rewrites the folder's whole
/// tree.
const FLAT: usize = 1000;

/// The paths that are taken, compared by NFC and case fold, so that no two names become one on another machine.
#[derive(Debug, Default)]
pub struct TakenPaths {
    /// The folded paths.
    paths: HashSet<String>,
    /// The number of files in each folder, by its folded path.
    counts: HashMap<String, usize>,
    /// The numbers that were tried for a name and are taken: where many memories have one slug, each would try all of
    /// them anew.
    tried: HashMap<String, u32>,
}

impl TakenPaths {
    /// Every path that a file has.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut taken = Self::default();
        for path in paths {
            taken.take(path);
        }
        taken
    }

    /// Takes one more path.
    pub fn take(&mut self, path: &str) {
        let path = folded_name(path);
        let (folder, _) = path.rsplit_once('/').unwrap_or_default();
        *self.counts.entry(folder.to_owned()).or_default() += 1;
        self.paths.insert(path);
    }

    /// Says whether a file of this name is there.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.contains(&folded_name(path))
    }

    /// Finds a free path as [`free_path`] does, and takes it.
    pub fn claim(&mut self, text: &str, kind: &Kind, when: Timestamp) -> StorePath {
        let folder = self.folder(kind, when);
        self.claim_in(&folder, &slug(text))
    }

    /// Finds a free path as [`free_path_in`] does, and takes it.
    pub fn claim_in(&mut self, folder: &str, stem: &str) -> StorePath {
        let name = folded_name(&format!("{folder}/{stem}"));
        let first = self.tried.get(&name).copied().unwrap_or(1);
        let (path, number) = first_free(folder, stem, first, self);
        self.tried.insert(name, number);
        self.take(path.as_str());
        path
    }

    fn folder(&self, kind: &Kind, when: Timestamp) -> String {
        let folder = kind.as_str();
        if self
            .counts
            .get(&folded_name(folder))
            .is_some_and(|count| *count > FLAT)
        {
            format!("{folder}/{}", when.to_utc().format("%Y-%m"))
        } else {
            folder.to_owned()
        }
    }
}

/// The path for a new memory of a type: a slug of its text in the type's folder, with `-2`, `-3`, … on a clash.
pub fn free_path(text: &str, kind: &Kind, taken: &TakenPaths, now: Timestamp) -> StorePath {
    free_path_in(&taken.folder(kind, now), &slug(text), taken)
}

/// The first of `folder/stem.md`, `folder/stem-2.md`, … that no file has. A stem that a path may not have (a device's
/// name) gets a `memory-` before it.
pub fn free_path_in(folder: &str, stem: &str, taken: &TakenPaths) -> StorePath {
    first_free(folder, stem, 1, taken).0
}

/// The first free path from a number on (1 is the plain name), and its number.
fn first_free(folder: &str, stem: &str, first: u32, taken: &TakenPaths) -> (StorePath, u32) {
    let path = |stem: &str| {
        if folder.is_empty() {
            format!("{stem}.md")
        } else {
            format!("{folder}/{stem}.md")
        }
    };
    let stem = if StorePath::new(&path(stem)).is_ok() {
        stem.to_owned()
    } else {
        format!("memory-{stem}")
    };
    // A stem that is as long as a name may be makes room for its number.
    let numbered = |number: u32| {
        let end = if number == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        let shorter = stem.char_indices().rev().map(|(at, _)| at);
        let lengths = std::iter::once(stem.len()).chain(shorter.take_while(|length| *length > 0));
        let mut paths = lengths.map(|length| path(&format!("{}{end}", &stem[..length])));
        paths.find_map(|path| StorePath::new(&path).ok())
    };
    let mut candidates = (first..).map_while(|number| Some((numbered(number)?, number)));
    let free = candidates.find(|(path, _)| !taken.contains(path.as_str()));
    // A folder whose own path is nearly as long as a path may be has no room for another name.
    free.unwrap_or_else(|| first_free("", &stem, 1, taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    #[test]
    fn a_clash_gets_a_number_also_in_another_case() {
        let taken = TakenPaths::new(["decision/Use-NPM.md", "decision/use-npm-2.md"]);
        assert_eq!(
            free_path("Use npm", &Kind::new("decision"), &taken, NOW).as_str(),
            "decision/use-npm-3.md"
        );
        assert_eq!(
            free_path("Use npm", &Kind::new("project"), &taken, NOW).as_str(),
            "project/use-npm.md"
        );
    }

    #[test]
    fn a_name_as_long_as_names_may_be_makes_room_for_a_number() {
        let free = |folder: &str, stem: &str, taken: &[&str]| {
            free_path_in(folder, stem, &TakenPaths::new(taken.iter().copied())).to_string()
        };
        let longest = "x".repeat(252);
        let path = format!("project/{longest}.md");
        assert_eq!(
            free("project", &longest, &[&path]),
            format!("project/{}-2.md", "x".repeat(250))
        );
        let umlauts = "ü".repeat(126);
        let path = format!("{umlauts}.md");
        assert_eq!(free("", &umlauts, &[&path]), format!("{}-2.md", "ü".repeat(125)));
        let mut folder = vec!["d".repeat(200); 19].join("/") + "/d";
        while StorePath::new(&format!("{folder}d/a.md")).is_ok() {
            folder.push('d');
        }
        let path = format!("{folder}/a.md");
        assert!(StorePath::new(&path).is_ok());
        assert_eq!(free(&folder, "a", &[&path]), "a.md");
    }

    #[test]
    fn folders_are_compared_as_names_are_also_where_paths_are_mixed() {
        let paths = [
            "Caf\u{e9}/A.md",
            "b.md",
            "CAFE\u{301}/straße.md",
            "caf\u{e9}/x/y.md",
        ];
        let mut taken = TakenPaths::new(paths);
        for path in ["café/a.md", "B.md", "CAFÉ/STRASSE.md", "Café/X/y.md"] {
            assert!(taken.contains(path), "{path}");
        }
        for path in ["a.md", "café/b.md", "café/x.md", "café/x/a.md"] {
            assert!(!taken.contains(path), "{path}");
        }
        taken.take("cafe\u{301}/B.md");
        assert!(taken.contains("CAFÉ/b.md"));
    }

    #[test]
    fn a_full_folder_is_sharded_by_month() {
        let paths: Vec<String> = (0..=FLAT).map(|n| format!("project/{n}.md")).collect();
        let taken = TakenPaths::new(paths.iter().map(String::as_str));
        assert_eq!(
            free_path("x y", &Kind::new("project"), &taken, NOW).as_str(),
            "project/2026-11/x-y.md"
        );
        let fewer = TakenPaths::new(paths[1..].iter().map(String::as_str));
        assert_eq!(
            free_path("x y", &Kind::new("project"), &fewer, NOW).as_str(),
            "project/x-y.md"
        );
    }

    #[test]
    fn many_of_one_slug_are_numbered_in_turn() {
        let mut taken = TakenPaths::new(["user/same-2.md"]);
        let claimed: Vec<StorePath> = (0..3)
            .map(|_| taken.claim("Same", &Kind::new("user"), NOW))
            .collect();
        let names: Vec<&str> = claimed.iter().map(StorePath::as_str).collect();
        assert_eq!(names, ["user/same.md", "user/same-3.md", "user/same-4.md"]);
        let mut taken = TakenPaths::default();
        for _ in 0..=FLAT {
            taken.claim("x", &Kind::new("user"), NOW);
        }
        assert_eq!(
            taken.claim("x", &Kind::new("user"), NOW).as_str(),
            "user/2026-11/x.md"
        );
    }

    #[test]
    fn a_reserved_word_becomes_a_name() {
        assert_eq!(
            free_path("nul", &Kind::new("user"), &TakenPaths::default(), NOW).as_str(),
            "user/memory-nul.md"
        );
    }
}
