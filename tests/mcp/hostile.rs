//! Lines that no client sends: none of them ends the server, none writes to standard output what is no message.

use serde_json::{Value, json};

use super::raw::Raw;
use crate::env::TestEnv;

#[test]
fn nothing_that_a_client_says_ends_the_server() {
    let env = TestEnv::with_store();
    let mut server = Raw::silent(&env, &[]);
    // Before the handshake.
    server.send(br#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#);
    server.send(br#"{"jsonrpc":"2.0","result":{},"id":1}"#);
    for (method, params) in [
        ("tools/list", json!({})),
        (
            "tools/call",
            json!({"name": "memory_add", "arguments": {"text": "too early, and not to be stored"}}),
        ),
        ("nobody/knows", json!({})),
    ] {
        let answer = server.ask(method, &params);
        assert!(answer["error"]["code"].is_i64(), "{method}: {answer}");
    }
    assert_eq!(server.ask("ping", &json!({})), json!({}));
    let welcome = server.greet(&json!({}));
    assert_eq!(welcome["protocolVersion"], "2025-06-18");

    let nested = |open: &str, close: &str| [open.repeat(100_000), close.repeat(100_000)].concat();
    let mut long = br#"{"jsonrpc":"2.0","id":900,"method":"tools/list","params":{"x":""#.to_vec();
    long.resize(long.len() + 20 * 1024 * 1024, b'x');
    long.extend_from_slice(br#""}}"#);
    let nonsense: [&[u8]; 12] = [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"7",
        b"null",
        br#"{"jsonrpc":"1.0","id":901,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","result":{},"id":12345}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4711}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/nobody-knows"}"#,
        &long,
    ];
    for line in nonsense {
        server.send(line);
    }
    for line in [
        nested("[", "]"),
        nested("{\"a\":", "}"),
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":902,\"method\":\"tools/call\",\"params\":{{\"name\":\"memory_read\",\"arguments\":{{\"path\":{}}}}}}}",
            nested("[", "]")
        ),
    ] {
        server.send(line.as_bytes());
    }
    // A line of ten megabytes is long, and a message.
    let text = "x".repeat(10 * 1024 * 1024);
    let over = server.tool(
        "memory_write",
        &json!({"path": "project/long.md", "content": text}),
    );
    assert!(over.unwrap_err().contains("limit"));

    let unknown = server.ask("nobody/knows", &json!({"a": 1}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    for params in [
        json!(null),
        json!({}),
        json!([]),
        json!({"name": 7}),
        json!({"name": "memory_read", "arguments": []}),
        json!({"name": "memory_read", "arguments": "x"}),
    ] {
        let answer = server.ask("tools/call", &params);
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    for (method, params) in [("resources/read", json!({})), ("initialize", json!({}))] {
        let answer = server.ask(method, &params);
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
    }
    for (tool, args) in [
        ("memory_nothing", json!({})),
        ("memory", json!({"command": "view", "path": "/memories"})),
        ("memory_read", json!({})),
        ("memory_read", json!({"path": 7})),
        ("memory_read", json!({"path": "../../etc/passwd"})),
        ("memory_read", json!({"path": "x.md", "mood": "fine"})),
        ("memory_add", json!({"text": "x", "scope": "everywhere"})),
        ("memory_history", json!({"limit": -1})),
    ] {
        assert!(server.tool(tool, &args).is_err(), "{tool} {args}");
    }
    for uri in [
        "",
        "mdmem://",
        "file:///etc/passwd",
        "mdmem://project/../../../etc/passwd",
        "mdmem://project/%2e%2e%2f%2e%2e%2fx.md",
        "mdmem://project/%00.md",
        "mdmem://project/.git/config",
        "mdmem://user@project/x.md",
    ] {
        let answer = server.ask("resources/read", &json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
    }
    let unread = server.unread().iter();
    let refused: Vec<_> = unread
        .map(|said| (said["id"].as_u64(), said["error"]["code"].as_i64()))
        .collect();
    let expected = [
        // No JSON, and no request.
        (None, Some(-32700)),
        (None, Some(-32700)),
        (None, Some(-32600)),
        (None, Some(-32600)),
        (None, Some(-32600)),
        (Some(901), Some(-32600)),
        (None, Some(-32600)),
        // Too long, and nested too deep to be read, but for an id.
        (Some(900), Some(-32602)),
        (None, Some(-32600)),
        (None, Some(-32600)),
        (Some(902), Some(-32602)),
    ];
    assert_eq!(refused, expected, "an answer and a notification are not answered");
    server
        .send(br#"[{"jsonrpc":"2.0","id":910,"method":"ping"},{"jsonrpc":"2.0","id":911,"method":"ping"}]"#);
    assert_eq!(
        (&server.answer(910)["result"], &server.answer(911)["result"]),
        (&json!({}), &json!({}))
    );
    assert_eq!(server.ask("ping", &json!({})), json!({}));
    server.hang_up();
    assert_eq!(server.ended(), Some(0));
    env.mdmem(["list", "--paths"]).stdout("").any_stderr().run();
}

/// What nobody sees in a file, or what a terminal would obey, reaches no model.
#[test]
fn nothing_hides_in_what_a_model_reads() {
    let env = TestEnv::with_store();
    let hidden = "\u{1b}[31m\0\u{7}\u{202e}\u{200b}\u{e0041}";
    let text = format!("---\ndescription: a {hidden}bell\n---\nRing the {hidden}bell\n\n\tTwice\n");
    env.write("project/bell.md", &text);
    env.write("project/b\u{202e}ook.md", "A book\n");
    let mut server = Raw::start(&env, &[], &json!({}));
    let uri = json!({"uri": "mdmem://project/project/bell.md"});
    let mut said = vec![
        server.ask("resources/list", &json!({})).to_string(),
        server.ask("resources/read", &uri).to_string(),
    ];
    for (tool, args) in [
        ("memory_read", json!({"path": "project/bell.md"})),
        ("memory_search", json!({"query": "bell"})),
        ("memory_tree", json!({})),
        ("memory_history", json!({})),
        ("memory_read", json!({"path": "no\u{202e}body.md"})),
    ] {
        let answer = server.tool(tool, &args).unwrap_or_else(|refused| refused);
        said.push(json!(answer).to_string());
    }
    assert!(
        said[1].contains("Ring the bell") && said[1].contains("\\n\\tTwice"),
        "{}",
        said[1]
    );
    for said in said {
        let escaped = ["\\u001b", "\\u0000", "\\u0007"]
            .iter()
            .any(|code| said.contains(code));
        let seen = said.contains(['\u{202e}', '\u{200b}', '\u{e0041}']);
        assert!(!escaped && !seen, "{said:?}");
    }
}

/// Models and their clients write numbers and booleans in other ways than a schema has them, and give a resource's address.
#[test]
fn arguments_are_taken_as_they_are_meant() {
    let env = TestEnv::with_store();
    let mut server = Raw::start(&env, &[], &json!({}));
    let mut count = 0;
    let mut write = |name: &str, value: Value| {
        count += 1;
        let content = "# Note\n\nOne.\n\nTwo.";
        let mut args = json!({"path": format!("notes/{count}.md"), "content": content});
        args[name] = value;
        server.tool("memory_write", &args)
    };
    for limit in [json!(800), json!(800.0), json!("800"), json!(" 800.0 ")] {
        assert!(
            write("limit", limit.clone()).is_ok_and(|said| said.contains("of 800 ")),
            "{limit}"
        );
    }
    for wrong in [json!(8.5), json!(-1), json!("many"), json!(true), json!([800])] {
        assert_eq!(write("limit", wrong).unwrap_err(), "`limit` must be an integer");
    }
    assert_eq!(
        write("readonly", json!("maybe")).unwrap_err(),
        "`readonly` must be a boolean"
    );
    assert!(write("readonly", json!("true")).is_ok());
    let address = json!({"path": "mdmem://project/notes/1.md"});
    let read = server.tool("memory_read", &address).unwrap();
    assert!(read.starts_with("path: notes/1.md\n"), "{read}");
    // As hooks and notes show it, and a text that is a number.
    env.write("notes/8005.md", "The cart listens on port 8005\n");
    let whole = env.store().join("notes/8005.md");
    for path in [
        json!(whole),
        json!("[[8005]]"),
        json!("[[8005|the port]]"),
        json!("./notes/8005.md"),
        json!(8005),
    ] {
        let read = server.tool("memory_read", &json!({"path": path}));
        assert!(
            read.as_ref()
                .is_ok_and(|read| read.starts_with("path: notes/8005.md\n")),
            "{path}: {read:?}"
        );
    }
    let found = server.tool("memory_search", &json!({"query": 8005}));
    assert!(found.is_ok_and(|found| found.contains("notes/8005.md")));
    for (tool, args, said) in [
        ("memory_search", json!({}), "`query` is required"),
        (
            "memory_search",
            json!({"query": "x", "scope": "globl"}),
            "`scope` must be one of project, global, all",
        ),
        (
            "memory_search",
            json!({"query": "x", "mood": 1}),
            "unknown argument `mood`",
        ),
    ] {
        assert_eq!(server.tool(tool, &args).unwrap_err(), said);
    }
}

/// Some clients begin with a mark of the byte order.
#[test]
fn a_mark_before_the_first_message_is_no_part_of_it() {
    let env = TestEnv::with_store();
    let mut server = Raw::silent(&env, &[]);
    server.send(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"first\",\"method\":\"ping\"}\r");
    let answer = server.wait("the answer", |said| said["id"] == "first");
    assert_eq!(answer["result"], json!({}));
    server.hang_up();
    assert_eq!(server.ended(), Some(0));
}
