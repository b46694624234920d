//! One save a second, for a minute: nobody waits for the writer to stop.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::env::{Repository, TestEnv, wait_for};

const SAVES: usize = 60;
/// The longest wait of the watch, and a little for the commit itself.
const AT_MOST: Duration = Duration::from_secs(12);

#[test]
fn one_save_a_second_is_committed_within_twelve_seconds() {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    let watching = env.watch(&[]);
    // The same file again and again, which is never quiet, and each time one that is.
    let mut journal = String::new();
    let mut saved = Vec::new();
    let mut committed = 0;
    let mut slowest = Duration::ZERO;
    let mut machine = Machine::new(repository.at("../probe"));
    let begin = Instant::now();
    wait_for("the commit of the last save", Duration::from_secs(80), || {
        let due = u32::try_from(saved.len()).unwrap();
        if saved.len() < SAVES && begin.elapsed() >= Duration::from_secs(1) * due {
            let _ = writeln!(journal, "- save {}", saved.len());
            repository.save("project/journal.md", &journal);
            repository.save(&format!("user/save-{}.md", saved.len()), "Saved.\n");
            saved.push(Instant::now());
            machine.probe();
        }
        // The answer is of this moment: two programs are started for it, which can take seconds beside others.
        let asked = Instant::now();
        let text = repository.committed("project/journal.md").unwrap_or_default();
        let tracked = repository.tracked();
        let now = text
            .lines()
            .enumerate()
            .take_while(|(n, _)| tracked.contains(&format!("user/save-{n}.md")))
            .count();
        for time in &saved[committed.min(now)..now] {
            slowest = slowest.max(time.elapsed());
        }
        committed = committed.max(now);
        let waits = saved
            .get(committed)
            .map_or(Duration::ZERO, |time| asked.saturating_duration_since(*time));
        assert!(
            waits < AT_MOST + machine.slack(),
            "save {committed} waits for its commit: {waits:?}"
        );
        (committed == SAVES).then_some(())
    });
    println!("slowest commit after {slowest:?}");
    let commits = repository.log().len();
    assert!(commits < 2 * SAVES + 10, "{commits} commits");
    drop(watching);
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

/// The slowness of the machine itself just now, which has other work too: a commit flushes about nine files, and a test
/// starts programs.
struct Machine {
    probe: PathBuf,
    flush: Duration,
    start: Duration,
}

impl Machine {
    fn new(probe: PathBuf) -> Self {
        let (flush, start) = (Duration::ZERO, Duration::ZERO);
        Self { probe, flush, start }
    }

    /// Flushes one small file, as the engine does with each of its own, and starts a program, as other tests do.
    fn probe(&mut self) {
        let begin = Instant::now();
        let mut file = File::create(&self.probe).unwrap();
        file.write_all(b"probe").unwrap();
        file.sync_all().unwrap();
        self.flush = self.flush.max(begin.elapsed());
        let begin = Instant::now();
        Command::new("git").arg("--version").output().unwrap();
        self.start = self.start.max(begin.elapsed());
    }

    /// How much longer a commit may take here, by the slowest probe.
    fn slack(&self) -> Duration {
        self.flush * 9 + self.start
    }
}
