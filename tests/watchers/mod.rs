//! Watchers and what can happen to them: another one, a store that goes and comes back, and what they say of it.

mod all_stores;
mod at_login;
mod flat;
mod going;
mod log;

use std::path::Path;

use crate::env::{LIMIT, Repository, TestEnv};

const QUICK: (&str, &str) = ("MDMEM_WATCH__QUIET_MS", "100");

fn machine() -> TestEnv {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    for n in 0..15 {
        env.write(&format!("project/{n}.md"), &format!("Number {n}.\n"));
    }
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    env
}

#[test]
fn a_second_watcher_waits_and_takes_over() {
    let env = machine();
    let repository = Repository::of(&env);
    let mut first = env.watch(&[QUICK]);
    let mut second = env.start_watching(&[QUICK]);
    second.wait_until_said("waiting to take over");
    repository.save("project/a.md", "Saved under the first.\n");
    repository.wait_for_commit_of("project/a.md", "Saved under the first.\n", LIMIT);
    // It tells what the first one commits.
    second.wait_until_said("memory: add project/a");

    first.kill();
    repository.save("project/b.md", "Saved under nobody, or the second.\n");
    second.wait_until_said("watching ");
    repository.wait_for_commit_of("project/b.md", "Saved under nobody, or the second.\n", LIMIT);
    assert!(second.is_running());
    let commits = repository.log();
    for path in ["project/a.md", "project/b.md"] {
        let times = commits
            .iter()
            .filter(|commit| commit.paths.contains(&path.to_owned()))
            .count();
        assert_eq!(times, 1, "{path}");
    }
    repository.assert_sound();
}

#[test]
fn all_files_go_and_are_asked_about() {
    let env = machine();
    let repository = Repository::of(&env);
    let tip = repository.git(&["rev-parse", "HEAD"]);
    let watching = env.watch(&[QUICK]);
    std::fs::rename(repository.at("project"), env.home().join("project")).unwrap();
    watching.wait_until_said("15 files are missing");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), tip);
    env.mdmem(["status"])
        .stdout_has("mdmem sweep --yes")
        .any_stderr()
        .run();
    env.mdmem(["sweep", "--yes", "--quiet"]).any_stdout().run();
    assert!(!repository.tracked().contains("project/3.md"));
    env.mdmem(["undo", "--quiet"]).any_stdout().run();
    assert_eq!(repository.text("project/3.md"), "Number 3.\n");
    assert!(Path::new(&repository.at("project/14.md")).exists());
    repository.assert_sound();
}
