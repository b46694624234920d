//! The commands of a user: `/memory`, `/remember TEXT`, `/forget TEXT`.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

/// Gives a command, and the words about it.
fn give(server: &mut Server, id: &str, command: &str, text: &str) -> (Value, String) {
    let params = json!({"session": "s", "messageId": id, "text": text, "command": command});
    let heard = server.ask("message", &params);
    let told = heard["told"]["text"].as_str().unwrap_or_default().to_owned();
    (heard, told)
}

#[test]
fn remember_stores_the_text_as_it_is_typed_once() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    for (id, text) in [
        ("1", "use pnpm, never npm"),
        ("2", "close the ticket when the beta is out"),
        ("3", "don't remember the port, it changes"),
        ("4", "これはテストで使う"),
        ("5", "is Redis what we want?"),
    ] {
        let (heard, told) = give(&mut server, id, "remember", text);
        assert_eq!(heard["memories"][0]["outcome"], "promoted", "{heard}");
        assert!(
            told.starts_with(&format!(
                "mdmem, by the user's command `/remember {text}`:\n- stored as "
            )),
            "{told}"
        );
        let path = heard["memories"][0]["path"].as_str().unwrap();
        assert!(env.read(path).contains(text) && env.read(path).contains("source: explicit"));
    }
    let (again, _) = give(&mut server, "1", "remember", "use pnpm, never npm");
    assert_eq!(again["memories"], json!([]), "it is heard once");
    let (known, told) = give(&mut server, "6", "remember", "use pnpm, never npm");
    assert_eq!(known["memories"][0]["outcome"], "absorbed_exact");
    assert!(told.contains("already known: "), "{told}");
    let (_, told) = give(&mut server, "7", "remember", "  ");
    assert!(told.contains("not stored yet: too short"), "{told}");
    // As `opencode run --command remember "…"` gives it.
    let (heard, _) = give(&mut server, "9", "remember", "\"indent the Makefile with tabs\"");
    let text = env.read(heard["memories"][0]["path"].as_str().unwrap());
    assert!(text.ends_with("\nindent the Makefile with tabs\n"), "{text}");
    let (_, told) = give(
        &mut server,
        "8",
        "remember",
        "nightly deploys stop the queue first, and log in as ops with password: hunter2X",
    );
    assert!(
        !told.contains("hunter2") && told.contains("without the credential"),
        "{told}"
    );
}

#[test]
fn forget_takes_back_one_memory_or_names_those_that_may_be_meant() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    for (id, text) in [
        ("1", "deploys run at night"),
        ("2", "no deploys on Fridays"),
        ("3", "the linter is clippy"),
    ] {
        give(&mut server, id, "remember", text);
    }
    let (heard, told) = give(&mut server, "4", "forget", "deploys");
    assert_eq!(heard["memories"][0]["outcome"], "not_taken_back");
    let [night, fridays] = ["deploys-run-at-night.md", "no-deploys-on-fridays.md"].map(|name| {
        let paths = env.mdmem(["list", "--paths"]).any_stdout().run().stdout;
        paths
            .lines()
            .find(|path| path.ends_with(name))
            .unwrap()
            .to_owned()
    });
    assert!(
        told.contains(&format!("did you mean {night} or {fridays}?")),
        "{told}"
    );
    assert!(told.contains("/forget PATH"), "{told}");

    let (_, told) = give(&mut server, "5", "forget", &fridays);
    assert!(
        told.contains(&format!("archived: {fridays} (`mdmem undo` brings it back)")),
        "{told}"
    );
    let (_, told) = give(&mut server, "6", "forget", "the linter is clippy");
    assert!(told.contains("archived: "), "{told}");
    let (_, told) = give(&mut server, "7", "forget", "the parser");
    assert!(told.contains("nothing was changed: the parser\n"), "{told}");
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    let shown = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(
        shown.contains("clippy") && shown.contains("at night") && !shown.contains("Fridays"),
        "{shown}"
    );
}

#[test]
fn memory_shows_what_there_is_and_what_the_session_was_given() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let overview = |server: &mut Server| {
        let answer = server.ask("overview", &json!({"session": "s"}));
        answer["text"].as_str().unwrap().to_owned()
    };
    let none = overview(&mut server);
    assert!(
        none.starts_with("Active memories of this workspace: 0\nFiles: /"),
        "{none}"
    );
    assert!(
        none.ends_with("This session has no prompt from mdmem yet."),
        "{none}"
    );
    give(&mut server, "1", "remember", "use pnpm, never npm");
    let given = server.prompt("s");
    let some = overview(&mut server);
    assert!(
        some.starts_with("Active memories of this workspace: 1\n"),
        "{some}"
    );
    assert!(some.contains(&env.store().display().to_string()), "{some}");
    assert!(some.ends_with(&given), "{some}");
}

#[test]
fn a_sub_agent_uses_no_tool_that_writes() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let call = json!({"session": "child", "parent": "s", "tool": "memory_add", "args": {"text": "The parser is written by hand"}});
    let reply = server.reply("call", &call);
    assert_eq!(reply["error"]["kind"], "refused");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("sub-agents cannot use memory_add: ") && message.lines().count() == 1,
        "{message}"
    );
}
