//! Use case: look at the head of the remote before it is taken over (`mdmem sync --show`).

use serde::Serialize;

use crate::git::{CommitInfo, ORIGIN_REF, SEEN_REF};
use crate::model::Oid;
use crate::store::Store;
use crate::sync::not_taken_over;

use super::ServiceError;

/// The commits by which the remote's head differs from what was accepted, as it was fetched last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IncomingHead {
    /// The reason why it is not taken over.
    #[serde(rename = "quarantined")]
    pub why: Option<String>,
    /// The commits that HEAD lacks, the newest first.
    pub new: Vec<CommitInfo>,
    /// The commits that it had when it was accepted last, and lacks now, the newest first.
    pub gone: Vec<CommitInfo>,
}

/// Looks at the head that was fetched last.
pub fn incoming_head(store: &Store) -> Result<IncomingHead, ServiceError> {
    let repo = store.repo();
    let (ours, theirs) = (repo.head()?.tip(), repo.own_ref(ORIGIN_REF)?);
    let seen = repo.own_ref(SEEN_REF)?.filter(|_| theirs.is_some());
    let lacking = |of: Option<Oid>, here: Option<Oid>| -> Result<Vec<CommitInfo>, ServiceError> {
        let Some(of) = of else { return Ok(Vec::new()) };
        let commits = repo.commits_beyond(of, here.as_slice())?;
        Ok(commits
            .into_iter()
            .map(|oid| repo.commit_info(oid))
            .collect::<Result<_, _>>()?)
    };
    Ok(IncomingHead {
        why: not_taken_over(store)?.map(|error| error.to_string()),
        new: lacking(theirs, ours)?,
        gone: lacking(seen, theirs)?,
    })
}
