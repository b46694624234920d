//! What was decided, as `log --decisions` and `why` tell it.

use super::*;

#[test]
fn decisions_are_told_in_order_and_filtered() {
    let env = env();
    env.mdmem(["log", "--decisions"])
        .stderr("no decision found\n")
        .run();
    conversation(&env);
    env.mdmem(["log", "--decisions"])
        .stdout(concat!(
            "2026-11-20 10:00  bbbb0000  ignored (negated request): don't remember my lunch\n",
            "2026-11-20 10:00  aaaa0000  asked for: The server listens on port 8080\n",
            "2026-11-20 10:00  aaaa0000  stored project/port.md: The server listens on port 8080\n",
            "2026-11-20 10:00  aaaa0000  rejected (progress snapshot): All 12 tests pass\n",
            "2026-11-20 10:00  aaaa0000  rejected (progress snapshot): Task 3 is done\n",
            "2026-11-20 10:00  aaaa0000  rejected (temporary status): Waiting for review of the pull request\n",
            "2026-11-20 10:00  aaaa0000  rejected (protected memory source) [M1] project/port.md: REPLACE [M1] [project] The server listens on port 1\n",
            "2026-11-20 10:00  aaaa0000  accepted\n",
            "2026-11-20 10:00  aaaa0000  stored mem_GONE (gone): A fact that went\n",
            "2026-11-20 10:00  aaaa0000  reinforced [M2] project/port.md 0 → 1\n",
            "2026-11-20 10:00  aaaa0000  reinforced (too soon) [M2] project/port.md 1 → 1\n",
            "2026-11-20 10:00  aaaa0000  replaced [M3] decision/use-pnpm.md, replaced decision/use-npm.md, replacement decision/use-pnpm.md: Use pnpm for everything\n",
        ))
        .run();
    for (filter, count) in [
        (&["--grep", "rejected"][..], 5),
        (&["--grep", "promotion_"], 2),
        (&["--grep", "progress_snapshot", "-n", "1"], 1),
        (&["--grep", OTHER], 1),
        (&["--since", "2026-11-20T10:00:25Z"], 2),
        (&["--until", "2026-11-20T10:00:11Z"], 2),
        (&["--grep", "no_such"], 0),
        (&["port"], 5),
        (&["mem_GONE"], 1),
        (&["waiting review"], 1),
    ] {
        let args = [&["log", "--decisions", "--json"], filter].concat();
        let told = env.mdmem(args).any_stdout().run().json();
        assert_eq!(told.as_array().unwrap().len(), count, "{filter:?}: {told}");
    }
    let told = env.decisions("negated_request");
    assert_eq!(
        (&told[0]["type"], &told[0]["outcome"], &told[0]["reasonCodes"]),
        (
            &"explicit_memory_ignored".into(),
            &"rejected".into(),
            &json!(["negated_request"])
        )
    );
    assert_eq!(
        env.decisions("0 → 1").len(),
        0,
        "the line is looked through as it is stored"
    );
    assert_eq!(env.decisions("protected_")[0]["path"], "project/port.md");
    env.mdmem(["log", "--decisions", "nothing"])
        .fails("no memory `nothing`")
        .run();
}

#[test]
fn why_tells_what_was_decided_about_a_memory_or_a_text() {
    let env = env();
    conversation(&env);
    env.mdmem(["why", "port"])
        .stdout_has("project/port.md is shown: ")
        .stdout_has("half-life  45 days")
        .stdout_has("\n\ndecisions\n2026-11-20 10:00  aaaa0000  asked for: The server listens")
        .stdout_has("reinforced [M2] project/port.md 0 → 1\n")
        .run();
    let told = env.mdmem(["why", "mem_NPM", "--json"]).any_stdout().run().json();
    assert_eq!(
        (&told["fate"], &told["decisions"][0]["type"]),
        (&"omitted".into(), &"memory_replaced_numbered_ref".into())
    );
    env.mdmem(["why", "waiting for review"])
        .stdout(concat!(
            "no memory is called `waiting for review`; agents heard these words:\n\n",
            "decisions\n",
            "2026-11-20 10:00  aaaa0000  rejected (temporary status): Waiting for review of the pull request\n",
        ))
        .run();
    env.mdmem(["why", "nothing"]).fails("no memory `nothing`").run();
    env.mdmem(["rm", "port"]).any_stdout().any_stderr().run();
    env.mdmem(["log", "--decisions", "mem_PORT"])
        .stdout_has("reinforced [M2] mem_PORT (gone) 0 → 1\n")
        .run();
}
