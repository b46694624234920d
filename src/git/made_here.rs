//! The commits that were made on this machine, told from those that another machine made by the log of HEAD.

use std::collections::HashSet;

use super::object::to_git2;
use super::reflog::Move;
use super::{CommitInfo, GitError, ORIGIN_REF, Repo, SEEN_REF};
use crate::model::Oid;

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
        let contained = self.nodes(to_git2(head), &[])?;
        let mut known = HashSet::new();
        let mut commits = Vec::new();
        for made in &moves {
            for oid in self.made_by(made)? {
                let is_new = contained.contains_key(&to_git2(oid)) && known.insert(oid);
                if is_new && commits.len() < most {
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
}
