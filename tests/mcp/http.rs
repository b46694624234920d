//! `mdmem mcp --http`: through the official client, and as an enemy sends requests.

use serde_json::json;

use super::driver::{Clients, installed};
use crate::env::{Listening, TestEnv};

fn start(env: &TestEnv) -> (Listening, String) {
    let server = Listening::start(env, &["mcp", "--http", "127.0.0.1:0"], 2);
    let (_, token) = server.said[1].split_once("Bearer ").unwrap();
    let token = token.trim_end_matches('`').to_owned();
    (server, token)
}

#[test]
fn two_official_clients_at_once_and_what_connectors_call() {
    if !installed("http::two_official_clients_at_once_and_what_connectors_call") {
        return;
    }
    let env = TestEnv::with_store();
    let (server, token) = start(&env);
    let url = server.said[0]
        .split_once("http")
        .map(|(_, rest)| format!("http{rest}"))
        .unwrap();
    let mut clients = Clients::start(&env);
    for name in ["a", "b"] {
        let hello = clients.ask(&json!({"do": "connect", "name": name, "url": url, "token": token}));
        assert_eq!(hello["server"]["name"], "mdmem");
    }
    let added = clients.tool(
        "a",
        "memory_add",
        &json!({"text": "The parser is written by hand", "type": "decision"}),
    );
    assert!(added.contains("decision/"), "{added}");
    assert!(
        clients
            .tool("b", "memory_search", &json!({"query": "parser"}))
            .contains("written by hand")
    );
    let listed = clients.request("b", "tools/list", &json!({}));
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[names.len() - 2..], ["search", "fetch"], "{names:?}");
    let found: serde_json::Value =
        serde_json::from_str(&clients.tool("b", "search", &json!({"query": "parser"}))).unwrap();
    let hit = &found["results"][0];
    assert_eq!(
        hit["url"],
        "mdmem://project/decision/the-parser-is-written-by-hand.md"
    );
    let fetched = clients.tool("b", "fetch", &json!({"id": hit["id"]}));
    let fetched: serde_json::Value = serde_json::from_str(&fetched).unwrap();
    assert!(
        fetched["text"].as_str().unwrap().contains("written by hand"),
        "{fetched}"
    );
    assert!(
        clients
            .refused("b", "fetch", &json!({"id": "mdmem://project/../../etc/passwd"}))
            .len()
            > 10
    );
    // A thousand calls, a hundred at once.
    for _ in 0..10 {
        let name = |n: usize| if n.is_multiple_of(2) { "a" } else { "b" };
        let call = |n: usize| json!({"name": name(n), "method": "tools/call", "params": {"name": "memory_read", "arguments": {"path": "the-parser-is-written-by-hand"}}});
        let requests: Vec<_> = (0..100).map(call).collect();
        let answers = clients.ask(&json!({"do": "many", "requests": requests}));
        let answers = answers.as_array().unwrap();
        assert_eq!(
            answers.iter().filter(|answer| answer["isError"] == false).count(),
            100
        );
    }
    // One goes without a word; the other goes on, and so does the server.
    clients.kill();
    let mut clients = Clients::start(&env);
    clients.ask(&json!({"do": "connect", "name": "c", "url": url, "token": token}));
    clients.tool(
        "c",
        "memory_add",
        &json!({"text": "The lexer too is written by hand"}),
    );
    assert_eq!(server.interrupt(), Some(0));
    env.mdmem(["list", "--paths"]).stdout_has("the-lexer-too").run();
    env.git(["status", "--porcelain"]).stdout("").run();
}

#[test]
fn who_does_not_know_the_token_or_comes_from_elsewhere_gets_nothing() {
    let env = TestEnv::with_store();
    let (server, token) = start(&env);
    let bearer = format!("Bearer {token}");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let ask = |headers: &[(&str, &str)], body: &str| {
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        all.extend(headers);
        server.ask("POST", "/mcp", &all, body)
    };
    let good = ("Authorization", bearer.as_str());
    for headers in [
        &[][..],
        &[("Authorization", "Bearer x")],
        &[("Authorization", token.as_str())],
    ] {
        let answer = ask(headers, hello);
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    for other in [
        ("Host", "evil.example"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
    ] {
        let answer = ask(&[good, other], hello);
        assert_eq!(answer.status, 403, "{other:?}: {answer:?}");
    }
    let lower = format!("bearer {token}");
    let page = format!("http://localhost:{}", server.address.port());
    let headers = [("Authorization", lower.as_str()), ("Origin", page.as_str())];
    assert_eq!(ask(&headers, hello).status, 200);
    let huge = format!("{}{}", hello, " ".repeat(17 << 20));
    for (body, status) in [(huge.as_str(), 413), ("no JSON", 415)] {
        let answer = ask(&[good], body);
        assert_eq!(answer.status, status, "{answer:?}");
        let error: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(error["error"]["code"], -32600, "{error}");
    }
    assert_eq!(server.ask("GET", "/", &[good], "").status, 404);
    // Who knows it is served, also after all this; a client that connects and says nothing keeps nobody waiting.
    let _silent = std::net::TcpStream::connect(server.address).unwrap();
    assert_eq!(ask(&[good], hello).status, 200);
    for (given, listens) in [("localhost:0", "http://127.0.0.1:"), ("0", "http://127.0.0.1:")] {
        let server = Listening::start(&env, &["mcp", "--http", given], 1);
        assert!(server.said[0].contains(listens), "{:?}", server.said);
    }
    env.mdmem(["mcp", "--http", "here"])
        .refuses("give an IP address and a port, such as 127.0.0.1:7310")
        .run();
    // A token of one's own stays the same.
    let mut env = TestEnv::with_store();
    env.set_var("MDMEM_HTTP_TOKEN", "of my own");
    let server = Listening::start(&env, &["mcp", "--http", "127.0.0.1:0"], 1);
    let own = ("Authorization", "Bearer of my own");
    assert_eq!(server.ask("GET", "/", &[own], "").status, 404);
    assert_eq!(server.ask("GET", "/", &[good], "").status, 401);
}
