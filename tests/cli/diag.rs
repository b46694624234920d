//! `mdmem diag`: questions about what was recorded.

use serde_json::{Value, json};

use crate::env::{TestEnv, write_at};

const SESSION: &str = "aaaa000011112222";
const OTHER: &str = "bbbb000011112222";

/// A store with three memories, one of them replaced by another in the commit before.
fn env() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(
        "decision/use-npm.md",
        "---\nid: mem_NPM\nsource: compaction\n---\nUse npm for everything\n",
    );
    env.write(
        "project/port.md",
        "---\nid: mem_PORT\n---\nThe server listens on port 8080\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.write(
        "decision/use-npm.md",
        "---\nid: mem_NPM\nsource: compaction\nstatus: superseded\nsuperseded_by: mem_PNPM\n---\nUse npm for everything\n",
    );
    env.write(
        "decision/use-pnpm.md",
        "---\nid: mem_PNPM\nsource: compaction\nsupersedes: [mem_NPM]\n---\nUse pnpm for everything\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

/// An event as a host records it; the clock of the test is at some seconds after 10:00.
fn event(n: usize, event_type: &str, more: Value) -> String {
    let mut event = json!({
        "version": 1, "eventId": format!("evt_{n:04}"), "createdAt": format!("2026-11-20T10:00:{n:02}Z"),
        "workspaceKey": "k", "workspaceRootHash": "r", "sessionHash": SESSION,
        "producerName": "opencode", "producerVersion": "0.1.0", "instrumentationVersion": 3,
        "type": event_type, "phase": "", "outcome": "", "reasonCodes": [], "relations": [], "details": {},
    });
    let Value::Object(more) = more else { unreachable!() };
    for (key, value) in more {
        event[key.as_str()] = value;
    }
    format!("{event}\n")
}

fn record(env: &TestEnv, lines: &[String]) {
    write_at(&env.store().join(".mdmem/evidence.jsonl"), &lines.concat());
}

fn replacement() -> String {
    event(
        30,
        "memory_replaced_numbered_ref",
        json!({
            "memory": {"memoryId": "mem_PNPM", "type": "decision", "source": "compaction"},
            "relations": [
                {"role": "replaced", "memory": {"memoryId": "mem_NPM"}},
                {"role": "replacement", "memory": {"memoryId": "mem_PNPM"}},
            ],
            "details": {"ref": "M3", "snapshot": "s1"}, "textPreview": "Use pnpm for everything",
        }),
    )
}

/// A conversation: a request, a compaction with two good and three bad ones, a command that was refused, one that was not.
fn conversation(env: &TestEnv) {
    let refused = |n: usize, reason: &str, text: &str| {
        event(
            n,
            "extraction_candidate_rejected",
            json!({"reasonCodes": [reason], "textPreview": text, "createdAt": "2026-11-20T10:00:20Z"}),
        )
    };
    let of = |id: &str, source: &str| json!({"memoryId": id, "type": "project", "source": source});
    record(
        env,
        &[
            event(
                10,
                "explicit_memory_ignored",
                json!({"reasonCodes": ["negated_request"], "textPreview": "don't remember my lunch", "sessionHash": OTHER}),
            ),
            event(
                11,
                "explicit_memory_detected",
                json!({"textPreview": "The server listens on port 8080"}),
            ),
            event(
                12,
                "promotion_promoted",
                json!({"memory": of("mem_PORT", "explicit"), "textPreview": "The server listens on port 8080"}),
            ),
            refused(20, "progress_snapshot", "All 12 tests pass"),
            refused(21, "progress_snapshot", "Task 3 is done"),
            refused(22, "temporary_status", "Waiting for review of the pull request"),
            event(
                23,
                "extraction_candidate_rejected",
                json!({"reasonCodes": ["protected_memory_source"], "memory": of("mem_PORT", "explicit"),
                       "details": {"ref": "M1"}, "textPreview": "REPLACE [M1] [project] The server listens on port 1",
                       "createdAt": "2026-11-20T10:00:20Z"}),
            ),
            event(
                24,
                "extraction_candidate_accepted",
                json!({"createdAt": "2026-11-20T10:00:20Z"}),
            ),
            event(
                25,
                "promotion_promoted",
                json!({"memory": of("mem_GONE", "compaction"), "textPreview": "A fact that went"}),
            ),
            event(
                26,
                "memory_reinforced",
                json!({"memory": of("mem_PORT", "explicit"), "createdAt": "2026-11-20T10:00:20Z", "details": {"ref": "M2", "oldCount": 0, "newCount": 1}}),
            ),
            event(
                27,
                "memory_reinforced",
                json!({"memory": of("mem_PORT", "explicit"),
                       "createdAt": "2026-11-20T10:00:20Z", "reasonCodes": ["too_soon"],
                       "details": {"ref": "M2", "oldCount": 1, "newCount": 1}}),
            ),
            replacement(),
        ],
    );
}

#[test]
fn without_evidence_every_question_has_an_answer() {
    let env = TestEnv::with_store();
    env.mdmem(["diag", "status"])
        .stdout_has("no events")
        .stdout_has("no decision yet")
        .run();
    env.mdmem(["diag", "rejected"])
        .stderr("nothing was refused\n")
        .run();
    env.mdmem(["diag", "missing"])
        .stderr("nothing is missing\n")
        .run();
    env.mdmem(["diag", "commands"])
        .stderr("no commands are on record\n")
        .run();
    env.mdmem(["diag", "trace"]).stderr("no events\n").run();
    env.mdmem(["diag", "revert"])
        .stderr("no replacements are on record\n")
        .run();
    env.mdmem(["diag", "quality"])
        .stdout_has("what it cannot show")
        .run();
    env.mdmem(["diag", "health"]).stdout_has("ok       store").run();
    env.mdmem(["diag", "explain", "nothing"])
        .code(1)
        .stderr_has("error: there is no memory `nothing`")
        .run();
    for question in [
        "status", "rejected", "missing", "commands", "trace", "revert", "quality", "health",
    ] {
        env.mdmem(["diag", question, "--json"]).any_stdout().run().json();
    }
}

#[test]
fn every_question_has_help_and_an_example() {
    let env = TestEnv::new();
    for question in [
        "status", "rejected", "missing", "explain", "health", "commands", "quality", "trace", "revert",
    ] {
        env.mdmem(["diag", question, "--help"])
            .stdout_has(format!("mdmem diag {question}"))
            .stdout_has("--json")
            .run();
    }
    env.mdmem(["diag"]).any_stdout().any_stderr().code(2).run();
}

#[test]
fn rejected_tells_why_the_newest_first() {
    let env = env();
    conversation(&env);
    let json = env
        .mdmem(["diag", "rejected", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(json["total"], 5);
    assert_eq!(
        json["reasons"],
        json!({"progress_snapshot": 2, "negated_request": 1, "protected_memory_source": 1, "temporary_status": 1})
    );
    assert_eq!(json["rejected"][0]["memory"]["path"], "project/port.md");
    assert_eq!(json["rejected"][4]["reasons"], json!(["negated_request"]));
    env.mdmem(["diag", "rejected", "--reason", "progress_snapshot", "-n", "1"])
        .stdout(
            "WHEN              REASON             SESSION           TEXT\n\
             2026-11-20 10:00  progress_snapshot  aaaa000011112222  Task 3 is done\n",
        )
        .stderr("1 older with a greater --limit\n")
        .run();
    env.mdmem(["diag", "rejected", "--reason", "no_such"])
        .stderr_has("nothing was refused as `no_such`")
        .stderr_has("hint: On record are progress_snapshot 2, ")
        .run();
}

#[test]
fn missing_says_what_would_bring_it_in_and_what_is_gone() {
    let env = env();
    conversation(&env);
    env.write(
        "archive/old.md",
        "---\ntype: project\n---\nThe server listened on port 80\n",
    );
    env.mdmem(["diag", "missing"])
        .stdout_has(
            "decision/use-npm.md [superseded] Use npm for everything\n  decision/use-pnpm.md says it now;",
        )
        .stdout_has("`mdmem mv archive/old.md project/` brings it back")
        .stdout_has("stored once, and no longer there:\n")
        .stdout_has("stored mem_GONE: A fact that went\n    `mdmem log mem_GONE` shows")
        .run();
    env.mdmem(["mv", "archive/old.md", "project/"])
        .any_stdout()
        .any_stderr()
        .run();
    let json = env.mdmem(["diag", "missing", "--json"]).any_stdout().run().json();
    assert_eq!(json["memories"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&json["memories"][0]["reason"], &json["gone"][0]["id"]),
        (&"superseded".into(), &"mem_GONE".into())
    );
}

#[test]
fn explain_tells_a_life() {
    let env = env();
    conversation(&env);
    env.mdmem(["diag", "explain", "port"])
        .stdout_has("project/port.md is shown: ")
        .stdout_has("id             mem_PORT")
        .stdout_has("request heard: The server listens on port 8080\n")
        .stdout_has("stored project/port.md: The server listens on port 8080\n")
        .stdout_has("candidate refused (protected_memory_source) [M1] project/port.md")
        .stdout_has("reinforcement [M2] project/port.md 0 → 1\n")
        .stdout_has("commits\n")
        .run();
    let json = env
        .mdmem(["diag", "explain", "mem_NPM", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        (&json["found"], &json["memory"]["fate"]),
        (&"present".into(), &"omitted".into())
    );
    assert_eq!(
        json["events"][0]["relations"][1]["memory"]["path"],
        "decision/use-pnpm.md"
    );
    assert_eq!(json["commits"].as_array().unwrap().len(), 2);

    env.mdmem(["rm", "port"]).any_stdout().any_stderr().run();
    env.mdmem(["diag", "explain", "port"])
        .stdout_has("project/port.md (mem_PORT) is no longer there\n")
        .stdout_has("reinforcement [M2] mem_PORT 0 → 1\n")
        .stdout_has("remove project/port")
        .run();
    env.mdmem(["diag", "explain", "mem_GON"])
        .stdout_has("mem_GONE is no longer there\n")
        .run();
    env.mdmem(["diag", "explain", "waiting", "review"])
        .stdout_has("no memory is called `waiting review`; heard with these words:\n")
        .stdout_has("candidate refused (temporary_status): Waiting for review of the pull request\n")
        .run();
}

#[test]
fn commands_tells_what_became_of_each() {
    let env = env();
    conversation(&env);
    let json = env
        .mdmem(["diag", "commands", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        json["counts"],
        json!({"reinforce": {"done": 1, "too_soon": 1}, "replace": {"done": 1, "protected_memory_source": 1}})
    );
    let outcomes: Vec<(&str, &str)> = json["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| {
            (
                command["ref"].as_str().unwrap(),
                command["outcome"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("M3", "done"),
        ("M2", "too_soon"),
        ("M2", "done"),
        ("M1", "protected_memory_source"),
    ];
    assert_eq!(outcomes, expected);
    env.mdmem(["diag", "commands"])
        .stdout_has("reinforce      done 1, too_soon 1\n")
        .stdout_has("replace    M1   protected_memory_source  project/port.md ")
        .run();
}

#[test]
fn quality_counts_and_says_what_it_cannot_show() {
    let env = env();
    conversation(&env);
    let json = env.mdmem(["diag", "quality", "--json"]).any_stdout().run().json();
    assert_eq!(
        (&json["compactions"], &json["candidates_per_compaction"]),
        (&2.into(), &2.0.into())
    );
    assert_eq!(json["candidates"]["acceptance_rate"], 0.25);
    assert_eq!(
        (&json["requests"]["accepted"], &json["requests"]["rejected"]),
        (&1.into(), &1.into())
    );
    assert_eq!(json["sources"], json!({"compaction": 1, "explicit": 1}));
    assert_eq!(json["stored"], json!({"total": 2, "present": 1, "shown": 1}));
    assert_eq!(
        (&json["reinforced"], &json["reinforced_too_early"]),
        (&1.into(), &1.into())
    );
    env.mdmem(["diag", "quality"])
        .stdout_has("candidates     1 of 4 accepted (25 %)\n")
        .stdout_has("- Whether a memory helped")
        .run();
}

#[test]
fn trace_tells_a_session_in_order() {
    let env = env();
    conversation(&env);
    let output = env.mdmem(["diag", "trace"]).any_stdout().run();
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines[0], format!("session {SESSION}"));
    assert_eq!(lines.len(), 12, "{}", output.stdout);
    assert!(
        lines[1].ends_with("request heard: The server listens on port 8080"),
        "{}",
        lines[1]
    );
    assert!(
        lines[11].ends_with("replaced [M3] decision/use-pnpm.md, replaced decision/use-npm.md, replacement decision/use-pnpm.md: Use pnpm for everything"),
        "{}",
        lines[11]
    );
    env.mdmem(["diag", "trace", "bbbb"])
        .stdout(format!(
            "session {OTHER}\n2026-11-20 10:00  request stores nothing (negated_request): don't remember my lunch\n"
        ))
        .run();
    let json = env
        .mdmem(["diag", "trace", "-n", "3", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!((&json["session"], &json["left_out"]), (&Value::Null, &9.into()));
    env.mdmem(["diag", "trace", "cccc"])
        .fails("error: no event of a session `cccc` is on record")
        .run();
}

#[test]
fn a_replacement_is_taken_back_after_a_dry_run() {
    let env = env();
    conversation(&env);
    let before = (env.read("decision/use-npm.md"), env.read("decision/use-pnpm.md"));
    env.mdmem(["diag", "revert"])
        .stdout_has("evt_0030: can be taken back\n")
        .run();
    env.mdmem(["diag", "revert", "m3"])
        .stdout_has(
            "decision/use-npm.md would be in force again\ndecision/use-pnpm.md would be superseded by it\n",
        )
        .stderr("hint: `mdmem diag revert m3 --yes` does it.\n")
        .run();
    assert_eq!(
        before,
        (env.read("decision/use-npm.md"), env.read("decision/use-pnpm.md"))
    );

    env.mdmem(["diag", "revert", "use-npm", "--yes"])
        .stdout_has("decision/use-npm.md is in force again\n")
        .stderr("hint: `mdmem undo` takes it back.\n")
        .run();
    assert_eq!(
        env.read("decision/use-npm.md"),
        "---\nid: mem_NPM\nsource: compaction\n---\nUse npm for everything\n"
    );
    let new = env.read("decision/use-pnpm.md");
    assert!(
        new.contains("status: superseded\nsuperseded_by: mem_NPM\n"),
        "{new}"
    );
    assert!(!new.contains("supersedes:"), "{new}");
    env.git(["status", "--porcelain"]).run();
    env.git(["log", "-1", "--format=%s%n%(trailers)"])
        .stdout("memory: revert decision/use-npm replacement of M3\nMdmem-Op: revert\nMdmem-Reason: diag revert evt_0030\n\n")
        .run();

    let json = env
        .mdmem(["diag", "trace", "-n", "1", "--json"])
        .any_stdout()
        .run()
        .json();
    let event = &json["events"][0];
    assert_eq!(event["type"], "memory_reverted_numbered_ref");
    assert_eq!(
        (&event["details"]["event"], &event["details"]["ref"]),
        (&"evt_0030".into(), &"M3".into())
    );
    assert_eq!(event["relations"][0]["memory"]["path"], "decision/use-npm.md");
    env.mdmem(["diag", "revert", "M3", "--yes"])
        .fails("it was taken back already")
        .run();
}

#[test]
fn a_memory_that_was_there_before_stays_when_a_replacement_is_taken_back() {
    let env = env();
    record(&env, &[replacement()]);
    env.write(
        "decision/use-pnpm.md",
        "---\nid: mem_PNPM\nsource: explicit\n---\nUse pnpm for everything\n",
    );
    env.write(
        "decision/use-npm.md",
        "---\nid: mem_NPM\nsource: compaction\nstatus: superseded\nsuperseded_by: mem_PNPM\ntags: [x]\n---\nUse npm for everything\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let before = env.read("decision/use-pnpm.md");
    env.mdmem(["diag", "revert", "mem_PNPM", "--yes"])
        .stdout_has(
            "decision/use-npm.md is in force again\ndecision/use-pnpm.md stays: it was there before\n",
        )
        .any_stderr()
        .run();
    assert_eq!(env.read("decision/use-pnpm.md"), before);
    assert!(!env.read("decision/use-npm.md").contains("superseded"));
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert!(
        env.read("decision/use-npm.md")
            .contains("superseded_by: mem_PNPM")
    );
}

#[test]
fn explain_tells_prompts_that_followed_one_another_together() {
    let env = env();
    let shown = |n: usize| {
        let relations = json!([{"role": "shown", "memory": {"memoryId": "mem_PORT"}}]);
        event(
            n,
            "render_selected",
            json!({"reasonCodes": ["ttl"], "relations": relations, "details": {"count": 3}}),
        )
    };
    let stored = event(
        5,
        "promotion_promoted",
        json!({"memory": {"memoryId": "mem_PORT"}}),
    );
    record(&env, &[stored, shown(6), shown(7), shown(8)]);
    env.mdmem(["diag", "explain", "port"])
        .stdout_has("2026-11-20 10:00 to 2026-11-20 10:00  shown in 3 prompts\n")
        .run();
    env.mdmem(["diag", "trace", "-n", "1"])
        .stdout("2026-11-20 10:00  shown in the prompt (ttl) 3 lines\n")
        .stderr("3 older with a greater --limit\n")
        .run();
    env.mdmem(["rm", "port"]).any_stdout().any_stderr().run();
    let json = env.mdmem(["diag", "missing", "--json"]).any_stdout().run().json();
    assert_eq!(json["gone"][0]["last"]["type"], "promotion_promoted");
}

#[test]
fn a_replacement_whose_memories_changed_is_left_alone() {
    let env = env();
    record(&env, &[replacement()]);
    env.write(
        "decision/use-pnpm.md",
        "---\nid: mem_PNPM\nsource: compaction\nsupersedes: [mem_NPM]\n---\nUse pnpm 10 for everything\n",
    );
    env.advance_days(1);
    env.mdmem(["diag", "revert", "M3"])
        .fails("decision/use-pnpm.md has saves that are not committed yet")
        .run();
    env.mdmem(["diag", "revert", "M3", "--yes"])
        .fails("decision/use-pnpm.md was changed since, by commit")
        .run();
    assert!(env.read("decision/use-npm.md").contains("status: superseded"));
    env.mdmem(["rm", "use-npm"]).any_stdout().any_stderr().run();
    env.mdmem(["diag", "revert", "evt_0030"])
        .fails("mem_NPM (the replaced memory) is gone")
        .run();
    env.mdmem(["diag", "revert", "M9"])
        .fails("error: no replacement `M9` is on record")
        .run();
    env.mdmem(["diag", "revert", "--yes"]).refuses("WHICH").run();
}

#[test]
fn health_finds_what_is_to_be_done() {
    let env = env();
    conversation(&env);
    let well = env.mdmem(["diag", "health", "--json"]).any_stdout().run().json();
    assert_eq!(well["healthy"], true);

    let store = env.store();
    let evidence = store.join(".mdmem/evidence.jsonl");
    let mut torn = std::fs::read_to_string(&evidence).unwrap();
    torn.push_str(&event(
        40,
        "hook_failed",
        json!({"details": {"reason": "the disk is full"}}),
    ));
    torn.push_str("{\"version\":1,\"eve");
    write_at(&evidence, &torn);
    let session = store.join(".mdmem/sessions").join(SESSION);
    write_at(&session.join("state.json.corrupt-20261120"), "{");
    write_at(&session.join("journal.jsonl"), "{}\n{}\n");
    write_at(
        &store.join(".mdmem/log"),
        "2026-11-20T10:00:00Z prompt aaaa first same 8 characters, 0 s old\nprompt aaaa store failed, kept: no such file\n",
    );
    write_at(
        &store.join(".git/MERGE_HEAD"),
        "0000000000000000000000000000000000000000\n",
    );
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("error    git       ")
        .stdout_has("warning  evidence  1 line is no event\n  mend: ")
        .stdout_has(format!("warning  sessions  the state of session {SESSION} could not be read\n"))
        .stdout_has("look at $STORE/.mdmem/sessions/aaaa000011112222/state.json.corrupt-20261120, then delete it.")
        .stdout_has("warning  sessions  2 writes of session aaaa000011112222 wait")
        .stdout_has("warning  log       1 failure at its end, the last one: prompt aaaa store failed, kept: no such file")
        .stdout_has("warning  events    1 call of a host failed within a day, the last one: the disk is full")
        .stderr("6 things to look after\n")
        .run();
    let status = env.mdmem(["diag", "status", "--json"]).any_stdout().run().json();
    assert_eq!(
        (&status["waiting"]["writes"], &status["evidence"]["unreadable"]),
        (&2.into(), &1.into())
    );
    assert_eq!(status["epochs"][0]["time"], "2026-11-20T10:00:00Z");

    std::fs::remove_file(store.join(".git/MERGE_HEAD")).unwrap();
    std::fs::remove_dir_all(&session).unwrap();
    std::fs::remove_file(store.join(".mdmem/log")).unwrap();
    env.advance_days(2);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["diag", "health"]).any_stdout().run();
    let aside = std::fs::read_to_string(store.join(".mdmem/evidence-unreadable.jsonl")).unwrap();
    assert_eq!(aside, "{\"version\":1,\"eve\n");
}

#[test]
fn a_file_that_is_held_is_told() {
    let env = env();
    env.write("reference/staging.md", "The password is hunter2-Example\n");
    env.mdmem(["diag", "status"])
        .stdout_has("held           reference/staging.md is not committed: it holds what looks like a credential: password (line 1)\n")
        .run();
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("  mend: Take it out of the file, or `mdmem allow reference/staging.md` if it is none.\n")
        .any_stderr()
        .run();
}

#[test]
fn hostile_texts_stay_on_their_line() {
    let env = env();
    let text = "one\u{1b}[31m\ntwo\u{202e}three";
    record(
        &env,
        &[event(
            10,
            "extraction_candidate_rejected",
            json!({"reasonCodes": ["a\nb"], "sessionHash": "s\u{1b}", "textPreview": text}),
        )],
    );
    for question in [&["rejected"][..], &["trace"], &["explain", "two"]] {
        let output = env.mdmem([&["diag"], question].concat()).any_stdout().run();
        assert!(
            !output.stdout.contains(['\u{1b}', '\u{202e}']),
            "{}",
            output.stdout
        );
        assert!(output.stdout.lines().count() <= 2, "{}", output.stdout);
    }
}

#[test]
fn a_log_that_is_a_link_is_not_followed() {
    let env = env();
    let outside = write_at(&env.workspace().join("theirs"), "theirs\n");
    std::os::unix::fs::symlink(&outside, env.store().join(".mdmem/evidence.jsonl")).unwrap();
    env.mdmem(["diag", "rejected"]).fails("is a link").run();
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("warning  evidence")
        .any_stderr()
        .run();
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "theirs\n");
}
