//! Two things in turns, so that whatever else the machine does meets both.

use std::time::Duration;

use crate::samples::Samples;

/// Ours and git's.
#[derive(Default)]
pub(crate) struct Pairs {
    pub(crate) ours: Samples,
    pub(crate) git: Samples,
}

impl Pairs {
    /// Measures both in turns so many times, after one turn that does not count. The functions get the turn's number.
    pub(crate) fn measure(
        turns: usize,
        mut ours: impl FnMut(usize) -> Duration,
        mut git: impl FnMut(usize) -> Duration,
    ) -> Self {
        let mut pairs = Self::default();
        for turn in 0..=turns {
            let (our_time, git_time) = (ours(turn), git(turn));
            if turn > 0 {
                pairs.ours.add(our_time);
                pairs.git.add(git_time);
            }
        }
        pairs
    }

    /// Our median over git's.
    pub(crate) fn ratio(&self) -> f64 {
        self.ours.median().as_secs_f64() / self.git.median().as_secs_f64()
    }
}
