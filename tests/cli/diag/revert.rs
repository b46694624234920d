//! Taking back what a summary replaced.

use super::*;

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

    let json = answer(&env, &["events", "-n", "1"]);
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
    let refusal = env
        .mdmem(["diag", "revert", "M3", "--json"])
        .code(1)
        .any_stderr()
        .run();
    let refusal: Value = serde_json::from_str(&refusal.stderr).unwrap();
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains("saves that are not committed yet"), "{message}");
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
