//! `undo` while something is saved and not committed: what it takes back, what stays, and what its hint promises.

use crate::env::{Repository, TestEnv};

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

/// A store with a memory of one line, committed.
fn with_one() -> TestEnv {
    let env = TestEnv::with_store();
    env.write("decision/b.md", "Line one\n");
    sweep(&env);
    env
}

#[test]
fn a_new_file_stays_when_the_edit_beside_it_is_taken_back() {
    let env = with_one();
    env.write("decision/b.md", "Line two\n");
    env.write("decision/c.md", "A new memory, saved a second ago\n");
    for args in [&["undo", "-n"][..], &["undo"]] {
        env.mdmem(args.iter().copied())
            .stdout("edited   decision/b.md\n")
            .stderr_has("decision/c.md is new, and new files stay: left as it is")
            .run();
    }
    assert_eq!(env.read("decision/b.md"), "Line one\n");
    assert_eq!(env.read("decision/c.md"), "A new memory, saved a second ago\n");
    env.mdmem(["undo", "HEAD"])
        .stdout("edited   decision/b.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/b.md"), "Line two\n");
    assert_eq!(Repository::of(&env).status(), "");
}

#[test]
fn a_new_file_with_the_text_that_another_one_had_stays_too() {
    let env = with_one();
    env.write("decision/b.md", "Something else\n");
    env.write("decision/c.md", "Line one\n");
    for args in [&["undo", "-n"][..], &["undo"]] {
        env.mdmem(args.iter().copied())
            .stdout("edited   decision/b.md\n")
            .any_stderr()
            .run();
    }
    assert_eq!(env.read("decision/b.md"), "Line one\n");
    assert_eq!(env.read("decision/c.md"), "Line one\n");
}

#[test]
fn a_memory_that_was_moved_and_edited_is_no_new_file() {
    let env = TestEnv::with_store();
    let text = "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\n---\nWe deploy on Tuesdays\n";
    env.write("decision/b.md", text);
    sweep(&env);
    std::fs::remove_file(env.store().join("decision/b.md")).unwrap();
    env.write("project/c.md", &text.replace("Tuesdays", "Fridays"));
    for args in [&["undo", "-n"][..], &["undo"]] {
        env.mdmem(args.iter().copied())
            .stdout("added    decision/b.md\nremoved  project/c.md\n")
            .any_stderr()
            .run();
    }
    assert_eq!(env.read("decision/b.md"), text);
    assert!(!env.store().join("project/c.md").exists());
}

#[test]
fn a_named_change_that_made_the_same_text_does_not_remove_a_new_file() {
    let env = with_one();
    let made = Repository::of(&env).git(&["rev-parse", "HEAD"]);
    std::fs::remove_file(env.store().join("decision/b.md")).unwrap();
    sweep(&env);
    env.write("decision/b.md", "Line one\n");
    for args in [&["undo", made.trim(), "-n"][..], &["undo", made.trim()]] {
        env.mdmem(args.iter().copied())
            .fails("decision/b.md is new")
            .run();
    }
    assert_eq!(env.read("decision/b.md"), "Line one\n");
}

#[test]
fn a_revision_means_what_the_dry_run_said_although_a_save_is_committed_first() {
    for (revision, path) in [("HEAD", "decision/c.md"), ("HEAD~1", "decision/b.md")] {
        let env = with_one();
        env.write("decision/c.md", "The second\n");
        sweep(&env);
        env.write("project/new.md", "Saved just now\n");
        for args in [&["undo", revision, "-n"][..], &["undo", revision]] {
            env.mdmem(args.iter().copied())
                .stdout(format!("removed  {path}\n"))
                .any_stderr()
                .run();
        }
        // HEAD is the undo now, and a save is committed before it is brought back.
        env.write("project/newer.md", "Saved after that\n");
        for args in [&["undo", "HEAD", "-n"][..], &["undo", "HEAD"]] {
            env.mdmem(args.iter().copied())
                .stdout(format!("added    {path}\n"))
                .any_stderr()
                .run();
        }
        assert_eq!(env.read("project/new.md"), "Saved just now\n");
        assert_eq!(env.read("project/newer.md"), "Saved after that\n");
    }
}

/// Runs the command that a hint on standard error names.
fn follow_hint(env: &TestEnv, said: &str) {
    let (_, hint) = said.rsplit_once("hint: `mdmem ").unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    env.mdmem(command.split(' ')).any_stdout().any_stderr().run();
}

fn head(env: &TestEnv) -> String {
    Repository::of(env).git(&["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn the_hint_of_an_undone_undo_brings_back_that_memory_and_no_other() {
    let env = with_one();
    env.write("decision/a.md", "One\n");
    sweep(&env);
    // An undo of another memory is in force meanwhile.
    env.write("decision/b.md", "Line two\n");
    sweep(&env);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.write("decision/a.md", "Two\n");
    sweep(&env);
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    for (text, other) in [("One", "Two"), ("Two", "One")] {
        assert_eq!(env.read("decision/a.md"), format!("{text}\n"));
        let undo = env.mdmem(["undo", &head(&env)]).any_stdout().any_stderr().run();
        assert_eq!(env.read("decision/a.md"), format!("{other}\n"));
        follow_hint(&env, &undo.stderr);
        assert_eq!(env.read("decision/a.md"), format!("{text}\n"));
        assert_eq!(env.read("decision/b.md"), "Line one\n");
        env.mdmem(["undo", &head(&env)]).any_stdout().any_stderr().run();
    }
}

#[test]
fn the_subject_of_a_commit_by_hand_is_told_without_its_password() {
    let env = with_one();
    env.write("decision/b.md", "Line two\n");
    env.git(["commit", "-qam", "By hand, password: kJ8xx92mQpl"])
        .run();
    let head = head(&env);
    for args in [
        &["undo", "-n"][..],
        &["undo", &head, "-n"],
        &["undo", "-n", "--json"],
        &["undo"],
    ] {
        let run = env.mdmem(args.iter().copied()).any_stdout().any_stderr().run();
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("By hand, password: "), "{args:?}: {said}");
        assert!(!said.contains("kJ8xx92mQpl"), "{args:?}: {said}");
    }
}
