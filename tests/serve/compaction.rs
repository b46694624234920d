//! The lessons of a summary.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

fn outcome(entries: &[Value], text: &str) -> (String, String) {
    let entry = entries
        .iter()
        .find(|entry| entry["text"].as_str().unwrap().contains(text));
    let entry = entry.unwrap_or_else(|| panic!("nothing about {text:?} in {entries:#?}"));
    let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    (word("outcome"), word("reason"))
}

#[test]
fn candidates_and_commands_are_decided_when_the_summary_is_read() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "-t", "decision", "Releases are cut from the main branch"])
        .any_stdout()
        .run();
    env.write(
        "project/worker.md",
        "---\nsource: compaction\n---\nThe worker polls the queue every 5 seconds\n",
    );
    let mut server = Server::start(&env);
    assert!(server.prompt("s").contains("Releases are cut"));
    let numbered = server.compacting("s");
    let explicit = numbered.number("Releases are cut from the main branch");
    let extracted = numbered.number("The worker polls");
    let summary = format!(
        "Goal:\n- Ship it.\n\nMemory ref snapshot id: {}\n\nMemory candidates:\n\
         - [decision] Invoice events are published only after the transaction commits.\n\
         - [project] All 31 tests passed after the change.\n\
         - [wish] Ponies for everybody in the team room.\n\
         - REINFORCE [{explicit}]\n\
         - REPLACE [{explicit}] [decision] Releases are cut from release branches only.\n\
         - REPLACE [{extracted}] [project] The worker is woken by a notification of the database.\n\
         - REINFORCE [M99]\n",
        numbered.snapshot()
    );
    let entries = server.compacted("s", &summary);
    assert_eq!(outcome(&entries, "Invoice events").0, "promoted");
    let (_, counted) = outcome(&entries, "All 31 tests");
    assert!(
        ["progress_snapshot", "temporary_status"].contains(&counted.as_str()),
        "{counted}"
    );
    assert_eq!(outcome(&entries, "Ponies").1, "invalid_memory_type");
    assert_eq!(
        outcome(&entries, &format!("REINFORCE [{explicit}]")).0,
        "reinforced"
    );
    assert_eq!(outcome(&entries, "release branches").1, "protected_memory_source");
    assert_eq!(outcome(&entries, "woken by").1, "superseded_existing");
    assert_eq!(outcome(&entries, "M99").1, "invalid_memory_ref");
    let prompt = server.prompt("s");
    for (text, is_shown) in [
        ("Invoice events", true),
        ("Releases are cut from the main branch", true),
        ("woken by a notification", true),
        ("polls the queue", false),
        ("31 tests", false),
        ("Ponies", false),
        ("release branches", false),
    ] {
        assert_eq!(prompt.contains(text), is_shown, "{text}: {prompt}");
    }
    assert!(
        !prompt.contains("recent_decisions"),
        "it is said already: {prompt}"
    );
    // One commit for the whole summary, and reading it again changes nothing.
    let head = || String::from_utf8(env.git(["rev-parse", "HEAD"]).any_stdout().run().bytes).unwrap();
    let before = head();
    assert_eq!(server.compacted("s", &summary), Vec::<Value>::new());
    assert_eq!(head(), before);
    let log = env.git(["log", "-1", "--format=%B"]).any_stdout().run();
    let log = String::from_utf8(log.bytes).unwrap();
    assert!(log.contains("Mdmem-Source: compaction"), "{log}");
}

#[test]
fn a_summary_of_another_numbering_commands_nothing() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "-t", "project", "The API listens on port 8080"])
        .any_stdout()
        .run();
    let mut server = Server::start(&env);
    let summary = "Memory candidates:\n- REINFORCE [M1]\n";
    let entries = server.compacted("s", summary);
    assert_eq!(outcome(&entries, "REINFORCE").1, "missing_memory_ref_snapshot");
    server.compacting("s");
    let wrong = format!("Memory ref snapshot id: 000000000000\n\n{summary}");
    let entries = server.compacted("s", &wrong);
    assert_eq!(outcome(&entries, "REINFORCE").1, "missing_memory_ref_snapshot");
}

#[test]
fn a_candidate_without_a_place_in_the_prompt_goes_to_the_archive() {
    let env = TestEnv::with_store();
    for n in ["one", "two", "three", "four", "five", "six"] {
        env.mdmem([
            "add",
            "-t",
            "reference",
            &format!("Dashboard {n} is kept by team {n}"),
        ])
        .any_stdout()
        .run();
    }
    let mut server = Server::start(&env);
    let entries = server.compacted(
        "s",
        "Memory candidates:\n- [reference] The style guide lives at https://docs.example.com/style\n",
    );
    assert_eq!(
        outcome(&entries, "style guide"),
        ("rejected_capacity".to_owned(), "type_cap".to_owned())
    );
    let path = entries[0]["path"].as_str().unwrap();
    assert!(path.starts_with("archive/reference/"), "{path}");
    assert!(env.read(path).contains("source: compaction"));
    assert!(!server.prompt("s").contains("style guide"));
}

#[test]
fn a_summary_that_teaches_nothing_makes_no_store() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let numbered = server.compacting("s");
    assert!(numbered.prompt.contains("Memory candidates:"));
    assert_eq!(
        server.compacted("s", "Goal:\n- x\n\nMemory candidates:\n(none)\n"),
        Vec::<Value>::new()
    );
    assert!(!env.mdmem_home().join("workspaces").exists());
}

#[test]
fn a_section_that_is_nearly_one_is_recorded_and_teaches_nothing() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let list = "- [decision] Invoice events are published only after the transaction commits.\n";
    let near = format!("Goal:\n- Ship it.\n\n## Candidate memories\n{list}");
    assert_eq!(server.compacted("s", &near), Vec::<Value>::new());
    let evidence = env.read(".mdmem/evidence.jsonl");
    let told: Vec<&str> = evidence
        .lines()
        .filter(|line| line.contains("\"unread_section\""))
        .collect();
    assert_eq!(told.len(), 1, "{evidence}");
    assert!(told[0].contains("extraction_candidate_rejected"), "{evidence}");
    assert!(told[0].contains("Candidate memories"), "{evidence}");
    assert!(!evidence.contains("extraction_candidate_accepted"), "{evidence}");
    // The same list below the name that is read teaches, and tells of nothing unread.
    let read = format!("Goal:\n- Ship it.\n\nMemory candidates:\n{list}");
    assert_eq!(
        outcome(&server.compacted("s", &read), "Invoice events").0,
        "promoted"
    );
    let evidence = env.read(".mdmem/evidence.jsonl");
    assert_eq!(evidence.matches("unread_section").count(), 1, "{evidence}");
}

/// A store with one memory that a summary may replace, and a server.
fn with_worker() -> (TestEnv, Server) {
    let env = TestEnv::with_store();
    env.write(
        "project/worker.md",
        "---\nsource: compaction\n---\nThe worker polls the queue every 5 seconds\n",
    );
    let mut server = Server::start(&env);
    server.prompt("s");
    (env, server)
}

/// Gives the fate of a replacement of the worker's memory by `text`.
fn replace_worker(server: &mut Server, text: &str) -> (String, String) {
    let numbered = server.compacting("s");
    let number = numbered.number("The worker polls");
    let summary = format!(
        "Memory ref snapshot id: {}\n\nMemory candidates:\n- REPLACE [{number}] [project] {text}\n",
        numbered.snapshot()
    );
    outcome(&server.compacted("s", &summary), "")
}

#[test]
fn what_no_prompt_shows_takes_nobodys_place() {
    for folder in ["archive/project", "notes"] {
        let (env, mut server) = with_worker();
        let text = "The worker is woken by a notification of the database";
        env.write(
            &format!("{folder}/old.md"),
            &format!("---\ntype: project\nsource: compaction\n---\n{text}\n"),
        );
        let replaced = replace_worker(&mut server, text);
        assert_eq!(replaced.1, "superseded_existing", "{folder}");
        assert!(server.prompt("s").contains(text), "{folder}");
    }
}

#[test]
fn a_replacement_by_the_same_words_replaces_nothing() {
    let (env, mut server) = with_worker();
    let replaced = replace_worker(&mut server, "The worker polls the queue every 5 seconds.");
    assert_eq!(replaced.0, "absorbed_exact");
    assert!(server.prompt("s").contains("every 5 seconds"));
    let evidence = env.read(".mdmem/evidence.jsonl");
    assert!(!evidence.contains("memory_replaced_numbered_ref"), "{evidence}");
}

#[test]
fn what_was_forgotten_for_good_comes_back_by_no_line_of_a_summary() {
    let (env, mut server) = with_worker();
    let text = "The worker is woken by a notification of the database";
    let hash = mdmem::text::sha256_hex(mdmem::text::canonical(text).as_bytes());
    env.write("forgotten", &format!("forget t1 2026-11-01 - {hash}\n"));
    assert_eq!(replace_worker(&mut server, text).0, "already_forgotten");
    let summary = format!("Memory candidates:\n- [decision] {text}\n");
    let entries = server.compacted("s", &summary);
    assert_eq!(outcome(&entries, text).0, "already_forgotten");
    assert_eq!(entries[0].get("path"), None);
    let told = [
        server.prompt("s"),
        env.read(".mdmem/HOT.md"),
        env.read(".mdmem/evidence.jsonl"),
    ];
    for told in told {
        assert!(!told.contains("woken by"), "{told}");
    }
    assert!(server.prompt("s").contains("polls the queue"));
}

#[test]
fn a_file_that_cannot_be_edited_stops_nothing_else() {
    let env = TestEnv::with_store();
    let strange = "---\n? [a, b]\n: x\nsource: compaction\n---\nThe worker polls the queue every 5 seconds\n";
    env.write("project/worker.md", strange);
    let mut server = Server::start(&env);
    server.prompt("s");
    let numbered = server.compacting("s");
    let number = numbered.number("The worker polls");
    let summary = format!(
        "Memory ref snapshot id: {}\n\nMemory candidates:\n\
         - REINFORCE [{number}]\n\
         - REPLACE [{number}] [project] The worker is woken by a notification.\n\
         - [project] The worker polls the queue every 5 seconds.\n\
         - [decision] Invoice events are published only after the transaction commits.\n",
        numbered.snapshot()
    );
    let entries = server.compacted("s", &summary);
    let outcomes: Vec<&str> = entries
        .iter()
        .map(|entry| entry["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(
        outcomes,
        ["reinforce_blocked", "rejected", "absorbed_exact", "promoted"]
    );
    let heard = server.message("s", "m", "remember: this repo's worker polls the queue\n");
    assert_eq!(heard["memories"][0]["outcome"], "promoted");
    assert_eq!(env.read("project/worker.md"), strange);
}

#[test]
fn a_candidate_over_the_limit_is_refused_for_its_length() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let text = "We always write short rules and ".repeat(1000);
    let entries = server.compacted("s", &format!("Memory candidates:\n- [decision] {text}end.\n"));
    assert_eq!(outcome(&entries, "short rules").1, "over_limit");
}

#[test]
fn a_summary_is_kept_before_the_host_stores_it_and_learned_once() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let candidate = "Invoice events are published only after the transaction commits";
    let summary = format!("## Goal\nShip it.\n\nMemory candidates:\n- [decision] {candidate}.\n");
    let answer = server.ask("summarized", &json!({"session": "s", "summary": summary}));
    assert_eq!(answer["text"], "## Goal\nShip it.");
    let stored = || {
        let listed = env.mdmem(["list", "--json"]).any_stdout().any_stderr().run();
        listed.json().as_array().unwrap().len()
    };
    assert_eq!(stored(), 0);
    // The host may die before it says that the session is compacted.
    server.kill();
    let mut server = Server::start(&env);
    server.message("s", "m1", "go on");
    assert_eq!(stored(), 1);
    assert!(server.prompt("other").contains(candidate));
    assert_eq!(server.compacted("s", &summary), Vec::<Value>::new());
    let again = server.ask("summarized", &json!({"session": "s", "summary": summary}));
    assert_eq!(again["text"], "## Goal\nShip it.");
    server.message("s", "m2", "go on");
    assert_eq!(stored(), 1);
    let explained = env
        .mdmem(["show", "--json", "invoice-events-are-published-only-after"])
        .any_stdout()
        .any_stderr();
    assert!(!explained.run().stdout.contains("\"reinforcement\": 1"));
    let silent = server.ask(
        "summarized",
        &json!({"session": "s", "summary": "## Goal\nShip it."}),
    );
    assert_eq!(silent["text"], "## Goal\nShip it.");
}
