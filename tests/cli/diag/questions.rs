//! What is answered about memories.

use super::*;

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
