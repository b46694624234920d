//! The reasons why two machines do not exchange a store.

use std::path::PathBuf;

use crate::git::GitError;
use crate::store::StoreError;

/// The reason why nothing was exchanged. The files here are as they were.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// git, or the network.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody said where.
    #[error("this store has no remote")]
    NoRemote,
    /// The address would show what gives access.
    #[error("the address holds what looks like a credential ({kind})")]
    TokenInAddress {
        /// The kind that it looks like.
        kind: &'static str,
    },
    /// There is nothing to clone.
    #[error("there is nothing at {remote} yet")]
    EmptyRemote {
        /// The address.
        remote: String,
    },
    /// A clone never takes the place of a store.
    #[error("this workspace has a store already: {}", root.display())]
    StoreExists {
        /// The store's folder.
        root: PathBuf,
    },
    /// The remote holds something else.
    #[error("{remote} holds no store: there is no mdmem.toml in it")]
    NotAStore {
        /// The address.
        remote: String,
    },
    /// A newer mdmem writes there.
    #[error("the store at {remote} has the format {format}, which a newer mdmem wrote")]
    NewerFormat {
        /// The address.
        remote: String,
        /// The number of the format.
        format: u32,
    },
    /// The remote brings what no store may hold.
    #[error("{remote} brings {}: {why}", path.display())]
    Refused {
        /// The address.
        remote: String,
        /// The path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// More files than any store has.
    #[error("{remote} brings {count} files, more than the {most} that a store may have")]
    TooManyFiles {
        /// The address.
        remote: String,
        /// The number.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// The remote takes no push.
    #[error("{remote} refused the push: {why}")]
    Refusal {
        /// The address.
        remote: String,
        /// The remote's words.
        why: String,
    },
    /// Others pushed at every attempt.
    #[error(
        "others pushed to {remote} at each of {attempts} attempts: your changes are merged, and not pushed yet"
    )]
    Raced {
        /// The address.
        remote: String,
        /// The number of attempts.
        attempts: usize,
    },
}
