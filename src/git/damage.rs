//! Damage of the history: a ref, a commit, a tree or a blob that cannot be read. A disk that lost power, a full one and
//! a garbage collector beside another git leave such things.
//!
//! Readers go on with the files. Writers look first ([`Repo::check_head`]), because a commit on top of what is damaged
//! would hide it.

use super::error::quoted;
use super::process::Caches;
use super::{GitError, Head, Mode, Repo};

/// So many files of the last commit are read: an import of thousands must not cost each command after it.
const MOST_FILES: usize = 64;

/// A fault of the objects, and what to do about it, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFault {
    /// The fault.
    pub what: String,
    /// The way out, in whole sentences.
    pub mend: String,
}

impl Repo {
    /// Gives the fault of the objects of the history, if there is a fault: what it borrows from is not there, objects are
    /// missing or damaged, or only git's notes about them are. Reads every object.
    pub fn object_fault(&self) -> Result<Option<ObjectFault>, GitError> {
        if let Some(folder) = self.objects.missing_folders().next() {
            let what = format!(
                "the repository borrows objects from {}, which is not there",
                folder.display()
            );
            let list = self.git_dir.join("objects/info/alternates");
            let mend = format!(
                "Mount it, or bring it back; {} names it. `mdmem repair` cannot make what it held.",
                list.display()
            );
            return Ok(Some(ObjectFault { what, mend }));
        }
        let spoilt = self.objects.spoilt();
        let mut lines: Vec<String> = spoilt.iter().map(|(_, why)| why.clone()).collect();
        if spoilt.is_empty() {
            lines = self.fsck(Caches::Read)?;
        }
        let lines = lines.join("; ");
        if lines.is_empty() {
            return Ok(None);
        }
        if spoilt.is_empty() && self.fsck(Caches::Ignored)?.is_empty() {
            let what = format!("git's notes about the objects are damaged, the objects are not: {lines}");
            let objects = quoted(&self.git_dir.join("objects"));
            let mend = format!(
                "Remove them: `rm -rf {objects}/info/commit-graph {objects}/info/commit-graphs {objects}/pack/multi-pack-index`. Git makes them anew."
            );
            return Ok(Some(ObjectFault { what, mend }));
        }
        let what = format!("objects of the history are missing or damaged: {lines}");
        let mend = "`mdmem repair --dry-run` says what comes back; another copy of the store has the rest.";
        let mend = mend.to_owned();
        Ok(Some(ObjectFault { what, mend }))
    }

    /// The error of something in the history that is missing or cannot be read.
    pub(super) fn damaged(&self, what: &str, why: impl std::fmt::Display) -> GitError {
        let mut why = why.to_string();
        if let Some(folder) = self.objects.missing_folders().next() {
            let borrowed = format!(" (it may lie in {}, which is not there)", folder.display());
            why.push_str(&borrowed);
        }
        GitError::Damaged {
            root: self.root.clone(),
            what: what.to_owned(),
            why,
        }
    }

    /// An error where HEAD's branch, its commit or the tree of that cannot be read. Costs three small reads.
    pub fn check_head(&self) -> Result<(), GitError> {
        self.kept_trees.forget();
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
        let changes = self.tree_changes(parent, Some(self.tree_of(tip)?))?;
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
