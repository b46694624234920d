//! Decides when a changed file was left alone for long enough to be committed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Holds changed files back until each has been quiet for a while, but none for longer than a limit: a steady writer
/// must not keep a file from its commit. Pure: the time is passed in.
#[derive(Debug, Clone)]
pub struct Quiet {
    pause: Duration,
    max_wait: Duration,
    waiting: BTreeMap<PathBuf, Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    first: Instant,
    last: Instant,
}

impl Quiet {
    /// Nothing waits.
    pub const fn new(pause: Duration, max_wait: Duration) -> Self {
        Self {
            pause,
            max_wait,
            waiting: BTreeMap::new(),
        }
    }

    /// A file changed at `now`.
    pub fn touch(&mut self, path: impl Into<PathBuf>, now: Instant) {
        let waiting = self.waiting.entry(path.into()).or_insert(Waiting {
            first: now,
            last: now,
        });
        waiting.last = waiting.last.max(now);
    }

    /// Takes out the files whose time has come, in the order of their paths.
    pub fn due(&mut self, now: Instant) -> Vec<PathBuf> {
        let (pause, max_wait) = (self.pause, self.max_wait);
        let is_due = |waiting: &Waiting| waiting.deadline(pause, max_wait) <= now;
        self.waiting
            .extract_if(.., |_, waiting| is_due(waiting))
            .map(|(path, _)| path)
            .collect()
    }

    /// The time at which the files that are due first can be taken with all files that are due within `together` after
    /// them. A command that changes many files (renames a folder, removes many files) belongs in one commit. `None` while
    /// nothing waits.
    pub fn gathered_at(&self, together: Duration) -> Option<Instant> {
        let waiting = self.waiting.values();
        let deadlines = waiting.map(|waiting| waiting.deadline(self.pause, self.max_wait));
        let first = deadlines.clone().min()?;
        deadlines.filter(|deadline| *deadline <= first + together).max()
    }
}

impl Waiting {
    fn deadline(&self, pause: Duration, max_wait: Duration) -> Instant {
        (self.last + pause).min(self.first + max_wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_file_is_due_when_it_was_quiet() {
        let start = Instant::now();
        let mut quiet = Quiet::new(ms(2_000), ms(10_000));
        assert_eq!(quiet.gathered_at(Duration::ZERO), None);
        quiet.touch("b.md", start);
        quiet.touch("a.md", start + ms(500));
        quiet.touch("b.md", start + ms(600));
        assert_eq!(quiet.gathered_at(Duration::ZERO), Some(start + ms(2_500)));
        assert!(quiet.due(start + ms(2_499)).is_empty());
        assert_eq!(quiet.due(start + ms(2_500)), [PathBuf::from("a.md")]);
        assert_eq!(quiet.due(start + ms(2_600)), [PathBuf::from("b.md")]);
        assert!(quiet.gathered_at(Duration::ZERO).is_none());
        assert_eq!(quiet.gathered_at(Duration::ZERO), None);
    }

    #[test]
    fn what_was_done_together_is_gathered_and_nothing_waits_long_for_it() {
        let start = Instant::now();
        let mut quiet = Quiet::new(ms(2_000), ms(10_000));
        assert_eq!(quiet.gathered_at(ms(250)), None);
        quiet.touch("a.md", start);
        assert_eq!(
            quiet.gathered_at(ms(250)),
            Some(start + ms(2_000)),
            "one is not delayed"
        );
        quiet.touch("b.md", start + ms(200));
        quiet.touch("c.md", start + ms(400));
        assert_eq!(quiet.gathered_at(ms(250)), Some(start + ms(2_200)));
        assert_eq!(quiet.due(start + ms(2_200)).len(), 2);
    }

    #[test]
    fn a_steady_writer_waits_no_longer_than_the_limit() {
        let start = Instant::now();
        let mut quiet = Quiet::new(ms(2_000), ms(10_000));
        let mut commits = Vec::new();
        for second in 0..25 {
            let now = start + ms(second * 1_000);
            quiet.touch("a.md", now);
            if !quiet.due(now).is_empty() {
                commits.push(second);
            }
        }
        assert_eq!(commits, [10, 21]);
        assert_eq!(quiet.due(start + ms(26_000)), [PathBuf::from("a.md")]);
    }

    proptest! {
        #[test]
        fn every_change_is_due_in_time_and_none_too_early(
            changes in prop::collection::vec((0_u64..20_000, 0_usize..4), 1..60),
            steps in prop::collection::vec(1_u64..700, 1..80),
        ) {
            let start = Instant::now();
            let mut changes = changes;
            changes.sort_unstable();
            let mut quiet = Quiet::new(ms(2_000), ms(10_000));
            let mut waiting: BTreeMap<PathBuf, (u64, u64)> = BTreeMap::new();
            let mut left = changes.into_iter().peekable();
            let mut now = 0;
            let mut steps = steps.into_iter().cycle();
            let mut before = 0;
            while left.peek().is_some() || !waiting.is_empty() {
                now += steps.next().expect("because the steps repeat");
                while let Some((at, file)) = left.next_if(|(at, _)| *at <= now) {
                    let path = PathBuf::from(format!("{file}.md"));
                    quiet.touch(&path, start + ms(at));
                    let times = waiting.entry(path).or_insert((at, at));
                    times.1 = at;
                }
                for path in quiet.due(start + ms(now)) {
                    let (first, last) = waiting.remove(&path).expect("because only what changed is due");
                    prop_assert!(now >= last + 2_000 || now >= first + 10_000);
                }
                for (first, last) in waiting.values() {
                    prop_assert!(now < last + 2_000 && now < first + 10_000);
                }
                let earliest = waiting.values().map(|(first, last)| (last + 2_000).min(first + 10_000)).min();
                prop_assert_eq!(quiet.gathered_at(Duration::ZERO), earliest.map(|at| start + ms(at)));
                prop_assert!(now > before);
                before = now;
            }
            prop_assert!(quiet.gathered_at(Duration::ZERO).is_none());
        }
    }
}
