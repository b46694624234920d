//! Chance that can be repeated: the same seed gives the same numbers.

use std::time::Duration;

/// A row of numbers (`SplitMix64`). `MDMEM_SEED` gives another row, for those who look for more.
pub(crate) struct Chance(u64);

impl Chance {
    /// The row of this seed.
    pub(crate) fn new(seed: u64) -> Self {
        let asked = std::env::var("MDMEM_SEED")
            .ok()
            .and_then(|text| text.parse().ok());
        Self(seed ^ asked.unwrap_or(0_u64))
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A time of less than `end`.
    pub(crate) fn time_below(&mut self, end: Duration) -> Duration {
        let end = u64::try_from(end.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(self.below(end.max(1)))
    }

    /// A sentence of words that no other sentence has.
    pub(crate) fn sentence(&mut self) -> String {
        let mut word = || -> String {
            let mut n = self.next();
            let letter = |n: u64| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
            (0..9)
                .map(|_| {
                    let letter = letter(n);
                    n /= 26;
                    letter
                })
                .collect()
        };
        let words: Vec<String> = (0..5).map(|_| word()).collect();
        words.join(" ")
    }
}
