//! The history: commits, the lines between them, and what each changed; by libgit2's walks.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::objects::{from_git2, parse_oid, to_git2};
use super::revision::Move;
use super::work_file::read_regular;
use super::{FileChange, GitError, Message, ORIGIN_REF, Repo, SEEN_REF, durable};
use serde::Serialize;

use crate::model::{Oid, Timestamp};
use crate::sys::Work;

/// A commit, without its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitInfo {
    /// Its name.
    pub oid: Oid,
    /// Its parents: none for the first, several for a merge.
    #[serde(skip)]
    pub parents: Vec<Oid>,
    /// When it was committed.
    pub time: Timestamp,
    /// The author's name.
    pub author: String,
    /// Its message.
    #[serde(flatten)]
    pub message: Message,
}

impl CommitInfo {
    fn of(commit: &git2::Commit<'_>) -> Self {
        Self {
            oid: from_git2(commit.id()),
            parents: commit.parent_ids().map(from_git2).collect(),
            time: Timestamp::from_seconds(commit.time().seconds()),
            author: String::from_utf8_lossy(commit.author().name_bytes()).into_owned(),
            message: Message::parse(&String::from_utf8_lossy(commit.message_bytes())),
        }
    }

    /// Says whether it joins several lines of history.
    pub const fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

/// One commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The commit.
    pub commit: CommitInfo,
    /// The paths it changed, renames found. A merge changed a path only if it differs from what each parent has,
    /// and then `old` is what the first parent has.
    pub changes: Vec<FileChange>,
}

/// Says of a commit whether a walk passes over it.
type Passing<'a> = Box<dyn Fn(&CommitInfo) -> bool + 'a>;

/// Commits and what each changed.
pub struct Steps<'repo> {
    repo: &'repo Repo,
    left: std::vec::IntoIter<Oid>,
    work: Work,
    path: Option<PathBuf>,
    starts_over: bool,
    is_passed_over: Option<Passing<'repo>>,
}

impl Repo {
    /// A commit, without its files. Errors when there is no such commit.
    pub fn commit_info(&self, oid: Oid) -> Result<CommitInfo, GitError> {
        Ok(CommitInfo::of(&self.commit_object(oid)?))
    }

    /// HEAD's commits along their first parents, newest first, at most `most` of them. Commits that a merge brought in
    /// from elsewhere are not among them.
    pub fn first_parents(&self, most: usize) -> Result<Vec<CommitInfo>, GitError> {
        let mut line = Vec::new();
        let mut next = self.head()?.tip();
        while let Some(oid) = next.filter(|_| line.len() < most) {
            let commit = self.commit_info(oid)?;
            next = commit.parents.first().copied();
            line.push(commit);
        }
        Ok(line)
    }

    /// The last commit at or before a time, on HEAD's line of first parents: what this machine had then. Merges
    /// bring older commits of other machines, which were not here at that time. `None` when the history begins later.
    pub fn commit_at(&self, time: Timestamp) -> Result<Option<Oid>, GitError> {
        let mut next = self.head()?.tip();
        while let Some(oid) = next {
            let commit = self.commit_object(oid)?;
            if commit.time().seconds() <= time.as_seconds() {
                return Ok(Some(oid));
            }
            next = commit.parent_ids().next().map(from_git2);
        }
        Ok(None)
    }

    /// The commits up to `head`, without the others and all that came before those; each before its parents, newest
    /// first.
    pub fn commits_beyond(&self, head: Oid, others: &[Oid]) -> Result<Vec<Oid>, GitError> {
        let walked = || {
            let mut walk = self.git.revwalk()?;
            walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
            walk.push(to_git2(head))?;
            others.iter().try_for_each(|oid| walk.hide(to_git2(*oid)))?;
            walk.map(|oid| oid.map(from_git2))
                .collect::<Result<Vec<Oid>, git2::Error>>()
        };
        let what = || format!("the history of {}", head.short());
        walked().map_err(|e| self.damaged(&what(), e.message()))
    }

    /// The commits that both have and that come before no other commit that both have, in the order of their names.
    /// Histories without a common commit have none.
    pub fn merge_bases(&self, one: Oid, other: Oid) -> Result<Vec<Oid>, GitError> {
        let found = match self.git.merge_bases(to_git2(one), to_git2(other)) {
            Ok(found) => found,
            Err(e) if e.code() == git2::ErrorCode::NotFound && e.class() == git2::ErrorClass::Merge => {
                return Ok(Vec::new());
            }
            Err(e) => return Err(self.damaged("the history", e.message())),
        };
        let mut bases: Vec<Oid> = found.iter().copied().map(from_git2).collect();
        bases.sort_unstable();
        Ok(bases)
    }

    /// The number of commits that only the first has, and the number of those that only the second has.
    pub fn ahead_behind(&self, one: Oid, other: Oid) -> Result<(usize, usize), GitError> {
        let counted = self.git.graph_ahead_behind(to_git2(one), to_git2(other));
        counted.map_err(|e| self.damaged("the history", e.message()))
    }

    /// Says whether a commit is another one or comes before it.
    pub fn is_ancestor(&self, before: Oid, after: Oid) -> Result<bool, GitError> {
        let found = self.git.graph_descendant_of(to_git2(after), to_git2(before));
        Ok(before == after || found.map_err(|e| self.damaged("the history", e.message()))?)
    }

    /// The commits up to `from`, each before its parents, newest first. With a path only those that changed it, or
    /// something in it if it is a folder, and only these changes; a file is followed to its earlier names.
    pub fn log(&self, from: Oid, path: Option<&Path>) -> Result<Steps<'_>, GitError> {
        Ok(Steps {
            path: path.map(Path::to_owned),
            ..self.steps(self.commits_beyond(from, &[])?)
        })
    }

    /// Walks from the first commit to `head`, each after its parents, leaving out `known` and all that came before it.
    /// When `known` is not in the history of `head` (it was rewritten, or another branch is checked out), the walk has
    /// everything and [`Steps::starts_over`] is true.
    pub fn walk(&self, head: Oid, known: Option<Oid>) -> Result<Steps<'_>, GitError> {
        // One that a rewrite left behind may be gone by now.
        let is_before =
            |known: &Oid| self.has_object(*known) && self.is_ancestor(*known, head).unwrap_or(false);
        let still = known.filter(is_before);
        let mut commits = self.commits_beyond(head, still.as_slice())?;
        commits.reverse();
        Ok(Steps {
            starts_over: known.is_some() && still.is_none(),
            ..self.steps(commits)
        })
    }

    /// Walks the commits that `head` has and that none of the others has, each after its parents.
    pub fn walk_beyond(&self, head: Oid, others: &[Oid]) -> Result<Steps<'_>, GitError> {
        let mut commits = self.commits_beyond(head, others)?;
        commits.reverse();
        Ok(self.steps(commits))
    }

    fn steps(&self, commits: Vec<Oid>) -> Steps<'_> {
        Steps {
            repo: self,
            work: Work::of("reading the history", commits.len()),
            left: commits.into_iter(),
            path: None,
            starts_over: false,
            is_passed_over: None,
        }
    }

    /// For each path that these commits changed, the time of the last one that did. Renames are not looked for; a merge
    /// changed a path only if it differs from what each parent has.
    pub fn last_changes(&self, head: Oid, others: &[Oid]) -> Result<BTreeMap<PathBuf, Timestamp>, GitError> {
        let mut last = BTreeMap::new();
        for oid in self.commits_beyond(head, others)? {
            let commit = self.commit_object(oid)?;
            for change in self.changes_of(&commit)? {
                let time = Timestamp::from_seconds(commit.time().seconds());
                last.entry(change.path).or_insert(time);
            }
        }
        Ok(last)
    }

    /// The versions of files that these commits changed, before and after: of the newest `most` commits of `head` that
    /// none of the others has.
    pub fn versions_beyond(
        &self,
        head: Oid,
        others: &[Oid],
        most: usize,
    ) -> Result<BTreeSet<(PathBuf, Oid)>, GitError> {
        let mut versions = BTreeSet::new();
        for oid in self.commits_beyond(head, others)?.into_iter().take(most) {
            for change in self.changes_of(&self.commit_object(oid)?)? {
                let entries = [change.old, change.new].into_iter().flatten();
                let files = entries.filter(|entry| entry.mode.is_file());
                versions.extend(files.map(|entry| (change.path.clone(), entry.oid)));
            }
        }
        Ok(versions)
    }

    /// The changes of a commit, renames not looked for. A merge changed a path only if it differs from what each parent
    /// has.
    fn changes_of(&self, commit: &git2::Commit<'_>) -> Result<Vec<FileChange>, GitError> {
        let tree = Some(commit.tree_id());
        let mut parents = commit.parent_ids().map(|oid| self.tree_of(from_git2(oid)));
        let mut changes = self.tree_changes(parents.next().transpose()?, tree)?;
        for parent in parents {
            let others = self.tree_changes(Some(parent?), tree)?;
            let differs: HashSet<&Path> = others.iter().map(|change| change.path.as_path()).collect();
            changes.retain(|change| differs.contains(change.path.as_path()));
        }
        Ok(changes)
    }
}

impl Repo {
    /// False where a path is the same in a commit as in its first parent: two looks cost less than all that changed.
    fn may_change(&self, commit: &git2::Commit<'_>, path: &Path) -> Result<bool, GitError> {
        let at = |tree: git2::Oid| {
            let entry = self.tree_object(tree)?;
            let entry = match entry.get_path(path) {
                Ok(entry) => Some(Some((entry.id(), entry.filemode()))),
                Err(e) if e.code() == git2::ErrorCode::NotFound && e.class() != git2::ErrorClass::Odb => {
                    Some(None)
                }
                // What changed says what is wrong.
                Err(_) => None,
            };
            Ok::<_, GitError>(entry)
        };
        let before = match commit.parent_ids().next() {
            Some(parent) => at(self.tree_of(from_git2(parent))?)?,
            None => Some(None),
        };
        let now = at(commit.tree_id())?;
        Ok(now.zip(before).is_none_or(|(now, before)| now != before))
    }
}

impl<'repo> Steps<'repo> {
    /// The same without some commits: nobody looks for what they changed.
    #[must_use]
    pub fn without(self, is_passed_over: impl Fn(&CommitInfo) -> bool + 'repo) -> Self {
        Self {
            is_passed_over: Some(Box::new(is_passed_over)),
            ..self
        }
    }

    /// Says whether what was folded up to the known commit must be thrown away.
    pub const fn starts_over(&self) -> bool {
        self.starts_over
    }

    /// `None` when the commit changed nothing at the path, or is passed over.
    fn step(&mut self, oid: Oid) -> Result<Option<Step>, GitError> {
        let found = self.repo.commit_object(oid)?;
        let commit = CommitInfo::of(&found);
        if self.is_passed_over.as_ref().is_some_and(|is| is(&commit)) {
            return Ok(None);
        }
        if let Some(path) = &self.path
            && !self.repo.may_change(&found, path)?
        {
            return Ok(None);
        }
        let mut changes = self.repo.with_renames(&self.repo.changes_of(&found)?)?;
        if let Some(path) = &self.path {
            let is_below = |name: &Path| name.starts_with(path);
            changes.retain(|change| {
                is_below(&change.path) || change.renamed_from.as_deref().is_some_and(is_below)
            });
            if changes.is_empty() {
                return Ok(None);
            }
            let renamed = changes.iter().find(|change| change.path == *path);
            let earlier = renamed.and_then(|change| change.renamed_from.clone());
            self.path = earlier.or(self.path.take());
        }
        Ok(Some(Step { commit, changes }))
    }
}

impl Iterator for Steps<'_> {
    type Item = Result<Step, GitError>;

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left.len()))
    }

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let oid = self.left.next()?;
            self.work.part_is_done();
            if let Some(step) = self.step(oid).transpose() {
                return Some(step);
            }
        }
    }
}

/// Names the HEAD up to which each merge of git's own was looked at.
const COMPLETED: &str = "mdmem-mended";
/// So many commits are looked at by each writer rather than that each writes the file anew.
const FEW: usize = 64;

impl Repo {
    /// The commits that came to HEAD since [`Self::set_completed`], oldest first; none where no merge is among them. Of a
    /// repository in which nothing was noted yet, those that came since it was made or cloned, as far as the reflog tells.
    pub fn uncompleted(&self) -> Result<Vec<CommitInfo>, GitError> {
        let Some(tip) = self.head()?.tip() else {
            return Ok(Vec::new());
        };
        let text = read_regular(&self.git_dir.join(COMPLETED)).ok().flatten();
        let known = text.and_then(|text| parse_oid(String::from_utf8_lossy(&text).trim()));
        let known = known.filter(|known| self.has_object(*known)).or_else(|| {
            let first = self.moves("HEAD").pop()?;
            Some(if first.old.0 == [0; 20] {
                first.new
            } else {
                first.old
            })
        });
        let known = known.filter(|known| self.has_object(*known)).unwrap_or(tip);
        let beyond = self.commits_beyond(tip, &[known])?;
        let commits = beyond.iter().rev().map(|oid| self.commit_info(*oid));
        let commits = commits.collect::<Result<Vec<_>, _>>()?;
        if commits.iter().any(CommitInfo::is_merge) {
            return Ok(commits);
        }
        if commits.len() > FEW {
            self.set_completed(tip)?;
        }
        Ok(Vec::new())
    }

    /// Notes that each merge up to this commit was looked at.
    pub fn set_completed(&self, head: Oid) -> Result<(), GitError> {
        durable::replace(&self.git_dir.join(COMPLETED), format!("{head}\n").as_bytes())
    }
}

/// The reason that a rewrite of commits that were never sent notes.
pub(super) const REWRITE: &str = "rewrite";
/// The steps of a rebase that make a commit.
const STEPS: [&str; 6] = ["pick", "reword", "edit", "squash", "fixup", "continue"];

impl Repo {
    /// HEAD's commits that were made on this machine, newest first, at most `most` of them. Where something was exchanged
    /// with another machine, these are the ones that the log of HEAD knows, whoever merged them, and no merges; elsewhere
    /// those along the first parents.
    pub fn made_here(&self, most: usize) -> Result<Vec<CommitInfo>, GitError> {
        let moves = self.moves("HEAD");
        let Some(head) = self.head()?.tip() else {
            return Ok(Vec::new());
        };
        if !self.was_exchanged(&moves)? {
            return self.first_parents(most);
        }
        let mut left: HashSet<Oid> = self.commits_beyond(head, &[])?.into_iter().collect();
        let mut commits = Vec::new();
        for made in &moves {
            for oid in self.made_by(made)? {
                if commits.len() < most && left.remove(&oid) {
                    commits.push(self.commit_info(oid)?);
                }
            }
        }
        commits.retain(|commit| !commit.is_merge());
        Ok(commits)
    }

    /// Those of the commits that were made on this machine; it walks no history.
    pub fn made_here_of(&self, commits: &[Oid]) -> Result<HashSet<Oid>, GitError> {
        let moves = self.moves("HEAD");
        let mut left: HashSet<Oid> = commits.iter().copied().collect();
        if !self.was_exchanged(&moves)? {
            return Ok(left);
        }
        let mut made_here = HashSet::new();
        for made in &moves {
            if left.is_empty() {
                break;
            }
            made_here.extend(self.made_by(made)?.iter().filter_map(|oid| left.take(oid)));
        }
        Ok(made_here)
    }

    fn was_exchanged(&self, moves: &[Move]) -> Result<bool, GitError> {
        Ok(self.remote_url()?.is_some()
            || self.own_ref(ORIGIN_REF)?.is_some()
            || self.own_ref(SEEN_REF)?.is_some()
            || moves.iter().any(|made| came_from_elsewhere(&made.why)))
    }

    /// The commits that a move of HEAD made, newest first.
    fn made_by(&self, made: &Move) -> Result<Vec<Oid>, GitError> {
        let is_rewrite = made.why.split(':').next() == Some(REWRITE);
        if is_rewrite && self.has_object(made.new) && self.has_object(made.old) {
            return self.commits_beyond(made.new, &[made.old]);
        }
        let is_own = is_rewrite || is_made_here(&made.why);
        Ok(is_own.then_some(made.new).into_iter().collect())
    }
}

/// Says whether a move with this reason brought commits of another repository. A merge of mdmem's names no branch.
fn came_from_elsewhere(why: &str) -> bool {
    ["pull", "initial pull", "clone", "merge:"]
        .iter()
        .any(|start| why.starts_with(start))
}

/// Says whether a move with this reason made its commit.
fn is_made_here(why: &str) -> bool {
    let (how, what) = why.split_once(": ").unwrap_or((why, ""));
    let step = how.strip_suffix(')').and_then(|how| how.rsplit_once(" ("));
    match how.split(' ').next() {
        Some("commit" | "am") => true,
        _ if what == "fast-forward" => false,
        Some("cherry-pick" | "revert") => true,
        Some("rebase" | "pull") => step.is_some_and(|(_, step)| STEPS.contains(&step)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::*;

    #[test]
    fn a_reason_tells_whether_a_commit_was_made_here() {
        for why in [
            "commit: fast-forward",
            "commit (initial): memory: add a",
            "commit (amend): a: b",
            "commit (cherry-pick): a",
            "cherry-pick: a",
            "revert: Revert \"a\"",
            "rebase (pick): a (start): b",
            "rebase -i (squash): a",
            "pull --rebase origin main (pick): a",
            "am: a",
        ] {
            assert!(is_made_here(why), "{why}");
        }
        for why in [
            "",
            "merge: fast-forward",
            "merge topic: Fast-forward",
            "pull: Fast-forward",
            "pull origin main: Merge made by the 'ort' strategy.",
            "pull --rebase (start): checkout 0123",
            "pull --rebase (finish): returning to refs/heads/main",
            "rebase (finish): returning to refs/heads/main",
            "cherry-pick: fast-forward",
            "reset: moving to HEAD~1",
            "checkout: moving from main to commit: a",
            "clone: from /srv/a",
            "branch: Created from commit: a",
            "repair: the newest commit that can be read",
        ] {
            assert!(!is_made_here(why), "{why}");
        }
    }

    /// Two machines get the same answer, whichever side they call theirs.
    #[test]
    fn bases_and_distances_are_those_of_both_sides() {
        let (_scratch, repo) = Scratch::with_repo();
        let tree = repo
            .git
            .find_tree(repo.write(git2::ObjectType::Tree, b"").unwrap())
            .unwrap();
        let commit = |name: &str, seconds: i64, parents: &[Oid]| {
            let who = git2::Signature::new("a", "a@b", &git2::Time::new(seconds, 0)).unwrap();
            let parents: Vec<_> = parents
                .iter()
                .map(|oid| repo.commit_object(*oid).unwrap())
                .collect();
            let parents: Vec<_> = parents.iter().collect();
            from_git2(repo.git.commit(None, &who, &who, name, &tree, &parents).unwrap())
        };
        let first = commit("1", 1000, &[]);
        let (left, right) = (commit("2", 2000, &[first]), commit("3", 500, &[first]));
        let ours = commit("4", 3000, &[left, right]);
        let theirs = commit("5", 400, &[right, left]);
        let mut both = [left, right];
        both.sort_unstable();
        for (one, other) in [(ours, theirs), (theirs, ours)] {
            assert_eq!(repo.merge_bases(one, other).unwrap(), both);
            assert_eq!(repo.ahead_behind(one, other).unwrap(), (1, 1));
        }
        let other = commit("6", 5, &[]);
        assert!(repo.merge_bases(first, other).unwrap().is_empty());
        assert_eq!(repo.ahead_behind(first, other).unwrap(), (1, 1));
        assert!(repo.is_ancestor(first, first).unwrap() && repo.is_ancestor(right, ours).unwrap());
        assert!(!repo.is_ancestor(first, other).unwrap());
        assert!(repo.merge_bases(first, Oid([7; 20])).is_err());
    }
}
