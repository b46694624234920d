//! Measured times.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The times of one thing, measured again and again.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn add(&mut self, time: Duration) {
        let place = self.0.partition_point(|other| *other <= time);
        self.0.insert(place, time);
    }

    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The time that this share of the samples does not pass.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() - 1) * percent / 100]
    }
}

/// Measures the same so many times, after one time that does not count.
pub(crate) fn repeat(times: usize, mut measure: impl FnMut() -> Duration) -> Samples {
    measure();
    let mut samples = Samples::default();
    for _ in 0..times {
        samples.add(measure());
    }
    samples
}

/// Gives the duration of the work, without the time to drop its result.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    let result = black_box(work());
    let time = begin.elapsed();
    drop(result);
    time
}
