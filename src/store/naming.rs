//! Which path a new memory gets.

use std::collections::BTreeSet;

use crate::model::{Kind, StorePath, Timestamp};
use crate::text::{folded_name, slug};

/// Over this many files in a type, new ones go to `<type>/<yyyy-mm>/`, because a commit rewrites the folder's whole tree.
const FLAT: usize = 1000;

/// The paths that are taken, compared by NFC and case fold, so that no two names become one on another machine.
#[derive(Debug, Default)]
pub struct TakenPaths(BTreeSet<String>);

impl TakenPaths {
    /// Every path that a file has.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        Self(paths.into_iter().map(folded_name).collect())
    }

    /// Whether a file of this name is there.
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains(&folded_name(path))
    }

    fn directly_in(&self, folder: &str) -> usize {
        let prefix = format!("{}/", folded_name(folder));
        let below = self
            .0
            .range(prefix.clone()..)
            .take_while(|path| path.starts_with(&prefix));
        below.filter(|path| !path[prefix.len()..].contains('/')).count()
    }
}

/// The path for a new memory of a type: a slug of its text in the type's folder, with `-2`, `-3`, … on a clash.
pub fn free_path(text: &str, kind: &Kind, taken: &TakenPaths, now: Timestamp) -> StorePath {
    let folder = kind.as_str();
    let folder = if taken.directly_in(folder) > FLAT {
        format!("{folder}/{}", now.to_utc().format("%Y-%m"))
    } else {
        folder.to_owned()
    };
    free_path_in(&folder, &slug(text), taken)
}

/// The first of `folder/stem.md`, `folder/stem-2.md`, … that no file has. A stem that a path may not have (a device's
/// name) gets a `memory-` before it.
pub fn free_path_in(folder: &str, stem: &str, taken: &TakenPaths) -> StorePath {
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
    let numbered = (2..).map(|n| path(&format!("{stem}-{n}")));
    let mut candidates = std::iter::once(path(&stem)).chain(numbered);
    let free = candidates
        .find(|path| !taken.contains(path))
        .expect("because the numbers do not end");
    StorePath::new(&free).expect("because a slug in a type's folder is a valid path")
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
    fn a_reserved_word_becomes_a_name() {
        assert_eq!(
            free_path("nul", &Kind::new("user"), &TakenPaths::default(), NOW).as_str(),
            "user/memory-nul.md"
        );
    }
}
