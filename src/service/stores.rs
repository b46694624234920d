//! Use case: the stores of this machine (`mdmem stores`), and those whose workspace is gone (`mdmem stores prune`).

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::git::{GitError, Repo};
use crate::model::{Severity, Timestamp};
use crate::render::{self, Project};
use crate::store::{LOCAL, Place, Presence, Registration, Registry, Store, Workspace};
use crate::sys;
use crate::text::Redactor;

use super::waiting::waiting_at;
use super::{Context, Run, ServiceError, remote, status};

/// A store whose workspace is gone is offered to be archived when nothing was committed to it for so many days.
const GONE_DAYS: i64 = 90;
const DAY: i64 = 86_400_000;
/// The page of all stores, in the local folder of the global one.
pub(super) const PROJECTS: &str = "projects.md";

/// A store of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownStore {
    /// Its name, by which `by-name/` leads to it.
    pub name: String,
    /// Its key.
    pub key: String,
    /// Its folder.
    pub root: PathBuf,
    /// The workspace's folder; `None` for the global store, and for one without a workspace.
    pub workspace: Option<PathBuf>,
    /// The address of the workspace's own repository, without what gives access.
    pub remote: Option<String>,
    /// The time of the last commit.
    pub last_activity: Option<Timestamp>,
    /// Its state.
    pub state: StoreState,
}

/// The state of a store and its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreState {
    /// Both are in their places.
    Present,
    /// The workspace may lie on a disk that is not mounted.
    WorkspaceAway,
    /// The workspace was removed or renamed, or another project has its place.
    WorkspaceGone,
    /// Its workspace was given another store, or another project took its place.
    WithoutWorkspace,
    /// The store was put away.
    Archived,
    /// The store's folder is not in its place.
    Missing,
}

impl StoreState {
    /// The word for it in tables and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::WorkspaceAway => "workspace away",
            Self::WorkspaceGone => "workspace gone",
            Self::WithoutWorkspace => "no workspace",
            Self::Archived => "archived",
            Self::Missing => "missing",
        }
    }
}

/// The stores of workspaces that are gone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Those that were archived, or would be.
    pub archived: Vec<KnownStore>,
    /// Those that stay, each with the reason.
    pub left: Vec<(KnownStore, String)>,
}

/// Every store that the registry knows, the last used first.
pub fn stores(context: &Context) -> Result<Vec<KnownStore>, ServiceError> {
    let known = known(context)?;
    Ok(known.into_iter().map(|(_, store)| store).collect())
}

/// Archives the stores whose workspace is gone and to which nothing was committed for 90 days. One that is in use, or
/// that has what is nowhere else, stays. A dry run only tells.
pub fn prune_stores(context: &Context, run: Run) -> Result<Pruned, ServiceError> {
    let now = context.clock.now();
    let is_old = |store: &KnownStore| {
        let last = store.last_activity;
        last.is_some_and(|last| now.millis_since(last) >= GONE_DAYS * DAY)
    };
    let mut pruned = Pruned::default();
    for (place, mut store) in known(context)? {
        let has_workspace = !matches!(
            store.state,
            StoreState::WorkspaceGone | StoreState::WithoutWorkspace
        );
        if has_workspace || !is_old(&store) {
            continue;
        }
        match put_away(context, &place, run) {
            Ok(None) => {
                if run == Run::Real {
                    (store.root, store.state) = (place.archived(), StoreState::Archived);
                }
                pruned.archived.push(store);
            }
            Ok(Some(why)) => pruned.left.push((store, why)),
            Err(error) => pruned.left.push((store, error.to_string())),
        }
    }
    if run == Run::Real {
        note_projects(context);
    }
    Ok(pruned)
}

/// Brings an archived store back, by its name, its key or its workspace.
pub fn bring_back_store(context: &Context, name: &str) -> Result<KnownStore, ServiceError> {
    let is_meant = |store: &KnownStore| {
        let is_workspace = store.workspace.as_deref() == Some(Path::new(name));
        store.state == StoreState::Archived && (store.name == name || store.key == name || is_workspace)
    };
    let found = known(context)?.into_iter().find(|(_, store)| is_meant(store));
    let Some((place, store)) = found else {
        return Err(ServiceError::NotArchived(name.to_owned()));
    };
    place.bring_back()?;
    note_projects(context);
    let state = state_of(&place);
    let root = place.root;
    Ok(KnownStore { root, state, ..store })
}

/// The text of projects.md: the stores of workspaces that can be worked in.
pub(super) fn projects(context: &Context) -> Result<String, ServiceError> {
    let redactor = Redactor::standard();
    let project = |store: KnownStore| {
        let path = store.workspace?.to_string_lossy().into_owned();
        Some(Project {
            name: redactor.redact_line(&store.name).into_owned(),
            path: redactor.redact_line(&path).into_owned(),
            remote: store.remote.unwrap_or_default(),
            last: store.last_activity.map_or_else(String::new, day),
            state: match store.state {
                StoreState::Present => "",
                state => state.as_str(),
            },
        })
    };
    let stores = stores(context)?;
    let projects: Vec<Project> = stores.into_iter().filter_map(project).collect();
    Ok(render::projects_page(&projects))
}

/// Writes projects.md, where there is a global store. The page is for people and for hosts that read files: where it
/// cannot be written, nothing else fails.
pub(super) fn note_projects(context: &Context) {
    let write = || {
        let global = Place::global(&context.home()?);
        let folder = global.root.join(LOCAL);
        if global.exists() && folder.is_dir() {
            sys::write_atomic(&folder.join(PROJECTS), projects(context)?.as_bytes())?;
        }
        Ok::<_, ServiceError>(())
    };
    if let Err(error) = write() {
        tracing::debug!(%error, "projects.md is not up to date");
    }
}

/// Writes projects.md where it is more than a day old: looking at every store takes its time, and a server begins
/// often.
pub(super) fn refresh_projects(context: &Context) {
    let written = || {
        let page = Place::global(&context.home().ok()?)
            .root
            .join(LOCAL)
            .join(PROJECTS);
        let since = page.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH);
        Some(Timestamp::from_millis(
            i64::try_from(since.ok()?.as_millis()).ok()?,
        ))
    };
    let now = context.clock.now();
    if written().is_none_or(|written| now.millis_since(written).abs() >= DAY) {
        note_projects(context);
    }
}

/// The stores that the registry knows, with their places.
fn known(context: &Context) -> Result<Vec<(Place, KnownStore)>, ServiceError> {
    let home = context.home()?;
    let registry = Registry::read(&home)?;
    let places = registry.places(&home).into_iter();
    let mut stores: Vec<(Place, KnownStore)> = places
        .map(|place| {
            let store = look_at(&place, &registry);
            (place, store)
        })
        .collect();
    stores.sort_by_key(|(_, store)| Reverse(store.last_activity));
    Ok(stores)
}

fn look_at(place: &Place, registry: &Registry) -> KnownStore {
    let registration = registry.by_key(&place.key);
    let (root, state) = if place.exists() {
        let is_displaced = registration.is_some_and(Registration::is_displaced);
        let state = if is_displaced {
            StoreState::WorkspaceGone
        } else {
            state_of(place)
        };
        (place.root.clone(), state)
    } else if place.archived().is_dir() {
        (place.archived(), StoreState::Archived)
    } else {
        (place.root.clone(), StoreState::Missing)
    };
    let remote = registration.and_then(|known| known.identity.remote.as_ref());
    KnownStore {
        name: place.name.clone(),
        key: place.key.clone(),
        workspace: place
            .workspace
            .as_ref()
            .map(|workspace| workspace.root().to_owned()),
        remote: remote.map(|remote| remote.as_str().to_owned()),
        last_activity: last_commit(&root).ok().flatten(),
        root,
        state,
    }
}

fn state_of(place: &Place) -> StoreState {
    match place.workspace.as_ref().map(Workspace::presence) {
        None if !place.is_global() => StoreState::WithoutWorkspace,
        None | Some(Presence::There) => StoreState::Present,
        Some(Presence::Away) => StoreState::WorkspaceAway,
        Some(Presence::Gone) => StoreState::WorkspaceGone,
    }
}

fn last_commit(root: &Path) -> Result<Option<Timestamp>, GitError> {
    let repo = Repo::open(root)?;
    let tip = repo.head()?.tip();
    tip.map(|tip| Ok(repo.commit_info(tip)?.time)).transpose()
}

/// Archives a store that nobody needs in its place; gives the reason where somebody does.
fn put_away(context: &Context, place: &Place, run: Run) -> Result<Option<String>, ServiceError> {
    if place.archived().exists() {
        let there = place.archived();
        return Ok(Some(format!("{} is in the way", sys::shown_path(&there))));
    }
    let store = Store::open(place.clone(), &context.sources()?, context.clock.clone())?;
    let why = needed(context, &store)?;
    if why.is_some() || run == Run::Dry {
        return Ok(why);
    }
    let writer = store.writer("mdmem stores prune")?;
    // Nobody can have begun anything since, now that the store is held.
    let why = needed(context, &store)?;
    if why.is_none() {
        writer.archive()?;
    }
    Ok(why)
}

/// The reason why a store has to stay: somebody uses it, or it has what is nowhere else.
fn needed(context: &Context, store: &Store) -> Result<Option<String>, ServiceError> {
    let status = status(store)?;
    if let Some(watcher) = status.watcher {
        return Ok(Some(format!("{watcher} uses it")));
    }
    let is_trouble = |severity| severity == Some(Severity::Error);
    let mut obstacles = status.obstacles.into_iter();
    if let Some(obstacle) = obstacles.find(|check| is_trouble(check.severity)) {
        return Ok(Some(obstacle.what));
    }
    let held = status.held.iter().filter(|held| !held.is_ignored()).count();
    let open = [
        (status.uncommitted.len() + held, "files are not committed"),
        (status.drafts.len(), "texts of `mdmem edit` are not saved"),
        (
            waiting_at(context, store.root()).len(),
            "requests wait to be stored",
        ),
        (
            remote(context, store)?.map_or(0, |remote| remote.ahead),
            "commits are not sent to its remote",
        ),
    ];
    let first = open.into_iter().find(|(count, _)| *count > 0);
    Ok(first.map(|(count, what)| format!("{count} {what}")))
}

fn day(time: Timestamp) -> String {
    time.to_rfc3339().chars().take(10).collect()
}
