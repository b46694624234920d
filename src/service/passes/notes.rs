//! What a store keeps between two passes (`.mdmem/passes.json`), so that neither a restart nor a second process asks
//! again: the pause after failures, and the last pass over the memories.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::git::trailer;
use crate::model::{Oid, Timestamp};
use crate::store::{LOCAL, Store};
use crate::sys;

use super::super::ServiceError;

const FILE: &str = "passes.json";
/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 4096;
/// The first pause after a failure, which doubles up to the longest, in milliseconds.
const FIRST: i64 = 60 * 1000;
const LONGEST: i64 = 6 * 60 * 60 * 1000;
/// So many writes are enough for a pass over the memories at any time.
const WRITES: usize = 8;
/// After this a single write is enough, in milliseconds.
const PAUSE: i64 = 12 * 60 * 60 * 1000;
/// The operations of commits that are no writes of memories: the pass itself, housekeeping, a merge of others' writes.
const NO_WRITES: [&str; 4] = ["reconcile", "auto", "init", "sync"];

/// The notes of one store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::service) struct Notes {
    /// The failures since the last answer.
    failures: u32,
    /// Nobody is asked before, in milliseconds since 1970.
    until: i64,
    /// The last pass over the memories, else the first look at them.
    reconciled: Option<i64>,
    /// The commit that it read.
    head: Option<Oid>,
}

impl Notes {
    fn of(store: &Store) -> Self {
        let bytes = sys::read_regular(&place(store), MOST_BYTES).ok().flatten();
        serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Changes the notes of a store. One pass more or less is all that it costs where that fails.
    pub(in crate::service) fn change(store: &Store, change: impl FnOnce(&mut Self)) {
        let before = Self::of(store);
        let mut notes = before.clone();
        change(&mut notes);
        let json = serde_json::to_vec(&notes).expect("because notes are numbers and a name");
        if notes != before
            && let Err(error) = sys::write_private(&place(store), &json)
        {
            tracing::debug!(%error, "the next pass could not be noted");
        }
    }

    pub(super) const fn succeeded(&mut self) {
        (self.failures, self.until) = (0, 0);
    }

    /// Begins the pause after a failure; true for the first one.
    pub(super) fn failed(&mut self, now: Timestamp) -> bool {
        let pause = (FIRST << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.until = now.as_millis().saturating_add(pause);
        self.failures == 1
    }

    /// Says whether the pause after a failure is not over. One that is longer than any is of a clock that was set back.
    pub(in crate::service) fn is_waiting(store: &Store) -> bool {
        let left = Self::of(store).until.saturating_sub(store.now().as_millis());
        (1..=LONGEST).contains(&left)
    }

    /// Notes a pass over the memories as they are now.
    pub(in crate::service) fn reconciled(store: &Store) -> Result<(), ServiceError> {
        let head = store.repo().head()?.tip();
        Self::change(store, |notes| {
            (notes.reconciled, notes.head) = (Some(store.now().as_millis()), head);
        });
        Ok(())
    }

    /// Says whether a pass over the memories is due. The first look at a store begins its 12 hours.
    pub(in crate::service) fn is_due(store: &Store) -> Result<bool, ServiceError> {
        let notes = Self::of(store);
        let Some(head) = store.repo().head()?.tip() else {
            return Ok(false);
        };
        let mut writes = 0;
        if notes.head != Some(head) {
            for step in store.repo().walk(head, notes.head)? {
                let step = step?;
                let op = step.commit.message.trailer(trailer::OP);
                let is_memory = |path: &Path| path.extension().is_some_and(|end| end == "md");
                let is_write = step.changes.iter().any(|change| is_memory(&change.path));
                writes += usize::from(is_write && op.is_none_or(|op| !NO_WRITES.contains(&op)));
                if writes == WRITES {
                    return Ok(true);
                }
            }
        }
        let now = store.now().as_millis();
        if notes.reconciled.is_none() {
            Self::change(store, |notes| notes.reconciled = Some(now));
        }
        // A clock that was set back is no reason to wait.
        let since = now.saturating_sub(notes.reconciled.unwrap_or(now));
        Ok(writes > 0 && !(0..PAUSE).contains(&since))
    }
}

fn place(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_double_up_to_six_hours() {
        let now = Timestamp::from_seconds(1_795_000_000);
        let mut notes = Notes::default();
        for minutes in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360] {
            assert_eq!(notes.failed(now), minutes == 1);
            assert_eq!((notes.until - now.as_millis()) / FIRST, minutes);
        }
        notes.succeeded();
        assert_eq!(notes, Notes::default());
    }
}
