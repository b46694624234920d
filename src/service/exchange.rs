//! The exchanges of a store, one at a time, and how the last ones went: for people, and for the next process that
//! tries.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::sync::sync_in_turn;
use super::{Context, Run, ServiceError, SyncRequest, Synced};
use crate::git::GitError;
use crate::model::Timestamp;
use crate::store::{LOCAL, Store, StoreError};
use crate::sync::{Exchange, SyncError};
use crate::sys::{self, FileLock, SysError};
use crate::text::{one_line, sha256_hex};

/// The state of the exchanges, and the lock of who makes one, in the store's local folder.
const STATE: &str = "exchange.json";
const LOCK: &str = "exchange.lock";
/// A notice that no person has seen in an agent yet, in the store's local folder.
const NOTICE: &str = "exchange.notice";
/// The most that is read of the state or a notice, in bytes, and kept of a cause, in characters.
const MOST_BYTES: u64 = 64 * 1024;
const MOST_CHARS: usize = 1000;
/// The time that a command waits for the exchange of another process.
const PATIENCE: Duration = Duration::from_secs(30);
/// A failure that may pass by itself is told of after this, in milliseconds: a day.
const LONG: i64 = 86_400_000;

/// The course of the exchanges with one place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExchangeState {
    /// The time at which both sides last were the same.
    pub last: Option<Timestamp>,
    /// The time of the first failure of a row since then.
    pub failing_since: Option<Timestamp>,
    /// The last error.
    #[serde(alias = "cause")]
    pub failing: Option<String>,
}

/// The same as it is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ExchangeNote {
    place: String,
    #[serde(flatten)]
    pub(super) state: ExchangeState,
    /// The cause that people were told of last.
    told: Option<String>,
}

/// The reason why nothing is exchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failing {
    /// The time of the first failure of a row.
    pub since: Timestamp,
    /// The last error.
    pub cause: String,
}

impl ExchangeState {
    /// The failure that lasts.
    pub fn failure(&self) -> Option<Failing> {
        let (since, cause) = self.failing_since.zip(self.failing.clone())?;
        Some(Failing { since, cause })
    }
}

/// Exchanges a store because a person asks for it. Another process that does so at the moment is waited for.
pub fn sync(context: &Context, store: &Store, request: SyncRequest<'_>) -> Result<Synced, ServiceError> {
    let lock = FileLock::acquire(&store.root().join(LOCAL).join(LOCK), PATIENCE);
    if let Err(error) = &lock {
        tracing::debug!(%error, "another process is syncing the store");
    }
    let synced = sync_in_turn(context, store, request);
    if request.run == Run::Real {
        let exchange = super::sync::exchange_of(context, store)?;
        let mut note = ExchangeNote::read(store.root(), &exchange);
        // The person is told at once.
        match &synced {
            Ok(_) => drop(note.worked(store)),
            Err(error) => drop(note.failed(store, error)),
        }
    }
    synced
}

/// The turn to exchange a store; `None` while another process does.
pub(super) fn take_turn(root: &Path) -> Result<Option<FileLock>, SysError> {
    FileLock::try_acquire(&root.join(LOCAL).join(LOCK))
}

impl ExchangeNote {
    /// The state of a store that is exchanged at this place. What cannot be read says nothing.
    pub(super) fn read(root: &Path, exchange: &Exchange) -> Self {
        let bytes = sys::read_regular(&root.join(LOCAL).join(STATE), MOST_BYTES);
        let bytes = bytes.ok().flatten().unwrap_or_default();
        let note: Self = serde_json::from_slice(&bytes).unwrap_or_default();
        let place = name(exchange);
        if note.place == place {
            return note;
        }
        Self {
            place,
            ..Self::default()
        }
    }

    /// Both sides are the same. Says whether people were told of a failure before.
    pub(super) fn worked(&mut self, store: &Store) -> bool {
        let was_told = self.told.take().is_some();
        if was_told {
            take_notice(store.root());
        }
        self.state = ExchangeState {
            last: Some(store.now()),
            ..ExchangeState::default()
        };
        self.write(store);
        was_told
    }

    /// Nothing was exchanged. Gives what people are to be told now: at once where somebody has to act, after a day
    /// where it may pass by itself, and each cause once.
    pub(super) fn failed(&mut self, store: &Store, error: &ServiceError) -> Option<Failing> {
        let told = self.fail(store.now(), &error.to_string(), passes(error));
        self.write(store);
        told
    }

    fn fail(&mut self, now: Timestamp, cause: &str, may_pass: bool) -> Option<Failing> {
        let cause: String = one_line(cause).chars().take(MOST_CHARS).collect();
        // A clock that was wrong must not put the day off.
        let since = self.state.failing_since.map_or(now, |since| since.min(now));
        let is_due = if may_pass {
            self.told.is_none() && now.millis_since(since) >= LONG
        } else {
            self.told.as_ref() != Some(&cause)
        };
        self.state.failing_since = Some(since);
        self.state.failing = Some(cause.clone());
        is_due.then(|| {
            self.told = Some(cause.clone());
            Failing { since, cause }
        })
    }

    /// The state is for people alone: where it cannot be written, nothing else fails.
    fn write(&self, store: &Store) {
        let form = serde_json::to_vec(self).unwrap_or_default();
        let path = store.root().join(LOCAL).join(STATE);
        if let Err(error) = sys::write_atomic(&path, &form) {
            tracing::debug!(%error, "the state of the sync could not be noted");
        }
    }
}

/// Leaves a notice for the person who next says something to an agent here, in the place of an earlier notice.
pub(super) fn leave_notice(root: &Path, notice: &str) {
    if let Err(error) = sys::write_atomic(&root.join(LOCAL).join(NOTICE), notice.as_bytes()) {
        tracing::debug!(%error, "a notice could only be logged");
    }
}

/// The notice that waits for a person. Of several processes that ask, the process that removes the file gets it.
pub(super) fn take_notice(root: &Path) -> Option<String> {
    let path = root.join(LOCAL).join(NOTICE);
    let bytes = sys::read_regular(&path, MOST_BYTES).ok().flatten()?;
    std::fs::remove_file(&path).ok()?;
    Some(one_line(&String::from_utf8_lossy(&bytes)))
}

/// Says whether a failure may pass by itself: no network, many machines at once, git in the middle of something.
fn passes(error: &ServiceError) -> bool {
    match error {
        ServiceError::Store(StoreError::Git(error @ GitError::Remote { .. })) => error.is_offline(),
        ServiceError::Store(StoreError::Busy { .. })
        | ServiceError::Sync(SyncError::Raced { .. } | SyncError::Uncommitted { .. }) => true,
        ServiceError::Store(error) => error.is_busy(),
        _ => false,
    }
}

/// The name of a place of exchange: its address may hold a password.
fn name(exchange: &Exchange) -> String {
    sha256_hex(format!("{} {}", exchange.url, exchange.branch).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// Fails at each of these hours, and says at which of them people are told.
    fn told(note: &mut ExchangeNote, failures: &[(i64, &str, bool)]) -> Vec<i64> {
        let mut hours = Vec::new();
        for (hour, cause, may_pass) in failures {
            let now = Timestamp::from_millis(hour * HOUR);
            if note.fail(now, cause, *may_pass).is_some() {
                hours.push(*hour);
            }
        }
        hours
    }

    #[test]
    fn what_may_pass_is_told_once_after_a_day_and_the_rest_at_once_and_once() {
        let mut note = ExchangeNote::default();
        let offline = [
            (1, "no host", true),
            (20, "no answer", true),
            (24, "no host", true),
            (25, "no host", true),
            (90, "no answer", true),
        ];
        assert_eq!(told(&mut note, &offline), [25]);
        assert_eq!(note.state.failing_since, Some(Timestamp::from_millis(HOUR)));
        let refused = [
            (91, "the key is refused", false),
            (92, "no host", true),
            (93, "the key is refused", false),
            (94, "the key is unknown", false),
        ];
        assert_eq!(told(&mut note, &refused), [91, 94]);
    }

    #[test]
    fn a_clock_that_was_ahead_does_not_put_the_day_off() {
        let mut note = ExchangeNote::default();
        let failures = [(9000, "no host", true), (1, "no host", true)];
        assert_eq!(told(&mut note, &failures), Vec::<i64>::new());
        assert_eq!(told(&mut note, &[(25, "no host", true)]), [25]);
    }
}
