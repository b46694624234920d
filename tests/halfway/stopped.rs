//! Changes that stop half way: told, kept apart, finished or taken back.

use std::process::Stdio;

use crate::env::{LIMIT, Repository, TestEnv, wait_for};

use super::{Shut, assert_round, assert_settled, everything, machine, subjects, text};

/// A restore that one file stops.
fn stopped(env: &TestEnv, first: &str) -> Option<Shut> {
    let shut = Shut::file(env.store().join("decision/of-many-2.md"))?;
    env.mdmem(["restore", "--yes", first])
        .fails("the restore stopped half way: 6 of 7 files are done, left is decision/of-many-2.md: cannot write")
        .stderr_has("hint: Mend the cause (`df -h` and `df -i` show space and inodes), and the next command finishes it by itself; `mdmem undo` takes back what is done.")
        .run();
    Some(shut)
}

#[test]
fn what_stopped_half_way_is_told_and_keeps_its_own_paths_alone() {
    let (env, first) = machine();
    let Some(shut) = stopped(&env, &first) else {
        return;
    };
    let words = "the restore stopped half way: 6 of 7 files are done, left is decision/of-many-2.md";
    env.mdmem(["status"])
        .stdout_has(words)
        .stdout_has("mdmem undo")
        .run();
    env.mdmem(["diag", "health"])
        .stdout_has(words)
        .any_stderr()
        .code(1)
        .run();
    env.mdmem(["check"])
        .stdout_has("decision/of-many-0.md")
        .stdout_has("a restore, undo or import that is not finished changes it")
        .any_stderr()
        .run();
    let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
    let told = &status["unfinished"];
    assert_eq!(
        (&told["op"], &told["done"], &told["left"]),
        (&"restore".into(), &6.into(), &1.into())
    );
    assert_eq!(status["uncommitted"], serde_json::json!([]));

    let head = |path: &str| Repository::of(&env).committed(path);
    env.mdmem(["add", "Use cargo"])
        .any_stdout()
        .stderr_has(words)
        .run();
    assert!(head("project/use-cargo.md").is_some());
    env.write("project/by-hand.md", "Saved by hand\n");
    env.mdmem(["sweep"]).any_stdout().stderr_has(words).run();
    assert_eq!(head("project/by-hand.md").as_deref(), Some("Saved by hand\n"));
    env.mdmem(["render"]).any_stdout().run();
    assert_eq!(
        head("decision/of-many-0.md"),
        Some(text("second", 0)),
        "kept from the sweep"
    );
    for args in [
        vec!["rm", "decision/of-many-0.md"],
        vec!["mv", "decision/of-many-0.md", "project/"],
    ] {
        env.mdmem(args).any_stdout().fails("not finished").run();
    }
    env.mdmem(["restore", "--yes", &first])
        .fails(
            "nothing was changed, because an earlier change has to end first: the restore stopped half way",
        )
        .run();
    drop(shut);
    env.mdmem(["add", "Use just"])
        .any_stdout()
        .stderr_has("finished the restore that had stopped half way")
        .run();
    assert_round(&env, "first");
    let subjects = subjects(&env);
    assert!(subjects[0].contains("add project/use-just"), "{subjects:?}");
    assert!(subjects[1].contains("restore 7 files to"), "{subjects:?}");
    assert!(env.store().join("project/use-cargo.md").exists());
    assert_settled(&env);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_round(&env, "second");
    assert_settled(&env);
}

#[test]
fn the_watcher_goes_on_beside_it_and_finishes_it() {
    let (mut env, first) = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let watching = env.watch(&[]);
    let Some(shut) = stopped(&env, &first) else {
        return;
    };
    watching.wait_until_said("the restore stopped half way");
    let repository = Repository::of(&env);
    repository.save("project/by-hand.md", "Saved by hand\n");
    repository.wait_for_commit_of("project/by-hand.md", "Saved by hand\n", LIMIT);
    assert_eq!(
        repository.committed("decision/of-many-0.md"),
        Some(text("second", 0))
    );
    drop(shut);
    // At its interval, without an event.
    wait_for("the restore", LIMIT, || {
        (repository.committed("decision/of-many-2.md") == Some(text("first", 2))).then_some(())
    });
    watching.wait_until_said("finished the restore that had stopped half way");
    assert_round(&env, "first");
}

#[test]
fn the_half_can_be_taken_back() {
    let (env, first) = machine();
    let Some(shut) = stopped(&env, &first) else {
        return;
    };
    env.write("decision/of-many-4.md", "Saved in between\n");
    let before = everything(&env);
    env.mdmem(["undo", "--dry-run"])
        .stdout_has("edited   decision/of-many-0.md")
        .stdout_has("added    feedback/only-second.md")
        .stderr_has("would undo what was done of the restore that had stopped half way")
        .stderr_has("decision/of-many-4.md was changed again since")
        .run();
    assert_eq!(everything(&env), before);
    env.mdmem(["undo"])
        .any_stdout()
        .stderr_has("undid what was done of the restore that had stopped half way")
        .stderr_has("`mdmem restore` does it again")
        .run();
    assert!(!env.store().join(".git/mdmem-journal").exists());
    assert_eq!(env.read("decision/of-many-4.md"), "Saved in between\n");
    assert_eq!(env.read("decision/of-many-2.md"), text("second", 2));
    let repository = Repository::of(&env);
    assert_eq!(
        repository.committed("decision/of-many-4.md").as_deref(),
        Some("Saved in between\n")
    );
    drop(shut);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_round(&env, "second");
    assert_settled(&env);
    env.mdmem(["undo", "HEAD"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/of-many-4.md"), "Saved in between\n");
    assert_settled(&env);
}

#[test]
fn an_undo_that_stopped_half_way_is_finished_or_taken_back() {
    for finish in [true, false] {
        let (env, _) = machine();
        let Some(shut) = Shut::file(env.store().join("decision/of-many-2.md")) else {
            return;
        };
        env.mdmem(["undo"])
            .fails("the undo stopped half way: 6 of 7 files")
            .run();
        if finish {
            drop(shut);
            env.mdmem(["sweep"])
                .any_stdout()
                .stderr_has("finished the undo that had stopped half way")
                .run();
            assert_round(&env, "first");
            env.mdmem(["undo", "HEAD"]).any_stdout().any_stderr().run();
        } else {
            env.mdmem(["undo"]).any_stdout().any_stderr().run();
            drop(shut);
        }
        assert_round(&env, "second");
        assert_settled(&env);
    }
}

#[test]
fn a_person_may_edit_and_commit_its_paths() {
    let (env, first) = machine();
    let Some(shut) = stopped(&env, &first) else {
        return;
    };
    env.write("decision/of-many-0.md", "Saved in between\n");
    env.write("decision/of-many-1.md", "Committed in between\n");
    env.git(["add", "decision/of-many-1.md", "decision/of-many-3.md"])
        .run();
    env.git(["commit", "-qm", "by hand"]).run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    drop(shut);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let repository = Repository::of(&env);
    let committed = |n: usize| repository.committed(&format!("decision/of-many-{n}.md")).unwrap();
    assert_eq!(committed(0), "Saved in between\n");
    assert_eq!(committed(1), "Committed in between\n");
    assert_eq!(
        [committed(2), committed(3), committed(4)],
        [2, 3, 4].map(|n| text("first", n))
    );
    assert!(subjects(&env).iter().any(|subject| subject.contains("restore ")));
    assert_settled(&env);
}

/// The branch cannot be written to: every file is changed, the commit is not made.
#[test]
fn a_commit_that_fails_after_the_files_is_made_when_it_can_be() {
    for finish in [true, false] {
        let (env, first) = machine();
        let Some(shut) = Shut::folder(env.store().join(".git/refs/heads")) else {
            return;
        };
        env.mdmem(["restore", "--yes", &first])
            .fails("the restore stopped half way: 7 of 7 files are done, left is the commit: ")
            .run();
        assert_round(&env, "first");
        env.mdmem(["status"]).stdout_has("left is the commit").run();
        if !finish {
            env.mdmem(["undo"]).any_stdout().any_stderr().run();
            assert_round(&env, "second");
        }
        drop(shut);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        assert_round(&env, if finish { "first" } else { "second" });
        assert_eq!(subjects(&env)[0].contains("restore 7 files"), finish);
        assert_settled(&env);
    }
}

#[test]
fn many_processes_beside_it_lose_nothing_and_settle_it_once() {
    for is_taken_back in [false, true] {
        let (env, first) = machine();
        let Some(shut) = stopped(&env, &first) else {
            return;
        };
        let run = |args: &[&str]| {
            let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
            command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let adds = ["Use cargo", "Use just", "Use git", "Use jq"];
        let last: &[&str] = if is_taken_back { &["undo"] } else { &["sweep"] };
        let mut processes: Vec<_> = adds.iter().map(|text| run(&["add", text])).collect();
        processes.push(run(last));
        drop(shut);
        processes.extend([run(&["sweep"]), run(&["sweep"])]);
        for mut process in processes {
            process.wait().unwrap();
        }
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let subjects = subjects(&env);
        for text in adds {
            let name = text.to_lowercase().replace(' ', "-");
            let count = |word: &str| {
                let is_it = |subject: &&String| subject.contains(word) && subject.contains(&name);
                subjects.iter().filter(is_it).count()
            };
            assert_eq!(count(" add "), 1, "{subjects:?}");
        }
        let restores = subjects
            .iter()
            .filter(|subject| subject.contains("restore 7 files"));
        let undos = subjects
            .iter()
            .filter(|subject| subject.contains(": undo"))
            .count();
        let restores = restores.count();
        assert!(restores == 1 || (is_taken_back && restores == 0), "{subjects:?}");
        // The undo takes back the half, or what was the last change when its turn came.
        assert!(undos <= 1, "{subjects:?}");
        if !is_taken_back {
            assert_round(&env, "first");
        } else if restores == 0 {
            assert_round(&env, "second");
        }
        assert_settled(&env);
    }
}
