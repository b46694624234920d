//! Locks that an ended process left: mdmem's own is cleared, anybody else's never.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

use crate::env::{LIMIT, Repository, TestEnv};

const PATH: &str = "decision/cache.md";
const SAVED: &str = "Saved with nothing running.\n";

/// A store in which somebody saved while nothing ran.
fn machine() -> TestEnv {
    let mut env = TestEnv::on_disk();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.write(PATH, "Use npm cache.\n");
    env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    env.write(PATH, SAVED);
    env
}

/// An index.lock, and the note that an mdmem leaves that is killed while it holds one.
fn leave_own_lock(repository: &Repository<'_>) {
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    leave_lock_of(
        repository,
        &serde_json::json!({
            "pid": ended.id(),
            "host": rustix::system::uname().nodename().to_string_lossy(),
            "command": "mdmem add",
            "started": 1,
        }),
    );
}

/// The same, with this holder in the note.
fn leave_lock_of(repository: &Repository<'_>, holder: &serde_json::Value) {
    let lock = repository.at(".git/index.lock");
    std::fs::copy(repository.at(".git/index"), &lock).unwrap();
    let inode = std::fs::metadata(&lock).unwrap();
    let path = repository.at(".git/mdmem.lock");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut note: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    note["holder"] = holder.clone();
    note["index_lock"] = serde_json::json!({ "device": inode.dev(), "inode": inode.ino() });
    note["commit"] = serde_json::json!("0123456789012345678901234567890123456789");
    std::fs::write(&path, format!("{note}\n")).unwrap();
}

#[test]
fn what_was_saved_with_nothing_running_is_committed_first() {
    let env = machine();
    let repository = Repository::of(&env);
    env.mdmem(["add", "Said after it."])
        .any_stdout()
        .any_stderr()
        .run();
    let subjects: Vec<String> = repository
        .log()
        .into_iter()
        .map(|commit| commit.subject)
        .collect();
    assert_eq!(
        subjects[..2],
        ["memory: add project/said-after-it", "memory: edit decision/cache"]
    );
    assert_eq!(repository.committed(PATH).as_deref(), Some(SAVED));
}

#[test]
fn an_own_index_lock_is_cleared_by_the_next_command() {
    let env = machine();
    let repository = Repository::of(&env);
    leave_own_lock(&repository);
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("index.lock, left by a killed mdmem")
        .run();
    assert!(!repository.at(".git/index.lock").exists());
    assert_eq!(repository.committed(PATH).as_deref(), Some(SAVED));
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

/// The store was renamed away in the middle of a commit, and the holder let go of what it could not reach.
#[test]
fn an_own_index_lock_that_a_store_took_along_is_cleared_when_it_is_back() {
    let env = machine();
    let repository = Repository::of(&env);
    leave_lock_of(&repository, &serde_json::Value::Null);
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("index.lock, left by a killed mdmem")
        .run();
    assert_eq!(repository.committed(PATH).as_deref(), Some(SAVED));
    repository.assert_sound();
}

#[test]
fn an_own_index_lock_is_cleared_by_the_watcher() {
    let env = machine();
    let repository = Repository::of(&env);
    leave_own_lock(&repository);
    let watching = env.watch(&[]);
    watching.wait_until_said("index.lock, left by a killed mdmem");
    repository.wait_for_commit_of(PATH, SAVED, LIMIT);
}

#[test]
fn a_foreign_index_lock_stays_and_commits_resume_when_it_goes() {
    let env = machine();
    let repository = Repository::of(&env);
    let lock = repository.at(".git/index.lock");
    File::create_new(&lock).unwrap();
    let tip = repository.git(&["rev-parse", "HEAD"]);

    let added = env.mdmem(["add", "Said under a lock."]);
    let added = added.any_stdout().stderr_has("index.lock").run();
    assert!(added.stdout.contains("project/said-under-a-lock.md") || !added.stderr.is_empty());
    let written = repository.text("project/said-under-a-lock.md");
    assert_eq!(written.lines().last(), Some("Said under a lock."));
    env.mdmem(["status"]).stdout_has("index.lock").any_stderr().run();
    let watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "100")]);
    watching.wait_until_said("commits wait: git's lock");
    assert!(lock.exists(), "a foreign lock is never removed");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), tip);

    std::fs::remove_file(&lock).unwrap();
    watching.wait_until_said("committing again");
    repository.wait_for_commit_of(PATH, SAVED, LIMIT);
    assert!(repository.tracked().contains("project/said-under-a-lock.md"));
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}
