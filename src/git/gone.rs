//! What became of paths that a workspace had. Its repository is only read, and nothing but it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use git2::{Commit, Delta, DiffFindOptions, DiffOptions, ObjectType, Repository, Tree};

use super::objects::{fault_of, from_git2, loose_path, object_folders};
use super::workspace::open;
use crate::model::{Gone, LookedFor, Timestamp};

/// The most commits that a look goes back, along first parents.
const MOST_COMMITS: usize = 20_000;
/// The most files among which a look for a renamed one compares contents.
const MOST_RENAMED: usize = 400;
/// The most renames of one file that are followed.
const MOST_STEPS: usize = 4;

/// Says whether a path is below `root`. No link is followed: what lies behind one counts as there.
pub fn is_there(root: &Path, path: &str) -> bool {
    let mut at = root.to_owned();
    for part in path.split('/') {
        at.push(part);
        match at.symlink_metadata() {
            Ok(there) if there.is_symlink() => return true,
            Ok(_) => {}
            Err(error) => return !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        }
    }
    true
}

/// Looks for paths that are not on the disk at `root` in the history of the repository there, and for the names that they
/// got since, back to where the look `before` began, which tells of the rest. `None` where no history can be read.
pub fn look_for(root: &Path, paths: &BTreeSet<String>, before: Option<&LookedFor>) -> Option<LookedFor> {
    let look = Look::at(root)?;
    let head = from_git2(look.repo.head().ok()?.target()?);
    let same = before.filter(|before| before.head == head);
    let mut found = same.map_or_else(BTreeMap::new, |same| same.found.clone());
    for _ in 0..=MOST_STEPS {
        let names = found
            .values()
            .flatten()
            .filter_map(|gone: &Gone| gone.now.as_ref());
        let renamed = names.filter(|name| !is_there(root, name));
        let mut new: BTreeSet<String> = renamed.chain(paths).cloned().collect();
        new.retain(|path| !found.contains_key(path));
        if new.is_empty() {
            break;
        }
        found.extend(look.back(new, before)?);
    }
    Some(LookedFor { head, found })
}

/// What a look found of a path that is not on the disk at `root`, with the last of its names, where a file has it.
pub fn found_of(looked: &LookedFor, root: &Path, path: &str) -> Option<Gone> {
    let gone = looked.found.get(path)?.as_ref()?;
    let mut now = gone.now.as_ref();
    for _ in 0..MOST_STEPS {
        let next = now.filter(|now| !is_there(root, now));
        let Some(next) = next else { break };
        now = looked
            .found
            .get(next)
            .and_then(Option::as_ref)
            .and_then(|gone| gone.now.as_ref());
    }
    Some(Gone {
        now: now.filter(|now| is_there(root, now)).cloned(),
        ..gone.clone()
    })
}

/// A repository that is looked at.
struct Look {
    repo: Repository,
    folders: Vec<PathBuf>,
}

impl Look {
    fn at(root: &Path) -> Option<Self> {
        let repo = open(root)?;
        let folders = object_folders(&repo);
        Some(Self { repo, folders })
    }

    /// libgit2 does not end on a loose object that is cut off.
    fn is_whole(&self, oid: git2::Oid) -> bool {
        let name = from_git2(oid);
        let mut folders = self.folders.iter();
        folders.all(|folder| fault_of(&loose_path(folder, name), name).is_none())
    }

    fn commit(&self, oid: git2::Oid) -> Option<(Commit<'_>, Tree<'_>)> {
        let commit = self.is_whole(oid).then(|| self.repo.find_commit(oid).ok())??;
        let tree = self.is_whole(commit.tree_id()).then(|| commit.tree().ok())??;
        Some((commit, tree))
    }

    fn has(&self, tree: &Tree<'_>, path: &str) -> bool {
        let (first, rest) = path
            .split_once('/')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Some(entry) = tree.get_name(first) else {
            return false;
        };
        let Some(rest) = rest else { return true };
        let is_folder = entry.kind() == Some(ObjectType::Tree) && self.is_whole(entry.id());
        let below = is_folder.then(|| self.repo.find_tree(entry.id()).ok()).flatten();
        below.is_some_and(|below| self.has(&below, rest))
    }

    /// Walks back from the head until each path was met: the commit after which it is not there, or none where the head
    /// still has it. From the commit on that `before` began at, that tells of what it looked for.
    fn back(
        &self,
        mut wanted: BTreeSet<String>,
        before: Option<&LookedFor>,
    ) -> Option<BTreeMap<String, Option<Gone>>> {
        let mut found: BTreeMap<String, Option<Gone>> =
            wanted.iter().map(|path| (path.clone(), None)).collect();
        self.leave_out(&mut wanted)?;
        let mut newer: Option<(Commit<'_>, Tree<'_>)> = None;
        let mut next = self.repo.head().ok()?.target();
        for _ in 0..MOST_COMMITS {
            let Some((commit, tree)) = next.and_then(|oid| self.commit(oid)) else {
                break;
            };
            let met: Vec<String> = wanted
                .iter()
                .filter(|path| self.has(&tree, path))
                .cloned()
                .collect();
            let new_tree = newer.as_ref().map(|(_, tree)| tree);
            let renames = (!met.is_empty()).then(|| self.renames(&tree, new_tree)).flatten();
            for path in met {
                wanted.remove(&path);
                let by = newer.as_ref().map(|(commit, _)| commit);
                let gone = Gone {
                    now: renamed(renames.as_deref().unwrap_or_default(), &path),
                    commit: by.map(|commit| from_git2(commit.id())),
                    since: by.map(|commit| Timestamp::from_seconds(commit.time().seconds())),
                    path: path.clone(),
                };
                found.insert(path, Some(gone));
            }
            if let Some(before) = before.filter(|before| before.head == from_git2(commit.id())) {
                let known = before.found.iter().filter(|(path, _)| wanted.contains(*path));
                found.extend(known.map(|(path, gone)| (path.clone(), gone.clone())));
                wanted.retain(|path| !before.found.contains_key(path));
            }
            next = commit.parent_id(0).ok().filter(|_| !wanted.is_empty());
            newer = Some((commit, tree));
        }
        Some(found)
    }

    /// Leaves out what is not gone: what git ignores now, what a sparse checkout leaves out, and a bare name that a file in
    /// another folder has.
    fn leave_out(&self, wanted: &mut BTreeSet<String>) -> Option<()> {
        let index = self.repo.index().ok()?;
        for entry in index.iter() {
            let Ok(path) = std::str::from_utf8(&entry.path) else {
                continue;
            };
            if let Some((_, name)) = path.rsplit_once('/') {
                wanted.remove(name);
            }
            let flags = git2::IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended);
            if flags.is_skip_worktree() {
                wanted.retain(|gone| !Path::new(path).starts_with(gone));
            }
        }
        let is_ignored = |path: &str| self.repo.is_path_ignored(path).unwrap_or(true);
        wanted.retain(|path| !is_ignored(path) && !is_ignored(&format!("{path}/")));
        Some(())
    }

    /// The files of one tree that have another name in the next one, or on the disk.
    fn renames(&self, old: &Tree<'_>, new: Option<&Tree<'_>>) -> Option<Vec<(String, String)>> {
        let mut options = DiffOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true);
        let mut diff = match new {
            Some(_) => self.repo.diff_tree_to_tree(Some(old), new, Some(&mut options)),
            None => self
                .repo
                .diff_tree_to_workdir_with_index(Some(old), Some(&mut options)),
        }
        .ok()?;
        let is_whole = |file: git2::DiffFile<'_>| self.is_whole(file.id());
        if !diff
            .deltas()
            .all(|delta| is_whole(delta.old_file()) && is_whole(delta.new_file()))
        {
            return None;
        }
        let mut find = DiffFindOptions::new();
        find.renames(true).for_untracked(true).rename_limit(MOST_RENAMED);
        diff.find_similar(Some(&mut find)).ok()?;
        let path = |file: git2::DiffFile<'_>| Some(file.path()?.to_str()?.to_owned());
        let renamed = diff.deltas().filter(|delta| delta.status() == Delta::Renamed);
        Some(
            renamed
                .filter_map(|delta| Some((path(delta.old_file())?, path(delta.new_file())?)))
                .collect(),
        )
    }
}

/// The new name of a file, or of a folder by that of the first of its files.
fn renamed(renames: &[(String, String)], path: &str) -> Option<String> {
    renames
        .iter()
        .find_map(|(old, new)| match old.strip_prefix(path)? {
            "" => Some(new.clone()),
            below if below.starts_with('/') => Some(new.strip_suffix(below)?.to_owned()),
            _ => None,
        })
}
