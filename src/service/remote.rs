//! Use cases: the place with which a store is exchanged, and bringing the store of another machine from there.

use serde::Serialize;

use crate::git::{Network, ORIGIN_REF, remote_address};
use crate::store::{Beginning, Description, Place, Registry, Store};
use crate::sync::{
    Exchange, SyncError, check_branch, check_incoming, check_no_token, check_not_own, plan_merge, set_seen,
};

use super::exchange::ExchangeNote;
use super::forget::note_scrubbed;
use super::sync::{exchange_of, fetched, lacking};
use super::{Context, ExchangeState, ServiceError};

/// The place with which a store is exchanged, and how the two stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemoteState {
    /// The address.
    pub url: String,
    /// The branch there.
    pub branch: String,
    /// False when nothing was fetched yet.
    pub exchanged: bool,
    /// The commits that the remote lacked when it was last heard of.
    pub ahead: usize,
    /// The commits that came at the last fetch, and are not merged.
    pub behind: usize,
    /// The course of the exchanges.
    #[serde(flatten)]
    pub state: ExchangeState,
}

/// Says with what the store is exchanged, without asking the network; `None` where it is with nothing.
pub fn remote(context: &Context, store: &Store) -> Result<Option<RemoteState>, ServiceError> {
    let exchange = match exchange_of(context, store) {
        Err(ServiceError::Sync(SyncError::NoRemote)) => return Ok(None),
        exchange => exchange?,
    };
    let repo = store.repo();
    let (head, theirs) = (repo.head()?.tip(), repo.own_ref(ORIGIN_REF)?);
    Ok(Some(RemoteState {
        state: ExchangeNote::read(store.root(), &exchange).state,
        url: store.redactor().redact_line(&exchange.url).into(),
        branch: exchange.branch,
        ahead: lacking(store, theirs, head)?,
        behind: lacking(store, head, theirs)?,
        exchanged: theirs.is_some(),
    }))
}

/// Sets the remote of a store, at this branch or at `main`, and gives its address as git keeps it.
pub fn set_remote(
    context: &Context,
    store: &Store,
    url: &str,
    branch: Option<&str>,
) -> Result<String, ServiceError> {
    let exchange = Exchange::own(address(context, url)?, branch);
    check_not_own(store, &exchange.url)?;
    check_branch(store)?;
    store.repo().set_remote(&exchange.url, &exchange.branch)?;
    Ok(exchange.url)
}

/// Says whether the person's settings name one repository for every store.
pub fn has_shared_remote(context: &Context) -> Result<bool, ServiceError> {
    Ok(context.sources()?.settings(None).sync.remote.is_some())
}

/// A store, and what it is the memory of; or the reason why it cannot be opened.
pub(super) type NamedStore = (String, Result<Store, ServiceError>);

/// The stores of this machine that have a remote: those of workspaces by their paths, then the global store. A store whose
/// folder is away is left out; one that cannot be opened is there with its error.
pub fn stores_with_remote(context: &Context) -> Result<Vec<NamedStore>, ServiceError> {
    let home = context.home()?;
    let registry = Registry::read(&home)?;
    let places = registry.places(&home);
    let sources = context.sources()?;
    let mut stores = Vec::new();
    for place in places.into_iter().filter(Place::exists) {
        let name = place.describe();
        let opened = || {
            let store = Store::open(place, &sources, context.clock.clone())?;
            Ok::<_, ServiceError>(exchange_of(context, &store).map(|_| store))
        };
        match opened().flatten() {
            Err(ServiceError::Sync(SyncError::NoRemote)) => {}
            store => stores.push((name, store)),
        }
    }
    Ok(stores)
}

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
    let is_word = url
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_word && !context.env.current_dir().join(url).is_dir() {
        return Err(SyncError::said(
            format!("`{url}` is not the address of a repository"),
            "Write it as for git: a URL, host:path, or the path of a folder. `mdmem status` shows the present one.",
        )
        .into());
    }
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
        return Err(SyncError::said(
            format!("this workspace already has a store: {}", place.root.display()),
            "`mdmem sync URL` merges the two.",
        )
        .into());
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
        writer.change_all(&targets, &Description::op("sync", "merge"), Some(theirs))?;
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
