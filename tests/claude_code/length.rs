//! Of a hook's text that has more than 10,000 units of UTF-16, Claude Code gives its model 2 KB.

use super::Session;
use crate::env::TestEnv;

const MOST: usize = 10_000;

/// A note of 54 rules, within the limit of a note.
fn pinned(env: &TestEnv, name: &str, rule: &str) {
    let rules = (1..=54).map(|n| format!("- Rule {n} of {name}: {rule} (item {n}).\n"));
    let body: String = rules.collect();
    env.write(
        &format!("system/{name}.md"),
        &format!("---\ndescription: {name}\n---\n# {name}\n{body}"),
    );
}

fn facts(env: &TestEnv, folder: &str) {
    for n in 1..=12 {
        let text = format!(
            "Service {n} talks to the queue {n}, and its owner is the team of the letter {n}, who answer within a day.\n"
        );
        env.write(&format!("{folder}/fact-{n}.md"), &text);
    }
}

#[track_caller]
fn check(text: &str, shown: &[&str]) {
    let units = text.encode_utf16().count();
    assert!(units <= MOST, "{units}");
    for part in shown {
        assert!(text.contains(part), "{part}: {text}");
    }
}

const RULE: &str = "keep the module boundary between web and api clean";

#[test]
fn what_has_no_room_gives_way_wherever_the_memory_is_given() {
    let env = TestEnv::with_store();
    pinned(&env, "architecture", RULE);
    pinned(&env, "conventions", RULE);
    facts(&env, "project");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["check"])
        .stdout_has("system/conventions.md: note: pinned, but")
        .any_stderr()
        .run();
    // The two bodies and the fence have more than 10,000 together.
    let shown = [
        "Rule 54 of architecture",
        "system/conventions.md: read it with",
        "Service ",
    ];
    let mut session = Session::new(&env, "s");
    for source in ["startup", "compact", "resume"] {
        check(&session.start(source), &shown);
    }
    env.mdmem(["rm", "project/fact-3.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let asked = (1..=20).map(|n| format!("Remember: the port of the test server {n} is {n}000\n"));
    let told = session.says(&asked.collect::<String>()).unwrap();
    check(&told, &["Rule 54 of architecture", "mdmem heard in this message"]);
    env.mdmem(["rm", "project/fact-4.md"])
        .any_stdout()
        .any_stderr()
        .run();
    let shown = [shown[0], shown[1], "- the port of the test server"];
    check(&session.says("hello").unwrap(), &shown);
}

/// Letters of two units each, and lines of another store.
#[test]
fn the_lines_of_the_global_store_give_way_before_a_pinned_note() {
    let env = TestEnv::with_store();
    pinned(&env, "architecture", "🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀");
    pinned(&env, "conventions", RULE);
    facts(&env, "project");
    for n in 1..=12 {
        let fact =
            format!("Answer in the language of the question number {n}, and say so where it is another one");
        env.mdmem(["--global", "add", &fact])
            .any_stdout()
            .any_stderr()
            .run();
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let text = Session::new(&env, "s").start("startup");
    check(
        &text,
        &[
            "Rule 54 of architecture",
            "Rule 54 of conventions",
            "more global memories",
        ],
    );
}

#[test]
fn a_pinned_note_without_room_is_named_with_the_way_to_read_it() {
    let env = TestEnv::with_store();
    for name in ["architecture", "conventions", "deployment"] {
        pinned(&env, name, "keep the boundary between web and api clean");
    }
    env.mdmem(["config", "set", "render.total_chars", "20000"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let text = Session::new(&env, "s").start("startup");
    check(
        &text,
        &[
            "Rule 54 of conventions",
            "1 more pinned file does not fit here: system/deployment.md: read it with memory_read or `mdmem show PATH`",
        ],
    );
    env.mdmem(["check"])
        .stdout_has("system/deployment.md")
        .stdout_has("no-room")
        .any_stderr()
        .run();
}
