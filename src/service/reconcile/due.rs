//! The time of a pass that nobody asks for (`.mdmem/reconcile.json`): 8 writes since the last one, or 12 hours and a
//! write. The state lies with the store, so that a restart or another process asks no second time.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::git::{parse_oid, trailer};
use crate::model::Timestamp;
use crate::store::{LOCAL, Store};
use crate::sys;

use super::super::ServiceError;

const FILE: &str = "reconcile.json";
/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 4096;
/// So many writes are enough at any time.
const WRITES: usize = 8;
/// After this a single write is enough, in milliseconds.
const PAUSE: i64 = 12 * 60 * 60 * 1000;
/// The operations of commits that are no writes of memories: the pass itself, housekeeping, a merge of others' writes.
const NO_WRITES: [&str; 4] = [super::NAME, "auto", "init", "sync"];

/// Notes a pass over the store as it is now.
pub(super) fn note(store: &Store, now: Timestamp) -> Result<(), ServiceError> {
    let head = store.repo().head()?.tip();
    let state = json!({"at": now.as_millis(), "head": head.map(|head| head.to_string())});
    sys::write_private(&place(store), state.to_string().as_bytes())?;
    Ok(())
}

/// Says whether a pass is due. The first look at a store begins its 12 hours.
pub(super) fn is_due(store: &Store, now: Timestamp) -> Result<bool, ServiceError> {
    let bytes = sys::read_regular(&place(store), MOST_BYTES).ok().flatten();
    let state: Value = serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default();
    let at = state["at"].as_i64();
    let known = state["head"].as_str().and_then(parse_oid);
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(false);
    };
    let mut writes = 0;
    if known != Some(head) {
        for step in store.repo().walk(head, known)? {
            let step = step?;
            let op = step.commit.message.trailer(trailer::OP);
            let is_memory = |path: &std::path::Path| path.extension().is_some_and(|end| end == "md");
            let is_write = step.changes.iter().any(|change| is_memory(&change.path));
            writes += usize::from(is_write && op.is_none_or(|op| !NO_WRITES.contains(&op)));
            if writes == WRITES {
                break;
            }
        }
    }
    if at.is_none() && writes < WRITES {
        let state = json!({"at": now.as_millis(), "head": null});
        sys::write_private(&place(store), state.to_string().as_bytes())?;
    }
    Ok(are_enough(
        writes,
        now.as_millis().saturating_sub(at.unwrap_or(now.as_millis())),
    ))
}

/// Says whether so many writes in so many milliseconds are enough. A clock that was set back is no reason to wait.
fn are_enough(writes: usize, millis: i64) -> bool {
    writes >= WRITES || writes > 0 && !(0..PAUSE).contains(&millis)
}

fn place(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_writes_or_twelve_hours_and_a_write() {
        assert!(are_enough(8, 0) && !are_enough(7, PAUSE - 1));
        assert!(are_enough(1, PAUSE) && are_enough(1, -1));
        assert!(!are_enough(0, PAUSE) && !are_enough(0, -1), "nothing has changed");
    }
}
