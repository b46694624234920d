//! What became of files, scripts and packages that a workspace had. Its repository is only read, and nothing but it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use git2::{Commit, Delta, DiffFindOptions, DiffOptions, ObjectType, Repository, Tree};

use super::manifests::{MANIFESTS, defines};
use super::objects::{fault_of, from_git2, loose_path, object_folders};
use super::workspace::open;
use crate::model::{Cited, Gone, LookedFor, Timestamp};
use crate::sys::read_if_there;

/// The most commits that a look goes back, along first parents.
const MOST_COMMITS: usize = 20_000;
/// The most files among which a look for a renamed one compares contents.
const MOST_RENAMED: usize = 400;
/// The most manifests below the top of a workspace whose scripts and packages are known, and the most bytes of one.
const MOST_MANIFESTS: usize = 40;
const MOST_BYTES: u64 = 1 << 20;
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

/// Looks for what is not on the disk at `root` in the history of the repository there, and for the names that files got
/// since, back to where the look `before` began, which tells of the rest. `None` where no history can be read.
pub fn look_for(root: &Path, cited: &BTreeSet<Cited>, before: Option<&LookedFor>) -> Option<LookedFor> {
    let look = Look::at(root)?;
    let head = from_git2(look.repo.head().ok()?.target()?);
    let mut looked = match before {
        Some(same) if same.head == head => same.clone(),
        _ => LookedFor {
            head,
            manifests: BTreeSet::new(),
            found: BTreeMap::new(),
        },
    };
    for _ in 0..=MOST_STEPS {
        let names = looked.found.values().flatten();
        let names = names.filter_map(|gone: &Gone| gone.now.clone());
        let renamed = names.filter(|name| !is_there(root, name)).map(Cited::Path);
        let mut new: BTreeSet<Cited> = renamed.chain(cited.iter().cloned()).collect();
        new.retain(|cited| !looked.found.contains_key(cited));
        if new.is_empty() {
            break;
        }
        look.back(new, before, &mut looked)?;
    }
    Some(looked)
}

/// What a look found of something that is not on the disk at `root`, with the last name of a file, where one has it.
pub fn found_of(looked: &LookedFor, root: &Path, cited: &Cited) -> Option<Gone> {
    let gone = looked.found.get(cited)?.as_ref()?;
    let is_defined = |path: &String| {
        let read = read_if_there(root, path, MOST_BYTES);
        read.map_or(true, |read| {
            read.is_some_and(|read| defines(path, Some(&read.bytes), cited, true))
        })
    };
    if cited.path().is_none() && looked.manifests.iter().any(is_defined) {
        return None;
    }
    let mut now = gone.now.as_ref();
    for _ in 0..MOST_STEPS {
        let next = now.filter(|now| !is_there(root, now));
        let Some(next) = next else { break };
        now = looked
            .found
            .get(&Cited::Path(next.clone()))
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

    /// What a tree has at a path.
    fn entry(&self, tree: &Tree<'_>, path: &str) -> Option<git2::Oid> {
        let (first, rest) = path
            .split_once('/')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let entry = tree.get_name(first)?;
        let Some(rest) = rest else { return Some(entry.id()) };
        let is_folder = entry.kind() == Some(ObjectType::Tree) && self.is_whole(entry.id());
        let below = is_folder
            .then(|| self.repo.find_tree(entry.id()).ok())
            .flatten()?;
        self.entry(&below, rest)
    }

    /// Says whether one of these manifests defines a script or a package.
    fn defines(&self, manifests: &[(&str, git2::Oid)], cited: &Cited, taken_to: bool) -> bool {
        let is_read = |oid| {
            let header = self.is_whole(oid).then(|| self.repo.odb()?.read_header(oid));
            header.is_some_and(|header| header.is_ok_and(|(size, _)| size as u64 <= MOST_BYTES))
        };
        manifests.iter().any(|(path, oid)| {
            let blob = is_read(*oid).then(|| self.repo.find_blob(*oid).ok()).flatten();
            defines(path, blob.as_ref().map(git2::Blob::content), cited, taken_to)
        })
    }

    /// Walks back from the head until each was met: the commit after which it is not there, or none where the head still has
    /// it. From the commit on that `before` began at, that tells of what it looked for.
    fn back(
        &self,
        mut wanted: BTreeSet<Cited>,
        before: Option<&LookedFor>,
        looked: &mut LookedFor,
    ) -> Option<()> {
        let LookedFor { manifests, found, .. } = looked;
        found.extend(wanted.iter().map(|cited| (cited.clone(), None)));
        *manifests = self.leave_out(&mut wanted)?;
        let mut newer: Option<(Commit<'_>, Tree<'_>)> = None;
        let mut known = Vec::new();
        let mut next = self.repo.head().ok()?.target();
        for _ in 0..MOST_COMMITS {
            let Some((commit, tree)) = next.and_then(|oid| self.commit(oid)) else {
                break;
            };
            let names = wanted.iter().filter(|cited| cited.path().is_none());
            let paths = names.take(1).flat_map(|_| &*manifests);
            let now = paths.filter_map(|path| Some((path.as_str(), self.entry(&tree, path)?)));
            let now: Vec<(&str, git2::Oid)> = now.collect();
            // The rest was looked at in a newer commit.
            let new: Vec<_> = now.iter().filter(|one| !known.contains(*one)).copied().collect();
            known = now;
            if newer.is_none() {
                wanted.retain(|cited| cited.path().is_some() || !self.defines(&new, cited, true));
            }
            let met = |cited: &&Cited| match cited.path() {
                Some(path) => self.entry(&tree, path).is_some(),
                None => self.defines(&new, cited, false),
            };
            let met: Vec<Cited> = wanted.iter().filter(met).cloned().collect();
            let new_tree = newer.as_ref().map(|(_, tree)| tree);
            let renames = met.iter().any(|cited| cited.path().is_some());
            let renames = renames
                .then(|| self.renames(&tree, new_tree))
                .flatten()
                .unwrap_or_default();
            for cited in met {
                wanted.remove(&cited);
                let by = newer.as_ref().map(|(commit, _)| commit);
                let gone = Gone {
                    now: cited.path().and_then(|path| renamed(&renames, path)),
                    commit: by.map(|commit| from_git2(commit.id())),
                    since: by.map(|commit| Timestamp::from_seconds(commit.time().seconds())),
                    cited: cited.clone(),
                };
                found.insert(cited, Some(gone));
            }
            if let Some(before) = before.filter(|before| before.head == from_git2(commit.id())) {
                let known = before.found.iter().filter(|(cited, _)| wanted.contains(*cited));
                found.extend(known.map(|(cited, gone)| (cited.clone(), gone.clone())));
                wanted.retain(|cited| !before.found.contains_key(cited));
            }
            next = commit.parent_id(0).ok().filter(|_| !wanted.is_empty());
            newer = Some((commit, tree));
        }
        Some(())
    }

    /// Leaves out what is not gone: what git ignores now, what a sparse checkout leaves out, and a bare name that a file in
    /// another folder has. Returns the manifests below the top, and those that the top may have had; none where there are
    /// too many.
    fn leave_out(&self, wanted: &mut BTreeSet<Cited>) -> Option<BTreeSet<String>> {
        let mut manifests = BTreeSet::from(MANIFESTS.map(str::to_owned));
        let index = self.repo.index().ok()?;
        for entry in index.iter() {
            let Ok(path) = std::str::from_utf8(&entry.path) else {
                continue;
            };
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if !folder.is_empty() {
                wanted.remove(&Cited::Path(name.to_owned()));
            }
            // `requirements-dev.in`, `test-requirements.txt`, `requirements/dev.txt`
            let is_list = matches!(name.rsplit('.').next(), Some("txt" | "in"));
            let requires = name.contains("requirements") || folder.ends_with("requirements");
            if MANIFESTS.contains(&name) || is_list && requires {
                manifests.insert(path.to_owned());
            }
            let flags = git2::IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended);
            if flags.is_skip_worktree() {
                wanted.retain(|gone| gone.path().is_none_or(|gone| !Path::new(path).starts_with(gone)));
            }
        }
        let is_ignored = |path: &str| self.repo.is_path_ignored(path).unwrap_or(true);
        let is_left_out = |path: &str| is_ignored(path) || is_ignored(&format!("{path}/"));
        wanted.retain(|gone| gone.path().is_none_or(|path| !is_left_out(path)));
        if manifests.len() > MANIFESTS.len() + MOST_MANIFESTS {
            manifests.clear();
            wanted.retain(|gone| gone.path().is_some());
        }
        Some(manifests)
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
