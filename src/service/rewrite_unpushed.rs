//! A part of the exchange: credentials leave the commits that were never sent (`mdmem sync --rewrite-unpushed`).

use serde::Serialize;

use crate::git::SEEN_REF;
use crate::model::Oid;
use crate::store::{Leak, Store};

use super::ServiceError;
use super::change::Run;

/// The commits that were made anew, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rewritten {
    /// The places that looked like a credential.
    pub leaks: Vec<Leak>,
    /// The number of commits that changed; 0 where the run was dry.
    pub commits: usize,
    /// Of a dry run: the number of commits of which nothing would be left.
    #[serde(skip)]
    pub emptied: usize,
    /// The head before, which the reflog keeps.
    pub before: Oid,
}

/// Makes the commits anew that hold what looks like a credential and that the remote never had. `theirs` is its head.
/// `None` where there is nothing to take out.
pub(super) fn take_secrets_out(
    store: &Store,
    theirs: Option<Oid>,
    run: Run,
) -> Result<Option<Rewritten>, ServiceError> {
    let repo = store.repo();
    let Some(before) = repo.head()?.tip() else {
        return Ok(None);
    };
    let others: Vec<Oid> = theirs.into_iter().chain(repo.own_ref(SEEN_REF)?).collect();
    let (leaks, commits) = match run {
        Run::Dry => (store.leaks(before, &others)?, 0),
        Run::Real => {
            let mut writer = store.writer("mdmem sync")?;
            let taken = writer.take_leaks_out(&others)?;
            writer.finish();
            taken
        }
    };
    let emptied = match run {
        Run::Dry => store.emptied(&leaks, before, &others)?,
        Run::Real => 0,
    };
    Ok((!leaks.is_empty()).then_some(Rewritten {
        leaks,
        commits,
        emptied,
        before,
    }))
}
