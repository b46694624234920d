//! The answers about memories.

use super::*;

#[test]
fn without_evidence_every_question_has_an_answer() {
    let env = TestEnv::with_store();
    env.mdmem(["diag", "explain"])
        .stderr("nothing is missing\n")
        .run();
    env.mdmem(["diag", "events"])
        .stderr("no such events are on record\nhint: `mdmem diag events --count` says which there are.\n")
        .run();
    env.mdmem(["diag", "revert"])
        .stderr("no replacements are on record\n")
        .run();
    env.mdmem(["diag", "health"]).stdout_has("ok       store").run();
    env.mdmem(["diag", "explain", "nothing"])
        .code(1)
        .stderr_has("error: there is no memory `nothing`")
        .run();
    env.mdmem(["diag", "events", "--session", "aaaa"])
        .fails("error: no event of a session `aaaa` is on record")
        .run();
    for question in ["explain", "events", "health", "revert"] {
        answer(&env, &[question]);
    }
    env.mdmem(["diag"]).any_stdout().any_stderr().code(2).run();
}

#[test]
fn events_are_filtered() {
    let env = env();
    conversation(&env);
    let refused = answer(&env, &["events", "--type", "rejected"]);
    assert_eq!(refused["total"], 5);
    assert_eq!(
        refused["reasons"],
        json!({"progress_snapshot": 2, "negated_request": 1, "protected_memory_source": 1, "temporary_status": 1})
    );
    assert_eq!(refused["events"][0]["reasons"], json!(["negated_request"]));
    assert_eq!(refused["events"][4]["memory"]["path"], "project/port.md");
    env.mdmem(["diag", "events", "--reason", "progress_snapshot", "-n", "1"])
        .stdout("2026-11-20 10:00  aaaa0000  candidate refused (progress_snapshot): Task 3 is done\n")
        .stderr("1 older with a greater --limit\n")
        .run();
    for (filter, total) in [
        (&["--type", "promotion"][..], 2),
        (&["--type", "promotion", "--type", "explicit_memory_ignored"], 3),
        (&["--type", "rejected", "--session", "bbbb"], 1),
        (&["--session", "last"], 11),
        (&["--since", "2026-11-20T10:00:25Z"], 2),
        (&["--since", "2026-11-20T10:00:25Z", "--type", "rejected"], 0),
        (&["--reason", "no_such"], 0),
    ] {
        let found = answer(&env, &[&["events"], filter].concat());
        assert_eq!(found["total"], total, "{filter:?}");
        assert_eq!(found["events"].as_array().unwrap().len(), total, "{filter:?}");
    }
    env.mdmem(["diag", "events", "--type", "rejcted"])
        .refuses("a similar value exists: 'rejected'")
        .run();
    env.mdmem(["diag", "events", "--since", "soon"])
        .refuses("`soon` is not a time")
        .run();
}

#[test]
fn events_of_commands_tell_what_became_of_each() {
    let env = env();
    conversation(&env);
    let unnumbered = event(
        31,
        "extraction_candidate_rejected",
        json!({"reasonCodes": ["invalid_memory_ref"], "textPreview": "- replace [mx] it"}),
    );
    let log = env.store().join(".mdmem/evidence.jsonl");
    let before = std::fs::read_to_string(&log).unwrap();
    write_at(&log, &format!("{before}{unnumbered}"));
    let found = answer(&env, &["events", "--type", "command"]);
    let told = |event: &Value| {
        let number = event["details"]["ref"].as_str().map(str::to_owned);
        (number, event["type"].clone(), event["reasons"].clone())
    };
    let told: Vec<_> = found["events"].as_array().unwrap().iter().map(told).collect();
    let expected = [
        (
            Some("M1"),
            "extraction_candidate_rejected",
            json!(["protected_memory_source"]),
        ),
        (Some("M2"), "memory_reinforced", json!([])),
        (Some("M2"), "memory_reinforced", json!(["too_soon"])),
        (Some("M3"), "memory_replaced_numbered_ref", json!([])),
        (
            None,
            "extraction_candidate_rejected",
            json!(["invalid_memory_ref"]),
        ),
    ];
    let expected = expected.map(|(number, of, reasons)| (number.map(str::to_owned), of.into(), reasons));
    assert_eq!(told, expected);
    env.mdmem(["diag", "events", "--type", "command"])
        .stdout_has("reinforcement (too_soon) [M2] project/port.md 1 → 1\n")
        .run();
}

#[test]
fn events_are_counted_beyond_the_limit() {
    let env = env();
    conversation(&env);
    let found = answer(&env, &["events", "--count"]);
    assert_eq!((&found["total"], &found["events"]), (&12.into(), &json!([])));
    assert_eq!(found["types"]["extraction_candidate_rejected"], 4);
    assert_eq!(found["outcomes"]["accepted"], 2);
    assert_eq!(found["sessions"], json!({SESSION: 11, OTHER: 1}));
    let stored = answer(&env, &["events", "--count", "--type", "promotion"]);
    assert_eq!(stored["sources"], json!({"compaction": 1, "explicit": 1}));
    assert_eq!(stored["memories"], json!({"total": 2, "present": 1}));
    env.mdmem(["diag", "events", "--count", "--type", "rejected"])
        .stdout(
            "events       5, 2026-11-20 10:00 to 2026-11-20 10:00\n\
             memories     1, of them 1 still there\n\
             types        extraction_candidate_rejected 4, explicit_memory_ignored 1\n\
             outcomes     rejected 5\n\
             reasons      progress_snapshot 2, negated_request 1, protected_memory_source 1, temporary_status 1\n\
             sources      explicit 1\n\
             sessions     aaaa000011112222 4, bbbb000011112222 1\n",
        )
        .run();
}

#[test]
fn events_of_a_session_are_told_in_order() {
    let env = env();
    conversation(&env);
    let output = env
        .mdmem(["diag", "events", "--session", "last"])
        .any_stdout()
        .run();
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 11, "{}", output.stdout);
    assert!(
        lines[0].ends_with("aaaa0000  request heard: The server listens on port 8080"),
        "{}",
        lines[0]
    );
    assert!(
        lines[10].ends_with("replaced [M3] decision/use-pnpm.md, replaced decision/use-npm.md, replacement decision/use-pnpm.md: Use pnpm for everything"),
        "{}",
        lines[10]
    );
    env.mdmem(["diag", "events", "--session", OTHER])
        .stdout(
            "2026-11-20 10:00  bbbb0000  request stores nothing (negated_request): don't remember my lunch\n",
        )
        .run();
}

#[test]
fn an_older_name_is_a_filter() {
    let env = env();
    conversation(&env);
    for (older, now) in [
        (&["rejected"][..], &["events", "--type", "rejected"][..]),
        (
            &["rejected", "-r", "temporary_status"],
            &["events", "--reason", "temporary_status"],
        ),
        (&["commands"], &["events", "--type", "command"]),
        (&["quality"], &["events", "--count"]),
        (&["trace"], &["events", "--session", "last"]),
        (&["trace", "bbbb"], &["events", "--session", "bbbb"]),
        (&["status"], &["health"]),
    ] {
        assert_eq!(answer(&env, older), answer(&env, now), "{older:?}");
    }
    assert_eq!(
        answer(&env, &["missing"])["events"],
        answer(&env, &["explain"])["events"]
    );
}

#[test]
fn explain_without_a_name_says_what_would_bring_a_memory_in_and_what_is_gone() {
    let env = env();
    conversation(&env);
    env.write(
        "archive/old.md",
        "---\ntype: project\n---\nThe server listened on port 80\n",
    );
    env.mdmem(["diag", "explain"])
        .stdout_has(
            "decision/use-npm.md is not shown (superseded): superseded by decision/use-pnpm.md; without",
        )
        .stdout_has("archived: `mdmem mv archive/old.md project/` brings it back\n")
        .stdout_has("stored once, and no longer there:\n")
        .stdout_has("stored mem_GONE (gone): A fact that went\n")
        .run();
    env.mdmem(["mv", "archive/old.md", "project/"])
        .any_stdout()
        .any_stderr()
        .run();
    let json = answer(&env, &["explain"]);
    assert_eq!(json["memories"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&json["memories"][0]["reason"], &json["events"][0]["memory"]["id"]),
        (&"superseded".into(), &"mem_GONE".into())
    );
}

#[test]
fn explain_tells_a_life() {
    let env = env();
    conversation(&env);
    env.mdmem(["diag", "explain", "port"])
        .stdout_has("project/port.md is shown: ")
        .stdout_has("half-life  45 days")
        .stdout_has("id           mem_PORT\n")
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
        (&json["found"], &json["memories"][0]["fate"]),
        (&"present".into(), &"omitted".into())
    );
    assert_eq!(
        json["events"][0]["relations"][1]["memory"]["path"],
        "decision/use-pnpm.md"
    );
    assert_eq!(json["commits"].as_array().unwrap().len(), 2);

    env.mdmem(["rm", "port"]).any_stdout().any_stderr().run();
    env.mdmem(["diag", "explain", "port"])
        .stdout_has("project/port.md is no longer there\nid           mem_PORT\n")
        .stdout_has("reinforcement [M2] mem_PORT (gone) 0 → 1\n")
        .stdout_has("remove project/port")
        .run();
    env.mdmem(["diag", "explain", "mem_GONE"])
        .stdout_has("mem_GONE is no longer there\n")
        .run();
    env.mdmem(["diag", "explain", "waiting", "review"])
        .stdout_has("no memory is called `waiting review`; heard with these words:\n")
        .stdout_has("candidate refused (temporary_status): Waiting for review of the pull request\n")
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
    env.mdmem(["diag", "events", "-n", "1"])
        .stdout("2026-11-20 10:00  aaaa0000  shown in the prompt (ttl) 3 lines\n")
        .stderr("3 older with a greater --limit\n")
        .run();
    env.mdmem(["rm", "port"]).any_stdout().any_stderr().run();
    let json = answer(&env, &["explain"]);
    assert_eq!(json["events"][0]["type"], "promotion_promoted");
}
