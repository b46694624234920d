//! One repository: a small facade over git2, whose types do not leave this module. The git program itself is run in
//! `process` alone.
//!
//! A commit is HEAD's tree plus changed paths, never the index (`commit`); a person's staging stays. One writer at a
//! time per store (`lock`). Reading takes no lock. Paths are relative to the root and may hold any bytes.

mod ancestry;
mod branch;
mod bulk;
mod change;
mod changes;
mod commit;
#[cfg(test)]
mod commit_beside_tests;
#[cfg(test)]
mod commit_kill_tests;
#[cfg(test)]
mod commit_merge_tests;
#[cfg(test)]
mod commit_tests;
mod damage;
mod durable;
mod error;
mod filters;
mod flush;
mod head;
#[cfg(test)]
mod history_tests;
mod holder;
mod identity;
mod ignore;
mod index_splice;
#[cfg(test)]
mod index_tests;
mod index_update;
mod index_view;
mod init;
mod inspect;
mod journal;
mod kept_trees;
mod line_diff;
mod lock;
mod loose;
mod made_here;
mod mended;
mod merge_driver;
mod message;
mod object;
mod obstacle;
mod odb;
mod open;
#[cfg(test)]
mod open_tests;
mod own_config;
mod pack;
mod paths;
mod process;
mod raw_commit;
mod raw_index;
mod raw_tree;
mod recover;
mod reflog;
mod relation;
mod remote;
mod remote_address;
mod remote_fault;
mod rename;
mod repair;
mod replacement;
mod repo;
mod resolve;
mod rewrite;
mod staged;
mod stamp;
mod steps;
mod survive;
#[cfg(test)]
mod survive_tests;
#[cfg(test)]
mod testing;
mod tree;
mod tree_diff;
mod tree_size;
mod tree_update;
mod unfit;
mod work_file;
mod workspace;

pub use change::PathChange;
pub use changes::CommitInfo;
pub use commit::{Draft, Merged, NewCommit, Signing};
pub use damage::ObjectFault;
pub use error::GitError;
pub use head::Head;
pub use holder::Holder;
pub use index_view::IndexView;
pub use journal::{Journal, JournalState, Stopped, Way};
pub use line_diff::{DiffLine, DiffLineKind, line_diff};
pub use lock::{Patience, WriterLock};
pub use merge_driver::MERGE_CONFLICT;
pub use message::{Message, trailer};
pub use object::{hash_blob, parse_oid};
pub use obstacle::Obstacle;
pub use recover::Recovery;
pub use remote::{Network, ORIGIN_REF, Prompts, Push, Pushed, SEEN_REF};
pub use remote_address::remote_address;
pub use remote_fault::RemoteFault;
pub use rename::FileChange;
pub use repair::{Mend, Repair};
pub use repo::Repo;
pub use rewrite::{FileVersion, Rewrite};
pub use staged::{Staged, StagedKind};
pub use steps::{Step, Steps};
pub use tree::{Entry, Mode, TreeFile};
pub use tree_size::TreeSizes;
pub use unfit::Unfit;
pub use workspace::{
    RepositoryLook, WorkspaceIdentity, first_commit_since, identity_among, is_plain_since, is_without_git,
    look_at, repository_born, workspace_identity,
};
