//! The link between a workspace and its store, which the registry holds: mended after a move, or set by a person.

use std::path::PathBuf;

use crate::sys::FileLock;

use super::create::{WAIT_FOR_HOME, register};
use super::place::Found;
use super::{Place, Presence, Registration, Registry, Store, StoreError, Workspace};

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

    /// Gives the store to a workspace. A store whose own workspace is still there, with its repository, stays with that. Gives the name of
    /// the store that the workspace had before, which has no workspace from now on.
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
            return Err(StoreError::UnknownStore {
                name: self.name.clone(),
                known: registry.names().map(ToOwned::to_owned).collect(),
            });
        };
        let other = known.workspace().filter(|other| other != workspace);
        let is_there = |other: &Workspace| {
            let is_its_own = !known.is_displaced() && !known.is_without_repository();
            other.presence() == Presence::There && is_its_own
        };
        if let Some(other) = other.filter(is_there) {
            return Err(StoreError::HasWorkspace {
                name: known.name.clone(),
                workspace: other.root().to_owned(),
            });
        }
        let before = registry.of(workspace.root());
        let before = before.filter(|before| before.key != known.key);
        let there = Self {
            workspace: Some(workspace.clone()),
            ..self.clone()
        };
        let linked = there
            .registration(registry)
            .expect("because there is a workspace");
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
