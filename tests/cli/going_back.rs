//! `restore`: what its words mean, what follows a rename, and how it asks before a whole store goes back.

use super::names::on_a_terminal;
use crate::env::{Repository, TestEnv};

fn sweep(env: &TestEnv) {
    env.mdmem(["sweep", "--quiet"]).any_stdout().any_stderr().run();
}

/// A store in which `decision/port.md` said first that the port is 80, then that it is 8080, and then something else came.
fn env() -> TestEnv {
    let env = TestEnv::with_store();
    for text in ["The port is 80\n", "The port is 8080\n"] {
        env.write("decision/port.md", text);
        sweep(&env);
    }
    env.write("project/other.md", "Another fact\n");
    sweep(&env);
    env
}

fn commit(env: &TestEnv, revision: &str) -> String {
    Repository::of(env)
        .git(&["rev-parse", revision])
        .trim()
        .to_owned()
}

#[test]
fn a_memory_alone_comes_back_as_it_last_was() {
    let env = env();
    env.mdmem(["restore", "port"])
        .stdout("edited   decision/port.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/port.md"), "The port is 80\n");
    env.write("decision/port.md", "Not committed yet\n");
    env.mdmem(["restore", "-n", "decision/port.md"])
        .stdout("edited   decision/port.md\n")
        .any_stderr()
        .run();
    env.mdmem(["restore", "port"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("decision/port.md"), "The port is 80\n");
    env.mdmem(["mv", "port", "project/gate.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let text = env.read("project/gate.md");
    env.mdmem(["rm", "gate"]).any_stdout().any_stderr().run();
    env.mdmem(["restore", "gat"])
        .stdout("added    project/gate.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("project/gate.md"), text);
    assert_eq!(env.read("project/other.md"), "Another fact\n");
    env.mdmem(["restore", "other"])
        .fails("project/other.md has no earlier version")
        .run();
    env.mdmem(["restore", "oth"])
        .fails("`oth` is not a memory, revision or time")
        .stderr_has("hint: Did you mean project/other.md?")
        .run();
    env.mdmem(["restore", "other", "gate"])
        .fails("`other` is neither a revision of this store nor a time")
        .run();
}

#[test]
fn a_word_that_is_a_memory_and_a_moment_does_nothing_and_shows_both_spellings() {
    let env = env();
    env.write("decision/yesterday.md", "All my troubles\n");
    env.write("decision/facade.md", "The front of a house\n");
    sweep(&env);
    let now = commit(&env, "HEAD");
    let first = commit(&env, "HEAD~3");
    Repository::of(&env).git(&["tag", "facade", &first]);
    let spelled = [("facade", "revision", &first[..12]), ("yesterday", "time", "T")];
    for (word, moment_is, spelling) in spelled {
        for args in [
            &["restore", "--yes", word][..],
            &["restore", word, "port"],
            &["diff", word],
        ] {
            env.mdmem(args.iter().copied())
                .fails(format!("`{word}` is both a memory and a {moment_is}"))
                .stderr_has(format!("Write decision/{word}.md for the memory, "))
                .stderr_has(spelling)
                .run();
        }
    }
    assert_eq!(commit(&env, "HEAD"), now);
    env.mdmem(["restore", "-n", "--yes", &first[..12]])
        .stdout_has("removed  decision/facade.md")
        .any_stderr()
        .run();
    env.mdmem(["restore", "decision/facade.md"])
        .fails("decision/facade.md has no earlier version")
        .run();
}

#[test]
fn a_memory_that_was_renamed_since_gets_its_old_text_and_stays() {
    let env = env();
    let then = commit(&env, "HEAD~2");
    env.mdmem(["mv", "port", "project/gate.md"])
        .any_stdout()
        .any_stderr()
        .run();
    for name in ["gate", "project/gate.md", "port", "decision/port.md"] {
        env.mdmem(["restore", &then, name])
            .stdout("edited   project/gate.md\n")
            .any_stderr()
            .run();
        assert_eq!(env.read("project/gate.md"), "The port is 80\n", "{name}");
        assert!(!env.store().join("decision/port.md").exists(), "{name}");
        env.mdmem(["undo"]).any_stdout().any_stderr().run();
        assert!(env.read("project/gate.md").contains("8080"), "{name}");
    }
    // It was not there, so there is no text to come back.
    env.mdmem(["restore", &then, "other"])
        .fails("there was no memory `other` at ")
        .run();
    // A folder goes back as it was, with its names, and takes nothing else away.
    env.mdmem(["restore", &then, "decision/"])
        .stdout("added    decision/port.md\nremoved  project/gate.md\n")
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/port.md"), "The port is 80\n");
    assert_eq!(env.read("project/other.md"), "Another fact\n");
    assert_eq!(Repository::of(&env).status(), "");
}

#[test]
fn a_whole_store_asks_first_and_says_how_many_memories_change() {
    let env = env();
    let now = commit(&env, "HEAD");
    for args in [&["restore", "HEAD~2"][..], &["--json", "restore", "HEAD~2"]] {
        env.mdmem(args.iter().copied())
            .refuses("restoring the whole store to ")
            .stderr_has("changes 2 memories")
            .stderr_has("--yes")
            .run();
    }
    let seen = on_a_terminal(&env, "restore HEAD~2", "n\n");
    assert!(seen.contains("changes 2 memories. Continue? [y/N]"), "{seen}");
    assert_eq!(commit(&env, "HEAD"), now);
    env.mdmem(["restore", "HEAD"])
        .stderr_has("everything is as it was")
        .run();
    let seen = on_a_terminal(&env, "restore HEAD~2", "y\n");
    assert!(seen.contains("restored 2 files"), "{seen}");
    assert_eq!(env.read("decision/port.md"), "The port is 80\n");
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    env.mdmem(["restore", "HEAD~4", "--yes"])
        .any_stdout()
        .stderr_has("changes 2 memories")
        .run();
}
