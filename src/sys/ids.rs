//! New ids for memories.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use ulid::{Generator, Ulid};

use crate::model::{Id, Timestamp};

/// The source of new ids: `mem_` and a ULID, so that they sort by the time they were made. Each id of one `Ids`
/// is greater than the one before it, also within a millisecond and when the clock is set back.
/// Clones are one source.
#[derive(Debug, Clone)]
pub struct Ids(Arc<Mutex<State>>);

#[derive(Debug)]
enum State {
    Random(Generator),
    Seeded { seed: u64, previous: Ulid },
}

impl Ids {
    /// Ids with real randomness: no two machines make the same.
    pub fn random() -> Self {
        Self(Arc::new(Mutex::new(State::Random(Generator::new()))))
    }

    /// For tests: the same seed and the same times give the same ids.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State::Seeded {
            seed,
            previous: Ulid::nil(),
        })))
    }

    /// A new id, made at `now`. A time before 1970 counts as 1970.
    pub fn next(&self, now: Timestamp) -> Id {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        let ulid = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Random(generator) => {
                let time = UNIX_EPOCH + Duration::from_millis(millis);
                match generator.generate_from_datetime(time) {
                    Ok(ulid) => ulid,
                    Err(overflow) => overflow.commit_overflow_increment(),
                }
            }
            State::Seeded { seed, previous } => {
                let fresh = Ulid::from_parts(millis, u128::from(scrambled(seed)));
                let same_time = previous.timestamp_ms() >= millis && !previous.is_nil();
                let ulid = if same_time {
                    previous.increment().unwrap_or(fresh)
                } else {
                    fresh
                };
                *previous = ulid;
                ulid
            }
        };
        Id::parse(&format!("mem_{ulid}")).expect("because a ULID is 26 letters and digits")
    }
}

/// The next number of the `SplitMix64` sequence.
const fn scrambled(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
        for ids in [Ids::random(), Ids::seeded(7)] {
            let made = take(&ids, &[1_000, 1_000, 1_000, 999, -5, 1_001, 1_001]);
            assert!(made.windows(2).all(|pair| pair[0] < pair[1]), "{made:?}");
            assert!(made.iter().all(|id| id.as_str().len() == 30));
        }
    }

    #[test]
    fn a_seed_gives_the_same_ids_and_chance_does_not() {
        assert_eq!(
            take(&Ids::seeded(1), &[5, 5, 9]),
            take(&Ids::seeded(1), &[5, 5, 9])
        );
        assert_ne!(take(&Ids::seeded(1), &[5]), take(&Ids::seeded(2), &[5]));
        assert_ne!(take(&Ids::random(), &[5]), take(&Ids::random(), &[5]));
    }
}
