//! A person exchanges a store with git alone: `git pull`, then one command of mdmem's, gives the tree of `mdmem sync`.

use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

use crate::env::{Repository, TestEnv};

/// The change that a side makes to its store.
type Work = fn(&Repository<'_>);

const MEMORY: &str = "decision/cache.md";
const TEXT: &str = "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\nreinforcement: 1\nreinforced: 2026-11-01T10:00:00Z\ntags: [build]\n---\nUse npm cache.\n\nIt is fast.\n\nIt is kept for a week, and cleaned on Sundays.\n";
const NOTE: &str = "project/plain.md";

fn edited(repository: &Repository<'_>, from: &str, to: &str) {
    let text = repository.text(MEMORY);
    assert!(text.contains(from), "{text}");
    repository.save(MEMORY, &text.replace(from, to));
}

fn renamed(repository: &Repository<'_>, to: &str) {
    let to = repository.at(to);
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::rename(repository.at(MEMORY), to).unwrap();
}

/// The two ways in which git can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    Works,
    IsMissing,
}

/// Each case: its name, what is done here, what is done there, and whether git itself stops with the driver, or without.
const CASES: &[(&str, Work, Work, [bool; 2])] = &[
    (
        "different keys",
        |here| edited(here, "reinforcement: 1", "reinforcement: 2"),
        |there| edited(there, "It is fast", "It is quick"),
        [false, false],
    ),
    (
        "the same keys",
        |here| {
            edited(
                here,
                "reinforcement: 1\nreinforced: 2026-11-01",
                "reinforcement: 2\nreinforced: 2026-11-09",
            );
        },
        |there| {
            edited(
                there,
                "reinforcement: 1\nreinforced: 2026-11-01",
                "reinforcement: 3\nreinforced: 2026-11-08",
            );
        },
        [false, true],
    ),
    (
        "the same line",
        |here| edited(here, "It is fast", "It is quick"),
        |there| edited(there, "It is fast", "It is slow"),
        [false, true],
    ),
    (
        "a line and a key",
        |here| {
            edited(here, "It is fast", "It is quick");
            edited(here, "[build]", "[build, npm]");
        },
        |there| {
            edited(there, "It is fast", "It is slow");
            edited(there, "[build]", "[build, ci]");
        },
        [false, true],
    ),
    (
        "moved, and changed",
        |here| renamed(here, "reference/cache.md"),
        |there| edited(there, "It is fast", "It is slow"),
        [false, false],
    ),
    (
        "moved, and the same line",
        |here| {
            edited(here, "It is fast", "It is quick");
            renamed(here, "reference/cache.md");
        },
        |there| edited(there, "It is fast", "It is slow"),
        [false, true],
    ),
    (
        "two files at one path",
        |here| here.save("user/new.md", "The office is in Bern.\n"),
        |there| there.save("user/new.md", "The coffee is on the second floor.\n"),
        [false, true],
    ),
    (
        "one fact at two paths",
        |here| here.save("user/one.md", "The office is in Bern.\n"),
        |there| there.save("user/two.md", "the office is in Bern\n"),
        [false, false],
    ),
    (
        "names that differ in case",
        |here| here.save("user/bern.md", "The office is in Bern.\n"),
        |there| there.save("user/Bern.md", "Bern has four rivers, or one.\n"),
        [false, false],
    ),
    (
        "lists of what was forgotten",
        |here| forget(here, "one", "11-02"),
        |there| forget(there, "two", "11-03"),
        [false, true],
    ),
    (
        "settings",
        |here| settings(here, "max_chars = 4000"),
        |there| settings(there, "max_files = 40"),
        [false, true],
    ),
    (
        "the same setting",
        |here| settings(here, "max_chars = 4000"),
        |there| settings(there, "max_chars = 5000"),
        [false, true],
    ),
];

fn forget(repository: &Repository<'_>, text: &str, day: &str) {
    let line = format!("forget tok_{text} 2026-{day} - {}\n", "ab".repeat(32));
    repository.save("forgotten", &line);
}

fn settings(repository: &Repository<'_>, line: &str) {
    repository.save(
        "mdmem.toml",
        &format!("{}\n[render]\n{line}\n", repository.text("mdmem.toml")),
    );
}

/// The machine of one side: a clone with its saves.
fn machine(remote: &str, work: Work) -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["clone", remote]).any_stdout().any_stderr().run();
    work(&Repository::of(&env));
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
    env
}

fn origin() -> (TestEnv, String) {
    let mut env = TestEnv::new();
    env.use_real_clock();
    let remote = super::exchange::bare(&env);
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    let repository = Repository::of(&env);
    repository.save(MEMORY, TEXT);
    repository.save(NOTE, "The port of the server is 8080.\n");
    env.mdmem(["remote", "set", &remote])
        .any_stdout()
        .any_stderr()
        .run();
    super::exchange::sync(&env);
    (env, remote)
}

fn path_with_mdmem() -> String {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path.into_string().unwrap()
}

fn pull(repository: &Repository<'_>, driver: Driver) -> Output {
    if driver == Driver::IsMissing {
        for section in ["merge.mdmem", "merge.mdmem-forgotten"] {
            repository.git(&["config", "--remove-section", section]);
        }
    }
    repository
        .command(&["pull", "--quiet", "--no-rebase", "--no-edit"])
        .env("PATH", path_with_mdmem())
        .output()
        .unwrap()
}

fn tree(env: &TestEnv) -> Vec<String> {
    let listed = Repository::of(env).git(&["ls-tree", "-r", "HEAD"]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn a_pull_by_hand_and_one_command_are_a_sync() {
    for (name, here, there, stops) in CASES {
        for driver in [Driver::Works, Driver::IsMissing] {
            let told = format!("{name}, the driver {driver:?}");
            println!("{told}");
            let (_origin, remote) = origin();
            let there = machine(&remote, *there);
            let here = machine(&remote, *here);
            super::exchange::sync(&there);
            let twin = machine(here.store().to_str().unwrap(), |_| {});
            twin.mdmem(["remote", "set", &remote])
                .any_stdout()
                .any_stderr()
                .run();

            let repository = Repository::of(&here);
            let pulled = pull(&repository, driver);
            let has_stopped = stops[usize::from(driver == Driver::IsMissing)];
            assert_eq!(pulled.status.success(), !has_stopped, "{told}: {pulled:?}");
            if has_stopped {
                // Nobody looks at what git left.
                repository.git(&["add", "--all"]);
                repository.git(&["commit", "--quiet", "--no-edit"]);
            }
            here.mdmem(["sweep"]).any_stdout().any_stderr().run();
            super::exchange::sync(&twin);
            assert_eq!(
                tree(&here),
                tree(&twin),
                "{told}\n{}",
                repository.git(&["log", "--stat", "-3"])
            );
            assert_eq!(repository.status(), "", "{told}");

            let head = repository.git(&["rev-parse", "HEAD"]);
            here.mdmem(["sweep"]).any_stdout().any_stderr().run();
            assert_eq!(
                repository.git(&["rev-parse", "HEAD"]),
                head,
                "{told}: mended twice"
            );
            // The other machine gets the same, and mends nothing itself.
            if driver == Driver::IsMissing {
                continue;
            }
            super::exchange::sync(&here);
            super::exchange::sync(&there);
            assert_eq!(tree(&there), tree(&here), "{told}");
            let [ours, theirs] = [&here, &there].map(|env| Repository::of(env).git(&["rev-parse", "HEAD"]));
            assert_eq!(ours, theirs, "{told}");
        }
    }
}

/// A merge that waits for the person, and a HEAD on no branch: nothing is fetched, and the hint says what to do.
#[test]
fn while_git_is_in_the_middle_of_something_a_sync_waits_for_it() {
    let (_origin, remote) = origin();
    let there = machine(&remote, |there| there.save("user/there.md", "Said there.\n"));
    let here = machine(&remote, |_| {});
    super::exchange::sync(&there);
    let repository = Repository::of(&here);
    repository.git(&["switch", "--quiet", "--detach"]);
    here.mdmem(["sync"])
        .fails("HEAD is detached")
        .stderr_has("git switch")
        .run();
    assert!(
        repository
            .try_git(&["cat-file", "-e", &there_head(&there)])
            .status
            .code()
            != Some(0)
    );
    repository.git(&["switch", "--quiet", "main"]);
    super::exchange::sync(&here);
    assert_eq!(there_head(&there), there_head(&here));
}

fn there_head(env: &TestEnv) -> String {
    Repository::of(env).git(&["rev-parse", "HEAD"]).trim().to_owned()
}

/// Another machine changes a file that is held here: nothing is changed, and the message names the file.
#[test]
fn a_held_file_that_the_other_machine_changed_stops_the_sync_and_is_named() {
    let (_origin, remote) = origin();
    let there = machine(&remote, |there| {
        there.save(NOTE, "The port of the server is 9090.\n");
    });
    let here = machine(&remote, |here| {
        here.save(NOTE, "The password is hunter2-Example\n");
    });
    super::exchange::sync(&there);
    let before = there_head(&here);
    here.mdmem(["sync"]).fails(NOTE).run();
    assert_eq!(there_head(&here), before);
    assert_eq!(
        Repository::of(&here).text(NOTE),
        "The password is hunter2-Example\n"
    );
    Repository::of(&here).save(NOTE, "The port of the server is 8080.\n");
    super::exchange::sync(&here);
    assert_eq!(
        Repository::of(&here).text(NOTE),
        "The port of the server is 9090.\n"
    );
}

#[test]
fn two_syncs_at_once_are_one_after_the_other() {
    let (_origin, remote) = origin();
    let there = machine(&remote, |there| there.save("user/there.md", "Said there.\n"));
    super::exchange::sync(&there);
    let here = machine(&remote, |here| here.save("user/here.md", "Said here.\n"));
    let start = || {
        let mut command = here.command(env!("CARGO_BIN_EXE_mdmem"));
        let command = command.arg("sync").stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [start(), start(), start()];
    for child in both {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let repository = Repository::of(&here);
    assert_eq!(repository.status(), "");
    repository.assert_sound();
    super::exchange::sync(&there);
    assert_eq!(there_head(&there), there_head(&here));
}
