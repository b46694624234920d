//! The merges of git's own that mdmem has not looked at yet.

use super::object::{parse_oid, to_git2};
use super::work_file::read_regular;
use super::{CommitInfo, GitError, Head, Repo, durable};
use crate::model::Oid;

/// Names the HEAD up to which each merge was looked at.
const FILE: &str = "mdmem-mended";

/// So many commits are looked at by each writer rather than that each writes the file anew.
const FEW: usize = 64;

impl Repo {
    /// The commits that came to HEAD since [`Self::set_mended`], oldest first; none where no merge is among them. Of a
    /// repository in which nothing was noted yet, those that came since it was made or cloned, as far as the reflog tells.
    pub fn unmended(&self) -> Result<Vec<CommitInfo>, GitError> {
        let Head::Branch { tip, .. } = self.head()? else {
            return Ok(Vec::new());
        };
        if self.has_no_merge_since_the_last_look(tip) {
            return Ok(Vec::new());
        }
        let known = self.mended().filter(|known| self.has_object(*known));
        let known = known.unwrap_or_else(|| self.first_head(tip));
        let mut next = Some(tip).filter(|tip| *tip != known);
        let mut steps = 0;
        while let Some(oid) = next {
            let commit = self.commit_info(oid)?;
            if commit.is_merge() {
                let mut commits = self.alone(tip, &[known])?;
                commits.reverse();
                let commits = commits.into_iter();
                return commits.map(|oid| Ok(self.read_commit(oid)?.info(oid))).collect();
            }
            steps += 1;
            next = commit.parents.first().copied().filter(|oid| *oid != known);
        }
        if steps > FEW {
            self.set_mended(tip)?;
        }
        self.looked_at.set(Some(tip));
        Ok(Vec::new())
    }

    /// Goes back from HEAD over a few commits to the one at which this process found no merge: most often over its own
    /// last commit.
    fn has_no_merge_since_the_last_look(&self, tip: Oid) -> bool {
        let Some(known) = self.looked_at.get() else {
            return false;
        };
        let mut oid = tip;
        for _ in 0..FEW {
            if oid == known {
                self.looked_at.set(Some(tip));
                return true;
            }
            // A commit that cannot be read may lie before all that nobody has looked at.
            match self.commit_info(oid).map(|commit| commit.parents).as_deref() {
                Ok([parent]) => oid = *parent,
                _ => return false,
            }
        }
        false
    }

    /// Notes that each merge up to this commit was looked at.
    pub fn set_mended(&self, head: Oid) -> Result<(), GitError> {
        durable::replace(&self.git_dir.join(FILE), format!("{head}\n").as_bytes())
    }

    fn mended(&self) -> Option<Oid> {
        let text = read_regular(&self.git_dir.join(FILE)).ok().flatten()?;
        parse_oid(String::from_utf8_lossy(&text).trim())
    }

    /// The commit with which this repository began here; `tip` where nobody knows.
    fn first_head(&self, tip: Oid) -> Oid {
        let moves = self.logged("HEAD");
        let first = moves
            .last()
            .map(|(old, new)| if old.0 == [0; 20] { *new } else { *old });
        first
            .filter(|first| self.read_commit(to_git2(*first)).is_ok())
            .unwrap_or(tip)
    }
}
