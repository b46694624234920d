//! Use case: bring the store of another machine here, as the memory of this workspace (`mdmem sync URL`).

use crate::git::{Network, remote_address};
use crate::store::{Beginning, Description, Store};
use crate::sync::{Exchange, SyncError, check_incoming, check_no_token, plan_merge, set_seen};

use super::forget::note_scrubbed;
use super::sync::fetched;
use super::{Context, ServiceError};

/// A store that was cloned.
pub struct Cloned {
    /// The store, in its place.
    pub store: Store,
    /// The address that it came from.
    pub url: String,
    /// The number of its memories.
    pub memories: usize,
}

/// The address of a remote as git takes it, wherever git runs: a path is made whole. An error where it holds a token,
/// which would lie in git's settings in plain text.
pub(super) fn address(context: &Context, url: &str) -> Result<String, ServiceError> {
    check_no_token(url)?;
    Ok(remote_address(url, context.env.current_dir())?)
}

/// Clones a store, from this branch of the remote, or from `main`; `refs/heads/x` is the branch `x`. It is made beside
/// its place, and takes that only when it is whole: an error leaves nothing.
pub fn clone(
    context: &Context,
    url: &str,
    branch: Option<&str>,
    network: Network<'_>,
) -> Result<Cloned, ServiceError> {
    let place = context.place()?;
    let url = address(context, url)?;
    if place.exists() {
        return Err(SyncError::StoreExists { root: place.root }.into());
    }
    let clone = Store::beside(&place)?;
    let sources = context.sources()?;
    {
        let store = Store::open(clone.place(&place), &sources, context.clock.clone())?;
        let short = |branch| str::strip_prefix(branch, "refs/heads/").unwrap_or(branch);
        let exchange = Exchange::own(&url, branch.map(short));
        let theirs = fetched(&store, &exchange, network)?;
        let theirs = theirs.ok_or(SyncError::EmptyRemote { remote: url.clone() })?;
        check_incoming(&store, &exchange.url, None, theirs)?;
        let targets = plan_merge(&store, None, theirs)?.targets(&store)?;
        let mut writer = store.writer("mdmem sync")?;
        writer.merge(theirs, &targets, &Description::op("sync", "merge"))?;
        set_seen(store.repo(), theirs)?;
        writer.finish();
        drop(writer);
        note_scrubbed(&store)?;
    }
    clone.take_place(&place)?;
    let (store, _) = Store::create(place, Beginning::Asked, &sources, context.clock.clone())?;
    let memories = store.load()?.files.len();
    Ok(Cloned { store, url, memories })
}
