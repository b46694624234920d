//! The changes that a sweep would commit: the present files against HEAD's tree. Pure, so that `--dry-run`, `status`,
//! the watcher and the tests share it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git::Entry;
use crate::model::Oid;

/// One path that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// HEAD does not have it.
    Added(PathBuf),
    /// HEAD has other bytes or another mode.
    Edited(PathBuf),
    /// It is gone.
    Removed(PathBuf),
    /// The same bytes are now at another path.
    Renamed {
        /// The path in HEAD.
        from: PathBuf,
        /// The path now.
        to: PathBuf,
    },
}

impl Change {
    /// The path after the change, the old one of a removal.
    pub fn path(&self) -> &Path {
        match self {
            Self::Added(path) | Self::Edited(path) | Self::Removed(path) | Self::Renamed { to: path, .. } => {
                path
            }
        }
    }

    /// Every path that a commit of this change touches.
    pub fn touched(&self) -> Vec<&Path> {
        match self {
            Self::Renamed { from, to } => vec![from, to],
            other => vec![other.path()],
        }
    }
}

/// Every file with the blob and the mode that git has, or would have, for it.
pub type Tree = BTreeMap<PathBuf, Entry>;

/// Compares the files of `scope` (all when `None`) with HEAD. A file that is missing counts as removed unless `is_kept`
/// says that it is there all the same, or that git itself keeps it out of the work tree.
pub fn difference(
    files: &Tree,
    head: &Tree,
    scope: Option<&BTreeSet<PathBuf>>,
    is_kept: impl Fn(&Path) -> bool,
) -> Vec<Change> {
    let in_scope = |path: &PathBuf| scope.is_none_or(|scope| scope.contains(path));
    let (mut added, mut edited, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    // Both are in the same order: a step of each at a time takes fewer comparisons than looking every path up.
    let mut tracked = head.iter().filter(|(path, _)| in_scope(path)).peekable();
    for (path, file) in files.iter().filter(|(path, _)| in_scope(path)) {
        // Equal bytes are told apart from others faster than the parts of two paths are compared.
        let order = |other: &PathBuf| {
            if other.as_os_str() == path.as_os_str() {
                Ordering::Equal
            } else {
                other.cmp(path)
            }
        };
        while let Some((before, _)) = tracked.next_if(|(other, _)| order(other) == Ordering::Less) {
            missing.push(before);
        }
        match tracked.next_if(|(other, _)| order(other) == Ordering::Equal) {
            None => added.push(path),
            Some((_, entry)) if entry != file => edited.push(path),
            Some(_) => {}
        }
    }
    missing.extend(tracked.map(|(path, _)| path));
    let removed: Vec<&PathBuf> = missing.into_iter().filter(|path| !is_kept(path)).collect();
    pair_renames(&added, edited, removed, files, head)
}

fn pair_renames(
    added: &[&PathBuf],
    edited: Vec<&PathBuf>,
    removed: Vec<&PathBuf>,
    files: &Tree,
    head: &Tree,
) -> Vec<Change> {
    let mut gone: BTreeMap<Oid, Vec<&PathBuf>> = BTreeMap::new();
    for path in removed.iter().rev() {
        gone.entry(head[*path].oid).or_default().push(path);
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut renamed: BTreeSet<&PathBuf> = BTreeSet::new();
    for path in added {
        match gone.get_mut(&files[*path].oid).and_then(Vec::pop) {
            Some(from) => {
                renamed.insert(from);
                changes.push(Change::Renamed {
                    from: from.clone(),
                    to: (*path).clone(),
                });
            }
            None => changes.push(Change::Added((*path).clone())),
        }
    }
    changes.extend(edited.into_iter().cloned().map(Change::Edited));
    changes.extend(
        removed
            .into_iter()
            .filter(|path| !renamed.contains(path))
            .cloned()
            .map(Change::Removed),
    );
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    changes
}

/// True when so much is missing that a person should be asked: more than 10 files, and more than half of HEAD's files.
pub(super) fn removes_too_much(changes: &[Change], head: &Tree) -> bool {
    let removed = changes
        .iter()
        .filter(|change| matches!(change, Change::Removed(_)))
        .count();
    is_most(removed, head.len())
}

/// More than 10 and more than half: nobody takes so much away unasked.
pub(super) const fn is_most(count: usize, of: usize) -> bool {
    count > 10 && count * 2 > of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Mode;

    fn tree(files: &[(&str, u8)]) -> Tree {
        let version = |byte| Entry {
            oid: Oid([byte; 20]),
            mode: Mode::Plain,
        };
        files
            .iter()
            .map(|(path, byte)| (PathBuf::from(path), version(*byte)))
            .collect()
    }

    fn changes(files: &[(&str, u8)], head: &[(&str, u8)]) -> Vec<Change> {
        difference(&tree(files), &tree(head), None, |_| false)
    }

    #[test]
    fn names_what_was_added_edited_removed_and_renamed() {
        let found = changes(
            &[("a", 1), ("b", 9), ("new", 3)],
            &[("a", 1), ("b", 2), ("old", 3), ("z", 4)],
        );
        let expected = [
            Change::Edited("b".into()),
            Change::Renamed {
                from: "old".into(),
                to: "new".into(),
            },
            Change::Removed("z".into()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_by_another_case_is_a_name_of_its_own() {
        let removed = Change::Removed("a.md".into());
        assert_eq!(changes(&[("A.md", 1)], &[("A.md", 1), ("a.md", 2)]), [removed]);
        let rename = Change::Renamed {
            from: "A.md".into(),
            to: "a.md".into(),
        };
        assert_eq!(changes(&[("a.md", 1)], &[("A.md", 1)]), [rename]);
    }

    #[test]
    fn files_that_are_kept_are_not_removed() {
        assert_eq!(difference(&tree(&[]), &tree(&[("a", 1)]), None, |_| true), []);
    }

    #[test]
    fn asks_when_most_of_the_store_is_missing() {
        let head: Vec<(String, u8)> = (0..20).map(|n| (format!("{n:02}"), n)).collect();
        let head: Vec<(&str, u8)> = head.iter().map(|(path, byte)| (path.as_str(), *byte)).collect();
        let ask = |kept: usize| removes_too_much(&changes(&head[..kept], &head), &tree(&head));
        assert!(ask(9) && ask(0) && !ask(10));
    }
}
