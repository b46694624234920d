//! Changes that an error stops: taken back at once; where that is refused too, told, kept apart, and taken back later.

use std::process::Stdio;

use crate::env::{LIMIT, Repository, TestEnv, wait_for};

use super::faults::{has_strace, with_fault};
use super::{EDITED, Shut, assert_round, assert_settled, everything, machine, subjects, text};

#[test]
fn what_an_error_stops_is_taken_back_at_once() {
    let (env, first) = machine();
    for (place, why) in [
        (
            "decision/of-many-2.md",
            "nothing was changed: cannot write $STORE/decision/of-many-2.md",
        ),
        // Every file is changed, and the commit is not made.
        (".git/refs/heads", "main.lock"),
    ] {
        let path = env.store().join(place);
        let shut = if path.is_dir() {
            Shut::folder(path)
        } else {
            Shut::file(path)
        };
        let Some(shut) = shut else { return };
        let before = everything(&env);
        for args in [vec!["restore", "--yes", &first], vec!["undo"]] {
            env.mdmem(args).fails(why).run();
            assert_eq!(everything(&env), before, "{place}");
        }
        env.mdmem(["status", "--json"])
            .stdout_has("\"findings\": []")
            .run();
        drop(shut);
    }
    env.mdmem(["restore", "--yes", &first])
        .any_stdout()
        .any_stderr()
        .run();
    assert_round(&env, "first");
    assert_settled(&env);
}

/// A restore that an error stops, and of which one file cannot be brought back; gives the number of that file.
fn refused(env: &TestEnv, first: &str) -> Option<(usize, Shut)> {
    if !has_strace() {
        return None;
    }
    for n in 1.. {
        let times = format!("{n}+");
        let (_, is_success) = with_fault(
            env,
            &["restore", "--yes", first],
            ("error=EIO", "renameat2", &times),
        );
        assert!(!is_success, "no call was refused both ways");
        if env.store().join(".git/mdmem-journal").exists() {
            break;
        }
        assert_round(env, "second");
    }
    let is_done = |n: &usize| env.read(&format!("decision/of-many-{n}.md")) == text("first", *n);
    let n = (0..EDITED).find(is_done)?;
    let path = format!("decision/of-many-{n}.md");
    Some((n, Shut::file(env.store().join(path))?))
}

#[test]
fn what_cannot_be_taken_back_is_told_and_keeps_its_own_paths_alone() {
    let (env, first) = machine();
    let Some((n, shut)) = refused(&env, &first) else {
        return;
    };
    let path = format!("decision/of-many-{n}.md");
    let words = "the restore stopped half way, and ";
    env.mdmem(["add", "Use cargo"])
        .any_stdout()
        .stderr_has(words)
        .run();
    let told = format!("1 of 7 files are not rolled back yet ({path}): cannot ");
    env.mdmem(["status"])
        .stdout_has(&told)
        .stdout_has("the next command rolls back the rest")
        .run();
    env.mdmem(["check"]).stdout_has(&told).any_stderr().code(1).run();
    let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
    let found = &status["findings"][0];
    assert_eq!(
        (&found["code"], &found["severity"]),
        (&"unfinished".into(), &"error".into())
    );
    let repository = Repository::of(&env);
    env.write("project/by-hand.md", "Saved by hand\n");
    let other = format!("decision/of-many-{}.md", (n + 1) % EDITED);
    env.write(&other, "Committed in between\n");
    env.git(["add", &other]).run();
    env.git(["commit", "-qm", "by hand"]).run();
    env.mdmem(["sweep"]).any_stdout().stderr_has(words).run();
    assert_eq!(
        repository.committed("project/by-hand.md").as_deref(),
        Some("Saved by hand\n")
    );
    assert_eq!(
        repository.committed(&path),
        Some(text("second", n)),
        "kept from the sweep"
    );
    env.mdmem(["rm", &path]).any_stdout().fails("unfinished").run();
    env.mdmem(["restore", "--yes", &first])
        .fails("nothing was changed, because an earlier change is not complete: the restore stopped half way")
        .run();
    drop(shut);
    env.mdmem(["add", "Use just"])
        .any_stdout()
        .stderr_has("rolled back the restore that had stopped half way")
        .run();
    assert_eq!(env.read(&path), text("second", n));
    assert_eq!(env.read(&other), "Committed in between\n");
    assert!(!subjects(&env).iter().any(|subject| subject.contains("restore ")));
    assert_settled(&env);
}

#[test]
fn the_watcher_goes_on_beside_it_and_takes_it_back() {
    let (mut env, first) = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let Some((n, shut)) = refused(&env, &first) else {
        return;
    };
    let watching = env.watch(&[]);
    watching.wait_until_said("the restore stopped half way");
    let repository = Repository::of(&env);
    repository.save("project/by-hand.md", "Saved by hand\n");
    repository.wait_for_commit_of("project/by-hand.md", "Saved by hand\n", LIMIT);
    drop(shut);
    // At its interval, without an event.
    watching.wait_until_said("rolled back the restore that had stopped half way");
    wait_for("the file", LIMIT, || {
        (env.read(&format!("decision/of-many-{n}.md")) == text("second", n)).then_some(())
    });
    assert_round(&env, "second");
}

#[test]
fn many_processes_beside_it_lose_nothing() {
    let (env, first) = machine();
    let Some((n, shut)) = refused(&env, &first) else {
        return;
    };
    let saved = format!("decision/of-many-{}.md", (n + 1) % EDITED);
    env.write(&saved, "Saved in between\n");
    let run = |args: &[&str]| {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let adds = ["Use cargo", "Use just", "Use git", "Use jq"];
    let mut processes: Vec<_> = adds.iter().map(|text| run(&["add", text])).collect();
    drop(shut);
    processes.extend([run(&["sweep"]), run(&["sweep"])]);
    for mut process in processes {
        process.wait().unwrap();
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let subjects = subjects(&env);
    for text in adds {
        let name = text.to_lowercase().replace(' ', "-");
        let is_it = |subject: &&String| subject.contains(" add ") && subject.contains(&name);
        assert_eq!(subjects.iter().filter(is_it).count(), 1, "{subjects:?}");
    }
    assert_eq!(
        Repository::of(&env).committed(&saved).as_deref(),
        Some("Saved in between\n")
    );
    assert_eq!(env.read(&format!("decision/of-many-{n}.md")), text("second", n));
    assert_settled(&env);
}
