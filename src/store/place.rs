//! The place of a store: from a folder that somebody works in to the store's own folder below the mdmem home.

use std::path::{Path, PathBuf};

use crate::render::Scope;

use super::registry::GLOBAL;
use super::{Registry, StoreError, Workspace};

/// A store's place. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The mdmem home, holding every store.
    pub home: PathBuf,
    /// The store's folder.
    pub root: PathBuf,
    /// The workspace; absent for the global store, and for a store that is looked at from inside.
    pub workspace: Option<Workspace>,
    /// The name of the store's folder: a workspace's key, or `global`.
    pub key: String,
}

impl Place {
    /// The global store's place.
    pub fn global(home: &Path) -> Self {
        Self::without_workspace(home, home.join(GLOBAL), GLOBAL)
    }

    fn without_workspace(home: &Path, root: PathBuf, key: &str) -> Self {
        Self {
            home: home.to_owned(),
            root,
            workspace: None,
            key: key.to_owned(),
        }
    }

    /// The place of the store of `folder`. Inside a store that is this store itself. The registry is asked first,
    /// because a moved workspace keeps the store it had.
    pub fn of(folder: &Path, home: &Path, user_home: Option<&Path>) -> Result<Self, StoreError> {
        if let Some(place) = Self::from_inside(folder, home) {
            return Ok(place);
        }
        let workspace = Workspace::of(folder, user_home)?;
        if home.starts_with(workspace.root()) || real_place(home).starts_with(workspace.root()) {
            let workspace = workspace.root().to_owned();
            return Err(StoreError::HomeInsideWorkspace {
                home: home.to_owned(),
                workspace,
            });
        }
        let registered = Registry::read(home)?
            .of(workspace.root())
            .map(|found| found.key.clone());
        let key = registered.unwrap_or_else(|| workspace.key());
        Ok(Self {
            home: home.to_owned(),
            root: home.join("workspaces").join(&key),
            workspace: Some(workspace),
            key,
        })
    }

    fn from_inside(folder: &Path, home: &Path) -> Option<Self> {
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
                let root = home.join("workspaces").join(key);
                Some(Self::without_workspace(home, root, key))
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

    /// Says whether there is a store.
    pub fn exists(&self) -> bool {
        self.root.join(".git").exists()
    }

    /// Names the thing that the store is the memory of, for messages.
    pub fn describe(&self) -> String {
        match &self.workspace {
            Some(workspace) => workspace.root().display().to_string(),
            None => self.key.clone(),
        }
    }
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
