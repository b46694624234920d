//! `kill -9` at random instants: what was acknowledged is there, and the next command puts the rest right.

mod stale_lock;
mod watcher;

use std::path::Path;

use crate::env::{Repository, TestEnv};

/// Runs the same trial on four machines at a time, each with a seed of its own.
fn on_machines(trial: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            let trial = &trial;
            scope.spawn(move || trial(seed));
        }
    });
}

/// The next command after a kill works, and leaves nothing behind.
#[track_caller]
fn next_command(env: &TestEnv, repository: &Repository<'_>) {
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let mut left = Vec::new();
    look_for_leftovers(repository.root(), &mut left);
    assert_eq!(left, Vec::<String>::new(), "left behind");
    assert_eq!(repository.status(), "", "everything is committed");
}

/// Locks, journals and temporary files.
pub(crate) fn look_for_leftovers(folder: &Path, left: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_rubbish = [".mdmem-tmp", ".mdmem-part", ".lock"]
            .iter()
            .any(|end| name.ends_with(end));
        // Those that show who writes, and who watches.
        let is_advisory = ["mdmem.lock", "watch.lock", "turn.lock", "exchange.lock"].contains(&name.as_str());
        let is_half =
            ["mdmem-journal", "mdmem-index", "mdmem-ref"].contains(&name.as_str()) || name.contains("_git2_");
        if (is_rubbish && !is_advisory) || is_half {
            left.push(entry.path().display().to_string());
        }
        if entry.file_type().unwrap().is_dir() {
            look_for_leftovers(&entry.path(), left);
        }
    }
}
