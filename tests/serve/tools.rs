//! The tools of a model over the protocol: good calls, and refusals that say what to do.

use serde_json::json;

use super::server::{Server, rev};
use crate::env::TestEnv;

fn log(env: &TestEnv, format: &str) -> String {
    let format = format!("--format={format}");
    let log = env.git(["log", "-1", format.as_str()]).any_stdout().run();
    String::from_utf8(log.bytes).unwrap().trim_end().to_owned()
}

#[test]
fn a_memory_is_written_read_and_edited_by_its_rev() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let path = "reference/lexer.md";
    let note = "# The lexer\n\nIt keeps comments.\n\nIt drops blanks.";
    let args =
        json!({"path": path, "content": note, "description": "how the lexer works", "reason": "first look"});
    let first = rev(&server.tool("memory_write", &args));
    assert_eq!(log(&env, "%s"), "memory: add reference/lexer");
    assert!(log(&env, "%b").contains("Mdmem-Reason: first look"));

    let read = server.tool("memory_read", &json!({"path": path}));
    assert_eq!(rev(&read), first);
    assert!(read.contains("\ndescription: how the lexer works\n"), "{read}");
    assert!(read.ends_with(&format!("\n\n{note}")), "{read}");
    assert_eq!(server.tool("memory_read", &json!({"path": "lexer"})), read);

    let edit = |old: &str, new: &str, rev: &str| json!({"path": path, "old": old, "new": new, "rev": rev});
    let second = server.tool("memory_edit", &edit("keeps", "stores", &first));
    let third = server.tool("memory_edit", &edit("drops", "skips", &rev(&second)));
    let text = env.read(path);
    assert!(
        text.contains("stores comments") && text.contains("skips blanks"),
        "{text}"
    );

    // A person's keys and comments stay where the body is replaced.
    env.write(path, &text.replace("---\n# The", "mine: 1 # kept\n---\n\n# The"));
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let message = server.refused("memory_edit", &edit("skips", "drops", &rev(&third)));
    assert!(
        message.contains("changed") && message.ends_with("It skips blanks."),
        "{message}"
    );
    let missing = server.refused("memory_write", &json!({"path": path, "content": "new"}));
    assert!(
        missing.contains("already exists") && missing.contains("skips blanks"),
        "{missing}"
    );
    let write = json!({"path": path, "content": "---\nreadonly: true\ntags: [a, b]\n---\nA new body.", "rev": rev(&missing)});
    server.tool("memory_write", &write);
    let text = env.read(path);
    assert!(
        text.contains("mine: 1 # kept\n") && text.ends_with("---\n\nA new body.\n"),
        "{text}"
    );
    assert!(
        text.contains("tags: [a, b]") && !text.contains("readonly"),
        "{text}"
    );
    let nothing = json!({"path": path, "old": "A new body.", "new": "A new body."});
    assert!(server.tool("memory_edit", &nothing).contains("Nothing changed"));
}

#[test]
fn a_move_pins_unpins_and_archives() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let note = "# House rules\n\nBe brief.\n\nBe kind.";
    let args = json!({"path": "decision/house-rules.md", "content": note, "type": "decision"});
    server.tool("memory_write", &args);
    assert!(!server.prompt("s").contains("\n  Be kind."));
    server.message("s", "m1", "go on");
    let moved = server.tool("memory_move", &json!({"path": "house-rules", "to": "system/"}));
    assert!(moved.contains("to system/house-rules.md"), "{moved}");
    assert!(server.prompt("s").contains("\n  Be kind."), "the epoch is forced");
    server.message("s", "m2", "go on");
    server.tool("memory_move", &json!({"path": "house-rules"}));
    assert!(env.read("decision/house-rules.md").contains("Be kind."));
    assert!(!server.prompt("s").contains("\n  Be kind."));
    server.tool("memory_move", &json!({"path": "house-rules", "to": "archive"}));
    server.tool(
        "memory_move",
        &json!({"path": "house-rules", "to": "archive/rules.md"}),
    );
    assert!(env.read("archive/rules.md").contains("Be kind."));
    env.write("system/plain.md", "No type is stated here.\n");
    server.tool("memory_move", &json!({"path": "system/plain.md"}));
    assert!(env.read("reference/plain.md").contains("No type"));
    let taken = server.refused(
        "memory_move",
        &json!({"path": "reference/plain.md", "to": "archive/Rules.md"}),
    );
    assert!(taken.contains("already exists"), "{taken}");

    // The session made these changes itself: they are no news to it.
    let heard = server.message("s", "m3", "go on");
    let told = heard["told"]["text"].as_str().unwrap_or_default();
    assert!(!told.contains("rules.md"), "{heard}");
}

#[test]
fn links_follow_a_move_and_a_former_path_is_known_until_a_file_has_it() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let (old, new) = ("decision/rules.md", "archive/house-rules.md");
    server.tool(
        "memory_write",
        &json!({"path": old, "content": "Be brief, and be kind"}),
    );
    server.tool(
        "memory_write",
        &json!({"path": "user/me.md", "content": "I keep to [[rules]]."}),
    );
    server.tool("memory_move", &json!({"path": old, "to": new}));
    assert!(env.read("user/me.md").ends_with("I keep to [[house-rules]].\n"));
    let read = server.tool("memory_read", &json!({"path": old}));
    assert!(read.contains(&format!("path: {new}")), "{read}");
    server.tool("memory_restore", &json!({"path": old, "rev": "HEAD~2"}));
    assert!(env.read(new).contains("Be brief") && !env.store().join(old).exists());
    server.tool("memory_delete", &json!({"path": old}));
    env.write(old, "Another text, of a moment ago\n");
    let read = server.tool("memory_read", &json!({"path": old}));
    assert!(read.contains("of a moment ago"), "{read}");
}

#[test]
fn an_older_version_and_a_deleted_memory_come_back() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let path = "project/port.md";
    server.tool(
        "memory_write",
        &json!({"path": path, "content": "The port is 4000"}),
    );
    let edit = json!({"path": path, "old": "4000", "new": "5000"});
    server.tool("memory_edit", &edit);
    let history = server.tool("memory_history", &json!({"path": "port"}));
    let lines: Vec<&str> = history.lines().collect();
    assert_eq!(lines.len(), 2, "{history}");
    assert!(lines[1].contains(" memory: add project/port"), "{history}");
    let first = lines[1].split(' ').next().unwrap();
    let back = |dry: bool| json!({"path": "port", "rev": first, "dryRun": dry});
    let dry = server.tool("memory_restore", &back(true));
    assert!(dry.contains("edited: project/port.md"), "{dry}");
    assert!(env.read(path).contains("5000"));
    server.tool("memory_restore", &back(false));
    assert!(env.read(path).contains("4000"));
    assert!(
        server
            .tool("memory_restore", &back(true))
            .contains("Nothing would change")
    );

    let gone = server.tool("memory_delete", &json!({"path": path, "reason": "moved"}));
    assert_eq!(gone, "Deleted: project/port.md.");
    assert!(!env.store().join(path).exists());
    assert!(log(&env, "%b").contains("Mdmem-Reason: moved"));
    let missing = server.refused("memory_read", &json!({"path": path}));
    assert!(missing.contains("no memory"), "{missing}");
    server.tool("memory_restore", &json!({"path": path, "rev": "HEAD~1"}));
    assert!(env.read(path).contains("4000"));
    for rev in ["HEAD~50", "nothing", "--all", ""] {
        let message = server.refused("memory_restore", &json!({"path": path, "rev": rev}));
        assert!(message.contains("memory_history"), "{rev}: {message}");
    }
}

#[test]
fn the_tree_names_what_it_leaves_out() {
    let env = TestEnv::with_store();
    assert!(
        Server::start(&env)
            .tool("memory_tree", &json!({}))
            .contains("no memories")
    );
    for number in 0..230 {
        env.write(&format!("design/part-{number:03}.md"), "# A part\n\nof it\n");
    }
    env.write("user/me.md", "I like tabs\n");
    let mut server = Server::start(&env);
    let all = server.tool("memory_tree", &json!({}));
    assert!(
        all.starts_with("project memory, 231 files:\ndesign/part-000.md (15) A part: of it\n"),
        "{all}"
    );
    assert!(
        all.ends_with("31 more, list them by `folder`: design/ (30), user/ (1)"),
        "{all}"
    );
    let user = server.tool("memory_tree", &json!({"folder": "user/"}));
    assert_eq!(user, "project memory, 1 files:\nuser/me.md (11) I like tabs");
}

#[test]
fn the_global_store_is_read_freely_and_written_with_leave() {
    let env = TestEnv::with_store();
    env.mdmem(["--global", "add", "Answers are short", "--type", "feedback"])
        .any_stdout()
        .any_stderr()
        .run();
    env.write("user/me.md", "I like tabs\n");
    let mut server = Server::start(&env);
    let tree = server.tool("memory_tree", &json!({"scope": "all"}));
    assert!(
        tree.contains("project memory") && tree.contains("global memory"),
        "{tree}"
    );
    let read = server.tool("memory_read", &json!({"path": "answers-are-short"}));
    assert!(
        read.contains("scope: global") && read.contains("Answers are short"),
        "{read}"
    );
    server.refused(
        "memory_read",
        &json!({"path": "answers-are-short", "scope": "project"}),
    );
    let edit = json!({"path": "answers-are-short", "old": "short", "new": "brief", "scope": "global"});
    let call = |allowed: Option<bool>| json!({"session": "s", "tool": "memory_edit", "args": edit, "allowed": allowed});
    let asked = server.ask("call", &call(None));
    assert!(
        asked["ask"].as_str().unwrap().contains("global memory"),
        "{asked}"
    );
    let reply = server.reply("call", &call(Some(false)));
    assert_eq!(reply["error"]["kind"], "refused", "{reply}");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(", and did not: memory_edit did nothing; "),
        "{message}"
    );
    let done = server.ask("call", &call(Some(true)));
    assert!(
        done["text"].as_str().unwrap().starts_with("Edited: feedback/"),
        "{done}"
    );
    env.mdmem(["config", "set", "--user", "tools.global", "deny"])
        .any_stdout()
        .any_stderr()
        .run();
    let reply = server.reply("call", &call(Some(true)));
    assert_eq!(reply["error"]["kind"], "refused", "{reply}");
}

#[test]
fn the_settings_take_tools_away() {
    let env = TestEnv::new();
    let enabled = r#"["memory_read", "memory_add"]"#;
    env.mdmem(["config", "set", "--user", "tools.enabled", enabled])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let names = |server: &Server| -> Vec<String> {
        let tools = server.welcome["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&server), ["memory_add", "memory_read"]);
    let message = server.refused("memory_delete", &json!({"path": "x"}));
    assert!(message.contains("unknown tool `memory_delete`"), "{message}");
    env.mdmem(["config", "set", "--user", "tools.enabled", r#"["all"]"#])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(names(&Server::start(&env)).len(), 13);
}

#[test]
fn a_fresh_store_costs_little() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    assert!(server.prompt("s").chars().count() <= 400);
    let tools = server.welcome["tools"].to_string();
    assert!(tools.chars().count() <= 3_400, "{}", tools.chars().count());
}

#[test]
fn how_to_write_a_memory_is_read_where_it_stands() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let protocol = json!({"path": "PROTOCOL.md"});
    assert!(
        server
            .tool("memory_read", &protocol)
            .starts_with("# How to write a memory here")
    );
    server.message("s", "m", "remember: we use pnpm");
    env.write("PROTOCOL.md", "Write in Latin.\n");
    assert_eq!(server.tool("memory_read", &protocol), "Write in Latin.\n");
    assert!(
        server
            .tool("memory_read", &json!({"path": "MEMORY.md"}))
            .contains("we-use-pnpm")
    );
    let message = server.refused("memory_write", &json!({"path": "PROTOCOL.md", "content": "x"}));
    assert!(message.contains("the store's own files"), "{message}");
}

#[test]
fn a_new_epoch_begins_when_the_model_asks_for_it() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let nothing = server.tool("memory_flush", &json!({}));
    assert!(nothing.starts_with("No prompt of this session"), "{nothing}");
    server.prompt("s");
    server.message("s", "m", "go on");
    env.write("user/me.md", "I like tabs\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    server.tool("memory_flush", &json!({}));
    assert!(server.prompt("s").contains("I like tabs"));
}

#[test]
fn what_is_forgotten_comes_back_by_no_tool() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let write = json!({"path": "project/port.md", "content": "The staging port is 4000"});
    server.tool("memory_write", &write);
    let gone = server.tool(
        "memory_delete",
        &json!({"path": "port", "forget": true, "reason": "wrong"}),
    );
    assert_eq!(gone, "Forgotten: project/port.md.");
    assert!(!log(&env, "%B").contains("port"));
    server.tool(
        "memory_write",
        &json!({"path": "project/host.md", "content": "The host is alpha"}),
    );
    for (name, args) in [
        ("memory_write", write),
        (
            "memory_restore",
            json!({"path": "project/port.md", "rev": "HEAD~2"}),
        ),
        (
            "memory_edit",
            json!({"path": "host", "old": "The host is alpha", "new": "The staging port is 4000"}),
        ),
    ] {
        let message = server.refused(name, &args);
        assert!(
            message.contains("only the user can say it again"),
            "{name}: {message}"
        );
    }
    assert!(!env.store().join("project/port.md").exists());
}

#[test]
fn a_save_of_a_moment_ago_is_seen() {
    let env = TestEnv::with_store();
    let file = env.write("user/me.md", "first\n");
    let mut server = Server::start(&env);
    for number in 0..30 {
        let new = file.with_file_name(format!("new-{number}.md"));
        for (path, name) in [
            (&file, "user/me.md".to_owned()),
            (&new, format!("user/new-{number}.md")),
        ] {
            std::fs::write(path, format!("saved {number}\n")).unwrap();
            let read = server.tool("memory_read", &json!({"path": name}));
            assert!(read.ends_with(&format!("saved {number}")), "{read}");
            std::fs::write(path, format!("saved again {number}\n")).unwrap();
            let edit = json!({"path": name, "old": "again", "new": "and edited"});
            server.tool("memory_edit", &edit);
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.ends_with(&format!("saved and edited {number}\n")), "{text}");
        }
        std::fs::remove_file(&new).unwrap();
        server.refused("memory_read", &json!({"path": format!("user/new-{number}.md")}));
    }
}

#[test]
fn memories_are_found_by_words_whoever_saved_them() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let nothing = server.tool("memory_search", &json!({"query": "lexer"}));
    assert!(nothing.starts_with("Nothing found"), "{nothing}");
    let note = "# The lexer\n\nIt keeps comments.\n\nIt drops blanks.";
    server.tool(
        "memory_write",
        &json!({"path": "reference/lexer.md", "content": note, "description": "how it reads"}),
    );
    let found = server.tool(
        "memory_search",
        &json!({"query": "which comments are kept", "limit": 1}),
    );
    assert!(
        found.starts_with("reference/lexer.md\n") && found.contains(": It keeps comments."),
        "{found}"
    );
    assert!(!found.contains("blanks"), "{found}");
    server.tool(
        "memory_edit",
        &json!({"path": "reference/lexer.md", "old": "keeps comments", "new": "keeps remarks"}),
    );
    assert!(
        server
            .tool("memory_search", &json!({"query": "remarks"}))
            .contains("keeps remarks")
    );
    assert!(
        server
            .tool("memory_search", &json!({"query": "comments"}))
            .starts_with("Nothing")
    );
    server.tool("memory_search", &json!({"query": "\" OR ( NEAR", "scope": "all"}));
}
