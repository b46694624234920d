//! Paths that cannot be committed: each fails alone, is named with its reason, and is taken up when it is mended.

use std::path::Path;

use crate::env::{LIMIT, TestEnv, wait_for};

/// A machine with a store, and the watcher's times for a test.
pub(crate) fn machine() -> TestEnv {
    let mut env = TestEnv::with_store();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    env
}

#[track_caller]
pub(crate) fn is_committed(env: &TestEnv, path: &str) -> bool {
    let listed = env
        .git([
            "-c",
            "core.quotePath=off",
            "ls-tree",
            "-rz",
            "--name-only",
            "HEAD",
        ])
        .any_stdout()
        .run();
    listed.stdout.split('\0').any(|line| line == path)
}

pub(crate) fn make_fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// A way to make a path that cannot be committed, the path, words of the reason, and the way to mend it.
struct Case {
    make: fn(&Path),
    path: &'static str,
    reason: &'static str,
    fix: fn(&Path),
    mended: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        make: |store| {
            write(
                store,
                "project/quoted/.gitattributes",
                "\"in it/**\" filter=git-crypt\n",
            );
            write(store, "project/quoted/in it/a.md", "Use f\n");
        },
        path: "project/quoted/in it/a.md",
        reason: "its attributes set the filter `git-crypt`",
        fix: |store| std::fs::remove_file(store.join("project/quoted/.gitattributes")).unwrap(),
        mended: "project/quoted/in it/a.md",
    },
    Case {
        make: |store| {
            write(store, "project/sub/.gitattributes", "*.md filter=git-crypt\n");
            write(store, "project/sub/a.md", "Use a\n");
        },
        path: "project/sub/a.md",
        reason: "its attributes set the filter `git-crypt`",
        fix: |store| std::fs::remove_file(store.join("project/sub/.gitattributes")).unwrap(),
        mended: "project/sub/a.md",
    },
    Case {
        make: |store| {
            std::fs::create_dir_all(store.join("project/fifo")).unwrap();
            make_fifo(&store.join("project/fifo/.gitattributes"));
            write(store, "project/fifo/a.md", "Use b\n");
        },
        path: "project/fifo/a.md",
        reason: "it is not a regular file",
        fix: |store| std::fs::remove_file(store.join("project/fifo/.gitattributes")).unwrap(),
        mended: "project/fifo/a.md",
    },
    Case {
        make: |store| write(store, "project/git~1", "Use c\n"),
        path: "project/git~1",
        reason: "git does not accept this file name",
        fix: |store| std::fs::rename(store.join("project/git~1"), store.join("project/c.md")).unwrap(),
        mended: "project/c.md",
    },
    Case {
        make: |store| write(store, "git~1/d.md", "Use d\n"),
        path: "git~1/d.md",
        reason: "git does not accept this file name",
        fix: |store| std::fs::rename(store.join("git~1"), store.join("git-1")).unwrap(),
        mended: "git-1/d.md",
    },
    Case {
        make: |store| write(store, "project/e\\.git\\x.md", "Use e\n"),
        path: "project/e\\.git\\x.md",
        reason: "git does not accept this file name",
        fix: |store| {
            let from = store.join("project/e\\.git\\x.md");
            std::fs::rename(from, store.join("project/e.md")).unwrap();
        },
        mended: "project/e.md",
    },
];

fn write(store: &Path, path: &str, text: &str) {
    crate::env::write_at(&store.join(path), text);
}

#[test]
fn each_fails_alone_and_is_named() {
    let env = machine();
    let store = env.store();
    for case in &CASES {
        (case.make)(&store);
    }
    env.write("decision/clean.md", "Use pnpm\n");
    let swept = env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "decision/clean.md"), "{}", swept.stderr);
    env.mdmem(["add", "Use cargo"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "project/use-cargo.md"));
    env.mdmem(["render"]).any_stdout().run();
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    let check = env.mdmem(["check"]).any_stdout().code(1).run().stdout;
    for case in &CASES {
        assert!(!is_committed(&env, case.path), "{}", case.path);
        for told in [&swept.stderr, &status, &check] {
            let is_told = |line: &str| line.contains(case.path) && line.contains(case.reason);
            assert!(told.lines().any(is_told), "{}: {told}", case.path);
        }
        (case.fix)(&store);
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for case in &CASES {
        assert!(is_committed(&env, case.mended), "{}", case.mended);
    }
    env.git(["fsck", "--strict"]).any_stdout().any_stderr().run();
    env.mdmem(["check"]).stderr("no problems found\n").run();
}

#[test]
fn many_ignored_files_are_one_line_and_their_folder_lists_them() {
    let env = TestEnv::with_store();
    for n in 0..9 {
        env.write(&format!("big/a/f{n}.md"), "It is ignored.\n");
        env.write(&format!("f{n}.md"), "So is this.\n");
    }
    env.write("project/one.md", "One alone.\n");
    env.write(".gitignore", "big/\n/f*.md\none.md\n");
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("warning: ./ has 9 files that are not committed: git ignores them")
        .stderr_has("warning: ./big/a/ has 9 files that are not committed: git ignores them")
        .stderr_has("hint: `mdmem check ./big/a/` lists them.")
        .stderr_has("warning: project/one.md is not committed: git ignores it")
        .run();
    let lines = |args: &[&str]| {
        let told = env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        told.stdout.matches("[ignored]").count()
    };
    assert_eq!(lines(&["status"]), 3);
    assert_eq!(lines(&["check"]), 3);
    assert_eq!(lines(&["check", "./big/a/"]), 9);
    assert_eq!(lines(&["check", "./"]), 19);
}

#[test]
fn the_watcher_names_each_and_takes_it_up_when_it_is_mended() {
    let mut env = machine();
    env.use_real_clock();
    let store = env.store();
    let watching = env.watch(&[]);
    for case in &CASES {
        (case.make)(&store);
        watching.wait_until_said(&format!("{} is not committed", case.path));
    }
    env.write("decision/clean.md", "Use pnpm\n");
    wait_for("the clean one", LIMIT, || {
        is_committed(&env, "decision/clean.md").then_some(())
    });
    for case in &CASES {
        assert!(!is_committed(&env, case.path), "{}", case.path);
        (case.fix)(&store);
        wait_for(case.mended, LIMIT, || {
            is_committed(&env, case.mended).then_some(())
        });
    }
}

#[test]
fn a_watcher_does_not_commit_a_filter_into_the_roots_attributes() {
    let mut env = machine();
    env.use_real_clock();
    let watching = env.watch(&[]);
    let before = env.read(".gitattributes");
    env.write(".gitattributes", &format!("{before}*.bin filter=lfs\n"));
    watching.wait_until_said("sets the filter `lfs`");
    env.write("decision/clean.md", "Use pnpm\n");
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(!is_committed(&env, "decision/clean.md"));
    let committed = env.git(["show", "HEAD:.gitattributes"]).any_stdout().run().stdout;
    assert_eq!(committed, before);
    env.mdmem(["list", "--paths"]).stdout("decision/clean.md\n").run();
    env.write(".gitattributes", &before);
    wait_for("the clean one", LIMIT, || {
        is_committed(&env, "decision/clean.md").then_some(())
    });
}

/// Two things are no damage of the objects: git's damaged notes about them, and a repository that lent some and is gone.
#[test]
fn what_only_looks_like_damage_of_the_objects_is_told_as_what_it_is() {
    let health = |env: &TestEnv, code: i32| {
        env.mdmem(["check"])
            .any_stdout()
            .any_stderr()
            .code(code)
            .run()
            .stdout
    };
    let env = machine();
    env.mdmem(["add", "Use pnpm"]).any_stdout().run();
    env.git(["commit-graph", "write", "--reachable"])
        .any_stderr()
        .run();
    let graph = env.store().join(".git/objects/info/commit-graph");
    std::fs::remove_file(&graph).unwrap();
    std::fs::write(&graph, "junk\n").unwrap();
    assert!(!health(&env, 0).contains("damaged"));
    std::fs::remove_file(&graph).unwrap();

    write(&env.store(), ".git/objects/info/alternates", "/nowhere/objects\n");
    let told = health(&env, 1);
    assert!(
        told.contains("borrows objects from /nowhere/objects, which is unavailable"),
        "{told}"
    );
    std::fs::remove_file(env.store().join(".git/objects/info/alternates")).unwrap();

    assert!(!health(&env, 0).contains("damaged"));
}

#[test]
fn a_file_in_the_place_of_a_folder_and_back() {
    let env = machine();
    let store = env.store();
    env.write("notes/a.md", "Use a\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    std::fs::remove_dir_all(store.join("notes")).unwrap();
    env.write("notes", "a file\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "notes") && !is_committed(&env, "notes/a.md"));
    std::fs::remove_file(store.join("notes")).unwrap();
    env.write("notes/b.md", "Use b\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(is_committed(&env, "notes/b.md") && !is_committed(&env, "notes"));
    env.git(["status", "--porcelain"]).run();
}

#[test]
fn a_fifo_is_never_waited_for() {
    for place in [
        ".git/index",
        ".gitattributes",
        ".gitignore",
        ".git/info/exclude",
        ".git/info/attributes",
    ] {
        let env = machine();
        let store = env.store();
        let _ = std::fs::remove_file(store.join(place));
        make_fifo(&store.join(place));
        env.write("decision/clean.md", "Use pnpm\n");
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        env.mdmem(["add", "Use cargo"]).any_stdout().any_stderr().run();
        env.mdmem(["render"]).any_stdout().run();
        env.mdmem(["list", "--paths"])
            .stdout("decision/clean.md\nproject/use-cargo.md\n")
            .run();
        env.mdmem(["status"]).any_stdout().run();
        std::fs::remove_file(store.join(place)).unwrap();
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        for path in ["decision/clean.md", "project/use-cargo.md"] {
            assert!(is_committed(&env, path), "{place}: {path}");
        }
    }
}

#[test]
fn split_and_sparse_indexes_are_written_and_nothing_is_lost() {
    let forms: [&[&[&str]]; 4] = [
        &[&["update-index", "--split-index"]],
        &[&["sparse-checkout", "set", "--cone", "--sparse-index", "project"]],
        &[&["sparse-checkout", "set", "--cone", "--no-sparse-index", "project"]],
        &[
            &["config", "core.splitIndex", "true"],
            &["config", "index.version", "4"],
            &["update-index", "--index-version", "4"],
        ],
    ];
    for form in forms {
        let env = machine();
        let store = env.store();
        for number in 0..30 {
            env.write(
                &format!("decision/deep/{number}.md"),
                &format!("Use number {number}\n"),
            );
        }
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        for git in form {
            env.git(*git).any_stdout().any_stderr().run();
        }
        let is_sparse = !store.join("decision/deep/1.md").exists();
        assert_eq!(is_sparse, form[0][0] == "sparse-checkout", "{form:?}");
        env.mdmem(["add", "Use pnpm"]).any_stdout().any_stderr().run();
        env.write("project/by-hand.md", "Use cargo\n");
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        // A file that a person writes outside of the cone is committed like any other.
        env.write("decision/deep/1.md", "Use the number one\n");
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        env.mdmem(["rm", "by-hand"]).any_stdout().any_stderr().run();
        let listed = env
            .git(["ls-tree", "-r", "--name-only", "HEAD"])
            .any_stdout()
            .run()
            .stdout;
        assert_eq!(listed.matches("decision/deep/").count(), 30, "{form:?}: {listed}");
        assert!(
            listed.contains("project/use-pnpm.md") && !listed.contains("by-hand"),
            "{form:?}: {listed}"
        );
        let one = env
            .git(["show", "HEAD:decision/deep/1.md"])
            .any_stdout()
            .run()
            .stdout;
        assert_eq!(one, "Use the number one\n", "{form:?}");
        env.git(["fsck", "--strict"]).any_stdout().any_stderr().run();
        let staged = env
            .git(["diff", "--cached", "--name-status"])
            .any_stdout()
            .run()
            .stdout;
        assert_eq!(staged, "", "{form:?}");
        let status = env
            .git(["status", "--porcelain"])
            .any_stdout()
            .any_stderr()
            .run()
            .stdout;
        assert_eq!(status, "", "{form:?}");
        if is_sparse {
            env.git(["sparse-checkout", "disable"])
                .any_stdout()
                .any_stderr()
                .run();
        }
        let there = std::fs::read_dir(store.join("decision/deep")).unwrap().count();
        assert_eq!(there, 30, "{form:?}");
    }
}

#[test]
fn an_emptied_or_missing_object_is_found() {
    for is_emptied in [true, false] {
        let env = machine();
        env.mdmem(["add", "Use pnpm"]).any_stdout().run();
        env.mdmem(["add", "Use cargo"]).any_stdout().run();
        env.mdmem(["check"]).any_stdout().any_stderr().run();
        // Of the history, and of no file: the next commit does not come upon it.
        let blob = env
            .git(["rev-parse", "HEAD:project/use-pnpm.md"])
            .any_stdout()
            .run()
            .stdout;
        let (folder, name) = blob.trim().split_at(2);
        let object = env.store().join(".git/objects").join(folder).join(name);
        std::fs::remove_file(&object).unwrap();
        if is_emptied {
            std::fs::File::create(&object).unwrap();
        }
        let health = env
            .mdmem(["check"])
            .any_stdout()
            .any_stderr()
            .code(1)
            .run()
            .stdout;
        let is_told = |line: &str| line.contains(": error: ") && line.contains(blob.trim());
        assert!(health.lines().any(is_told), "{health}");
    }
}

#[test]
fn parts_of_a_store_that_a_kill_left_are_swept() {
    let env = machine();
    let workspaces = env.mdmem_home().join("workspaces");
    write(&workspaces, ".new-0123ab/.git/HEAD", "ref: refs/heads/main\n");
    let other = env.home().join("other");
    std::fs::create_dir(&other).unwrap();
    env.mdmem(["init"])
        .current_dir(&other)
        .any_stdout()
        .any_stderr()
        .run();
    let names: Vec<_> = std::fs::read_dir(&workspaces)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        names.iter().all(|name| !name.to_string_lossy().starts_with('.')),
        "{names:?}"
    );
}

/// The watcher learns of a line that somebody takes out of git's own list, which no event of the store's files tells.
#[test]
fn what_git_is_told_in_its_own_folder_is_taken_up_at_once() {
    let mut env = machine();
    let exclude = env.store().join(".git/info/exclude");
    write(&env.store(), ".git/info/exclude", "project/private.md\n");
    env.write("project/private.md", "Not for history, for now.\n");
    env.use_real_clock();
    let _watching = env.watch(&[("MDMEM_WATCH__QUIET_MS", "50")]);
    assert!(!is_committed(&env, "project/private.md"));
    std::fs::write(exclude, "").unwrap();
    let taken_up = || is_committed(&env, "project/private.md").then_some(());
    crate::env::wait_for(
        "the commit of what is left out no longer",
        crate::env::LIMIT,
        taken_up,
    );
}
