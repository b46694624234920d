//! A memory that was forgotten for good is in no prompt, log or cache of this machine.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::server::Server;
use crate::env::{Repository, TestEnv};

const TEXT: &str = "Anna earns 4711 a month";
const PATH: &str = "decision/anna-earns-4711-a-month.md";

/// The files below a folder that say the words, in whatever form.
fn that_say(folder: &Path, words: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(that_say(&path, words));
        } else if entry.file_type().unwrap().is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            if text.contains(&words.to_lowercase()) {
                found.push(path);
            }
        }
    }
    found
}

/// A person adds a pattern, and wants what it finds gone from a conversation that goes on.
#[test]
fn a_new_pattern_reaches_the_prompts_of_running_sessions() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "The warehouse is called Bluebird"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let (prompt, other) = (server.prompt("s"), server.prompt("t"));
    assert!(prompt.contains("Bluebird") && other.contains("Bluebird"));
    env.mdmem(["config", "set", "--user", "redact.patterns", "[\"Bluebird\"]"])
        .any_stdout()
        .any_stderr()
        .run();
    for session in ["s", "t"] {
        let prompt = server.prompt(session);
        assert!(
            !prompt.contains("Bluebird") && prompt.contains("warehouse"),
            "{prompt}"
        );
        assert_eq!(server.prompt(session), prompt);
    }
}

fn local(env: &TestEnv) -> PathBuf {
    env.store().join(".mdmem")
}

fn forget(env: &TestEnv, args: &[&str]) {
    env.mdmem([&["forget"], args].concat())
        .stdout_has(format!("forgot {PATH}\n"))
        .any_stderr()
        .run();
}

/// Of a long text its name says the beginning alone, and is said where the text is not.
#[test]
fn no_file_of_this_machine_has_its_name_either() {
    const LONG: &str = "The zebrafish license of the northern aquarium costs 900 euros a year and has to be renewed by Anna \
                        before the end of every January";
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    env.set_var("MDMEM_LOG", "debug");
    let said = || {
        let mut found = that_say(&env.home(), "zebrafish");
        found.retain(|path| !path.components().any(|part| part.as_os_str() == ".git"));
        found
    };
    let watching = env.watch(&[]);
    let mut server = Server::start(&env);
    let path = server.message("s", "m1", &format!("remember: {LONG}"))["memories"][0]["path"].clone();
    let path = path.as_str().unwrap().to_owned();
    let moved = "project/aquarium.md";
    env.mdmem(["mv", &path, moved]).any_stdout().any_stderr().run();
    env.mdmem(["mv", moved, &path]).any_stdout().any_stderr().run();
    server.edit("s", env.store().join(&path).to_str().unwrap());
    server.prompt("s");
    for args in [
        &["list"][..],
        &["search", "zebrafish"],
        &["why", &path],
        &["status"],
    ] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    watching.wait_until_said("memory: add");
    assert!(said().len() > 5, "{:?}", said());

    env.mdmem(["forget", &path]).any_stdout().any_stderr().run();
    watching.wait_until_said("memory: forget");
    assert_eq!(said(), Vec::<PathBuf>::new());
    for args in [
        &["list"][..],
        &["log"],
        &["status"],
        &["check"],
        &["add", "Deploys are on Mondays"],
    ] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    assert!(server.prompt("s").contains("Mondays"));
    server.message("s", "m2", "What is here?");
    assert_eq!(said(), Vec::<PathBuf>::new());
}

#[test]
fn nothing_local_says_the_words_and_every_session_begins_a_new_epoch() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let path = server.message("s", "m1", &format!("remember: {TEXT}"))["memories"][0]["path"].clone();
    let summary = format!(
        "## Memory candidates\nMemory candidates:\n- [decision] {TEXT}\n- [decision] Deploys are on Mondays\n"
    );
    server.compacting("s");
    server.compacted("s", &summary);
    server.edit("s", "a.rs");
    for session in ["s", "t"] {
        assert!(server.prompt(session).contains(TEXT));
    }
    // A message that waits, a state that was put aside, a copy of an editor, a line of the log, a cache.
    let copy = local(&env).join("edit/anna.1.md");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::write(&copy, format!("{TEXT}\n")).unwrap();
    let hash = mdmem::store::session_hash("s");
    let aside = local(&env)
        .join("sessions")
        .join(&hash)
        .join("state.json.corrupt-1");
    std::fs::write(&aside, format!("{{\"text\":\"{TEXT}\"")).unwrap();
    let log = local(&env).join("log");
    let lines = std::fs::read_to_string(&log).unwrap_or_default();
    std::fs::write(&log, format!("{lines}a line\nsaid: {TEXT}\n")).unwrap();
    env.mdmem(["list"]).any_stdout().any_stderr().run();
    assert!(
        that_say(&local(&env), TEXT).len() > 4,
        "{:?}",
        that_say(&local(&env), TEXT)
    );

    let path = path.as_str().unwrap().to_owned();
    env.mdmem(["forget", &path]).any_stdout().any_stderr().run();
    assert_eq!(that_say(&local(&env), TEXT), Vec::<PathBuf>::new());
    assert!(std::fs::read_to_string(&log).unwrap().contains("a line\n"));
    for session in ["s", "t", "new"] {
        let prompt = server.prompt(session);
        assert!(
            !prompt.contains("4711") && prompt.contains("Mondays"),
            "{session}: {prompt}"
        );
    }
    server.edit("s", "b.rs");
    let told = server.message("s", "m3", "what is next?");
    assert!(!told.to_string().contains("4711"), "{told}");
    assert_eq!(that_say(&local(&env), TEXT), Vec::<PathBuf>::new());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("forced:forget"), "{log}");
}

#[test]
fn what_the_model_stores_or_sums_up_is_refused_and_what_the_user_says_is_not() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    env.mdmem(["add", "--type", "decision", TEXT])
        .any_stdout()
        .any_stderr()
        .run();
    forget(&env, &[PATH]);
    let added = server.ask(
        "call",
        &json!({"session": "s", "tool": "memory_add", "args": {"text": TEXT, "type": "decision"}}),
    );
    assert!(added.to_string().contains("forgotten for good"), "{added}");
    let entries = server.compacted("s", &format!("Memory candidates:\n- [decision] {TEXT}\n"));
    assert_eq!(entries[0]["outcome"], "already_forgotten");
    assert!(!server.prompt("s").contains("4711"));
    let heard = server.message("s", "m1", &format!("remember: {TEXT}"));
    assert_eq!(heard["memories"][0]["outcome"], "promoted", "{heard}");
    let commit = &Repository::of(&env).log()[0];
    let heard = heard["memories"][0]["path"].as_str().unwrap();
    assert_eq!(
        Repository::of(&env).git(&["show", "--format=", "--name-only", "HEAD"]),
        format!("forgotten\n{heard}\n"),
        "{}",
        commit.subject
    );
}

#[test]
fn what_goes_from_the_global_store_goes_from_the_prompts_of_every_workspace() {
    for command in ["forget", "rm"] {
        let env = TestEnv::with_store();
        env.mdmem(["--global", "add", "--type", "decision", TEXT])
            .any_stdout()
            .any_stderr()
            .run();
        let mut server = Server::start(&env);
        assert!(server.prompt("s").contains(TEXT));
        env.mdmem(["--global", command, PATH])
            .any_stdout()
            .any_stderr()
            .run();
        assert!(!server.prompt("s").contains(TEXT), "{command}");
        let said = that_say(&local(&env), TEXT);
        assert_eq!(said, Vec::<PathBuf>::new());
    }
}

#[test]
fn what_was_deleted_restored_or_redacted_is_seen_by_the_next_question() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "--type", "decision", "Use tabs"])
        .any_stdout()
        .any_stderr()
        .run();
    env.write("project/key.md", "The password is hunter2-x9.\n");
    env.mdmem(["allow", "project/key.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    assert!(server.prompt("s").contains("hunter2-x9"));
    env.mdmem(["allow", "--revoke", "project/key.md"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(!server.prompt("s").contains("hunter2-x9"));
    for (args, shows) in [
        (&["rm", "use-tabs"][..], false),
        (&["restore", "HEAD^", "use-tabs"], true),
        (&["undo"], false),
        (&["undo", "HEAD"], true),
        (&["forget", "use-tabs"], false),
        (&["undo"], true),
    ] {
        env.mdmem(args).any_stdout().any_stderr().run();
        assert_eq!(server.prompt("s").contains("Use tabs"), shows, "{args:?}");
    }
}
