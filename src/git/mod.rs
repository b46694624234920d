//! One repository: a small facade over git2, whose types do not leave this module. The git program itself is run in
//! `process` alone.
//!
//! A commit is HEAD's tree plus changed paths, never the index (`commit`); a person's staging stays. One writer at a
//! time per store (`lock`). Reading takes no lock. Paths are relative to the root and may hold any bytes.

mod commit;
#[cfg(test)]
mod commit_beside_tests;
#[cfg(test)]
mod commit_kill_tests;
#[cfg(test)]
mod commit_merge_tests;
#[cfg(test)]
mod commit_tests;
mod diff;
mod durable;
mod error;
mod gone;
mod history;
#[cfg(test)]
mod history_tests;
mod index;
#[cfg(test)]
mod index_tests;
mod journal;
mod lock;
mod manifests;
mod merge_driver;
mod message;
mod objects;
mod obstacle;
#[cfg(test)]
mod open_tests;
mod paths;
mod process;
mod publish;
mod remote;
mod remote_fault;
mod repair;
mod repo;
mod revision;
mod rewrite;
mod survive;
#[cfg(test)]
mod survive_tests;
#[cfg(test)]
mod testing;
mod tree;
mod unfit;
mod work_file;
mod workspace;

pub use commit::{Draft, Merged, NewCommit, Signing};
pub use diff::FileChange;
pub use diff::{DiffLine, DiffLineKind, line_diff};
pub use error::GitError;
pub use gone::{found_of, is_there, look_for};
pub use history::{CommitInfo, Step, Steps};
pub use index::{IndexView, Staged, StagedKind};
pub use journal::{Journal, JournalState, Stopped};
pub use lock::Holder;
pub use lock::Recovery;
pub use lock::{Patience, WriterLock};
pub use merge_driver::MERGE_CONFLICT;
pub use message::{Message, trailer};
pub use objects::{hash_blob, parse_oid};
pub use obstacle::Obstacle;
pub use remote::remote_address;
pub use remote::{Network, ORIGIN_REF, Prompts, Push, Pushed, SEEN_REF};
pub use remote_fault::RemoteFault;
pub use repair::{Mend, ObjectFault, Repair};
pub use repo::{Head, Repo};
pub use rewrite::{FileVersion, Rewrite};
pub use tree::PathChange;
pub use tree::{Entry, Mode, TreeFile, TreeSizes};
pub use unfit::Unfit;
pub use workspace::{
    RepositoryLook, WorkspaceIdentity, first_commit_since, identity_among, is_plain_since, is_without_git,
    look_at, repository_born, workspace_identity,
};
