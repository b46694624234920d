//! A conversation that never says "remember", and what a model makes of it.

use serde_json::json;

use super::{ANSWERS, Model, add};

const LINTER: &str = "Always run the linter before a commit, because CI refuses what it finds.";
const UTF8: &str = "The importer reads UTF-8 alone, because the parser has no other decoder.";
const KNOWN: &str = "Releases are cut on Fridays, because support is there on Saturdays.";

fn talk(model: &Model) -> std::path::PathBuf {
    model.says(
        "0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a11",
        &[
            (
                "user",
                "please run the linter before every commit, CI refuses otherwise. password: hunter2hunter2",
            ),
            ("tool", "SECRET OUTPUT OF A TOOL"),
            (
                "assistant",
                "The importer reads UTF-8 alone: its parser has no other decoder.",
            ),
            (
                "user",
                "right, and releases are cut on Fridays as always; 12 tests passed today",
            ),
        ],
    )
}

#[test]
fn the_rules_decide_about_what_a_model_proposes() {
    let model = Model::new(ANSWERS);
    let env = &model.env;
    env.mdmem(["add", "-t", "project", KNOWN]).any_stdout().run();
    let before = model.commits();
    model.answers(&json!([
        add("feedback", LINTER, "run the linter before every commit"),
        add("project", UTF8, "reads UTF-8 alone: its parser has no other decoder"),
        add("project", "All 12 tests passed today.", "12 tests passed today"),
        add("project", KNOWN, "releases are cut on Fridays as always"),
        add("decision", "We chose UTF-8 for the importer for good.", "reads UTF-8 alone: its parser"),
        add("project", "The database is MySQL 8, because the host has it.", "the database is MySQL 8"),
        add("recipe", UTF8, "reads UTF-8 alone: its parser"),
        {"action": "passing", "text": "The disk of the runner is at 94%."},
        {"action": "reinforce", "ref": 1, "evidence": "releases are cut on Fridays"},
        {"action": "reinforce", "ref": 2, "evidence": "releases are cut on Fridays"},
    ]));
    let file = talk(&model);
    let dry = model.learn(&file, &["--dry-run"]);
    assert_eq!(model.commits(), before, "nothing is stored");
    let learned = model.learn(&file, &[]);
    let outcomes = Model::outcomes(&learned);
    let of = |outcome: &str, reason: &str| (outcome.to_owned(), reason.to_owned());
    let expected = [
        of("promoted", ""),
        of("promoted", ""),
        of("rejected_quality", "temporary_status"),
        of("absorbed_exact", ""),
        of("rejected", "no_evidence"),
        of("rejected", "no_evidence"),
        of("rejected", "invalid_memory_type"),
        of("reinforce_blocked", "min_elapsed_window"),
        of("rejected", "invalid_memory_ref"),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(Model::outcomes(&dry)[..7], expected[..7], "the dry run said so");
    assert_eq!(learned["messages"], 3);
    assert_eq!(model.commits(), before + 1, "one commit for all of it");
    let asked = model.asked();
    assert!(asked.contains("run the linter before every commit"), "{asked}");
    assert!(
        asked.contains(KNOWN) && asked.contains("What makes a good one"),
        "{asked}"
    );
    assert!(
        asked.contains("\"passing\""),
        "what holds today has a place of its own"
    );
    assert!(
        !asked.contains("hunter2") && !asked.contains("SECRET OUTPUT"),
        "{asked}"
    );
    let list = env.mdmem(["list", "--json"]).any_stdout().run().json();
    let sources: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["source"].as_str().unwrap())
        .collect();
    assert_eq!(
        sources.iter().filter(|source| **source == "extraction").count(),
        2,
        "{list}"
    );
    let passes = env.decisions("pass_");
    let pass = &passes[0];
    assert_eq!(
        (&pass["type"], &pass["details"]["counts"]["messages"]),
        (&json!("pass_ended"), &json!(3)),
        "{pass}"
    );
    assert_eq!(pass["details"]["counts"]["promoted"], 2, "{pass}");

    let again = env.mdmem(["learn", "--transcript", file.to_str().unwrap()]);
    again.stderr("no new messages: the model was not asked\n").run();
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    let list = env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(
        list.as_array().unwrap().len(),
        1,
        "one undo takes all of it back: {list}"
    );
}

#[test]
fn a_model_that_fails_is_asked_again_and_not_for_ever() {
    let model = Model::new("exit 3");
    let env = &model.env;
    let file = talk(&model);
    let path = file.to_str().unwrap();
    let learn = || env.mdmem(["learn", "--transcript", path]);
    learn()
        .fails("gave no answer that can be used: it failed (exit status: 3)")
        .any_stderr()
        .code(1)
        .run();
    model.runs("head -c 10000000 /dev/zero | tr '\\0' '['");
    learn().any_stderr().code(1).run();
    model.runs("echo 'I found nothing that is JSON.'");
    learn()
        .fails("it failed three times on these messages, which are skipped")
        .run();
    learn().stderr("no new messages: the model was not asked\n").run();
    model.runs(ANSWERS);
    model.answers(&json!([add(
        "feedback",
        LINTER,
        "run the linter before every commit"
    )]));
    let id = "0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a11";
    let file = model.says(id, &[("user", "so: run the linter before every commit")]);
    let learned = model.learn(&file, &[]);
    assert_eq!(
        (&learned["messages"], &learned["proposals"][0]["outcome"]),
        (&json!(1), &json!("promoted"))
    );
    assert_eq!(env.decisions("pass_failed").len(), 3);
}

#[test]
fn a_command_that_cannot_run_has_failed_at_no_message() {
    let model = Model::new("exit 127");
    let file = talk(&model);
    for _ in 0..4 {
        let learn = model.env.mdmem(["learn", "--transcript", file.to_str().unwrap()]);
        learn.any_stderr().code(1).run();
    }
    model.runs(ANSWERS);
    model.answers(&json!([]));
    let learned = model.learn(&file, &[]);
    assert_eq!(learned["messages"], 3, "{learned}");
}

#[test]
fn a_kill_between_the_answer_and_the_store_loses_nothing() {
    let model = Model::new("cat >/dev/null; kill -9 $PPID");
    let env = &model.env;
    let file = talk(&model);
    let learn = env
        .command(env!("CARGO_BIN_EXE_mdmem"))
        .args(["learn", "--transcript"])
        .arg(&file)
        .output();
    assert!(!learn.unwrap().status.success());
    model.runs(ANSWERS);
    model.answers(&json!([add(
        "project",
        UTF8,
        "reads UTF-8 alone: its parser has no other decoder"
    )]));
    assert_eq!(model.learn(&file, &[])["proposals"][0]["outcome"], "promoted");
}

#[test]
fn a_plain_text_is_read_from_where_it_was_read_to() {
    let model = Model::new(ANSWERS);
    model.answers(&json!([]));
    let file = model.env.home().join("chat.txt");
    std::fs::write(&file, "User: we deploy by hand\nAssistant: understood\n").unwrap();
    assert_eq!(model.learn(&file, &[])["messages"], 2);
    std::fs::write(
        &file,
        "User: we deploy by hand\nAssistant: understood\nUser: from the office\n",
    )
    .unwrap();
    assert_eq!(model.learn(&file, &[])["messages"], 1);
    assert!(!model.asked().contains("deploy by hand"));
}

#[test]
fn a_conversation_is_read_where_its_host_keeps_it() {
    let model = Model::new(ANSWERS);
    model.answers(&json!([]));
    let folder = model.env.home().join(".claude/projects/work");
    std::fs::create_dir_all(&folder).unwrap();
    let id = "4f1c0001-5d8e-4b53-9d0c-2f1f5f4b0a11";
    let said = |minute: u32, by: &str, text: &str| {
        let time = format!("2026-10-25T10:0{minute}:00Z");
        let message = json!({"role": by, "content": text});
        json!({
            "type": by, "uuid": format!("u{minute}"), "timestamp": time, "sessionId": id,
            "cwd": model.env.workspace(), "message": message,
        })
        .to_string()
            + "\n"
    };
    let file = folder.join(format!("{id}.jsonl"));
    let lines = [
        said(1, "user", "<command-name>/clear</command-name>"),
        said(2, "user", "the importer reads UTF-8 alone \\ud83d").replace("\\\\ud83d", "\\ud83d"),
        said(3, "assistant", "understood"),
    ];
    std::fs::write(&file, lines.concat()).unwrap();
    let learn = |name: &str| model.env.mdmem(["learn", "--json", "--session", name]);
    assert_eq!(learn("4f1c0001").any_stdout().run().json()["messages"], 2);
    let asked = model.asked();
    assert!(
        asked.contains("UTF-8 alone \u{fffd}") && !asked.contains("command-name"),
        "{asked}"
    );
    // By whichever name it is read, it is read once.
    for args in [
        ["learn", "--session", id],
        ["learn", "--transcript", file.to_str().unwrap()],
    ] {
        let again = model.env.mdmem(args);
        again.stderr("no new messages: the model was not asked\n").run();
    }
    learn("ffff").fails("no session `ffff`").run();
}
