//! Passes by the real client's small model: a conversation that never says "remember", what is left by a crash and by
//! `opencode run`, models that fail, and memories that are reconciled.

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, installed};
use super::main_job::{Installed, bin, machine};
use crate::env::{Repository, TestEnv, wait_for};
use crate::passes::Model;
use crate::passes::reconciling::plant;

const LINTER: &str = "Always run the linter before a commit, because CI refuses what it finds.";
const UTF8: &str = "The importer reads UTF-8 alone, because the parser has no other decoder.";
const KNOWN: &str = "Releases are cut on Fridays, because support is there on Saturdays.";
const SAID: &str = "please run the linter before every commit, CI refuses otherwise; releases are cut on Fridays as always; \
    12 tests passed today";
const ANSWERED: &str = "The importer reads UTF-8 alone: its parser has no other decoder.";

/// A machine whose conversations are given to the client's small model after a second.
fn learning() -> TestEnv {
    asking("passes.extract")
}

/// A machine on which this pass is made by the client's small model after a second.
fn asking(pass: &str) -> TestEnv {
    let env = machine();
    for (key, value) in [(pass, "true"), ("passes.model", "host"), ("passes.pause", "1s")] {
        set(&env, key, value);
    }
    env
}

fn set(env: &TestEnv, key: &str, value: &str) {
    let set = env.mdmem(["config", "set", "--user", key, value]);
    set.any_stdout().any_stderr().run();
}

fn add(kind: &str, text: &str, evidence: &str) -> Value {
    json!({"action": "add", "type": kind, "text": text, "evidence": evidence})
}

/// The answer with one proposal, as a model says it.
fn linter() -> Value {
    let proposals = json!([add("feedback", LINTER, "run the linter before every commit")]);
    json!(format!("Here it is:\n```json\n{proposals}\n```"))
}

fn talk() -> Play {
    Play::new(SAID).says(&[json!(ANSWERED)])
}

/// The events of passes so far, the oldest first.
fn events(env: &TestEnv, kind: &str) -> Vec<Value> {
    env.decisions(kind)
}

#[track_caller]
fn wait_for_events(env: &TestEnv, kind: &str, count: usize) -> Vec<Value> {
    wait_for(&format!("{count} {kind}"), LIMIT, || {
        Some(events(env, kind)).filter(|events| events.len() >= count)
    })
}

/// The sources of all memories.
fn sources(env: &TestEnv) -> Vec<String> {
    let list = env
        .mdmem(["list", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    let list = list.as_array().unwrap().iter();
    list.map(|memory| memory["source"].as_str().unwrap().to_owned())
        .collect()
}

/// The conversations that a person or a model can look into.
fn browsed(env: &TestEnv) -> usize {
    let list = env.mdmem(["--json", "sessions", "list"]);
    list.any_stdout()
        .any_stderr()
        .run()
        .json()
        .as_array()
        .unwrap()
        .len()
}

/// The sessions of which anything was heard.
fn folders(env: &TestEnv) -> usize {
    let entries = std::fs::read_dir(env.store().join(".mdmem/sessions"));
    entries.map_or(0, |entries| {
        entries.flatten().filter(|entry| entry.path().is_dir()).count()
    })
}

#[track_caller]
fn wait_for_only(client: &mut OpenCode, session: &str) {
    wait_for("the session of the question to go", LIMIT, || {
        let sessions = client.sessions();
        let is_alone = sessions.len() == 1 && sessions[0]["id"] == session;
        is_alone.then_some(())
    });
}

#[test]
fn a_conversation_is_read_by_the_small_model_in_a_session_that_nobody_sees() {
    if !installed("a_conversation_is_read_by_the_small_model_in_a_session_that_nobody_sees") {
        return;
    }
    let env = learning();
    env.mdmem(["add", "-t", "project", KNOWN])
        .any_stdout()
        .any_stderr()
        .run();
    // As OpenCode is by default.
    let snapshots = ("CLIENT_TAKES_SNAPSHOTS", std::path::Path::new("1"));
    let mut client = OpenCode::start(&env, &[bin(), snapshots]);
    let answer = json!([
        add("feedback", LINTER, "run the linter before every commit"),
        add(
            "project",
            UTF8,
            "reads UTF-8 alone: its parser has no other decoder"
        ),
        add("project", "All 12 tests passed today.", "12 tests passed today"),
        add("project", KNOWN, "releases are cut on Fridays as always"),
        add(
            "project",
            "The database is MySQL 8, because the host has it.",
            "the database is MySQL 8"
        ),
    ]);
    client.answers_passes(&[json!({"say": answer.to_string(), "after": 2_000})]);
    let session = client.session();
    let before = client.turn(&session, &talk());
    wait_for("the question", LIMIT, || {
        (client.passes().len() == 1).then_some(())
    });
    let own = client.sessions();
    let own = own.iter().find(|own| own["id"] != *session).unwrap();
    assert!(own["title"].as_str().unwrap().starts_with("mdmem pass "), "{own}");
    let denied = json!([{"permission": "*", "pattern": "*", "action": "deny"}]);
    assert_eq!(own["permission"], denied, "{own}");
    assert_eq!(browsed(&env), 1, "nobody looks into it while it is there");
    let ended = wait_for_events(&env, "pass_ended", 1);
    let counts = &ended[0]["details"]["counts"];
    for (outcome, count) in [
        ("messages", 2),
        ("promoted", 2),
        ("rejected_quality", 1),
        ("absorbed_exact", 1),
        ("rejected", 1),
    ] {
        assert_eq!(counts[outcome], count, "{outcome} of {counts}");
    }
    wait_for_only(&mut client, &session);

    let asked = &client.passes()[0];
    assert_eq!(asked.tools, Vec::<Value>::new(), "no tools in the request");
    assert_eq!(asked.system.len(), 1, "{:?}", asked.system);
    assert!(
        !asked.system[0].contains(KNOWN) && asked.system[0].len() < 200,
        "{:?}",
        asked.system
    );
    let question = asked.said_by("user").join("\n");
    assert!(
        question.contains("run the linter") && question.contains(ANSWERED),
        "{question}"
    );
    let mut from = sources(&env);
    from.sort();
    assert_eq!(from, ["explicit", "extraction", "extraction"]);

    // One session was heard of, and its prompt is what it was.
    assert_eq!(folders(&env), 1);
    let after = client.play(&session, &[json!("done")]);
    assert_eq!(before.last("main").system, after.last("main").system);
    let stored = events(&env, "extraction_candidate_accepted");
    assert!(
        stored.iter().all(|event| event["session"] == ended[0]["session"]),
        "{stored:?}"
    );
    assert_eq!(browsed(&env), 1);
    let log = client.log().join("\n");
    assert!(!log.contains("pass") || !log.contains("WARN"), "{log}");
}

#[test]
fn what_a_kill_and_a_run_leave_is_read_at_the_next_start() {
    if !installed("what_a_kill_and_a_run_leave_is_read_at_the_next_start") {
        return;
    }
    let env = learning();
    let mut client = OpenCode::start(&env, &[bin()]);
    client.answers_passes(&[json!({"say": "[]", "after": 100_000}), linter()]);
    let session = client.session();
    client.turn(&session, &talk());
    wait_for("the question", LIMIT, || {
        (client.passes().len() == 1).then_some(())
    });
    client.kill();
    assert_eq!(browsed(&env), 1);
    // The next process deletes the session that was left, and reads what was left unread.
    wait_for_only(&mut client, &session);
    wait_for_events(&env, "pass_ended", 1);
    assert_eq!(sources(&env), ["extraction"]);
    wait_for_only(&mut client, &session);
    client.stop();

    let run = Play::new("the deploy host is reached by VPN alone, because the firewall drops the rest");
    client.run(&run.says(&[json!("understood")]));
    assert_eq!(client.passes().len(), 2, "it is left to the next start");
    let proposal = add(
        "project",
        "The deploy host is reached by VPN alone, because the firewall drops the rest.",
        "the deploy host is reached by VPN alone",
    );
    client.answers_passes(&[json!(json!([proposal]).to_string())]);
    client.sessions();
    wait_for_events(&env, "pass_ended", 2);
    assert_eq!(sources(&env), ["extraction", "extraction"]);
    let asked = client.passes();
    assert!(
        !asked[2]
            .said_by("user")
            .join("\n")
            .contains("linter before every commit, CI")
    );
    client.stop();

    // Everything is read, and a further start asks nothing.
    client.session();
    client.answers_passes(&[]);
    assert_eq!(client.passes().len(), 3);
}

#[test]
fn a_model_that_fails_costs_a_line_and_a_session_that_is_deleted_teaches_nothing() {
    if !installed("a_model_that_fails_costs_a_line_and_a_session_that_is_deleted_teaches_nothing") {
        return;
    }
    let env = learning();
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let replies = [
        (json!("I cannot help with that."), "no JSON"),
        (json!({"say": "[\"x\",", "times": 2_000_000}), "more than"),
        (json!({"fails": 400}), "the model is out"),
    ];
    for (count, (reply, cause)) in replies.iter().enumerate() {
        client.answers_passes(std::slice::from_ref(reply));
        client.turn(&session, &talk());
        let failed = wait_for_events(&env, "pass_failed", count + 1);
        let reason = failed[count]["details"]["reason"].as_str().unwrap();
        assert!(reason.contains(cause), "{reason}");
        wait_for_only(&mut client, &session);
        // The pause after a failure.
        let _ = std::fs::remove_file(env.store().join(".mdmem/passes.json"));
    }
    client.logs("scripted/scripted` gave no usable answer");

    // Out of breath for a moment: OpenCode asks again.
    client.answers_passes(&[json!({"fails": 429}), linter()]);
    client.turn(&session, &talk());
    wait_for_events(&env, "pass_ended", 1);
    assert_eq!(sources(&env), ["extraction"]);
    wait_for_only(&mut client, &session);

    let other = client.session();
    client
        .answers_passes(&[json!({"say": json!([add("feedback", UTF8, SAID)]).to_string(), "after": 3_000})]);
    let asked = client.passes().len();
    client.turn(&other, &talk());
    wait_for("the question", LIMIT, || {
        (client.passes().len() > asked).then_some(())
    });
    client.delete(&other);
    let failed = wait_for_events(&env, "pass_failed", 4);
    assert_eq!(
        failed[3]["details"]["reason"], "the session was deleted",
        "{failed:?}"
    );
    assert_eq!(sources(&env), ["extraction"]);
    wait_for_only(&mut client, &session);
    // OpenCode deletes the session of the question with it, and may ask for prompts of both all the same.
    assert_eq!(folders(&env), 1, "nothing is left of the deleted session");
    for asked in client.passes() {
        assert_eq!((asked.system.len(), &asked.tools), (1, &Vec::new()), "{asked:?}");
    }
}

#[test]
fn without_a_small_model_nobody_is_asked() {
    if !installed("without_a_small_model_nobody_is_asked") {
        return;
    }
    let env = learning();
    let none = ("CLIENT_HAS_NO_SMALL_MODEL", std::path::Path::new("1"));
    let mut client = OpenCode::start(&env, &[bin(), none]);
    let session = client.session();
    for _ in 0..2 {
        client.turn(&session, &talk());
        client.logs("the agent has no `small_model`");
    }
    let said = client.log();
    let said = said.iter().filter(|line| line.contains("`small_model`"));
    assert_eq!(said.count(), 1);
    assert_eq!(client.passes(), []);
    client.stop();

    set(&env, "passes.host_model", "scripted/scripted");
    client.answers_passes(&[linter()]);
    client.sessions();
    wait_for_events(&env, "pass_ended", 1);
    assert_eq!(client.passes()[0].tools, Vec::<Value>::new());
}

#[test]
fn eight_writes_are_reconciled_by_the_small_model_in_a_session_that_nobody_sees() {
    if !installed("eight_writes_are_reconciled_by_the_small_model_in_a_session_that_nobody_sees") {
        return;
    }
    let model = Model {
        env: asking("passes.reconcile"),
    };
    let env = &model.env;
    // What was said in a session would be read, too.
    set(env, "passes.extract", "true");
    let write = |from: usize, text: fn(usize) -> String| {
        for n in from..from + 8 {
            plant(
                &model,
                &[(&format!("project/m{n:02}.md"), "extraction", &text(n))],
            );
        }
    };
    write(0, |n| match n {
        0 => "The API listens on port 8080".to_owned(),
        1 => "API port: 8080".to_owned(),
        n => format!("Component{n} belongs to team{n}"),
    });
    let repository = Repository::of(env);
    let (before, commits) = (repository.files(), repository.log().len());
    let program = Installed::new(env);
    let path = program.path();
    let mut client = OpenCode::start(env, &[("PATH", &path)]);
    let merge = json!([{"action": "merge", "refs": [1, 2], "text": "The API listens on port 8080"}]);
    client.answers_passes(&[json!({"say": "[]", "after": 100_000}), json!(merge.to_string())]);
    // There is no conversation yet: the session of the question stands alone, and is nobody's all the same.
    let own = wait_for("the session of the question", LIMIT, || client.sessions().pop());
    assert!(own["title"].as_str().unwrap().starts_with("mdmem pass "), "{own}");
    assert_eq!(own["parentID"], Value::Null, "{own}");
    wait_for("the question", LIMIT, || {
        (client.passes().len() == 1).then_some(())
    });
    assert_eq!((browsed(env), folders(env)), (0, 0));
    client.kill();
    assert_eq!(browsed(env), 0, "a kill leaves it");

    // The next process deletes it, and asks again.
    client.sessions();
    let ended = wait_for_events(env, "pass_ended", 1);
    let counts = &ended[0]["details"]["counts"];
    assert_eq!(
        (&ended[0]["reasonCodes"], &counts["merged"], &counts["memories"]),
        (&json!(["reconcile"]), &json!(1), &json!(8)),
        "{ended:?}"
    );
    wait_for("the sessions to go", LIMIT, || {
        client.sessions().is_empty().then_some(())
    });
    assert_eq!(folders(env), 0);
    for asked in client.passes() {
        assert_eq!((asked.system.len(), &asked.tools), (1, &Vec::new()), "{asked:?}");
        assert!(
            asked.said_by("user").join("\n").contains("API port: 8080"),
            "{asked:?}"
        );
    }
    let log = repository.log();
    assert_eq!(
        (log.len(), log[0].op.as_str()),
        (commits + 1, "reconcile"),
        "one commit"
    );
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(repository.files(), before, "every byte is back");

    // The plugin comes to the server that takes the place of a dead one; now there is a conversation.
    write(8, |n| format!("Service{n} belongs to team{n}"));
    set(env, "passes.extract", "false");
    client.answers_passes(&[json!({"say": "[]", "after": 2_000})]);
    program.signal("KILL");
    let session = client.session();
    client.prompt(&session);
    wait_for("the next question", LIMIT, || {
        (client.passes().len() == 3).then_some(())
    });
    let own = client.sessions().into_iter().find(|own| own["id"] != *session);
    assert_eq!(own.unwrap()["parentID"], session, "lists leave it out");
    wait_for_events(env, "pass_ended", 2);
    wait_for_only(&mut client, &session);
    assert_eq!((folders(env), browsed(env)), (1, 1));
}
