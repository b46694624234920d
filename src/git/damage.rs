//! Damage of the history: a ref, a commit, a tree or a blob that cannot be read. A disk that lost power, a full one and
//! a garbage collector beside another git leave such things.
//!
//! Readers go on with the files. Writers look first ([`Repo::check_head`]), because a commit on top of what is damaged
//! would hide it.

use super::tree_diff::TreeReader;
use super::{GitError, Head, Mode, Repo};

/// So many files of the last commit are read: an import of thousands must not cost each command after it.
const MOST_FILES: usize = 64;

impl Repo {
    /// The error of something in the history that is missing or cannot be read.
    pub(super) fn damaged(&self, what: &str, why: impl std::fmt::Display) -> GitError {
        GitError::Damaged {
            root: self.root.clone(),
            what: what.to_owned(),
            why: why.to_string(),
        }
    }

    /// An error where HEAD's branch, its commit or the tree of that cannot be read. Costs three small reads.
    pub fn check_head(&self) -> Result<(), GitError> {
        let head = self.head()?;
        self.check_branch(&head)?;
        let Some(tip) = head.tip() else { return Ok(()) };
        let tree = self.tree_of(tip)?;
        self.read(git2::ObjectType::Tree, tree).map(drop)
    }

    /// The same, and an error where something cannot be read that the last commit brought (64 files at most): its
    /// objects are the youngest, and those that a loss of power or a garbage collector takes.
    pub fn check_last_commit(&self) -> Result<(), GitError> {
        self.check_head()?;
        let Some(tip) = self.head()?.tip() else {
            return Ok(());
        };
        let parent = self.commit_info(tip)?.parents.first().copied();
        let parent = parent.map(|parent| self.tree_of(parent)).transpose()?;
        let changes = TreeReader::new(self).diff(parent, Some(self.tree_of(tip)?))?;
        let files = changes.iter().filter_map(|change| change.new);
        for entry in files
            .filter(|entry| entry.mode != Mode::Submodule)
            .take(MOST_FILES)
        {
            self.blob(entry.oid)?;
        }
        Ok(())
    }

    /// An error where the branch is lost: a branch that git deletes or begins has no log, so where there is a log there
    /// were commits, and the next commit would begin another history.
    pub(super) fn check_branch(&self, head: &Head) -> Result<(), GitError> {
        let Head::Unborn { branch } = head else {
            return Ok(());
        };
        let log = self.git_dir.join("logs").join(branch);
        if log.metadata().is_ok_and(|log| log.len() > 0) {
            let why = format!("it has no commit any more, and {} tells of some", log.display());
            return Err(self.damaged(branch, why));
        }
        Ok(())
    }
}
