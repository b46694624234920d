//! Commits made anew without some of their files: for commits that no other machine has.
//!
//! The new commits are written and flushed, and then the branch and the index move as after any commit. The files stay
//! as they are. Killed before the branch moves: objects that nothing names. The reflog keeps the old head.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use git2::ObjectType;

use super::commit::Draft;
use super::index_update::IndexChange;
use super::made_here::REWRITE;
use super::object::{from_git2, to_git2};
use super::raw_commit::RawCommit;
use super::tree_update::Changes;
use super::{GitError, Repo, WriterLock, paths};
use crate::model::{Oid, Timestamp};

/// A file of a commit: its path and its blob.
pub type FileVersion = (PathBuf, Oid);

/// The changes to commits that are made anew.
pub struct Rewrite<'a> {
    /// The files that leave each commit that has them: its parent's version stands in, where there is such a version.
    pub without: &'a BTreeSet<FileVersion>,
    /// Gives the new text of a message.
    pub message: &'a dyn Fn(&str) -> String,
    /// Gives the new author or committer: a name, and an address in `<>`.
    pub people: &'a dyn Fn(&str) -> String,
    /// The present time, for the reflog.
    pub time: Timestamp,
}

impl Repo {
    /// Makes the commits anew that HEAD has and none of `others` has, as far as `rewrite` changes them, and moves the
    /// branch. Times and merges stay; a commit that changes nothing any more goes. Returns the number of commits that
    /// were made anew or went.
    pub fn rewrite(
        &self,
        lock: &mut WriterLock,
        others: &[Oid],
        rewrite: &Rewrite<'_>,
    ) -> Result<usize, GitError> {
        let head = self.head()?;
        let Some(tip) = head.tip() else { return Ok(0) };
        let mut commits = self.alone(tip, others)?;
        commits.reverse();
        let mut anew: HashMap<git2::Oid, Oid> = HashMap::new();
        let mut written = Vec::new();
        for oid in commits {
            let made = self.made_anew(oid, &anew, rewrite, &mut written)?;
            if made != from_git2(oid) {
                anew.insert(oid, made);
            }
        }
        let Some(new) = anew.get(&to_git2(tip)).copied() else {
            return Ok(0);
        };
        let (old_tree, tree) = (self.tree_of(tip)?, self.tree_of(new)?);
        let changes = self.tree_changes(Some(old_tree), Some(tree))?;
        let entry = |change: super::tree_diff::RawChange| (paths::from_git(&change.path), change.new);
        let entries: Vec<IndexChange> = changes.into_iter().map(entry).collect();
        let commit = self.read(ObjectType::Commit, to_git2(new))?;
        let reflog = format!("{REWRITE}: without credentials");
        let draft = Draft::of_rewrite(new, head, entries, commit, reflog, rewrite.time);
        // Beside a collector it names every new commit until the branch does.
        self.name_draft(&draft)?;
        let published = self.publish_in_stages(lock, &draft, &written, &mut |_| {});
        self.forget_draft()?;
        published.map(|_| anew.len())
    }

    /// A commit on its new parents; itself, where nothing changes, and its parent, where nothing of it is left.
    fn made_anew(
        &self,
        oid: git2::Oid,
        anew: &HashMap<git2::Oid, Oid>,
        rewrite: &Rewrite<'_>,
        written: &mut Vec<git2::Oid>,
    ) -> Result<Oid, GitError> {
        let commit = self.read_commit(oid)?;
        let mut parents: Vec<Oid> = Vec::new();
        for parent in &commit.parents {
            let parent = anew.get(parent).copied().unwrap_or(from_git2(*parent));
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        let mut changes = Changes::default();
        let mut is_less = false;
        for (path, blob) in rewrite.without {
            let entry = self.entry_at(from_git2(oid), path)?;
            if entry.is_none_or(|entry| entry.oid != *blob) {
                continue;
            }
            is_less = true;
            let mut before = None;
            for parent in &parents {
                before = before.or(self.entry_at(*parent, path)?);
            }
            let before = before.map(|entry| (to_git2(entry.oid), entry.mode));
            changes.insert(paths::to_git(path), before);
        }
        let tree = if is_less {
            self.updated_tree(Some(commit.tree), &changes, written)?
        } else {
            commit.tree
        };
        if let [parent] = parents[..]
            && is_less
            && self.tree_of(parent)? == tree
        {
            return Ok(parent);
        }
        let old = String::from_utf8_lossy(&commit.message);
        let new = (rewrite.message)(&old);
        let is_as_it_was = parents
            .iter()
            .copied()
            .map(to_git2)
            .eq(commit.parents.iter().copied());
        let is_somebody_else = |who: &String| (rewrite.people)(who) != *who;
        // The lines of its head that git does not write are left out of a commit that is made anew.
        let is_other_head = (rewrite.message)(&commit.others) != commit.others;
        let is_same_head = !is_other_head && !commit.people.iter().any(is_somebody_else);
        if !is_less && is_as_it_was && new == old && is_same_head {
            return Ok(from_git2(oid));
        }
        let message = if new == old {
            commit.message
        } else {
            new.into_bytes()
        };
        let bytes = self.read(ObjectType::Commit, oid)?;
        let bytes = RawCommit::anew(&bytes, tree, &parents, rewrite.people, &message);
        let made = self.write(ObjectType::Commit, &bytes)?;
        written.push(made);
        Ok(from_git2(made))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scratch, commit_files, lock};
    use super::*;

    /// A store that pushed its first commit; then a secret came, went through a merge, and was edited.
    fn history() -> (Scratch, Repo, Oid) {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        scratch.write("b.md", "1\n");
        let pushed = commit_files(&repo, "add", &["a.md", "b.md"]).unwrap();
        scratch.write("a.md", "secret\n");
        commit_files(&repo, "edit a", &["a.md"]).unwrap();
        scratch.git(&["switch", "-q", "-c", "side"]);
        scratch.write("c.md", "1\n");
        commit_files(&repo, "add c", &["c.md"]).unwrap();
        scratch.git(&["switch", "-q", "main"]);
        scratch.write("b.md", "2\n");
        commit_files(&repo, "edit b: secret", &["b.md"]).unwrap();
        scratch.git(&["merge", "-q", "-m", "join", "side"]);
        (scratch, repo, pushed)
    }

    fn without(repo: &Repo, others: &[Oid], text: &str) -> usize {
        let without = BTreeSet::from([("a.md".into(), super::super::hash_blob(text.as_bytes()))]);
        let rewrite = Rewrite {
            without: &without,
            message: &|text| text.replace("secret", "…"),
            people: &str::to_owned,
            time: Timestamp::from_seconds(1_700_000_000),
        };
        repo.rewrite(&mut lock(repo), others, &rewrite).unwrap()
    }

    #[test]
    fn a_file_leaves_the_commits_that_nobody_else_has() {
        let (scratch, repo, pushed) = history();
        let old = repo.head().unwrap().tip().unwrap();
        assert_eq!(without(&repo, &[pushed], "secret\n"), 4);
        let subjects = scratch.git(&["log", "--format=%s", "--topo-order"]);
        let mut subjects: Vec<&str> = subjects.lines().collect();
        subjects.sort_unstable();
        assert_eq!(subjects, ["add", "add c", "edit b: …", "join"]);
        assert_eq!(scratch.git(&["log", "-S", "secret", "--oneline"]), "");
        assert_eq!(scratch.git(&["show", "HEAD:a.md"]), "1\n");
        assert_eq!(
            scratch.git(&["rev-list", "--min-parents=2", "--count", "HEAD"]),
            "1\n"
        );
        assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.md\n");
        assert_eq!(scratch.git(&["rev-parse", "HEAD@{1}"]).trim(), old.to_string());
        scratch.assert_whole();
        assert!(
            repo.is_ancestor(pushed, repo.head().unwrap().tip().unwrap())
                .unwrap()
        );
        assert_eq!(without(&repo, &[pushed], "secret\n"), 0);
    }

    #[test]
    fn nothing_changes_where_nothing_is_to_go() {
        let (_scratch, repo, pushed) = history();
        let old = repo.head().unwrap().tip().unwrap();
        assert_eq!(without(&repo, &[old], "secret\n"), 0);
        assert_eq!(repo.head().unwrap().tip(), Some(old));
        assert_eq!(
            without(&repo, &[pushed], "other\n"),
            2,
            "the message alone, and the merge"
        );
    }
}
