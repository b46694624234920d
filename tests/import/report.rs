//! The files and the report of an import: once, twice, as a dry run, in text and in JSON.

use std::path::Path;

use serde_json::{Value, json};

use super::peer::{self, entry};
use crate::env::{Repository, TestEnv};

const IMPORT: [&str; 3] = ["import", "--from", "opencode-working-memory"];

fn import(env: &TestEnv) -> Value {
    env.mdmem([&IMPORT[..], &["--json"]].concat())
        .any_stdout()
        .any_stderr()
        .run()
        .json()
}

fn outcomes(report: &Value) -> Vec<(&str, &str)> {
    let entries = report["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| {
            (
                entry["outcome"].as_str().unwrap(),
                entry["path"].as_str().unwrap_or(""),
            )
        })
        .collect()
}

#[test]
fn the_first_import_makes_the_store_and_one_commit() {
    let env = TestEnv::new();
    let mut old = entry("mem_1", "decision", "Use npm link");
    old["status"] = "superseded".into();
    let mut new = entry(
        "mem_1700000000000_36iavh",
        "decision",
        "Use npm cache, not npm link",
    );
    new["supersedes"] = json!(["mem_1"]);
    new["rationale"] = "npm link breaks peers".into();
    new["reinforcementCount"] = 2.into();
    new["lastReinforcedSessionID"] = "ses_a".into();
    let memory = peer::write_memory(&env, &[old, new]);
    peer::write_journal(
        &env,
        &[
            entry("mem_3", "decision", "use NPM cache: not NPM link"),
            entry("mem_4", "feedback", "Answer in German"),
        ],
    );
    let before = std::fs::read(&memory).unwrap();
    env.mdmem(IMPORT)
        .stdout(
            "\
OUTCOME     FROM                                       PATH                                    TEXT
superseded  workspace-memory.json entries[0]           decision/use-npm-link.md                Use npm link
imported    workspace-memory.json entries[1]           decision/use-npm-cache-not-npm-link.md  Use npm cache, not npm link
duplicate   workspace-pending-journal.json entries[0]  decision/use-npm-cache-not-npm-link.md  use NPM cache: not NPM link
imported    workspace-pending-journal.json entries[1]  feedback/answer-in-german.md            Answer in German
",
        )
        .stderr(
            "\
created the store of $WORKSPACE in $STORE
imported 3 memories (1 superseded); 1 duplicate
hint: `mdmem undo` takes it back.
",
        )
        .run();
    let file = env.read("decision/use-npm-cache-not-npm-link.md");
    assert_eq!(
        file,
        "---\ntype: decision\nsource: explicit\nstrength: 5.0\nreinforcement: 2\n\
         created: 2026-06-01T00:00:00Z\nupdated: 2026-06-02T00:00:00Z\nsession: \"ff9d30d9f8d8ffd3\"\nclock: 2026-06-01T00:00:00Z\n\
         stale_after: 0\nsupersedes: [mem_1]\nid: mem_1700000000000_36iavh\n---\nUse npm cache, not npm link\n\nWhy: npm link breaks peers\n"
            .replace("ff9d30d9f8d8ffd3", &peer::hash("ses_a"))
    );
    let old = env.read("decision/use-npm-link.md");
    assert!(
        old.contains("status: superseded\n") && old.contains("superseded_by: mem_1700000000000_36iavh\n")
    );
    let commits = Repository::of(&env).log_of("HEAD");
    assert_eq!(
        commits[0].subject,
        "memory: import 3 memories from opencode-working-memory"
    );
    assert_eq!(
        (commits.len(), commits[0].op.as_str(), commits[0].paths.len()),
        (2, "import", 3)
    );
    assert_eq!(
        std::fs::read(&memory).unwrap(),
        before,
        "the plugin's own files are only read"
    );
}

#[test]
fn a_second_import_finds_everything_there_and_adds_what_is_new() {
    let env = TestEnv::new();
    let mut entries = peer::generated(60, 7);
    entries.push(json!({ "type": "project", "text": "It has no id" }));
    peer::write_memory(&env, &entries);
    peer::write_journal(&env, &[entry("mem_p", "user", "It waited")]);
    let first = import(&env);
    assert_eq!(outcomes(&first).len(), 62);
    let head = env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    env.write(
        "user/it-waited.md",
        "---\nid: mem_p\n---\nIt waited, and was edited\n",
    );
    env.mdmem(["sweep", "-q"]).any_stdout().run();

    let second = import(&env);
    let paths = |report| {
        outcomes(report)
            .into_iter()
            .map(|(_, path)| path.to_owned())
            .collect::<Vec<_>>()
    };
    assert!(
        outcomes(&second)
            .iter()
            .all(|(outcome, _)| *outcome == "already_there")
    );
    assert_eq!(
        (second["commit"].clone(), paths(&second)),
        (Value::Null, paths(&first))
    );
    let output = env.mdmem(IMPORT).any_stdout().any_stderr().run();
    assert_eq!(output.stderr, "nothing to import; 62 already there\n");
    assert!(env.read("user/it-waited.md").contains("and was edited"));
    assert_ne!(head, env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout);

    entries.push(entry("mem_new", "project", "It came later"));
    peer::write_memory(&env, &entries);
    let third = import(&env);
    assert_eq!(
        (
            third["counts"]["imported"].clone(),
            third["counts"]["already_there"].clone()
        ),
        (1.into(), 62.into())
    );
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let env = TestEnv::new();
    peer::write_memory(&env, &peer::generated(20, 3));
    let dry = || {
        let json = env
            .mdmem([
                "import",
                "--from",
                "opencode-working-memory",
                "--dry-run",
                "--json",
            ])
            .any_stdout()
            .run()
            .json();
        (
            json["dry_run"].clone(),
            json["commit"].clone(),
            json["entries"].clone(),
        )
    };
    let (is_dry, commit, would) = dry();
    assert_eq!((is_dry, commit), (true.into(), Value::Null));
    assert!(!env.mdmem_home().exists(), "not even a store is made");
    env.mdmem(["init", "-q"]).any_stdout().run();
    assert_eq!(dry().2, would);
    env.mdmem(["list", "--all", "--paths"]).any_stderr().run();
    assert_eq!(import(&env)["entries"], would);
}

#[test]
fn secrets_stay_outside() {
    let env = TestEnv::new();
    let mut config = entry(
        "mem_1",
        "reference",
        "The staging password is hunter2-x9, ask ops",
    );
    config["rationale"] = "TOKEN ACME-1234 is not in the docs".into();
    peer::write_memory(&env, &[config]);
    let path = env.home().join(".config/mdmem/config.toml");
    crate::env::write_at(&path, "redact.patterns = ['ACME-\\d+']\n");
    let output = env.mdmem(IMPORT).any_stdout().any_stderr().run();
    assert!(
        output.stderr.contains("entries[0]: redacted custom, password"),
        "{}",
        output.stderr
    );
    let listed = env.git(["log", "-p", "--all"]).any_stdout().run().stdout;
    for text in [&listed, &output.stdout, &output.stderr] {
        assert!(!text.contains("hunter2") && !text.contains("ACME-1234"), "{text}");
    }
    assert!(listed.contains("[REDACTED:password], ask ops"), "{listed}");
}

#[test]
fn a_fact_that_is_nothing_but_a_secret_is_left_out() {
    let env = TestEnv::with_store();
    let rules = env.home().join("AGENTS.md");
    crate::env::write_at(
        &rules,
        "- The staging password is hunter2Xq9.\n- Deploys need a tag.\n",
    );
    let from = rules.to_str().unwrap();
    env.mdmem(["import", "--as", "facts", from])
        .any_stdout()
        .stderr_has("without the suspected secret it says nothing")
        .run();
    let all = env
        .mdmem(["list", "--all"])
        .any_stdout()
        .any_stderr()
        .run()
        .stdout;
    assert!(
        all.contains("Deploys need a tag") && !all.contains("REDACTED"),
        "{all}"
    );
}

#[test]
fn a_path_names_another_workspace_or_a_file() {
    let env = TestEnv::with_store();
    let memory = peer::write_memory(&env, &[entry("mem_1", "project", "From a file")]);
    peer::write_journal(&env, &[entry("mem_2", "project", "It waits beside it")]);
    let other = env.home().join("backup/workspace-memory.json");
    crate::env::write_at(
        &other,
        &peer::store(&[entry("mem_3", "project", "From a backup")]),
    );
    let count = |path: &Path| {
        let path = path.to_str().unwrap();
        let call = env.mdmem([
            "import",
            "--from",
            "opencode-working-memory",
            "--json",
            "-n",
            path,
        ]);
        call.any_stdout().run().json()["counts"]["imported"].clone()
    };
    assert_eq!(
        (count(&memory), count(memory.parent().unwrap())),
        (2.into(), 2.into())
    );
    assert_eq!(
        (count(&other), count(other.parent().unwrap())),
        (1.into(), 1.into())
    );
    assert_eq!(count(&env.workspace()), 2);
}

#[test]
fn undo_takes_an_import_back() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "-q", "Mine"]).any_stdout().run();
    peer::write_memory(&env, &peer::generated(80, 5));
    import(&env);
    env.mdmem(["undo", "-q"]).any_stdout().run();
    env.mdmem(["list", "--all", "--paths"])
        .stdout("project/mine.md\n")
        .run();
    env.git(["status", "--porcelain"]).run();
}
