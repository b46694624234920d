//! A person exchanges a store with git alone: `git pull`, then one command of mdmem's, gives the tree of `mdmem sync`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

use super::pair::{bare_at, head, run, shared, sync};
use crate::env::{Repository, TestEnv};

const MEMORY: &str = "cache.md";
const SIBLING: &str = "cache.conflict-0a1b2c3d.md";
const NOTE: &str = "project/plain.md";

/// One side of a case: what it does to the files of the case, which lie in a folder of their own.
struct Side<'a> {
    env: &'a TestEnv,
    case: &'a str,
}

impl Side<'_> {
    fn path(&self, file: &str) -> String {
        format!("project/{}/{file}", self.case)
    }

    fn save(&self, file: &str, text: &str) {
        Repository::of(self.env).save(&self.path(file), text);
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = Repository::of(self.env).text(&self.path(file));
        assert!(text.contains(from), "{text}");
        self.save(file, &text.replace(from, to));
    }

    fn rename(&self, from: &str, to: &str) {
        let [from, to] = [from, to].map(|file| Repository::of(self.env).at(&self.path(file)));
        std::fs::rename(from, to).unwrap();
    }

    fn remove(&self, file: &str) {
        std::fs::remove_file(Repository::of(self.env).at(&self.path(file))).unwrap();
    }

    /// Adds to a file in the root.
    fn append(&self, file: &str, text: &str) {
        let path = Repository::of(self.env).at(file);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(path, before + text).unwrap();
    }
}

/// The two ways in which git can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    Works,
    IsMissing,
}

type Work = fn(&Side<'_>);
/// A name, the work here and there, and whether git stops at it: with the driver, and without.
type Case = (&'static str, Work, Work, [bool; 2]);

/// Each case: its name (that of its folder, or of a file in the root), what is done here, what is done there, and whether
/// git itself stops at it with the driver, or without.
const CASES: &[Case] = &[
    (
        "keys",
        |here| here.edit(MEMORY, "reinforcement: 1", "reinforcement: 2"),
        |there| there.edit(MEMORY, "is fast", "is quick"),
        [false, false],
    ),
    (
        "same-keys",
        |here| {
            here.edit(
                MEMORY,
                "reinforcement: 1\nreinforced: 2026-11-01",
                "reinforcement: 2\nreinforced: 2026-11-09",
            );
        },
        |there| {
            there.edit(
                MEMORY,
                "reinforcement: 1\nreinforced: 2026-11-01",
                "reinforcement: 3\nreinforced: 2026-11-08",
            );
        },
        [false, true],
    ),
    (
        "same-line",
        |here| here.edit(MEMORY, "is fast", "is quick"),
        |there| there.edit(MEMORY, "is fast", "is slow"),
        [false, true],
    ),
    (
        "line-and-key",
        |here| {
            here.edit(MEMORY, "is fast", "is quick");
            here.edit(MEMORY, "[build]", "[build, npm]");
        },
        |there| {
            there.edit(MEMORY, "is fast", "is slow");
            there.edit(MEMORY, "[build]", "[build, ci]");
        },
        [false, true],
    ),
    (
        "moved",
        |here| here.rename(MEMORY, "moved.md"),
        |there| there.edit(MEMORY, "is fast", "is slow"),
        [false, false],
    ),
    (
        "moved-line",
        |here| {
            here.edit(MEMORY, "is fast", "is quick");
            here.rename(MEMORY, "moved.md");
        },
        |there| there.edit(MEMORY, "is fast", "is slow"),
        [false, true],
    ),
    (
        "one-path",
        |here| here.save("new.md", "The office is in Bern.\n"),
        |there| there.save("new.md", "The coffee is on the second floor.\n"),
        [false, true],
    ),
    (
        "two-paths",
        |here| here.save("one.md", "The printer is in the cellar.\n"),
        |there| there.save("two.md", "the printer is in the cellar\n"),
        [false, false],
    ),
    (
        "names",
        |here| here.save("bern.md", "The train to Bern leaves at noon.\n"),
        |there| there.save("Bern.md", "Bern has four rivers, or one.\n"),
        [false, false],
    ),
    (
        "removed-edited",
        |here| here.remove(MEMORY),
        |there| there.edit(MEMORY, "is fast", "is slow"),
        [true, true],
    ),
    (
        "edited-removed",
        |here| here.edit(MEMORY, "is fast", "is slow"),
        |there| there.remove(MEMORY),
        [true, true],
    ),
    (
        "removed-counted",
        |here| here.remove(MEMORY),
        |there| there.edit(MEMORY, "reinforcement: 1", "reinforcement: 2"),
        [true, true],
    ),
    (
        "forgotten-edited",
        |here| {
            let path = here.path(MEMORY);
            here.env.mdmem(["forget", &path]).any_stdout().any_stderr().run();
        },
        |there| there.edit(MEMORY, "is fast", "is slow"),
        [true, true],
    ),
    (
        "sibling-removed",
        |here| here.remove(SIBLING),
        |there| there.edit(SIBLING, "yarn", "pnpm"),
        [true, true],
    ),
    (
        "sibling-edited",
        |here| here.edit(SIBLING, "yarn", "bun"),
        |there| there.edit(SIBLING, "yarn", "pnpm"),
        [false, true],
    ),
    (
        "forgotten",
        |here| here.append("forgotten", &tombstone("one", "11-02")),
        |there| there.append("forgotten", &tombstone("two", "11-03")),
        [false, true],
    ),
    (
        "mdmem.toml",
        |here| {
            here.append("mdmem.toml", "\n[render]\nmax_chars = 4000\nmax_entries = 90\n");
        },
        |there| {
            there.append("mdmem.toml", "\n[render]\nmax_chars = 5000\ntotal_chars = 9000\n");
        },
        [false, true],
    ),
];

fn tombstone(text: &str, day: &str) -> String {
    format!("forget tok_{text} 2026-{day} - {}\n", "ab".repeat(32))
}

/// The memory with which a case begins. No two cases have a line in common that a merge could take for the other's.
fn text(number: usize, case: &str) -> String {
    format!(
        "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P{number:02}\nreinforcement: 1\nreinforced: 2026-11-01T10:00:00Z\ntags: [build]\n---\nUse npm cache for {case}.\n\n{case} is fast.\n\nWhat {case} keeps is kept for a week, and cleaned on Sundays.\n"
    )
}

/// The machine of one side: a clone with its saves.
fn machine(remote: &str, work: impl FnOnce(&TestEnv)) -> TestEnv {
    let mut env = TestEnv::new();
    env.use_real_clock();
    run(&env, &["sync", remote]);
    work(&env);
    run(&env, &["sweep"]);
    env
}

fn origin() -> (TestEnv, String) {
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    let repository = Repository::of(&env);
    repository.save(NOTE, "The port of the server is 8080.\n");
    for (number, (case, ..)) in CASES.iter().enumerate().filter(|(_, case)| !case.0.contains('.')) {
        let side = Side { env: &env, case };
        side.save(MEMORY, &text(number, case));
        if case.starts_with("sibling") {
            let id = format!("mem_01K9ZQ4T0W8C2X3V5B7N9M1P{number:02}");
            let front = format!("---\nconflict_of: {id}\n---\n");
            side.save(SIBLING, &format!("{front}Use yarn for {case}.\n"));
        }
    }
    let remote = shared(&env);
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

fn tree(env: &TestEnv) -> BTreeSet<String> {
    let listed = Repository::of(env).git(&["ls-tree", "-r", "HEAD"]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn a_pull_by_hand_and_one_command_are_a_sync() {
    let (_origin, remote) = origin();
    for driver in [Driver::Works, Driver::IsMissing] {
        let all = |env: &TestEnv, work: fn(&Case) -> Work| {
            for case in CASES {
                work(case)(&Side { env, case: case.0 });
            }
        };
        let there = machine(&remote, |env| all(env, |case| case.2));
        let here = machine(&remote, |env| all(env, |case| case.1));
        // Each round has a remote of its own.
        let remote = bare_at(&there, &format!("{driver:?}.git"));
        run(&there, &["sync", &remote]);
        sync(&there);
        let twin = machine(here.store().to_str().unwrap(), |_| {});
        let repository = Repository::of(&here);
        repository.git(&["remote", "set-url", "origin", &remote]);
        let pulled = pull(&repository, driver);
        assert!(!pulled.status.success(), "{driver:?}: {pulled:?}");
        let stopped = repository.git(&["diff", "--name-only", "--diff-filter=U"]);
        for (case, _, _, stops) in CASES {
            let folder = format!("/{case}/");
            let mut stopped = stopped.lines();
            let has_stopped = stopped.any(|path| path == *case || path.contains(&folder));
            let stops = stops[usize::from(driver == Driver::IsMissing)];
            assert_eq!(has_stopped, stops, "{case}, the driver {driver:?}");
        }
        // Nobody looks at what git left.
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--no-edit"]);
        run(&here, &["sweep"]);
        run(&twin, &["sync", &remote]);
        let [ours, wanted] = [tree(&here), tree(&twin)];
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.difference(other).cloned().collect::<Vec<_>>().join("\n")
        };
        assert!(
            ours == wanted,
            "the driver {driver:?}: by hand\n{}\nby a sync\n{}",
            only(&ours, &wanted),
            only(&wanted, &ours)
        );
        assert_eq!(repository.status(), "", "{driver:?}");
        let before = head(&here);
        run(&here, &["sweep"]);
        assert_eq!(head(&here), before, "{driver:?}: mended twice");
        // The other machine gets the same, and mends nothing itself.
        sync(&here);
        sync(&there);
        assert!(tree(&there) == tree(&here), "{driver:?}");
        assert_eq!(head(&there), head(&here), "{driver:?}");
    }
}

/// Another machine changes a file that is held here: nothing is changed, and the message names the file.
#[test]
fn a_held_file_that_the_other_machine_changed_stops_the_sync_and_is_named() {
    let (_origin, remote) = origin();
    let there = machine(&remote, |there| {
        Repository::of(there).save(NOTE, "The port of the server is 9090.\n");
    });
    let here = machine(&remote, |here| {
        Repository::of(here).save(NOTE, "The password is hunter2-Example\n");
    });
    sync(&there);
    let before = head(&here);
    here.mdmem(["sync"]).fails(NOTE).run();
    assert_eq!(head(&here), before);
    assert_eq!(
        Repository::of(&here).text(NOTE),
        "The password is hunter2-Example\n"
    );
    Repository::of(&here).save(NOTE, "The port of the server is 8080.\n");
    sync(&here);
    assert_eq!(
        Repository::of(&here).text(NOTE),
        "The port of the server is 9090.\n"
    );
}

#[test]
fn two_syncs_at_once_are_one_after_the_other() {
    let (_origin, remote) = origin();
    let there = machine(&remote, |there| {
        there.write("user/there.md", "Said there.\n");
    });
    sync(&there);
    let here = machine(&remote, |here| drop(here.write("user/here.md", "Said here.\n")));
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
    sync(&there);
    assert_eq!(head(&there), head(&here));
}
