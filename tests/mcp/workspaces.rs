//! The folder that a client works in, and the person who is asked about the global memory.

use std::path::Path;

use serde_json::{Value, json};

use super::driver::{Clients, installed};
use super::raw::Raw;
use crate::env::TestEnv;
use crate::serve::server::Server;

fn uri(folder: &Path) -> String {
    url::Url::from_file_path(folder).unwrap().to_string()
}

fn folder(env: &TestEnv, name: &str) -> std::path::PathBuf {
    let folder = env.home().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(text: &str) -> Value {
    json!({"path": "project/where.md", "content": text})
}

#[test]
fn the_roots_of_the_official_client_are_followed_and_its_user_is_asked() {
    if !installed("the_roots_of_the_official_client_are_followed_and_its_user_is_asked") {
        return;
    }
    let env = TestEnv::new();
    let (one, two) = (folder(&env, "first one ä"), folder(&env, "second"));
    let mut clients = Clients::start(&env);
    let connect = json!({"do": "connect", "name": "a", "cwd": "/", "roots": ["https://example.com", "file:///", uri(&one), uri(&two)], "elicit": "accept"});
    clients.ask(&connect);
    clients.tool("a", "memory_write", &write("In the first"));
    clients.ask(&json!({"do": "roots", "name": "a", "roots": [uri(&two)]}));
    clients.tool("a", "memory_write", &write("In the second"));
    assert!(
        clients
            .read("a", "mdmem://project/project/where.md")
            .ends_with("In the second")
    );
    clients.ask(&json!({"do": "roots", "name": "a", "roots": [uri(&one), uri(&two)]}));
    assert!(
        clients
            .tool("a", "memory_read", &json!({"path": "where"}))
            .ends_with("In the first")
    );
    assert_eq!(
        clients.ask(&json!({"do": "asked", "name": "a"})),
        json!([]),
        "no workspace needs leave"
    );

    let global = json!({"text": "Answers are short and in English", "type": "feedback", "scope": "global"});
    assert!(
        clients
            .tool("a", "memory_add", &global)
            .contains("stored as feedback/")
    );
    let asked = clients.ask(&json!({"do": "asked", "name": "a"}));
    assert!(
        asked[0].as_str().unwrap().contains("Answers are short"),
        "{asked}"
    );
    let listed = clients.request("a", "resources/list", &json!({}));
    assert!(
        listed
            .to_string()
            .contains("mdmem://global/feedback/answers-are-short"),
        "{listed}"
    );

    let other = json!({"text": "Commits are signed with the work key", "scope": "global"});
    clients.ask(&json!({"do": "connect", "name": "b", "cwd": one, "elicit": "decline"}));
    assert!(
        clients
            .refused("b", "memory_add", &other)
            .contains("the user declined")
    );
    clients.ask(&json!({"do": "connect", "name": "c", "cwd": one}));
    let refused = clients.refused("c", "memory_add", &other);
    assert!(refused.contains("tools.global"), "{refused}");
    assert!(
        clients
            .tool("c", "memory_read", &json!({"path": "where"}))
            .ends_with("In the first")
    );
}

#[test]
fn where_no_workspace_can_be_the_global_memory_alone_is_served() {
    let env = TestEnv::new();
    for roots in [
        vec![uri(&env.home())],
        vec!["file:///".to_owned(), "file:///no/such/folder".to_owned()],
        vec!["file:///dev/fd".to_owned(), "file:///proc/self/fd".to_owned()],
        // Elsewhere: the folder that the program was started in is none of these.
        vec![uri(&env.workspace()).replace("file://", "file://elsewhere")],
        vec!["vscode-vfs://github/a/b".to_owned()],
    ] {
        let mut server = Raw::start(&env, &[], &json!({"roots": {}}));
        let call = server.begin(
            "tools/call",
            &json!({"name": "memory_write", "arguments": write("Nowhere")}),
        );
        let asked = server.wait("roots/list", |message| message["method"] == "roots/list");
        let listed: Vec<Value> = roots.iter().map(|uri| json!({"uri": uri})).collect();
        server.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": listed}}));
        let answer = server.answer(call);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["result"]["isError"], true);
        assert!(
            text.contains("only the global memory") && text.contains("--workspace"),
            "{text}"
        );
        assert!(
            server
                .tool("memory_read", &json!({"path": "PROTOCOL.md"}))
                .is_ok()
        );
    }
    assert!(!env.mdmem_home().join("workspaces").exists());
}

/// A client that cannot ask: the edit of what the person wrote waits for them.
#[test]
fn where_nobody_can_be_asked_a_change_of_the_persons_words_is_a_suggestion() {
    let env = TestEnv::with_store();
    env.write("project/port.md", "The cart service listens on port 8005\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let mut server = Raw::start(&env, &[], &json!({}));
    let edit = json!({"path": "project/port.md", "old": "8005", "new": "9900", "reason": "it moved"});
    let refused = server.tool("memory_edit", &edit).unwrap_err();
    assert!(refused.contains("`mdmem suggestions`"), "{refused}");
    let forget = json!({"path": "project/port.md", "forget": true});
    let refused = server.tool("memory_delete", &forget).unwrap_err();
    assert!(refused.contains("`mdmem forget PATH`"), "{refused}");
    assert!(env.read("project/port.md").ends_with("8005\n"));
    let listed = env.mdmem(["suggestions"]).any_stdout().any_stderr().run().stdout;
    assert!(listed.contains("9900") && listed.contains("it moved"), "{listed}");
    env.mdmem(["suggestions", "accept", "1"])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(env.read("project/port.md").contains("port 9900"));
}

/// The hooks of the same agent have heard the user, in another process: their whole request is leave.
#[test]
fn a_request_that_a_hook_heard_is_leave_for_the_tools() {
    let env = TestEnv::with_store();
    env.write("project/port.md", "The cart service listens on port 8005\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let mut server = Raw::start(&env, &[], &json!({}));
    let edit =
        |reason: &str| json!({"path": "project/port.md", "old": "8005", "new": "9900", "reason": reason});
    let refused = server.tool("memory_edit", &edit("it moved")).unwrap_err();
    assert!(!refused.contains("quote"), "{refused}");
    let said = "Please remember that the cart service is reached through 9900";
    let event = json!({
        "session_id": "s",
        "cwd": env.workspace().display().to_string(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": said,
    });
    env.mdmem(["hook", "user-prompt-submit"])
        .stdin(event.to_string())
        .any_stdout()
        .run();
    let refused = server
        .tool(
            "memory_edit",
            &edit("the user said \"the cart service is on 9900\""),
        )
        .unwrap_err();
    assert!(refused.contains("quote their whole request"), "{refused}");
    server
        .tool("memory_edit", &edit(&format!("the user said \"{said}\"")))
        .unwrap();
    assert!(env.read("project/port.md").contains("9900"));
}

/// Somebody opens the folder of the global store itself, to read in it.
#[test]
fn the_folder_of_the_global_store_is_no_way_around_its_consent() {
    let env = TestEnv::new();
    let args = ["--global", "add", "--type", "user", "Answer in English"];
    env.mdmem(args).any_stdout().any_stderr().run();
    let global = env.mdmem_home().join("global");
    let mut server = Raw::start(&env, &["--workspace", global.to_str().unwrap()], &json!({}));
    for scope in [json!(null), json!("project"), json!("global")] {
        let mut call = write("Pinned everywhere");
        call["scope"] = scope;
        let refused = server.tool("memory_write", &call).unwrap_err();
        assert!(refused.contains("tools.global"), "{refused}");
    }
    let read = server.tool("memory_tree", &json!({})).unwrap();
    assert!(
        read.contains("user/answer-in-english.md") && !read.contains("project memory"),
        "{read}"
    );
}

#[test]
fn a_client_that_does_not_answer_is_not_waited_for_without_end() {
    let env = TestEnv::new();
    let mut server = Raw::start(&env, &[], &json!({"roots": {"listChanged": true}}));
    assert!(
        server
            .tool("memory_write", &write("In the present folder"))
            .is_ok()
    );
    assert!(env.read("project/where.md").contains("In the present folder"));
    assert_eq!(server.unread()[0]["method"], "roots/list");
}

#[test]
fn a_workspace_of_the_command_line_wins() {
    let env = TestEnv::new();
    let other = folder(&env, "other");
    let mut server = Raw::start(
        &env,
        &["--workspace", other.to_str().unwrap()],
        &json!({"roots": {}}),
    );
    server.tool("memory_write", &write("In the other")).unwrap();
    assert!(server.unread().is_empty(), "nobody is asked for roots");
    let list = env.mdmem(["-C", other.to_str().unwrap(), "list", "--paths"]);
    list.stdout("project/where.md\n").run();
}

#[test]
fn a_server_takes_up_the_store_that_its_workspace_is_given() {
    let env = TestEnv::new();
    let notes = folder(&env, "notes");
    let added = env.mdmem(["add", "Use make for everything"]).current_dir(&notes);
    added.any_stdout().any_stderr().run();
    std::fs::remove_dir(&notes).unwrap();
    let mut server = Server::start(&env);
    let mut client = Raw::start(&env, &[], &json!({}));
    assert!(!server.prompt("s").contains("Use make"));
    assert!(client.tool("memory_tree", &json!({})).is_ok());
    let link = env.mdmem(["stores", "link", "notes"]);
    link.any_stdout().any_stderr().run();
    assert!(server.prompt("s").contains("Use make"));
    let tree = client.tool("memory_tree", &json!({})).unwrap();
    assert!(tree.contains("use-make"), "{tree}");
    let asked = json!({"path": "project/ninja.md", "content": "Use ninja too"});
    client.tool("memory_write", &asked).unwrap();
    env.mdmem(["list", "--paths"])
        .stdout_has("project/use-make-for-everything.md")
        .stdout_has("project/ninja.md")
        .run();
    server.bye();
}

#[test]
fn another_project_in_the_place_of_one_that_is_served_sees_nothing_of_it() {
    let env = TestEnv::new();
    let begin = |message: &str| {
        for args in [
            &["init", "-q"][..],
            &["commit", "-q", "--allow-empty", "-m", message],
        ] {
            let git = env
                .command("git")
                .current_dir(env.workspace())
                .args(args)
                .status();
            assert!(git.unwrap().success());
        }
    };
    begin("one");
    env.mdmem(["add", "Use make for everything"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let mut client = Raw::start(&env, &[], &json!({}));
    assert!(server.prompt("s").contains("Use make"));
    assert!(
        client
            .tool("memory_tree", &json!({}))
            .unwrap()
            .contains("use-make")
    );
    let moved = env.workspace().with_file_name("moved");
    std::fs::rename(env.workspace(), &moved).unwrap();
    std::fs::create_dir(env.workspace()).unwrap();
    begin("other");
    assert!(!server.prompt("t").contains("Use make"));
    assert!(
        !client
            .tool("memory_tree", &json!({}))
            .unwrap()
            .contains("use-make")
    );
    let asked = json!({"path": "project/ninja.md", "content": "Use ninja"});
    client.tool("memory_write", &asked).unwrap();
    env.mdmem(["list", "--paths"])
        .current_dir(&moved)
        .stdout("project/use-make-for-everything.md\n")
        .any_stderr()
        .run();
    env.mdmem(["list", "--paths"]).stdout("project/ninja.md\n").run();
    server.bye();
}

#[test]
fn the_pinned_folder_of_the_store_is_named_to_the_model() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "hot_dir", "hot"]).any_stderr().run();
    env.mdmem(["config", "set", "--user", "tools.enabled", "[\"all\"]"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Raw::start(&env, &[], &json!({}));
    let listed = server.ask("tools/list", &json!({}))["tools"].to_string();
    assert!(
        listed.contains("In hot/ it is pinned") && !listed.contains("system/"),
        "{listed}"
    );
}

#[test]
fn the_tools_follow_the_store_of_the_present_root() {
    if !installed("the_tools_follow_the_store_of_the_present_root") {
        return;
    }
    let env = TestEnv::new();
    let (one, two) = (folder(&env, "first"), folder(&env, "second"));
    let of_two = |args: &[&str]| {
        let call = env.mdmem(args).current_dir(&two);
        call.any_stdout().any_stderr().run();
    };
    of_two(&["init"]);
    of_two(&["config", "set", "hot_dir", "hot"]);
    env.mdmem(["config", "set", "--user", "tools.enabled", "[\"all\"]"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut clients = Clients::start(&env);
    let connect = json!({"do": "connect", "name": "a", "cwd": one, "roots": [uri(&two)]});
    let hello = clients.ask(&connect);
    assert_eq!(hello["capabilities"]["tools"]["listChanged"], true);
    let mut tools_name = |pinned: &str, other: &str| {
        let listed = clients.request("a", "tools/list", &json!({})).to_string();
        let is_named = listed.contains(&format!("In {pinned} it is pinned"));
        assert!(is_named && !listed.contains(other), "{pinned}: {listed}");
        clients.ask(&json!({"do": "roots", "name": "a", "roots": [uri(&one)]}));
        clients.ask(&json!({"do": "toolsChanged", "name": "a"}));
    };
    tools_name("hot/", "system/");
    tools_name("system/", "hot/");
}
