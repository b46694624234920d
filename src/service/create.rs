//! Use case: make the store of a workspace (`mdmem init`).

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
