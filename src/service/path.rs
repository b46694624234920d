//! Use case: where does it lie?

use std::path::PathBuf;

use super::{Context, Ranking, ServiceError};

/// The folder of the store that is meant, or the file of one of its memories.
pub fn path(context: &Context, memory: Option<&str>) -> Result<PathBuf, ServiceError> {
    let store = context.open()?;
    let Some(name) = memory else {
        return Ok(store.root().to_owned());
    };
    let snapshot = store.load()?;
    let at = Ranking::new(&store, &snapshot, store.now()).find(name, store.root())?;
    Ok(store.root().join(snapshot.files[at].memory.path.as_str()))
}
