//! Claude Code's transcripts.

use serde_json::{Value, json};

use super::asked;
use crate::env::{TestEnv, write_at};

const ID: &str = "4f1c2d3e-0000-4000-8000-000000000001";

fn transcript(env: &TestEnv) -> String {
    let at = |minute: u32| format!("2026-11-20T09:{minute:02}:00.000Z");
    let entry = |minute: u32, kind: &str, more: Value| {
        let mut entry = json!({"type": kind, "uuid": format!("u{minute}"), "timestamp": at(minute), "cwd": env.workspace(), "sessionId": ID});
        for (name, value) in more.as_object().unwrap() {
            entry[name] = value.clone();
        }
        entry.to_string()
    };
    let usage = json!({"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10});
    let answer = |minute: u32, part: Value| {
        entry(
            minute,
            "assistant",
            json!({"message": {"id": "m1", "role": "assistant", "model": "smart", "usage": usage, "content": [part]}}),
        )
    };
    [
        entry(0, "user", json!({"message": {"role": "user", "content": "Mend the needle"}})),
        "{\"type\": \"torn".to_owned(),
        answer(1, json!({"type": "thinking", "thinking": "hidden"})),
        answer(2, json!({"type": "text", "text": "I look."})),
        answer(3, json!({"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": env.workspace().join("a.rs")}})),
        entry(4, "user", json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "edited it"}]}]}})),
        entry(5, "system", json!({"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}})),
        entry(6, "user", json!({"isCompactSummary": true, "message": {"role": "user", "content": "Summary: needle mended"}})),
        entry(7, "summary", json!({"summary": "Needle work"})),
        "half a line".to_owned(),
    ]
    .join("\n")
}

#[test]
fn a_transcript_is_a_session_as_good_as_any() {
    let env = TestEnv::with_store();
    let folder = env.home().join(".claude/projects/-work");
    write_at(&folder.join(format!("{ID}.jsonl")), &transcript(&env));
    write_at(&folder.join("notes.txt"), "no transcript");
    write_at(&folder.join("empty.jsonl"), "");
    let list = asked(&env, &["list"]);
    assert_eq!(
        (list.as_array().unwrap().len(), &list[0]["id"], &list[0]["title"]),
        (1, &json!(ID), &json!("Needle work"))
    );
    let page = asked(&env, &["show", "4f1c", "--tools"]);
    let messages = page["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "summary"]);
    let call = &messages[1]["parts"][2];
    assert_eq!(
        (&call["tool"], &call["output"], &call["state"]),
        (&json!("Edit"), &json!("edited it"), &json!("done"))
    );
    assert_eq!(messages[1]["tokens"]["total"], 122);
    let facts = asked(&env, &["stats", "4f1c"]);
    assert_eq!(
        (&facts["files"], &facts["tokens"]["total"]),
        (&json!(["a.rs"]), &json!(122))
    );
    let compactions = asked(&env, &["compactions"]);
    assert_eq!(
        (&compactions[0]["trigger"], &compactions[0]["tokens_before"]),
        (&json!("auto"), &json!(122))
    );
    let hits = asked(&env, &["search", "NEEDLE", "mended", "--sort=time"]);
    assert_eq!(hits["hits"][0]["role"], "summary");
    let first = asked(&env, &["show", "4f1c", "--first", "-n", "2"]);
    let rest = asked(
        &env,
        &["show", "4f1c", "--after", first["after"].as_str().unwrap()],
    );
    assert_eq!(rest["messages"].as_array().unwrap().len(), 2);
    env.mdmem(["complete", "bash", "mdmem sessions show 4f"])
        .stdout_has(ID)
        .run();
    // The home folder is no workspace.
    let at_home = |args: &[&str]| env.mdmem(args.iter().copied()).current_dir(&env.home());
    at_home(&["sessions", "list", "--all"]).stdout_has(ID).run();
    at_home(&["sessions", "list"])
        .stderr_has("no sessions")
        .any_stdout()
        .run();
}

/// A session of one message a minute from `first` on, each with this text.
fn session(env: &TestEnv, id: &str, first: usize, texts: impl Iterator<Item = String>) {
    let lines = texts.enumerate().map(|(at, text)| {
        let minute = first + at * 2;
        let time = format!("2026-11-20T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
        json!({"type": "user", "uuid": format!("{id}-{at}"), "timestamp": time, "cwd": env.workspace(),
            "sessionId": id, "message": {"role": "user", "content": text}})
        .to_string()
            + "\n"
    });
    let file = env.home().join(format!(".claude/projects/-work/{id}.jsonl"));
    write_at(&file, &lines.collect::<String>());
}

#[test]
fn two_sessions_at_the_same_time_are_searched_in_one_reading() {
    let env = TestEnv::with_store();
    let text = |kind: usize| move |at: usize| format!("needle {} {}", at * 2 + kind, "x".repeat(5_000));
    session(&env, "even", 0, (0..200).map(text(0)));
    session(&env, "odd", 1, (0..200).map(text(1)));
    // A message that is longer than what is read at a time, and a part of which no limit cuts off.
    session(
        &env,
        "long",
        900,
        std::iter::once("y ".repeat(700_000) + "needle at its end"),
    );
    let mut found = Vec::new();
    let mut place = "--quiet".to_owned();
    loop {
        let page = asked(&env, &["search", "needle", "--sort=time", &place, "-n", "150"]);
        for hit in page["hits"].as_array().unwrap() {
            let snippet = &hit["snippet"];
            found.push(
                [&snippet["hit"], &snippet["behind"]]
                    .map(|part| part.as_str().unwrap().to_owned())
                    .concat(),
            );
        }
        let Some(next) = page["before"].as_str() else {
            break;
        };
        place = format!("--before={next}");
    }
    assert_eq!(found[0], "needle at its end");
    let numbers = found[1..]
        .iter()
        .map(|text| text.split(' ').nth(1).unwrap().to_owned());
    let expected: Vec<String> = (0..400).rev().map(|number: usize| number.to_string()).collect();
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        expected,
        "the newest first, each once"
    );
}

#[test]
fn a_turn_beside_a_hit_lends_it_score_whatever_lies_between() {
    let env = TestEnv::with_store();
    let texts = |at: usize| match at {
        3 => "which plugin was it?".to_owned(),
        4 => "the cache of the loader".to_owned(),
        at => format!("filler {at} {}", "x".repeat(200_000)),
    };
    session(&env, "near", 0, (0..8).map(texts));
    let apart = |at: usize| {
        if at == 0 {
            "a cache".to_owned()
        } else {
            texts(at.max(5))
        }
    };
    session(&env, "apart", 1, (0..8).map(apart));
    let found = asked(&env, &["search", "plugin", "cache"]);
    let hits = found["hits"].as_array().unwrap().iter();
    let hits: Vec<&str> = hits.map(|hit| hit["id"].as_str().unwrap()).collect();
    assert_eq!(hits, ["near-3", "near-4", "apart-0"], "{found}");
}

#[test]
fn what_a_tool_gave_is_found_with_its_call() {
    let env = TestEnv::with_store();
    let folder = env.home().join(".claude/projects/-work");
    write_at(&folder.join(format!("{ID}.jsonl")), &transcript(&env));
    env.mdmem(["sessions", "search", "edited"])
        .code(1)
        .any_stderr()
        .run();
    let hits = asked(&env, &["search", "edited", "--tools"]);
    assert_eq!(hits["hits"][0]["snippet"]["hit"], "edited", "{hits}");
    // Thoughts are nobody's words.
    env.mdmem(["sessions", "search", "hidden", "--tools"])
        .code(1)
        .any_stderr()
        .run();
}

#[test]
fn what_a_tool_gave_long_after_its_call_belongs_to_it() {
    let env = TestEnv::with_store();
    let entry = |at: usize, kind: &str, id: &str, part: Value| {
        json!({"type": kind, "uuid": format!("u{at}"), "timestamp": format!("2026-11-20T09:{at:02}:00.000Z"),
            "cwd": env.workspace(), "sessionId": ID,
            "message": {"id": id, "role": kind, "content": [part]}})
        .to_string()
            + "\n"
    };
    let call = |at, id: &str| {
        entry(
            at,
            "assistant",
            "m1",
            json!({"type": "tool_use", "id": id, "name": "Task"}),
        )
    };
    let output = |at, id: &str, text: &str| {
        let output = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        entry(at, "user", "", output)
    };
    let long = |at| {
        let text = format!("filler {}", "x".repeat(200_000));
        entry(at, "user", "", json!({"type": "text", "text": text}))
    };
    // Several readings lie between them, of which each has the word `filler`.
    let lines = call(0, "t1") + &long(1) + &long(2) + &call(3, "t2") + &long(4) + &long(5);
    let lines = lines + &output(6, "t2", "nothing") + &output(7, "t1", "the needle") + &long(8);
    write_at(
        &env.home().join(format!(".claude/projects/-work/{ID}.jsonl")),
        &lines,
    );
    let found = asked(&env, &["search", "needle", "filler", "--tools"]);
    let hits = found["hits"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["snippet"]["hit"] == "needle").unwrap();
    assert_eq!(
        [hit["id"].as_str(), hit["role"].as_str()],
        [Some("m1"), Some("assistant")],
        "{found}"
    );
    assert_eq!(hits.len(), 6, "each message once: {found}");
    let page = asked(&env, &["show", ID, "--tools"]);
    let outputs = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    let outputs: Vec<&str> = outputs.filter_map(|part| part["output"].as_str()).collect();
    assert_eq!(outputs, ["the needle", "nothing"], "{page}");
}
