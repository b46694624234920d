//! Content that is in no commit is never removed or written over, whatever is asked for.

use std::fs::{File, remove_file};

use crate::env::{TestEnv, write_at};

const UNCOMMITTED: &str = "project/new.md has uncommitted changes";

/// Every command that removes or replaces the file refuses, and the file is as it was.
#[track_caller]
fn kept(env: &TestEnv, text: &str) {
    env.mdmem(["rm", "new"]).fails(UNCOMMITTED).run();
    assert_eq!(env.read("project/new.md"), text);
}

#[test]
fn a_save_that_waits_for_gits_lock() {
    let env = TestEnv::with_store();
    let lock = env.store().join(".git/index.lock");
    env.write("project/new.md", "only here\n");
    File::create(&lock).unwrap();
    kept(&env, "only here\n");
    for args in [vec!["restore", "--yes", "HEAD"], vec!["undo"]] {
        env.mdmem(args).fails("index.lock is held").run();
    }
    assert_eq!(env.read("project/new.md"), "only here\n");
    remove_file(&lock).unwrap();
    env.mdmem(["rm", "new"])
        .any_stdout()
        .stderr_has("brings it back")
        .run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("project/new.md"), "only here\n");
}

#[test]
fn what_is_staged_by_hand() {
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    env.mdmem(["add", "the first thing"]).any_stdout().run();
    env.write("project/new.md", "staged\n");
    env.git(["add", "project/new.md"]).run();
    env.write("project/new.md", "staged, and changed since\n");
    kept(&env, "staged, and changed since\n");
    env.mdmem(["restore", "--yes", "HEAD"])
        .any_stdout()
        .fails(UNCOMMITTED)
        .run();
    // The rest is restored.
    env.mdmem(["restore", "--yes", "HEAD~1"])
        .stdout_has("removed  project/the-first-thing.md")
        .stderr_has(UNCOMMITTED)
        .run();
    assert_eq!(env.read("project/new.md"), "staged, and changed since\n");
    env.git(["show", ":project/new.md"]).stdout("staged\n").run();
}

#[test]
fn what_git_ignores() {
    let env = TestEnv::with_store();
    write_at(&env.store().join(".git/info/exclude"), "new.md\n");
    env.write("project/new.md", "never committed\n");
    env.mdmem(["rm", "new"])
        .fails("project/new.md is not committed, and was left as it is: git ignores it")
        .stderr_has("`mdmem allow project/new.md` commits it")
        .run();
    assert_eq!(env.read("project/new.md"), "never committed\n");
}

#[test]
fn what_the_store_makes_itself_is_no_place_for_a_memory() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    for path in [
        "MEMORY.md",
        "CONFLICTS.md",
        "README.md",
        "PROTOCOL.md",
        "Conflicts.md",
        "readme.md",
    ] {
        let error = format!("{path} is one of the store's own files");
        env.mdmem(["add", "another fact", "--path", path])
            .refuses(&error)
            .run();
        env.mdmem(["mv", "one-thing", path]).refuses(&error).run();
        env.mdmem(["mv", "--dry-run", "one-thing", path])
            .refuses(&error)
            .run();
    }
    env.mdmem(["list", "--paths"])
        .stdout("project/one-thing.md\n")
        .run();
}

#[test]
fn what_is_readonly() {
    let env = TestEnv::with_store();
    let text = "---\nreadonly: true\n---\nprotected\n";
    env.write("project/kept.md", text);
    for args in [
        vec!["rm", "kept"],
        vec!["rm", "-n", "kept"],
        vec!["mv", "kept", "archive/"],
    ] {
        env.mdmem(args).fails("project/kept.md is readonly").run();
    }
    assert_eq!(env.read("project/kept.md"), text);
    env.write(
        "project/kept.md",
        "---\nreadonly: true\nname: a: b\n---\nbroken too\n",
    );
    env.mdmem(["rm", "kept"])
        .fails("project/kept.md is readonly")
        .run();
}

#[test]
fn an_index_that_is_gone_is_made_whole_again() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    remove_file(env.store().join(".git/index")).unwrap();
    env.mdmem(["add", "another fact"]).any_stdout().any_stderr().run();
    env.git(["status", "--short"]).run();
    env.git(["diff", "--cached", "--name-only"]).run();
}

#[test]
fn dry_runs_write_nothing() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    env.mdmem(["add", "another fact"]).any_stdout().run();
    env.mdmem(["rm", "one-thing"]).any_stdout().any_stderr().run();
    env.write("project/saved.md", "saved meanwhile\n");
    // The first reader may write the caches.
    env.mdmem(["status"]).any_stdout().run();
    let before = everything(&env);
    for args in [
        vec!["restore", "-n", "HEAD~1"],
        vec!["restore", "-n", "HEAD~2", "project/"],
        vec!["undo", "-n"],
        vec!["sweep", "-n"],
        vec!["rm", "-n", "saved"],
        vec!["mv", "-n", "saved", "archive/"],
        vec!["check", "--fix"],
    ] {
        env.mdmem(&args).any_stdout().any_stderr().run();
        assert_eq!(everything(&env), before, "{args:?}");
    }
}

#[test]
fn undo_takes_back_an_edit_that_nobody_committed_and_never_removes_a_new_file_as_a_dry_one_says() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "one thing"]).any_stdout().run();
    let text = env.read("project/one-thing.md");
    env.write("project/one-thing.md", "another thing\n");
    env.mdmem(["undo", "-n"])
        .stdout("edited   project/one-thing.md\n")
        .stderr_has("would undo uncommitted changes")
        .run();
    env.mdmem(["undo"])
        .stdout("edited   project/one-thing.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("project/one-thing.md"), text);

    env.write("project/saved.md", "saved meanwhile\n");
    env.mdmem(["undo", "-n"])
        .stdout("removed  project/one-thing.md\n")
        .stderr_has("would undo ")
        .run();
    env.mdmem(["undo"])
        .stdout("removed  project/one-thing.md\n")
        .stderr_has("first committed earlier changes")
        .run();
    env.mdmem(["undo"]).fails("nothing to undo").run();
    env.mdmem(["list", "--paths"]).stdout("project/saved.md\n").run();
}

/// Every file of the store but the caches: name, time of change and bytes.
fn everything(env: &TestEnv) -> Vec<(String, std::time::SystemTime, Vec<u8>)> {
    let store = env.store();
    let walk = walkdir::WalkDir::new(&store).sort_by_file_name().into_iter();
    walk.map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file() && !entry.path().starts_with(store.join(".mdmem/cache")))
        .map(|entry| {
            let changed = entry.metadata().unwrap().modified().unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            (entry.path().display().to_string(), changed, bytes)
        })
        .collect()
}
