//! The pauses after failures of the program that answers (`.mdmem/pass.json`): a minute after the first one, then
//! twice as long each time, up to six hours. A person who asks by hand is not held up.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::store::{LOCAL, Store};
use crate::sys;

const FILE: &str = "pass.json";
/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 4096;
/// The first pause, in milliseconds.
const FIRST: i64 = 60 * 1000;
/// The longest pause, in milliseconds.
const LONGEST: i64 = 6 * 60 * 60 * 1000;

/// The program answered.
pub(super) fn succeeded(store: &Store) {
    match std::fs::remove_file(place(store)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::debug!(%error, "the pause before the next pass is not lifted");
        }
        _ => {}
    }
}

/// The program failed; true the first time after it answered.
pub(super) fn failed(store: &Store) -> bool {
    let failures = read(store)["failures"]
        .as_u64()
        .unwrap_or_default()
        .saturating_add(1);
    let pause = pause(failures);
    let note = json!({"failures": failures, "until": store.now().as_millis().saturating_add(pause)});
    if let Err(error) = sys::write_atomic(&place(store), note.to_string().as_bytes()) {
        tracing::debug!(%error, "the pause before the next pass is not written");
    }
    failures == 1
}

/// True while the pause after a failure is not over. A pause that ends later than it can (the clock was set back) is
/// over.
pub(in crate::service) fn is_waiting(store: &Store) -> bool {
    let until = read(store)["until"].as_i64().unwrap_or_default();
    let left = until.saturating_sub(store.now().as_millis());
    (1..=LONGEST).contains(&left)
}

fn pause(failures: u64) -> i64 {
    let doublings = u32::try_from(failures.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .min(16);
    (FIRST << doublings).min(LONGEST)
}

fn place(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

fn read(store: &Store) -> Value {
    let bytes = sys::read_regular(&place(store), MOST_BYTES).ok().flatten();
    serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_double_up_to_six_hours() {
        let minutes: Vec<i64> = (1..=11).map(|failures| pause(failures) / FIRST).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
        assert_eq!(pause(u64::MAX), LONGEST);
    }
}
