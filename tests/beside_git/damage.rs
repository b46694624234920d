//! A history of which the present commit cannot be read: readers go on, writers refuse, and one command brings it back.

use std::path::{Path, PathBuf};

use super::machine;
use crate::env::{Repository, TestEnv};

/// The file that the last commit changed.
pub(super) const LAST: &str = "decision/last/one.md";

/// A command that writes.
const ADDING: [&str; 4] = [
    "add",
    "--type",
    "decision",
    "Deploys run from the main branch only",
];

/// A store with a few commits, each with objects of its own.
pub(super) fn store() -> TestEnv {
    let env = machine();
    for round in 0..3 {
        env.write(LAST, &format!("The port is {round}.\n"));
        env.write(&format!("project/{round}.md"), &format!("Round {round}.\n"));
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
    }
    env
}

/// The loose file of what a revision names.
fn object(repository: &Repository<'_>, revision: &str) -> PathBuf {
    let oid = repository.git(&["rev-parse", revision]);
    let (folder, name) = oid.trim().split_at(2);
    repository.at(&format!(".git/objects/{folder}/{name}"))
}

/// Empties, spoils or removes a file, also one that may not be written to.
fn damage(path: &Path, way: &str) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    match way {
        "emptied" => std::fs::write(path, b"").unwrap(),
        "spoilt" => std::fs::write(path, vec![b'?'; bytes.len()]).unwrap(),
        _ => {}
    }
}

/// Checks everything that has to hold after the damage, and after the repair. Gives the JSON of the dry run.
#[track_caller]
fn comes_back(env: &TestEnv, told: &str) -> serde_json::Value {
    let repository = Repository::of(env);
    let before = repository.files();
    let said = env.mdmem(["list", "--paths"]).any_stdout().any_stderr().run();
    assert!(
        said.stdout.contains(LAST),
        "{told}: readers go on: {}",
        said.stdout
    );
    for (command, told) in [("render", "The port is 2"), ("status", "mdmem check --fix")] {
        env.mdmem([command]).stdout_has(told).any_stderr().run();
    }
    for refused in [ADDING.as_slice(), &["sweep"]] {
        env.mdmem(refused).any_stderr().fails("mdmem check --fix").run();
    }
    assert!(
        repository.files() == before,
        "{told}: a refused command changed a file"
    );
    let plan = env.mdmem(["check", "--fix", "--json"]).any_stdout().run().json();
    assert!(
        !plan["history"]["damage"].as_array().unwrap().is_empty(),
        "{told}"
    );
    assert!(!repository.at(".git/mdmem-repair").exists(), "{told}: a dry run");
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    let after = repository.files();
    let differs = |path: &&PathBuf| after.get(*path) != before.get(*path);
    let changed: Vec<&PathBuf> = before.keys().chain(after.keys()).filter(differs).collect();
    assert!(changed.is_empty(), "{told}: a repair changed {changed:?}");
    assert!(repository.at(".git/mdmem-repair/1").is_dir(), "{told}");
    let checked = repository.try_git(&["fsck", "--full", "--strict", "--no-dangling"]);
    let complaints = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{told}: {complaints}");
    assert_eq!(repository.status(), "", "{told}");
    for path in [LAST, "project/2.md", "decision/cache.md"] {
        assert_eq!(repository.committed(path), Some(repository.text(path)), "{told}");
    }
    env.mdmem(["check", "--fix", "--yes"])
        .any_stderr()
        .any_stdout()
        .run();
    assert!(
        !repository.at(".git/mdmem-repair/2").exists(),
        "{told}: it is whole"
    );
    env.mdmem(ADDING).any_stdout().run();
    plan
}

#[test]
fn each_object_of_the_last_commit_comes_back() {
    for (what, mend) in [
        ("HEAD", "back"),
        ("HEAD^{tree}", "back"),
        ("HEAD:decision/last", "back"),
        ("HEAD:decision/last/one.md", "rewrite"),
    ] {
        for way in ["emptied", "spoilt", "removed"] {
            let env = store();
            damage(&object(&Repository::of(&env), what), way);
            let told = format!("{what} {way}");
            assert_eq!(comes_back(&env, &told)["history"]["mend"], mend, "{told}");
        }
    }
}

#[test]
fn refs_come_back_by_the_reflog() {
    for (file, way) in [
        ("refs/heads/main", "emptied"),
        ("refs/heads/main", "removed"),
        ("refs/heads/main", "spoilt"),
        ("HEAD", "emptied"),
        ("HEAD", "spoilt"),
    ] {
        let env = store();
        let repository = Repository::of(&env);
        let tip = repository.git(&["rev-parse", "HEAD"]);
        damage(&repository.at(&format!(".git/{file}")), way);
        let plan = comes_back(&env, &format!("{file} {way}"));
        assert_eq!(plan["history"]["commit"], tip.trim());
    }
}

/// The name of a branch is a path below `.git`: one that leads out of it is no branch.
#[test]
fn a_head_that_leads_out_of_the_repository_is_not_followed() {
    let env = store();
    let repository = Repository::of(&env);
    let tip = repository.git(&["rev-parse", "HEAD"]);
    let outside = repository.root().parent().unwrap().join("outside");
    std::fs::write(&outside, "theirs\n").unwrap();
    std::fs::write(repository.at(".git/HEAD"), "ref: ../../outside\n").unwrap();
    let plan = env.mdmem(["check", "--fix", "--json"]).any_stdout().run().json();
    assert_eq!(plan["history"]["commit"], tip.trim());
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "theirs\n");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(
        repository.git(&["symbolic-ref", "HEAD"]).trim(),
        "refs/heads/main"
    );
}

/// A garbage collector took everything that the last two commits brought.
#[test]
fn all_objects_of_two_commits_may_be_gone() {
    let env = store();
    let repository = Repository::of(&env);
    let whole = repository.git(&["rev-parse", "HEAD~2"]);
    let listed = repository.git(&["rev-list", "--objects", "HEAD~2..HEAD"]);
    for line in listed.lines() {
        damage(&object(&repository, line.split(' ').next().unwrap()), "removed");
    }
    let plan = comes_back(&env, "two commits");
    assert_eq!(plan["history"]["commit"], whole.trim());
}

#[test]
fn without_a_reflog_the_newest_commit_there_is_will_do() {
    let env = store();
    let repository = Repository::of(&env);
    let whole = repository.git(&["rev-parse", "HEAD~1"]);
    damage(&object(&repository, "HEAD"), "removed");
    std::fs::remove_dir_all(repository.at(".git/logs")).unwrap();
    let plan = comes_back(&env, "no log");
    assert_eq!(plan["history"]["commit"], whole.trim());
}

#[test]
fn where_the_past_is_lost_the_present_is_kept() {
    let env = store();
    let repository = Repository::of(&env);
    // The first commit: nothing has a past that can be read.
    let first = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let text = repository.text(LAST);
    damage(&object(&repository, first.trim()), "removed");
    let plan = env.mdmem(["check", "--fix", "--json"]).any_stdout().run().json();
    assert_eq!(plan["history"]["mend"], "anew");
    env.mdmem(["list"]).any_stdout().any_stderr().run();
    env.mdmem(["check", "--fix", "--yes"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(repository.committed(LAST), Some(text));
    repository.git(&["fsck", "--full"]);
    assert_eq!(repository.status(), "");
}

#[test]
fn without_any_commit_the_history_begins_with_the_files() {
    let env = store();
    let repository = Repository::of(&env);
    let all = repository.git(&["rev-list", "--all"]);
    let objects: Vec<PathBuf> = all.lines().map(|oid| object(&repository, oid)).collect();
    for path in &objects {
        damage(path, "removed");
    }
    let plan = comes_back(&env, "no commit");
    assert_eq!(plan["history"]["mend"], "anew");
}

#[test]
fn a_whole_history_needs_no_repair() {
    let env = store();
    let repository = Repository::of(&env);
    let log = repository.log();
    let plan = env
        .mdmem(["check", "--fix", "--yes", "--json"])
        .any_stdout()
        .run()
        .json();
    assert!(plan["history"].is_null(), "{plan}");
    assert_eq!(repository.log(), log);
    let env = TestEnv::with_store();
    env.mdmem(["check", "--fix"]).any_stdout().any_stderr().run();
}
