//! Use case: the stores of this machine (`mdmem stores`).

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::Serialize;

use crate::git::{GitError, Repo};
use crate::model::Timestamp;
use crate::render::{self, Project};
use crate::store::{LOCAL, Place, Presence, Registration, Registry, Workspace};
use crate::sys;
use crate::text::Redactor;

use super::{Context, ServiceError};

const DAY: i64 = 86_400_000;
/// The page of all stores, in the local folder of the global one.
pub(super) const PROJECTS: &str = "projects.md";

/// A store of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownStore {
    /// Its name, by which `by-name/` leads to it.
    pub name: String,
    /// Its key.
    pub key: String,
    /// Its folder.
    pub root: PathBuf,
    /// The workspace's folder; `None` for the global store, and for one without a workspace.
    pub workspace: Option<PathBuf>,
    /// The other clones of the workspace's repository that share the store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clones: Vec<PathBuf>,
    /// The address of the workspace's own repository, without what gives access.
    pub remote: Option<String>,
    /// The time of the last commit.
    pub last_activity: Option<Timestamp>,
    /// [`PRESENT`], or what is not in its place.
    pub state: &'static str,
}

/// The state of a store that is in its place, as its workspace is.
pub const PRESENT: &str = "present";
/// The state of a store whose workspace was removed or renamed, or another project has its place.
const GONE: &str = "workspace gone";

/// Every store that the registry knows, the last used first.
pub fn stores(context: &Context) -> Result<Vec<KnownStore>, ServiceError> {
    let home = context.home()?;
    let registry = Registry::read(&home)?;
    let places = registry.places(&home);
    let mut stores: Vec<KnownStore> = places.iter().map(|place| look_at(place, &registry)).collect();
    stores.sort_by_key(|store| Reverse(store.last_activity));
    Ok(stores)
}

/// The text of projects.md: the stores of workspaces that can be worked in.
pub(super) fn projects(context: &Context) -> Result<String, ServiceError> {
    let redactor = Redactor::standard();
    let project = |store: KnownStore| {
        let paths = std::iter::once(store.workspace?).chain(store.clones);
        let path = |path: PathBuf| redactor.redact_line(&path.to_string_lossy()).into_owned();
        Some(Project {
            name: redactor.redact_line(&store.name).into_owned(),
            path: paths.map(path).collect::<Vec<_>>().join(", "),
            remote: store.remote.unwrap_or_default(),
            last: store.last_activity.map_or_else(String::new, day),
            state: if store.state == PRESENT { "" } else { store.state },
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
        tracing::debug!(%error, "projects.md could not be updated");
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

fn look_at(place: &Place, registry: &Registry) -> KnownStore {
    let registration = registry.by_key(&place.key);
    let presence = place.workspace.as_ref().map(Workspace::presence);
    let state = match presence {
        _ if !place.exists() => "missing",
        _ if registration.is_some_and(Registration::is_displaced) => GONE,
        // Its workspace was given another store, or another project took its place.
        None if !place.is_global() => "no workspace",
        None | Some(Presence::There) => PRESENT,
        // It may lie on a disk that is not mounted.
        Some(Presence::Away) => "workspace unavailable",
        Some(Presence::Gone) => GONE,
    };
    let remote = registration.and_then(|known| known.identity.remote.as_ref());
    let others = registry.all_of(&place.key).map(|other| &other.path);
    let others = others.filter(|path| Some(path.as_path()) != place.workspace.as_ref().map(Workspace::root));
    KnownStore {
        name: place.name.clone(),
        clones: others.cloned().collect(),
        key: place.key.clone(),
        workspace: place
            .workspace
            .as_ref()
            .map(|workspace| workspace.root().to_owned()),
        remote: remote.map(|remote| remote.as_str().to_owned()),
        last_activity: last_commit(&place.root).ok().flatten(),
        root: place.root.clone(),
        state,
    }
}

fn last_commit(root: &Path) -> Result<Option<Timestamp>, GitError> {
    let repo = Repo::open(root)?;
    let tip = repo.head()?.tip();
    tip.map(|tip| Ok(repo.commit_info(tip)?.time)).transpose()
}

fn day(time: Timestamp) -> String {
    time.to_rfc3339().chars().take(10).collect()
}
