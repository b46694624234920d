//! New ids for memories.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use ulid::Generator;

use crate::model::{Id, Timestamp};

/// The source of new ids: `mem_` and a ULID, so that they sort by the time they were made. Each id of one `Ids`
/// is greater than the one before it, also within a millisecond and when the clock is set back.
/// Clones are one source.
#[derive(Debug, Clone)]
pub struct Ids(Arc<Mutex<Generator>>);

impl Ids {
    /// Ids with real randomness: no two machines make the same.
    pub fn random() -> Self {
        Self(Arc::new(Mutex::new(Generator::new())))
    }

    /// A new id, made at `now`. A time before 1970 counts as 1970.
    pub fn next(&self, now: Timestamp) -> Id {
        Id::parse(&format!("mem_{}", self.token(now))).expect("because a ULID is 26 letters and digits")
    }

    /// A word that nobody else makes: the ULID of an id.
    pub fn token(&self, now: Timestamp) -> String {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        let time = UNIX_EPOCH + Duration::from_millis(millis);
        let mut generator = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ulid = match generator.generate_from_datetime(time) {
            Ok(ulid) => ulid,
            Err(overflow) => overflow.commit_overflow_increment(),
        };
        ulid.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(ids: &Ids, times: &[i64]) -> Vec<Id> {
        times
            .iter()
            .map(|t| ids.next(Timestamp::from_millis(*t)))
            .collect()
    }

    #[test]
    fn ids_rise_even_when_the_clock_falls() {
        let made = take(&Ids::random(), &[1_000, 1_000, 1_000, 999, -5, 1_001, 1_001]);
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
        assert!(made.iter().all(|id| id.as_str().len() == 30));
    }

    #[test]
    fn two_sources_make_different_ids() {
        assert_ne!(take(&Ids::random(), &[5]), take(&Ids::random(), &[5]));
    }
}
