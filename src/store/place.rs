//! The place of a store: from a folder that somebody works in to the store's own folder below the mdmem home.
//!
//! The link between a workspace and its store, which the registry holds: mended after a move, or set by a person.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::create::{WAIT_FOR_HOME, register};
use super::registry::GLOBAL;
use super::workspace::Ground;
use super::{Registration, Registry, Store, StoreError, Workspace};
use crate::git;
use crate::git::parse_oid;
use crate::model::Oid;
use crate::render::Scope;
use crate::sys::{FileLock, shell_word};

/// A store's place. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The mdmem home, holding every store.
    pub home: PathBuf,
    /// The store's folder.
    pub root: PathBuf,
    /// The workspace; absent for the global store, and for one whose workspace was given another.
    pub workspace: Option<Workspace>,
    /// The name of the store's folder: a workspace's key, or `global`.
    pub key: String,
    /// The name of the store, for people.
    pub name: String,
    /// The way in which it was found.
    pub found: Found,
}

/// The way from a folder to the place of its store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The store is the workspace's own, or will be.
    Here,
    /// The folder is in no repository, and a folder above it has a store.
    Above {
        /// The folder.
        folder: PathBuf,
    },
    /// The workspace has been moved: its first commit is known from a place that is gone, or that another project has by
    /// now. The registry does not say so yet.
    Moved {
        /// That place; empty where the other project has a store, so that this one's had no workspace.
        from: PathBuf,
    },
    /// Another project was in this place before, and has the store of this name. The workspace's own store is yet to be
    /// made.
    InPlaceOf {
        /// The name.
        store: String,
    },
    /// Somebody named the store, or works inside of it.
    Named,
}

impl Place {
    /// The global store's place.
    pub fn global(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            root: home.join(GLOBAL),
            workspace: None,
            key: GLOBAL.to_owned(),
            name: GLOBAL.to_owned(),
            found: Found::Named,
        }
    }

    /// The place of the store that has this name, this key or this workspace.
    pub fn named(home: &Path, name: &str) -> Result<Self, StoreError> {
        if name == GLOBAL {
            return Ok(Self::global(home));
        }
        let registry = Registry::read(home)?;
        let named = registry
            .named(name)
            .ok_or_else(|| StoreError::unknown_store(name, &registry))?;
        let place = Self::registered(home, named, Found::Named);
        // Nothing that is done for the store is done in another project's folder.
        let workspace = place.workspace.filter(|_| !named.is_displaced());
        Ok(Self { workspace, ..place })
    }

    /// The place of a store that the registry knows.
    pub(super) fn registered(home: &Path, store: &Registration, found: Found) -> Self {
        Self {
            home: home.to_owned(),
            root: home.join("workspaces").join(&store.key),
            workspace: store.workspace(),
            key: store.key.clone(),
            name: store.name.clone(),
            found,
        }
    }

    /// The place of the store of `folder`. Inside a store that is this store itself. The registry is asked first,
    /// because a moved workspace keeps the store it had, and another project in its place has a store of its own.
    pub fn of(folder: &Path, home: &Path, user_home: Option<&Path>) -> Result<Self, StoreError> {
        let registry = Registry::read(home)?;
        if let Some(place) = Self::from_inside(folder, home, &registry) {
            return Ok(place);
        }
        let (workspace, ground) = workspace_outside(folder, home, user_home)?;
        // A linked work tree of a store.
        if let Some(place) = Self::from_inside(workspace.root(), home, &registry) {
            return Ok(place);
        }
        // A store that was made when a hidden repository was a workspace of its own.
        let bare = || registry.of(&workspace.root().join(".bare"));
        if let Some(own) = registry.of(workspace.root()).or_else(bare) {
            return Ok(Self::registered(home, own, Found::Here));
        }
        let mut new = Self::new(home, workspace.clone(), &registry);
        if new.exists() {
            // A process was killed before it registered it.
            return Ok(new);
        }
        if let Some(other) = registry.at(workspace.root()) {
            let store = other.name.clone();
            new.found = Found::InPlaceOf { store };
        }
        let folder = workspace.root().to_owned();
        if ground == Ground::Plain
            && let Some(store) = workspace.above(user_home).find_map(|above| registry.of(above))
        {
            return Ok(Self::registered(home, store, Found::Above { folder }));
        }
        if ground == Ground::Repository
            && let Some(store) = moved_here(&folder, &registry)
        {
            let from = store.path.clone();
            return Ok(Self {
                workspace: Some(workspace),
                ..Self::registered(home, store, Found::Moved { from })
            });
        }
        Ok(new)
    }

    /// The place of a new store for the workspace of `folder`, whatever store it has.
    pub fn own(folder: &Path, home: &Path, user_home: Option<&Path>) -> Result<Self, StoreError> {
        let (workspace, _) = workspace_outside(folder, home, user_home)?;
        Ok(Self::new(home, workspace, &Registry::read(home)?))
    }

    fn new(home: &Path, workspace: Workspace, registry: &Registry) -> Self {
        let key = registry.free_key(&workspace);
        Self {
            home: home.to_owned(),
            root: home.join("workspaces").join(&key),
            name: registry.free_name(&workspace.name(), &key),
            workspace: Some(workspace),
            key,
            found: Found::Here,
        }
    }

    fn from_inside(folder: &Path, home: &Path, registry: &Registry) -> Option<Self> {
        let real_home = home.canonicalize().ok()?;
        let below = folder.canonicalize().ok()?;
        let mut parts = below
            .strip_prefix(&real_home)
            .ok()?
            .components()
            .map(std::path::Component::as_os_str);
        match parts.next()?.to_str()? {
            GLOBAL => Some(Self::global(home)),
            "workspaces" => {
                let key = parts.next()?.to_str()?;
                Some(match registry.by_key(key) {
                    Some(store) => Self::registered(home, store, Found::Named),
                    None if key == GLOBAL => Self::global(home),
                    None => Self {
                        root: home.join("workspaces").join(key),
                        key: key.to_owned(),
                        name: key.to_owned(),
                        ..Self::global(home)
                    },
                })
            }
            _ => None,
        }
    }

    /// The folder that file names are shown relative to: the workspace's, else the store's own.
    pub fn shown_root(&self) -> &Path {
        self.workspace.as_ref().map_or(&self.root, Workspace::root)
    }

    /// Says whether it is the global store's.
    pub fn is_global(&self) -> bool {
        self.key == GLOBAL
    }

    /// The scope of the store among those that a session sees.
    pub fn scope(&self) -> Scope {
        if self.is_global() {
            Scope::Global
        } else {
            Scope::Workspace
        }
    }

    /// The name of the store of another project, which was in this place before this one's store was made.
    pub fn store_before(&self) -> Option<&str> {
        match &self.found {
            Found::InPlaceOf { store } => Some(store),
            _ => None,
        }
    }

    /// Says whether there is a store.
    pub fn exists(&self) -> bool {
        self.root.join(".git").exists()
    }

    /// Names the thing that the store is the memory of, for messages.
    pub fn describe(&self) -> String {
        match &self.workspace {
            Some(workspace) => workspace.root().display().to_string(),
            None => self.name.clone(),
        }
    }
}

/// The workspace of a folder, in which the mdmem home may not lie.
fn workspace_outside(
    folder: &Path,
    home: &Path,
    user_home: Option<&Path>,
) -> Result<(Workspace, Ground), StoreError> {
    let (workspace, ground) = Workspace::find(folder, user_home)?;
    if home.starts_with(workspace.root()) || real_place(home).starts_with(workspace.root()) {
        return Err(StoreError::said(
            format!(
                "the mdmem home {} is inside the workspace {}",
                home.display(),
                workspace.root().display()
            ),
            "Set MDMEM_HOME to a folder outside the workspace.",
        ));
    }
    Ok((workspace, ground))
}

/// The store of the place in which the repository at `root` lay before. The repository is walked only where it has the
/// first commit of one that is known.
fn moved_here<'a>(root: &Path, registry: &'a Registry) -> Option<&'a Registration> {
    let had_it = registry.of_git(git::repository_born(root));
    if had_it.is_some() {
        return had_it;
    }
    let known: BTreeSet<Oid> = registry.root_commits().filter_map(parse_oid).collect();
    let identity = git::identity_among(root, &known)?;
    registry.moved(&identity.into())
}

/// Follows every link in a path. A part that does not exist yet lies below one that does.
fn real_place(path: &Path) -> PathBuf {
    let known = path
        .ancestors()
        .find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    match known {
        Some((folder, real)) => match path.strip_prefix(folder) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path.to_owned(),
    }
}

impl Place {
    /// Writes down that the workspace has moved, where that was found out, and gives its old place. Another process may
    /// have done so; where the home is held, the next one does.
    pub fn mend_link(&self) -> Result<Option<PathBuf>, StoreError> {
        if !matches!(self.found, Found::Moved { .. }) || !self.exists() {
            return Ok(None);
        }
        match FileLock::try_acquire(&self.home.join(".lock"))? {
            Some(_home) => self.settle(&mut Registry::read(&self.home)?),
            None => Ok(None),
        }
    }

    /// Gives the store to a workspace. A store whose own workspace is still there, with its repository, is shared with its
    /// clones alone. Gives the name of the store that the workspace had before, which has no workspace from now on.
    pub fn link(&self, workspace: &Workspace) -> Result<Option<String>, StoreError> {
        let _home = FileLock::acquire(&self.home.join(".lock"), WAIT_FOR_HOME)?;
        let mut registry = Registry::read(&self.home)?;
        let (linked, before) = self.linked(workspace, &registry)?;
        register(self, &mut registry, Some(linked))?;
        Ok(before)
    }

    /// The same, without doing it.
    pub fn plan_link(&self, workspace: &Workspace) -> Result<Option<String>, StoreError> {
        Ok(self.linked(workspace, &Registry::read(&self.home)?)?.1)
    }

    fn linked(
        &self,
        workspace: &Workspace,
        registry: &Registry,
    ) -> Result<(Registration, Option<String>), StoreError> {
        if !self.exists() {
            return Err(Store::absent(self));
        }
        let Some(known) = registry.by_key(&self.key) else {
            return Err(StoreError::unknown_store(&self.name, registry));
        };
        let there = Self {
            workspace: Some(workspace.clone()),
            ..self.clone()
        };
        let linked = there
            .registration(registry)
            .expect("because there is a workspace");
        let is_other = |other: &&Registration| {
            other.path != linked.path && !other.is_clone_of(&linked) && other.is_in_its_place()
        };
        if let Some(other) = registry.all_of(&self.key).find(is_other) {
            return Err(StoreError::said(
                format!(
                    "`{}` is already the store of {}, which is another project",
                    known.name,
                    other.path.display()
                ),
                format!(
                    "`mdmem --store {} export --to json FILE`, then `mdmem import FILE`, copies its memories here.",
                    shell_word(&known.name)
                ),
            ));
        }
        let before = registry.of(workspace.root());
        let before = before.filter(|before| before.key != known.key);
        Ok((linked, before.map(|before| before.name.clone())))
    }

    /// The stores that this one may have been made beside by mistake: of the project that was in its place, of other
    /// copies of the repository, and of workspaces of this name that are gone.
    pub fn akin(&self) -> Result<Vec<Registration>, StoreError> {
        let registry = Registry::read(&self.home)?;
        let Some(own) = registry.by_key(&self.key) else {
            return Ok(Vec::new());
        };
        let before = self.store_before().and_then(|name| registry.named(name));
        let others = registry.akin(own).into_iter();
        let others = others.filter(|other| before.is_none_or(|before| before.key != other.key));
        Ok(before.into_iter().chain(others).cloned().collect())
    }
}
