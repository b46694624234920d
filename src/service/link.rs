//! Use case: which store a workspace has (`mdmem stores link`), and giving it another.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::git::repository_born;
use crate::store::{Beginning, Creation, Found, Place, Registration, Registry, Store, Workspace};
use crate::sys::FileStat;

use super::stores::note_projects;
use super::{Context, Run, ServiceError};

/// The store that a workspace has from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Linked {
    /// The workspace.
    pub workspace: PathBuf,
    /// The name of its store.
    pub name: String,
    /// The store's folder.
    pub store: PathBuf,
    /// The name of the store that it had before, where it had another one.
    pub before: Option<String>,
    /// The other clones of its repository that share the store.
    pub shared_with: Vec<PathBuf>,
    /// The clones that keep the store that it had before.
    pub before_of: Vec<PathBuf>,
}

/// The store that a server opened for its workspace.
#[derive(Debug)]
pub struct ServedStore {
    root: PathBuf,
    registry: Option<FileStat>,
    workspace: Option<PathBuf>,
    /// When the workspace's `.git` was made: another project may take its place.
    born: Option<i64>,
}

impl ServedStore {
    /// The store that the workspace has now.
    pub fn of(context: &Context) -> Result<Self, ServiceError> {
        let registry = Registry::stat(&context.home()?);
        let place = context.place()?;
        let workspace = place.workspace.map(|workspace| workspace.root().to_owned());
        Ok(Self {
            root: place.root,
            registry,
            born: workspace.as_deref().and_then(repository_born),
            workspace,
        })
    }

    /// Says whether the workspace was given another store since, or is another project by now. The registry is read only
    /// where somebody wrote it, or made another `.git`.
    pub fn is_replaced(&mut self, context: &Context) -> bool {
        let Ok(home) = context.home() else { return false };
        let born = self.workspace.as_deref().and_then(repository_born);
        if self.registry == Registry::stat(&home) && self.born == born {
            return false;
        }
        // A registry that cannot be read just now says nothing of another store.
        let Ok(now) = Self::of(context) else { return false };
        let before = std::mem::replace(self, now);
        before.root != self.root
    }
}

/// Gives the present workspace the store of this name.
pub fn link(context: &Context, name: &str, run: Run) -> Result<Linked, ServiceError> {
    let home = context.home()?;
    let place = Place::named(&home, name)?;
    if place.is_global() {
        return Err(ServiceError::said(
            "the global store is not the store of a workspace",
            "Every prompt has its memories anyway; `mdmem stores` lists the stores of workspaces.",
        ));
    }
    let workspace = Workspace::of(context.env.current_dir(), context.env.home().ok().as_deref())?;
    let registry = Registry::read(&home)?;
    let shared_with = others_of(&registry, &place.key, workspace.root());
    let key_before = registry.of(workspace.root()).map_or("", |before| &*before.key);
    let before_of = others_of(&registry, key_before, workspace.root());
    let before = match run {
        Run::Real => place.link(&workspace)?,
        Run::Dry => place.plan_link(&workspace)?,
    };
    if run == Run::Real {
        note_projects(context);
    }
    Ok(Linked {
        workspace: workspace.root().to_owned(),
        name: place.name,
        store: place.root,
        before,
        shared_with,
        before_of,
    })
}

/// The clones in their place that have a store, but for this workspace.
fn others_of(registry: &Registry, key: &str, workspace: &Path) -> Vec<PathBuf> {
    let others = registry.all_of(key);
    let others = others.filter(|other| other.path != workspace && other.is_in_its_place());
    others.map(|other| other.path.clone()).collect()
}

/// Makes a store of its own for the present folder's workspace, which leaves the one that it had.
pub fn link_new(context: &Context, run: Run) -> Result<Linked, ServiceError> {
    let home = context.home()?;
    let place = Place::own(
        context.env.current_dir(),
        &home,
        context.env.home().ok().as_deref(),
    )?;
    let had = context.here()?;
    let has_own = had.found == Found::Here && had.exists();
    let linked = Linked {
        workspace: place.shown_root().to_owned(),
        name: place.name.clone(),
        store: place.root.clone(),
        before: has_own.then_some(had.name),
        shared_with: Vec::new(),
        before_of: others_of(&Registry::read(&home)?, &had.key, place.shown_root()),
    };
    if run == Run::Real {
        Store::create(
            place,
            Beginning::Asked,
            &context.sources()?,
            context.clock.clone(),
        )?;
        note_projects(context);
    }
    Ok(linked)
}

/// The stores beside which a new one may have been made by mistake.
pub fn akin_stores(store: &Store, creation: &Creation) -> Result<Vec<Registration>, ServiceError> {
    match creation {
        Creation::Created => Ok(store.place().akin()?),
        Creation::Existed | Creation::Relinked { .. } => Ok(Vec::new()),
    }
}
