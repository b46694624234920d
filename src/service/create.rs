//! Use case: make the store of a workspace (`mdmem init`).

use std::path::PathBuf;

use crate::store::{Creation, LooseFiles, Store};

use super::{Context, ServiceError};

/// A store that is there now.
pub struct Created {
    /// The store.
    pub store: Store,
    /// Whether it was made now.
    pub creation: Creation,
}

/// Opens the store of the workspace, and makes it where there is none. A folder that lost its repository gets a new one
/// with all its files.
pub fn create(context: &Context) -> Result<Created, ServiceError> {
    let (store, creation) = context.open_or_create(LooseFiles::Adopt)?;
    store.write_index(&store.load()?)?;
    Ok(Created { store, creation })
}

/// Where a host's plugin was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The file.
    pub path: PathBuf,
    /// Whether it was new, changed, or the same already.
    pub state: InstallState,
}

/// What became of an installed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallState {
    /// It was written for the first time.
    Written,
    /// Another version was there and was replaced.
    Updated,
    /// It is as it was.
    Same,
}
