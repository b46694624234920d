//! `restore` and `undo`: what they say is what they do, and what they cannot do they say.

use crate::env::{Repository, TestEnv};

fn remove(env: &TestEnv, path: &str) {
    std::fs::remove_file(env.store().join(path)).unwrap();
}

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

/// Says whether the file system keeps names apart that differ in this way.
fn keeps_apart(env: &TestEnv, names: [&str; 2]) -> bool {
    let paths = names.map(|name| env.home().join(name));
    std::fs::write(&paths[0], "").unwrap();
    !paths[1].exists()
}

#[test]
fn one_of_two_names_that_differ_in_case_or_form_is_removed() {
    for [gone, stays] in [["a.md", "A.md"], ["A.md", "a.md"], ["e\u{301}.md", "\u{e9}.md"]] {
        let env = TestEnv::with_store();
        if !keeps_apart(&env, [gone, stays]) {
            eprintln!("SKIPPED: this file system takes {gone} and {stays} for one name");
            continue;
        }
        let [gone, stays] = [gone, stays].map(|name| format!("decision/{name}"));
        env.write(&gone, "Goes\n");
        env.write(&stays, "Stays\n");
        sweep(&env);
        remove(&env, &gone);
        env.mdmem(["sweep"])
            .stdout(format!("removed  {gone}\n"))
            .any_stderr()
            .run();
        env.mdmem(["restore", "--yes", "HEAD"])
            .stderr_has("everything is as it was")
            .run();
        env.mdmem(["restore", "--yes", "HEAD~1"])
            .stdout(format!("added    {gone}\n"))
            .any_stderr()
            .run();
        assert_eq!(env.read(&gone), "Goes\n");
        env.mdmem(["rm", &stays]).any_stdout().any_stderr().run();
        assert_eq!(Repository::of(&env).status(), "", "{stays}");
        assert_eq!(Repository::of(&env).committed(&stays), None);
    }
}

#[test]
fn most_of_a_store_that_went_is_brought_back() {
    let env = TestEnv::with_store();
    let paths: Vec<String> = (0..20).map(|n| format!("decision/{n}.md")).collect();
    for text in ["Older", "Newer"] {
        for path in &paths {
            env.write(path, &format!("{text} {path}\n"));
        }
        sweep(&env);
    }
    for (point, text) in [("HEAD", "Newer"), ("HEAD~1", "Older")] {
        std::fs::remove_dir_all(env.store().join("decision")).unwrap();
        let restored = env
            .mdmem(["restore", "--yes", point])
            .any_stdout()
            .any_stderr()
            .run();
        assert!(
            !restored.stderr.contains("files are missing"),
            "{}",
            restored.stderr
        );
        assert_eq!(
            restored.stderr.contains("`mdmem undo` takes it back"),
            point != "HEAD",
            "{}",
            restored.stderr
        );
        for path in &paths {
            assert_eq!(env.read(path), format!("{text} {path}\n"));
        }
        assert_eq!(Repository::of(&env).status(), "", "{point}");
    }
}

/// A file that became a folder, the commit before that, and the other way round, in one store.
fn turned() -> TestEnv {
    let env = TestEnv::with_store();
    env.write("decision/n.md", "A file first\n");
    env.write("project/f.md/deep/er.md", "A folder first\n");
    sweep(&env);
    remove(&env, "decision/n.md");
    env.write("decision/n.md/i.md", "A folder now\n");
    std::fs::remove_dir_all(env.store().join("project/f.md")).unwrap();
    env.write("project/f.md", "A file now\n");
    sweep(&env);
    env
}

#[track_caller]
fn assert_turned(env: &TestEnv, is_later: bool) {
    let [earlier, later] = [
        ["decision/n.md", "project/f.md/deep/er.md"],
        ["decision/n.md/i.md", "project/f.md"],
    ];
    let (there, gone) = if is_later {
        (later, earlier)
    } else {
        (earlier, later)
    };
    for path in there {
        let on_disk = Some(env.read(path));
        assert_eq!(Repository::of(env).committed(path), on_disk, "{path}");
    }
    for path in gone {
        assert!(!env.store().join(path).is_file(), "{path}");
    }
    assert_eq!(Repository::of(env).status(), "");
}

#[test]
fn a_file_that_became_a_folder_and_a_folder_that_became_a_file_are_taken_back() {
    let env = turned();
    for args in [&["undo"][..], &["undo", "HEAD"], &["restore", "--yes", "HEAD~1"]] {
        let is_later = args == ["undo", "HEAD"];
        env.mdmem(args.iter().copied())
            .stdout_has("decision/n.md")
            .any_stderr()
            .run();
        assert_turned(&env, is_later);
    }
    env.mdmem(["restore", "HEAD~1", "decision/n.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/n.md/i.md"), "A folder now\n");
}

#[test]
fn what_is_not_tracked_does_not_give_way() {
    let env = turned();
    env.write("decision/n.md/.hidden", "A person's\n");
    env.mdmem(["undo"])
        .any_stdout()
        .stderr_has("decision/n.md is a folder, not a file")
        .run();
    assert_eq!(env.read("decision/n.md/.hidden"), "A person's\n");
    assert_eq!(env.read("project/f.md/deep/er.md"), "A folder first\n");
    remove(&env, "decision/n.md/.hidden");
    // An empty folder is in nobody's way.
    env.mdmem(["restore", "HEAD~2", "decision/n.md"])
        .stdout("added    decision/n.md\n")
        .any_stderr()
        .run();
    assert_turned(&env, false);
}

#[test]
fn a_file_that_comes_back_can_be_executed_as_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = TestEnv::with_store();
    let set = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(env.store().join("decision/run.md"), permissions).unwrap();
    };
    let mode = || {
        let meta = env.store().join("decision/run.md").metadata().unwrap();
        meta.permissions().mode() & 0o777
    };
    env.write("decision/run.md", "#!/bin/sh\n");
    set(0o644);
    sweep(&env);
    set(0o755);
    sweep(&env);
    remove(&env, "decision/run.md");
    sweep(&env);
    for (args, is_executable) in [
        (&["undo"][..], true),
        (&["undo"], false),
        (&["undo", "HEAD"], true),
    ] {
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        assert_eq!(mode() & 0o111 != 0, is_executable, "{args:?}: {:o}", mode());
        env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
        assert_eq!(Repository::of(&env).status(), "");
    }
}

#[test]
fn an_undo_takes_back_what_its_hint_named_and_never_what_was_saved_meanwhile() {
    let env = TestEnv::with_store();
    env.write("decision/a.md", "First\n");
    sweep(&env);
    let before = env.read(".gitignore");
    let ignoring = format!("{before}private/\n");
    env.write(".gitignore", &ignoring);
    sweep(&env);
    env.write("private/d.md", "A diary\n");
    env.mdmem(["restore", "--yes", "HEAD~1"])
        .any_stdout()
        .stderr_has("hint: `mdmem undo` takes it back.")
        .run();
    assert_eq!(env.read(".gitignore"), before);
    env.mdmem(["undo"])
        .stdout("edited   .gitignore\n")
        .any_stderr()
        .run();
    assert_eq!(env.read(".gitignore"), ignoring);
    assert_eq!(env.read("private/d.md"), "A diary\n");
    env.mdmem(["undo"])
        .stdout("edited   .gitignore\n")
        .any_stderr()
        .run();
    env.mdmem(["undo"])
        .stdout("removed  decision/a.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("private/d.md"), "A diary\n");
    env.write("decision/late.md", "Saved meanwhile\n");
    env.mdmem(["undo", "HEAD"])
        .stdout("added    decision/a.md\n")
        .any_stderr()
        .run();
}

/// A way to leave nothing of the last change that could be taken back, and words of the reason.
type Way = (fn(&TestEnv), &'static str);

const WAYS: [Way; 4] = [
    (
        |env| {
            env.write("decision/b.md", "The password is tr0ub4dor-Kx9\n");
        },
        "decision/b.md is not committed: suspected secret",
    ),
    (
        |env| {
            env.git(["rm", "-q", "--cached", "decision/b.md"]).run();
            env.write("decision/b.md", "Not committed, because it is staged\n");
        },
        "decision/b.md was changed again since",
    ),
    (
        |env| {
            env.write("decision/.gitattributes", "*.md filter=git-crypt\n");
        },
        "filter `git-crypt`",
    ),
    (
        |env| {
            let path = env.write("decision/b.md", "");
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_len(2 << 20).unwrap();
        },
        "decision/b.md",
    ),
];

#[test]
fn an_undo_that_can_do_nothing_says_so_and_can_step_past_it() {
    for (make, why) in WAYS {
        let env = TestEnv::with_store();
        env.write("project/before.md", "Before\n");
        sweep(&env);
        env.write("decision/b.md", "First\n");
        sweep(&env);
        env.write("decision/b.md", "Second\n");
        sweep(&env);
        let head = || Repository::of(&env).git(&["rev-parse", "HEAD"]);
        make(&env);
        let before = head();
        let short = &before[..7];
        env.mdmem(["undo"])
            .fails(why)
            .stderr_has(format!("`mdmem undo --past {short}`"))
            .run();
        assert_eq!(head(), before, "{why}");
        let first = env.git(["rev-parse", "HEAD~1"]).any_stdout().run();
        env.mdmem(["undo", "--past", first.stdout.trim()])
            .stdout("removed  project/before.md\n")
            .stderr_has("skipped ")
            .run();
        env.mdmem(["undo", "HEAD"])
            .stdout("added    project/before.md\n")
            .any_stderr()
            .run();
    }
}

#[test]
fn dot_files_that_git_committed_are_neither_claimed_nor_changed() {
    let env = TestEnv::with_store();
    env.write("decision/a.md", "First\n");
    sweep(&env);
    let hidden = [".editorconfig", ".obsidian/x.md", "decision/.keep"];
    for text in ["One\n", "Two\n"] {
        for path in hidden {
            env.write(path, text);
        }
        env.git(["add", "-A"]).run();
        env.git(["commit", "-qm", "By hand"]).run();
    }
    env.write("decision/a.md", "Second\n");
    sweep(&env);
    env.mdmem(["diff", "HEAD~3", "HEAD~1"]).run();
    env.mdmem(["restore", "--yes", "HEAD~3"])
        .stdout("edited   decision/a.md\n")
        .stderr_has("restored 1 file ")
        .run();
    for path in hidden {
        assert_eq!(env.read(path), "Two\n");
    }
    std::fs::remove_dir_all(env.store().join(".obsidian")).unwrap();
    remove(&env, ".editorconfig");
    env.mdmem(["sweep"]).stderr("nothing to commit\n").run();
    env.mdmem(["restore", "--yes", "HEAD~1"])
        .stdout("edited   decision/a.md\n")
        .any_stderr()
        .run();
    assert!(!env.store().join(".editorconfig").exists());
    for change in ["edited", "edited", "edited", "removed"] {
        env.mdmem(["undo"])
            .stdout(format!("{change:<8} decision/a.md\n"))
            .any_stderr()
            .run();
    }
    env.mdmem(["undo"]).fails("nothing to undo").run();
    let committed = Repository::of(&env).committed(".obsidian/x.md");
    assert_eq!(committed.as_deref(), Some("Two\n"));
}

#[test]
fn a_file_that_was_not_read_is_neither_claimed_nor_shown_as_gone() {
    let env = TestEnv::with_store();
    for text in ["First", "Second"] {
        env.write("decision/a.md", &format!("{text} a\n"));
        env.write("decision/b.md", &format!("{text} b\n"));
        sweep(&env);
    }
    // Larger than mdmem reads, because no mode keeps root from a file.
    let large = std::fs::File::options()
        .write(true)
        .open(env.store().join("decision/a.md"))
        .unwrap();
    large.set_len(2 << 20).unwrap();
    env.mdmem(["diff"]).run();
    for args in [&["restore", "-n", "HEAD~1"][..], &["restore", "--yes", "HEAD~1"]] {
        env.mdmem(args.iter().copied())
            .stdout("edited   decision/b.md\n")
            .stderr_has("restore")
            .stderr_has("1 file")
            .run();
    }
    env.git(["log", "-1", "--format=%s"])
        .stdout_has("restore decision/b to")
        .run();
    env.mdmem(["restore", "HEAD~2", "decision/a.md"])
        .any_stdout()
        .fails("decision/a.md")
        .run();
    let size = env.store().join("decision/a.md").metadata().unwrap().len();
    assert_eq!(size, 2 << 20);
}

#[test]
fn a_revision_named_like_a_credential_is_not_told_to_history() {
    let env = TestEnv::with_store();
    env.write("decision/a.md", "First\n");
    sweep(&env);
    let token = "ghp_q7Rz2LmX9vTb4KcW8nYdH5jGf3PsA6uE1oQi";
    env.git(["tag", &format!("rel-{token}")]).run();
    env.write("decision/a.md", "Second\n");
    sweep(&env);
    env.mdmem(["restore", "--yes", &format!("rel-{token}")])
        .any_stdout()
        .any_stderr()
        .run();
    let message = env.git(["log", "-1", "--format=%B"]).any_stdout().run().stdout;
    assert!(message.contains("Mdmem-Reason: restore rel-"), "{message}");
    assert!(!message.contains(token), "{message}");
}

#[test]
fn a_credential_that_history_has_comes_back_with_a_word() {
    let env = TestEnv::with_store();
    env.write("decision/b.md", "password: kJ8xx92mQpl\n");
    env.git(["add", "-A"]).run();
    env.git(["commit", "-qm", "By hand"]).run();
    env.write("decision/b.md", "Fine\n");
    sweep(&env);
    env.mdmem(["restore", "--yes", "HEAD~1"])
        .stdout("edited   decision/b.md\n")
        .stderr_has("decision/b.md was restored from the history: suspected secret: password (line 1)")
        .run();
    let shown = env
        .mdmem(["show", "decision/b.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(shown.stdout.contains("kJ8xx92mQpl"));
    let said = format!("{}{}", shown.stdout, shown.stderr);
    assert!(said.contains("prompts and lists show it redacted"), "{said}");
}

#[test]
fn the_hint_of_a_memory_that_stays_away_brings_it_back() {
    let env = TestEnv::with_store();
    for args in [
        &["add", "One fact's here"][..],
        &["add", "Other"],
        &["forget", "one-facts-here"],
    ] {
        env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
    }
    let restored = env
        .mdmem(["restore", "--yes", "HEAD~2"])
        .any_stdout()
        .any_stderr()
        .run();
    let (_, hint) = restored.stderr.split_once("hint: `mdmem ").unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    env.mdmem(command.split(' '))
        .stdout_has("added    project/one-facts-here.md\n")
        .any_stderr()
        .run();
}

/// Who says `mdmem undo` twice means two changes, and not what was forgotten before them.
#[test]
fn a_forgetting_is_lifted_by_the_undo_right_after_it_or_by_its_name() {
    let env = TestEnv::with_store();
    env.write("user/bob.md", "Bob likes tea in the garden.\n");
    env.write("decision/p.md", "Use pnpm.\n");
    sweep(&env);
    for command in ["forget", "rm"] {
        let name = if command == "rm" { "p" } else { "bob" };
        env.mdmem([command, name]).any_stdout().any_stderr().run();
    }
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    let refused = env
        .mdmem(["undo"])
        .fails("the change before is a `mdmem forget`")
        .run();
    assert!(!env.store().join("user/bob.md").exists());
    let (_, command) = refused.stderr.split_once("hint: `mdmem ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    env.mdmem(command.split(' ')).any_stdout().any_stderr().run();
    assert!(env.store().join("user/bob.md").exists());
    // The same of a line that was lifted by hand.
    env.mdmem(["forget", "bob"]).any_stdout().any_stderr().run();
    let listed = env
        .mdmem(["forget", "--list"])
        .any_stdout()
        .any_stderr()
        .run()
        .stdout;
    let token = listed.split_whitespace().last().unwrap();
    for args in [&["forget", "--lift", token][..], &["rm", "p"], &["undo"]] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    env.mdmem(["undo"])
        .fails("or lifts one: only an undo right after it")
        .run();
    assert!(
        env.mdmem(["forget", "--list"])
            .any_stdout()
            .any_stderr()
            .run()
            .stdout
            .is_empty()
    );
}

/// Where the change that was meant cannot be taken back, an undo stops, and lifts no forgetting before it.
#[test]
fn a_forgetting_is_lifted_by_no_undo_of_another_change() {
    let env = TestEnv::with_store();
    env.write("user/bob.md", "Bob likes tea in the garden.\n");
    env.write("decision/p.md", "Use pnpm.\n");
    sweep(&env);
    env.mdmem(["forget", "user/bob.md"])
        .any_stdout()
        .any_stderr()
        .run();
    env.write("decision/p.md", "Use pnpm.\nAlways.\n");
    sweep(&env);
    env.write("decision/p.md", "Use pnpm.\nAlways.\npassword: hunter2Zq9xx\n");
    env.mdmem(["undo"])
        .fails("of decision/p.md were changed again since")
        .run();
    assert!(!env.store().join("user/bob.md").exists());
    env.write("decision/p.md", "Use pnpm.\n");
    sweep(&env);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/p.md"), "Use pnpm.\nAlways.\n");
}
