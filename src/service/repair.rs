//! Use case: bring a damaged history back (`mdmem repair`).

use crate::git::{Mend, Repair};
use crate::store::{Store, StoreError, WAIT_FOR_WRITER};

use super::ServiceError;
use super::change::{Aftermath, Run, changing};

/// The name of the store's holder meanwhile.
const COMMAND: &str = "mdmem repair";

/// Looks at everything that HEAD's commit holds. A real run repairs the history, then commits what the files hold
/// beyond it; the files stay as they are.
pub fn repair(store: &Store, run: Run) -> Result<(Repair, Option<Aftermath>), ServiceError> {
    let repo = store.repo();
    if run == Run::Dry {
        return Ok((repo.plan_repair().map_err(StoreError::from)?, None));
    }
    let mut lock = repo.lock(COMMAND, WAIT_FOR_WRITER).map_err(StoreError::from)?;
    let repair = repo.repair(&mut lock, store.now()).map_err(StoreError::from)?;
    drop(lock);
    if repair.mend == Mend::Nothing {
        return Ok((repair, None));
    }
    // This handle remembers the packs and objects from before.
    let ((), aftermath) = changing(&store.reopened()?, COMMAND, |_| Ok(()))?;
    Ok((repair, Some(aftermath)))
}
