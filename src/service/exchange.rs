//! The exchanges of a store, one at a time, and how the last ones went: for people, and for the next process that
//! tries.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExchangeState {
    /// The time at which both sides last were the same.
    pub last: Option<Timestamp>,
    /// The failure since then.
    pub failing: Option<Failing>,
    /// The cause that people were told of last.
    told: Option<String>,
}

/// The reason why nothing is exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The time of the first failure of a row.
    pub since: Timestamp,
    /// The last error.
    pub cause: String,
}

/// Exchanges a store because a person asks for it. Another process that does so at the moment is waited for.
pub fn sync(context: &Context, store: &Store, request: SyncRequest<'_>) -> Result<Synced, ServiceError> {
    let lock = FileLock::acquire(&store.root().join(LOCAL).join(LOCK), PATIENCE);
    if let Err(error) = &lock {
        tracing::debug!(%error, "another process exchanges the store");
    }
    let synced = sync_in_turn(context, store, request);
    if request.run == Run::Real {
        let exchange = super::sync::exchange_of(context, store)?;
        let mut state = ExchangeState::read(store.root(), &exchange);
        // The person is told at once.
        match &synced {
            Ok(_) => drop(state.worked(store, &exchange)),
            Err(error) => drop(state.failed(store, &exchange, error)),
        }
    }
    synced
}

/// The turn to exchange a store; `None` while another process does.
pub(super) fn take_turn(root: &Path) -> Result<Option<FileLock>, SysError> {
    FileLock::try_acquire(&root.join(LOCAL).join(LOCK))
}

impl ExchangeState {
    /// The state of a store that is exchanged at this place. What cannot be read says nothing.
    pub(super) fn read(root: &Path, exchange: &Exchange) -> Self {
        let bytes = sys::read_regular(&root.join(LOCAL).join(STATE), MOST_BYTES);
        let bytes = bytes.ok().flatten().unwrap_or_default();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if value["place"].as_str() != Some(&name(exchange)) {
            return Self::default();
        }
        let time = |key: &str| Timestamp::parse(value[key].as_str()?);
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let failing = time("failing_since").zip(text("cause"));
        Self {
            last: time("last"),
            failing: failing.map(|(since, cause)| Failing { since, cause }),
            told: text("told"),
        }
    }

    /// Both sides are the same. Says whether people were told of a failure before.
    pub(super) fn worked(&mut self, store: &Store, exchange: &Exchange) -> bool {
        let was_told = self.told.is_some();
        if was_told {
            take_notice(store.root());
        }
        *self = Self {
            last: Some(store.now()),
            ..Self::default()
        };
        self.write(store, exchange);
        was_told
    }

    /// Nothing was exchanged. Gives what people are to be told now: at once where somebody has to act, after a day
    /// where it may pass by itself, and each cause once.
    pub(super) fn failed(
        &mut self,
        store: &Store,
        exchange: &Exchange,
        error: &ServiceError,
    ) -> Option<Failing> {
        let told = self.fail(store.now(), &error.to_string(), passes(error));
        self.write(store, exchange);
        told
    }

    fn fail(&mut self, now: Timestamp, cause: &str, urgency: Urgency) -> Option<Failing> {
        let cause: String = one_line(cause).chars().take(MOST_CHARS).collect();
        // A clock that was wrong must not put the day off.
        let since = self.failing.take().map_or(now, |failing| failing.since.min(now));
        let is_due = match urgency {
            Urgency::Passes => self.told.is_none() && now.millis_since(since) >= LONG,
            Urgency::ToAct => self.told.as_ref() != Some(&cause),
        };
        let failing = Failing { since, cause };
        self.failing = Some(failing.clone());
        is_due.then(|| {
            self.told = Some(failing.cause.clone());
            failing
        })
    }

    /// The state is for people alone: where it cannot be written, nothing else fails.
    fn write(&self, store: &Store, exchange: &Exchange) {
        let time = |time: Timestamp| time.to_rfc3339();
        let failing = self.failing.as_ref();
        let form = json!({
            "place": name(exchange),
            "last": self.last.map(time),
            "failing_since": failing.map(|failing| time(failing.since)),
            "cause": failing.map(|failing| &failing.cause),
            "told": self.told,
        });
        let path = store.root().join(LOCAL).join(STATE);
        if let Err(error) = sys::write_atomic(&path, form.to_string().as_bytes()) {
            tracing::debug!(%error, "the state of the exchange is not noted");
        }
    }
}

/// Leaves a notice for the person who next says something to an agent here, in the place of an earlier notice.
pub(super) fn leave_notice(root: &Path, notice: &str) {
    if let Err(error) = sys::write_atomic(&root.join(LOCAL).join(NOTICE), notice.as_bytes()) {
        tracing::debug!(%error, "a notice is in the log alone");
    }
}

/// The notice that waits for a person. Of several processes that ask, the process that removes the file gets it.
pub(super) fn take_notice(root: &Path) -> Option<String> {
    let path = root.join(LOCAL).join(NOTICE);
    let bytes = sys::read_regular(&path, MOST_BYTES).ok().flatten()?;
    std::fs::remove_file(&path).ok()?;
    Some(one_line(&String::from_utf8_lossy(&bytes)))
}

/// The urgency of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// It may pass by itself: no network, many machines at once, git in the middle of something.
    Passes,
    /// Somebody has to act.
    ToAct,
}

fn passes(error: &ServiceError) -> Urgency {
    let passes = match error {
        ServiceError::Store(StoreError::Git(error @ GitError::Remote { .. })) => error.is_offline(),
        ServiceError::Store(StoreError::Busy { .. }) | ServiceError::Sync(SyncError::Raced { .. }) => true,
        ServiceError::Store(error) => error.is_busy(),
        _ => false,
    };
    if passes { Urgency::Passes } else { Urgency::ToAct }
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
    fn told(state: &mut ExchangeState, failures: &[(i64, &str, Urgency)]) -> Vec<i64> {
        let mut hours = Vec::new();
        for (hour, cause, urgency) in failures {
            let now = Timestamp::from_millis(hour * HOUR);
            if state.fail(now, cause, *urgency).is_some() {
                hours.push(*hour);
            }
        }
        hours
    }

    #[test]
    fn what_may_pass_is_told_once_after_a_day_and_the_rest_at_once_and_once() {
        use Urgency::{Passes, ToAct};
        let mut state = ExchangeState::default();
        let offline = [
            (1, "no host", Passes),
            (20, "no answer", Passes),
            (24, "no host", Passes),
            (25, "no host", Passes),
            (90, "no answer", Passes),
        ];
        assert_eq!(told(&mut state, &offline), [25]);
        assert_eq!(
            state.failing.as_ref().unwrap().since,
            Timestamp::from_millis(HOUR)
        );
        let refused = [
            (91, "the key is refused", ToAct),
            (92, "no host", Passes),
            (93, "the key is refused", ToAct),
            (94, "the key is unknown", ToAct),
        ];
        assert_eq!(told(&mut state, &refused), [91, 94]);
    }

    #[test]
    fn a_clock_that_was_ahead_does_not_put_the_day_off() {
        let mut state = ExchangeState::default();
        let failures = [
            (9000, "no host", Urgency::Passes),
            (1, "no host", Urgency::Passes),
        ];
        assert_eq!(told(&mut state, &failures), Vec::<i64>::new());
        assert_eq!(told(&mut state, &[(25, "no host", Urgency::Passes)]), [25]);
    }
}
