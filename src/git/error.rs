//! Everything that can go wrong with a repository, each with its way out.

use std::path::{Path, PathBuf};

use super::lock::Holder;
use super::{Obstacle, RemoteFault, Unfit};
use crate::model::Oid;
use crate::sys::{SysError, shell_word};

/// An error of a repository. [`GitError::hint`] says what to do next, where there is something to do.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The folder is not there (removed, or its disk not mounted).
    #[error("no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// The folder has no `.git`. A repository in a folder above does not count.
    #[error("{} is not a git repository", .0.display())]
    NotARepository(PathBuf),
    /// The folder has a `.git` already, and a new repository was asked for.
    #[error("{} is already a git repository", .0.display())]
    AlreadyARepository(PathBuf),
    /// `.git` is a file that names another folder (a linked worktree or a submodule).
    #[error("{} is a linked worktree or a submodule: its .git is a file", .0.display())]
    Linked(PathBuf),
    /// A repository without files of its own.
    #[error("{} is a bare repository, without files", .0.display())]
    Bare(PathBuf),
    /// A clone without its whole history.
    #[error("{} is a shallow clone: part of its history is missing", .0.display())]
    Shallow(PathBuf),
    /// A clone that fetches objects when they are asked for, which libgit2 cannot.
    #[error("{} is a partial clone: objects of its history are missing", .0.display())]
    Partial(PathBuf),
    /// Somebody else owns the folder, and git's settings do not call it safe.
    #[error("{} is owned by another user", .0.display())]
    Owner(PathBuf),
    /// An object format, a ref storage or another extension of git that libgit2 does not know.
    #[error("{} uses git's extension {extension}, which mdmem cannot read", root.display())]
    Extension {
        /// The folder.
        root: PathBuf,
        /// The extension and its value, as in `objectformat = sha256`.
        extension: String,
    },
    /// `core.worktree` names another folder as the place of the files.
    #[error("the files of {} are elsewhere, in {} (core.worktree)", root.display(), worktree.display())]
    WorktreeElsewhere {
        /// The folder.
        root: PathBuf,
        /// The folder of the files.
        worktree: PathBuf,
    },
    /// The person's own settings of git, or those of the machine, cannot be read. The words name the file and the line.
    #[error("git's own settings cannot be read: {0}")]
    UserConfig(String),
    /// Attributes ask for a filter (git-crypt, LFS), which libgit2 does not run: it would commit the plain text.
    #[error("{}:{line} sets the filter `{filter}`: mdmem does not run filters and would commit the plain \
        text", file.display())]
    ForeignFilter {
        /// The attributes file.
        file: PathBuf,
        /// The line.
        line: usize,
        /// The filter's name.
        filter: String,
    },
    /// `.git`, or a folder in it, was there when the repository was opened and is not now.
    #[error("{} is unavailable: {source}", path.display())]
    Vanished {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// `.git` is another folder than the one that was opened.
    #[error("{} was replaced by another repository", .0.display())]
    Replaced(PathBuf),
    /// A ref, a commit, a tree or a blob is missing or cannot be read.
    #[error("the history of {} is damaged: {what} cannot be read: {why}", root.display())]
    Damaged {
        /// The folder.
        root: PathBuf,
        /// The ref or the object.
        what: String,
        /// The reason, in libgit2's words or mdmem's.
        why: String,
    },
    /// A file among the refs at which git stops.
    #[error("git stops at {}, which does not name a commit", .0.display())]
    StrayRef(PathBuf),
    /// Another writer holds the store and did not let go in the time given.
    #[error("the store is locked: {} is held by {}", path.display(), shown_holder(holder.as_ref()))]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// The holder, when the lock file names it.
        holder: Option<Holder>,
    },
    /// HEAD or the index changed under every attempt to commit.
    #[error("another program keeps changing {}: HEAD or the index moved at every attempt to commit", .0.display())]
    Restless(PathBuf),
    /// A collector removed objects that a commit needs under every attempt to make it.
    #[error("`git gc` in {} removed the new objects at every attempt to commit", root.display())]
    Collected {
        /// The folder.
        root: PathBuf,
        /// The error of the last attempt.
        error: Box<GitError>,
    },
    /// Something is in the way of a commit.
    #[error("{0}")]
    Blocked(Obstacle),
    /// A path that no commit may hold.
    #[error("{} cannot be committed: {why}", path.display())]
    Unfit {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: Unfit,
    },
    /// One path is asked to be a file and a folder at once.
    #[error("{} would be a file and a folder at once", .0.display())]
    Clash(PathBuf),
    /// The object is not a blob.
    #[error("object {0} is not a file")]
    NotABlob(Oid),
    /// There is no commit yet.
    #[error("{} has no commit yet", .0.display())]
    NoCommit(PathBuf),
    /// A revision that names no commit.
    #[error("unknown revision `{rev}`{}", reason.as_deref().map(|r| format!(" ({r})")).unwrap_or_default())]
    UnknownRevision {
        /// The revision as it was asked for.
        rev: String,
        /// More about it, when there is more.
        reason: Option<String>,
    },
    /// An abbreviation that fits several commits.
    #[error("`{rev}` is ambiguous, it matches {} commits: {}", candidates.len(), candidates.join(", "))]
    AmbiguousRevision {
        /// The revision as it was asked for.
        rev: String,
        /// The commits: abbreviated name and subject.
        candidates: Vec<String>,
    },
    /// The git program is not there.
    #[error("the git program was not found: {source}")]
    NoProgram {
        /// The system's words.
        source: std::io::Error,
    },
    /// The git program failed.
    #[error("git {command} failed in {}: {stderr}", root.display())]
    Program {
        /// The folder.
        root: PathBuf,
        /// The verb.
        command: String,
        /// The words of git.
        stderr: String,
    },
    /// The repository has no `origin`.
    #[error("{} has no remote", .0.display())]
    NoRemote(PathBuf),
    /// An address that git must not be given.
    #[error("`{shown}` cannot be a remote: {why}")]
    Address {
        /// The address, without a password.
        shown: String,
        /// The reason.
        why: &'static str,
    },
    /// No branch can have this name.
    #[error("`{0}` is not a valid branch name")]
    BranchName(String),
    /// The remote could not be fetched from or pushed to.
    #[error("the remote {address}: {fault}{}", in_brackets(said))]
    Remote {
        /// The address, without a password.
        address: String,
        /// The reason.
        fault: RemoteFault,
        /// The words in which git told it, without control characters; may be empty.
        said: String,
    },
    /// The machine refused.
    #[error(transparent)]
    Sys(#[from] SysError),
    /// A failure of a file, with its path.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The verb.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A failure in libgit2, in its own words.
    #[error("cannot {doing} in {}: {message}", root.display())]
    Git {
        /// The operation that failed.
        doing: String,
        /// The folder.
        root: PathBuf,
        /// The words of libgit2.
        message: String,
    },
}

impl GitError {
    pub(super) fn io(doing: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            doing,
            path: path.to_owned(),
            source,
        }
    }

    pub(super) fn from_git2(doing: &str, root: &Path, error: &git2::Error) -> Self {
        Self::Git {
            doing: doing.to_owned(),
            root: root.to_owned(),
            message: error.message().trim_end_matches('.').to_owned(),
        }
    }

    /// The same of an operation that reads the person's settings of git.
    pub(super) fn from_settings(doing: &str, root: &Path, error: &git2::Error) -> Self {
        if error.class() == git2::ErrorClass::Config {
            return Self::UserConfig(error.message().to_owned());
        }
        Self::from_git2(doing, root, error)
    }

    /// True when the network is not there, so that what runs by itself can be quiet and try again later.
    pub const fn is_offline(&self) -> bool {
        matches!(self, Self::Remote { fault, .. } if fault.is_offline())
    }

    /// Tells a person what to do about it: whole sentences, or `None` where the message says all.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NoFolder { .. } => {
                "Check that the disk is mounted. Nothing was deleted from the history.".into()
            }
            Self::NotARepository { .. } => "Run `mdmem init` to make a store.".into(),
            Self::Linked { .. } => {
                "A store has its own .git folder: clone it with `git clone` into a folder of its own.".into()
            }
            Self::Bare { .. } => "Clone it and use the clone.".into(),
            Self::Shallow(root) => format!("Run `git -C {} fetch --unshallow`.", shell_word(root)),
            Self::Partial(root) => format!(
                "Run `git -C {0} fetch --refetch --no-filter`, then take `promisor` and `partialclonefilter` of its remotes and `extensions.partialClone` out of {0}/.git/config.",
                shell_word(root)
            ),
            Self::Owner(root) => format!(
                "Change its owner (`sudo chown -R \"$(id -u)\" {0}`), or trust it: `git config --global --add safe.directory {0}`.",
                shell_word(root)
            ),
            Self::Extension { extension, root } => extension_hint(extension, root),
            Self::WorktreeElsewhere { root, .. } => {
                format!(
                    "Run `git -C {}/.git config --unset core.worktree`.",
                    shell_word(root)
                )
            }
            Self::UserConfig(_) => {
                "Fix what it names, then run the command again; the memories are not affected.".into()
            }
            Self::ForeignFilter { .. } => {
                "Remove the filter from the attributes, or keep these memories in a store without one.".into()
            }
            Self::Unfit { path, why } => why.hint(path),
            Self::Vanished { .. } => {
                "Nothing was deleted: mount the disk or bring .git back, then run the command again.".into()
            }
            Self::Damaged { .. } => {
                "Your files are not affected. `mdmem check --fix` shows how to repair the history.".into()
            }
            Self::StrayRef(path) => stray_hint(path),
            Self::Busy {
                holder: Some(holder), ..
            } => format!("Wait for it, or kill process {} if it hangs.", holder.pid),
            Self::Restless { .. } => {
                "The files are saved; run the command again when the other program is done.".into()
            }
            Self::Collected { .. } => {
                "The files are saved; run the command again when git's garbage collector is done.".into()
            }
            Self::Blocked(obstacle) => return obstacle.hint(),
            // A pipe or a folder in the place of a file.
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::Other => {
                "Move away what is in its place, then run the command again.".into()
            }
            Self::NoProgram { .. } => "Install git, or put it on the PATH.".into(),
            Self::NoRemote(_) => "Run `mdmem sync URL`.".into(),
            Self::Address { .. } => {
                "Use a path, https://host/path or user@host:path; git's credential helpers store \
                 passwords (`git help credentials`)."
                    .into()
            }
            Self::Remote { fault, .. } => fault.hint()?.into(),
            Self::AmbiguousRevision { .. } => "Give more digits.".into(),
            Self::UnknownRevision { .. } => "`mdmem log` lists the revisions.".into(),
            _ => return None,
        };
        Some(text)
    }
}

/// What to do about a file among the refs that is no ref.
pub(super) fn stray_hint(path: &Path) -> String {
    format!(
        "It is a leftover of a cloud drive or a power loss, not the store's branch: `rm {}`.",
        shell_word(path)
    )
}

fn extension_hint(extension: &str, root: &Path) -> String {
    if extension.starts_with("objectformat") {
        "Create the repository again with SHA-1 (`git init --object-format=sha1`) and copy the files into \
         it."
        .into()
    } else if extension.starts_with("refstorage") {
        format!(
            "Run `git -C {} refs migrate --ref-format=files`.",
            shell_word(root)
        )
    } else {
        format!(
            "Run `git -C {} config --list` and remove the extension.",
            shell_word(root)
        )
    }
}

fn in_brackets(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(" ({said})")
    }
}

fn shown_holder(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another process".into(), Holder::to_string)
}

/// A duration as people say it: `40 s`, `12 min`, `3 h`, `2 d`.
pub(super) fn spelled(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shallow_clone_names_the_way_out() {
        let error = GitError::Shallow("/a b/c".into());
        assert_eq!(
            error.hint().as_deref(),
            Some("Run `git -C '/a b/c' fetch --unshallow`.")
        );
    }

    #[test]
    fn quotes_for_a_shell_only_when_it_must() {
        assert_eq!(shell_word(Path::new("/a/b-c.md")), "/a/b-c.md");
        assert_eq!(shell_word(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn spells_durations() {
        assert_eq!(spelled(40), "40 s");
        assert_eq!(spelled(720), "12 min");
        assert_eq!(spelled(3 * 3600), "3 h");
        assert_eq!(spelled(200_000), "2 d");
    }
}
