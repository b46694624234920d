//! The pruning of tool output over the protocol: what the conversation gets, what is kept, and the way back to it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::server::Server;
use crate::env::{Mount, TestEnv};
use crate::file_systems::fill_with_bytes;

fn switch_on(env: &TestEnv, mode: &str) {
    env.mdmem(["config", "set", "--user", "prune.mode", mode])
        .any_stdout()
        .any_stderr()
        .run();
}

fn on() -> TestEnv {
    let env = TestEnv::with_store();
    switch_on(&env, "always");
    env
}

/// Lines of which no two are alike.
fn lines(count: u8) -> Vec<String> {
    let letters = |line: u8| [b'a' + line / 26, b'a' + line % 26].map(char::from);
    (0..count)
        .map(|line| format!("the word {} is on its own line", String::from_iter(letters(line))))
        .collect()
}

fn text(count: u8) -> String {
    lines(count).join("\n") + "\n"
}

fn command(text: &str) -> Value {
    json!({"session": "s", "callId": "call_1", "tool": "bash", "args": {"command": "make"}, "output": text, "exit": 0})
}

/// The output as the conversation has it; `None` where it stays.
fn pruned(server: &mut Server, used: &Value) -> Option<String> {
    server.ask("tool", used)["output"].as_str().map(str::to_owned)
}

/// The name that the words in an output give.
#[track_caller]
fn name(pruned: &str) -> String {
    let (_, rest) = pruned
        .split_once("memory_output {call: \"")
        .expect("words in the place of lines");
    rest.split('"').next().unwrap().to_owned()
}

fn kept(env: &TestEnv) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(env.store().join(".mdmem/outputs"));
    folder
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect()
}

#[test]
fn what_is_left_out_can_be_fetched_back_in_its_own_session() {
    let env = on();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: deploys run from the main branch only");
    let mut all = lines(100);
    let token = format!("ghp_{}", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
    all[50] = format!("use {token} for it");
    all[55] = "note: deploys run from the main branch only".to_owned();
    all[60] = "see src/posting.rs:42 for it".to_owned();
    let whole = all.join("\r\n") + "\r\n";
    let short = pruned(&mut server, &command(&whole)).unwrap();
    let name = name(&short);
    let words = format!("[mdmem: 40 lines left out; memory_output {{call: \"{name}\"}} has them]\r\n");
    let expected = all[..30].join("\r\n") + "\r\n" + &words + &all[70..].join("\r\n") + "\r\n";
    assert_eq!(short, expected);
    let [file] = kept(&env).try_into().unwrap();
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let stored = std::fs::read_to_string(&file).unwrap();
    assert!(
        stored.contains("[REDACTED") && !stored.contains(&token),
        "{stored}"
    );

    let answer = server.tool("memory_output", &json!({"call": name}));
    let heading = "Lines 31 to 100 of 100; left out were 31-70.\n";
    assert!(
        answer.starts_with(&(heading.to_owned() + &all[30] + "\n")),
        "{answer}"
    );
    assert!(
        answer.contains("[REDACTED") && !answer.contains(&token),
        "{answer}"
    );
    let answer = server.tool("memory_output", &json!({"call": name, "from": 40, "lines": 2}));
    assert!(
        answer.ends_with(&format!("\n{}\n{}", all[39], all[40])),
        "{answer}"
    );
    let other = json!({"session": "t", "tool": "memory_output", "args": {"call": name}});
    for call in [
        other,
        json!({"session": "s", "tool": "memory_output", "args": {"call": "../../state.json"}}),
    ] {
        let refused = server.reply("call", &call)["error"]["message"].to_string();
        assert!(refused.contains("run the tool again"), "{refused}");
    }
    env.mdmem(["status"])
        .stdout_has("outputs      1 shortened, from 3")
        .stdout_has("; read in full later: 2\n")
        .run();

    // An open error protects the places in its files.
    server.bash(
        "s",
        "cargo test",
        101,
        "error: it failed\n  --> src/posting.rs:3:5\n",
    );
    let short = pruned(&mut server, &command(&whole)).unwrap();
    assert!(short.contains("\r\nsee src/posting.rs:42 for it\r\n"), "{short}");

    // No output says what is forgotten either.
    let says = |path: &PathBuf| {
        std::fs::read_to_string(path)
            .unwrap()
            .contains("deploys run from the main branch only")
    };
    assert!(kept(&env).iter().any(says));
    env.mdmem(["forget", "deploys-run-from-the-main-branch"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(!kept(&env).iter().any(says));
    server.ask("deleted", &json!({"session": "s"}));
    assert!(kept(&env).is_empty(), "with the session");
    assert!(
        server
            .refused("memory_output", &json!({"call": name}))
            .contains("run the tool again")
    );
}

#[test]
fn what_is_not_to_be_pruned_stays_whole_and_is_kept_nowhere() {
    let env = on();
    let mut server = Server::start(&env);
    let whole = text(100);
    let with = |key: &str, value: Value| {
        let mut used = command(&whole);
        used[key] = value;
        used
    };
    for used in [
        with("exit", json!(1)),
        with("exit", Value::Null),
        with("tool", json!("read")),
        with("tool", json!("task")),
        with("tool", json!("memory_tree")),
        with("output", Value::Null),
        with("output", json!(text(69))),
        with("output", json!("x".repeat(5_000_000))),
        with("output", json!("a\rb\r".repeat(50_000))),
    ] {
        assert_eq!(pruned(&mut server, &used), None, "{}", used["tool"]);
    }
    assert!(kept(&env).is_empty());
    switch_on(&env, "pressure");
    server.bye();
    let mut server = Server::start(&env);
    assert_eq!(
        pruned(&mut server, &command(&whole)),
        None,
        "the context has room"
    );
    switch_on(&env, "off");
    server.bye();
    let mut server = Server::start(&env);
    assert_eq!(server.welcome.get("prune"), None);
    assert!(!server.welcome["tools"].to_string().contains("memory_output"));
    assert_eq!(pruned(&mut server, &command(&whole)), None);
    assert!(
        server
            .refused("memory_output", &json!({"call": "0123456789ab"}))
            .contains("unknown tool")
    );
}

#[test]
fn odd_texts_lose_no_line_that_is_not_named() {
    let env = on();
    let mut server = Server::start(&env);
    let green = |line: &String| format!("\u{1b}[32m{line}\u{1b}[0m");
    let colours: Vec<String> = lines(100).iter().map(green).collect();
    let long: Vec<String> = lines(100)
        .iter()
        .map(|line| format!("{line} {}", "x".repeat(50_000)))
        .collect();
    for (odd, whole) in [
        ("a megabyte", "the same line of progress again\n".repeat(32_768)),
        ("NUL", text(100).replace(" is ", " \0 ")),
        ("colours", colours.join("\n")),
        ("Unicode", text(100).replace("the word", "認証 naïve 😀")),
        ("long lines", long.join("\n")),
        (
            "words like ours",
            text(100).replace("the word bz", "[mdmem: 9 lines left out"),
        ),
    ] {
        let short = pruned(&mut server, &command(&whole)).unwrap_or_else(|| panic!("{odd}"));
        let (name, all) = (name(&short), whole.lines().collect::<Vec<_>>());
        let mut at = 0;
        for line in short.lines() {
            let number = line.strip_prefix("[mdmem: ").filter(|_| line.contains(&name));
            if let Some(number) = number.and_then(|rest| rest.split(' ').next()) {
                at += number.parse::<usize>().unwrap();
            } else {
                assert_eq!(line, all[at], "{odd}");
                at += 1;
            }
        }
        assert_eq!(at, all.len(), "{odd}");
        let answer = server.tool("memory_output", &json!({"call": name, "from": 50, "lines": 1}));
        // A model is given what a person would see.
        let seen = ["\0", "\u{1b}[32m", "\u{1b}[0m"]
            .iter()
            .fold(all[49].to_owned(), |seen, unseen| seen.replace(unseen, ""));
        let whole: Vec<char> = seen.chars().take(1_000).collect();
        let told: Vec<char> = answer.lines().nth(1).unwrap().chars().take(1_000).collect();
        assert_eq!(told, whole, "{odd}");
    }
    // The same call of another text is another output.
    let [one, other] = ["a", "b"].map(|word| text(100).replace("word", word));
    let (one, other) = (
        pruned(&mut server, &command(&one)).unwrap(),
        pruned(&mut server, &command(&other)).unwrap(),
    );
    assert_ne!(name(&one), name(&other));
}

#[test]
fn on_a_full_disk_an_output_stays_whole() {
    let env = TestEnv::on_disk();
    let Some(_mount) = Mount::tmpfs(&env.mdmem_home(), "size=8m") else {
        return;
    };
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    switch_on(&env, "always");
    let mut server = Server::start(&env);
    let filler = fill_with_bytes(&env.mdmem_home(), 0);
    // More than a file that goes meanwhile gives back.
    assert_eq!(pruned(&mut server, &command(&text(100).repeat(200))), None);
    for file in filler {
        std::fs::remove_file(file).unwrap();
    }
    let short = pruned(&mut server, &command(&text(100))).unwrap();
    server.tool("memory_output", &json!({"call": name(&short)}));
}
