//! `session_history`, as a model uses it.

use serde_json::{Value, json};

use super::{Database, called, said};
use crate::env::TestEnv;
use crate::serve::server::Server;

fn offers(server: &Server) -> bool {
    let tools = server.welcome["tools"].as_array().unwrap();
    tools.iter().any(|tool| tool["name"] == "session_history")
}

#[test]
fn a_model_reads_the_sessions_of_its_workspace_where_it_may() {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    database.session("ses_here", "Build it", &env.workspace());
    database.session("ses_there", "Elsewhere", &env.home().join("other"));
    database.user("ses_there", "needle there");
    database.user("ses_here", "the needle and AKIAIOSFODNN7EXAMPLQ");
    let output = "y".repeat(50_000);
    let call = called("bash", &json!({"command": "make"}), &output, Some(0));
    database.answer("ses_here", &[said(&"z".repeat(50_000)), call]);
    database.compaction("ses_here", "Goal: ship");
    assert!(!offers(&Server::start(&env)), "off by default");
    std::fs::write(
        env.store().join("mdmem.toml"),
        "format = 1\nhistory.tool = true\n",
    )
    .unwrap();
    assert!(!offers(&Server::start(&env)), "a store cannot say so");
    env.mdmem(["config", "set", "--user", "history.tool", "true"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    assert!(offers(&server));
    let mut ask = |args: Value| server.tool("session_history", &args);
    let sessions = ask(json!({"what": "sessions"}));
    assert!(
        sessions.contains("ses_here") && !sessions.contains("ses_there"),
        "{sessions}"
    );
    let found = ask(json!({"what": "search", "query": "NEEDLE"}));
    assert!(
        found.contains("the needle") && !found.contains("there"),
        "{found}"
    );
    assert!(!found.contains("AKIA"), "{found}");
    let messages = ask(json!({"what": "messages", "tools": true}));
    assert!(
        messages.contains("more characters") && messages.len() < 13_000,
        "{}",
        messages.len()
    );
    let page = ask(json!({"what": "messages", "limit": 1}));
    let cursor = page
        .lines()
        .find_map(|line| line.strip_prefix("for older ones, set `before` to "))
        .unwrap()
        .to_owned();
    let older = ask(json!({"what": "messages", "limit": 1, "before": cursor}));
    assert!(older.contains("-> compaction"), "{older}");
    for (what, part) in [
        ("compactions", "Goal: ship"),
        ("summary", "last compaction:\nGoal: ship"),
        ("plans", "Nothing found"),
    ] {
        let told = ask(json!({"what": what}));
        assert!(told.contains(part), "{what}: {told}");
    }
    for (args, part) in [
        (
            json!({"what": "messages", "session": "ses_there"}),
            "no session `ses_there`",
        ),
        (json!({"what": "search"}), "`query`"),
        (json!({"what": "plans", "query": "../../x.md"}), "no plan"),
        (json!({"what": "messages", "before": "x"}), "not a cursor"),
        (json!({"what": "secrets"}), "must be one of sessions"),
    ] {
        let call = json!({"session": "s", "tool": "session_history", "args": args});
        let refused = server.reply("call", &call)["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(refused.contains(part), "{refused}");
    }
    // The newest session has none.
    database.session("ses_later", "Later", &env.workspace());
    database.user("ses_later", "hello");
    let told = server.tool("session_history", &json!({"what": "compactions"}));
    assert!(
        told.contains("Goal: ship") && told.contains("of ses_here"),
        "{told}"
    );
    let told = server.tool(
        "session_history",
        &json!({"what": "compactions", "session": "ses_later"}),
    );
    assert!(told.contains("Nothing found"), "{told}");
}
