//! Stores that are put away: their folders lie whole below `archived/`, where no command looks for a store. The
//! registry still knows them, so that no new store takes such a place in silence.

use std::path::{Path, PathBuf};

use crate::sys::{FileLock, SysError};

use super::create::{WAIT_FOR_HOME, link_by_name, make_private_folder, unlink_by_name};
use super::{Place, Registry, StoreError, Writer};

impl Place {
    /// The place of the store's folder while it is archived.
    pub fn archived(&self) -> PathBuf {
        self.home.join("archived").join(&self.key)
    }

    /// Brings an archived store back. Nothing may have taken its place.
    pub fn bring_back(&self) -> Result<(), StoreError> {
        self.relocate(&self.archived(), &self.root)?;
        if let Some(registration) = Registry::read(&self.home)?.by_key(&self.key) {
            link_by_name(&self.home, registration)?;
        }
        Ok(())
    }

    /// Moves the store's folder from one place to the other, where nothing is.
    fn relocate(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let _home = FileLock::acquire(&self.home.join(".lock"), WAIT_FOR_HOME)?;
        make_private_folder(to.parent().unwrap_or(&self.home))?;
        if to.symlink_metadata().is_ok() {
            return Err(SysError::io(
                "move a store to",
                to,
                std::io::Error::from(std::io::ErrorKind::AlreadyExists),
            )
            .into());
        }
        std::fs::rename(from, to).map_err(|error| SysError::io("move a store to", to, error).into())
    }
}

impl Writer<'_> {
    /// Archives the store. Who has it open finds that it is gone, as on a disk that is not mounted.
    pub fn archive(self) -> Result<(), StoreError> {
        let place = self.store.place();
        place.relocate(&place.root, &place.archived())?;
        if let Some(registration) = Registry::read(&place.home)?.by_key(&place.key) {
            unlink_by_name(&place.home, registration)?;
        }
        Ok(())
    }
}
