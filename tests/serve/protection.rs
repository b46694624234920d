//! Ways around `readonly` and `limit` that a model might find: none of them works, whatever the order of the calls.

use serde_json::{Value, json};

use super::server::{Server, rev};
use crate::env::TestEnv;

/// Frontmatters that a person wrote to protect a file; some with a slip, as a merge or a hand makes it.
const PROTECTED: &[&str] = &[
    "readonly: true\n",
    "readonly: True\n",
    "readonly: \"true\"\n",
    "readonly: yes\n",
    "readonly: on\n",
    "readonly: 1\n",
    "readonly:\n",
    "readonly: [true\n",
    "readonly: true # mine\n",
    "readonly: true\nreadonly: false\n",
    "readonly: false\nreadonly: true\n",
    "readonly: perhaps\n",
    "\"readonly\": true\n",
    "<<<<<<< ours\nreadonly: true\n=======\nreadonly: false\n>>>>>>> theirs\n",
    "a: b: c\nreadonly: true\n",
    "\treadonly: true\n",
    "Readonly: true\n",
    "read-only: true\n",
    "readonly:true\n",
    "\u{200b}readonly: true\n",
];

fn commits(env: &TestEnv) -> String {
    env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout
}

#[test]
fn no_order_of_calls_lifts_a_protection() {
    let env = TestEnv::with_store();
    let path = |n: usize| format!("reference/kept-{n}.md");
    for n in 0..PROTECTED.len() {
        env.write(&path(n), &format!("Words {n} before they were protected.\n"));
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let unprotected = commits(&env).trim().to_owned();
    for (n, keys) in PROTECTED.iter().enumerate() {
        env.write(
            &path(n),
            &format!("---\n{keys}---\nWords {n} that are mine alone.\n"),
        );
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let mut server = Server::start(&env);
    for (n, keys) in PROTECTED.iter().enumerate() {
        let path = path(n);
        let text = env.read(&path);
        let folded = path.replace("kept", "KEPT");
        let read = server.tool("memory_read", &json!({"path": path}));
        let rev = rev(&read);
        let copy = format!("project/copy-{n}.md");
        let copied = json!({"path": copy, "content": format!("Words {n} that are mine alone.")});
        let _ = server.try_tool("memory_write", &copied);
        let calls: Vec<(&str, Value)> = vec![
            (
                "memory_write",
                json!({"path": path, "content": "Mine.", "rev": rev}),
            ),
            (
                "memory_write",
                json!({"path": path, "content": "---\nreadonly: false\n---\nMine.", "rev": rev}),
            ),
            (
                "memory_write",
                json!({"path": path, "content": "Mine.", "rev": rev, "readonly": false, "limit": 1}),
            ),
            ("memory_write", json!({"path": folded, "content": "Mine."})),
            (
                "memory_edit",
                json!({"path": path, "old": "mine", "new": "yours", "rev": rev}),
            ),
            (
                "memory_edit",
                json!({"path": path, "old": "readonly: true", "new": "readonly: false"}),
            ),
            ("memory_move", json!({"path": path, "to": "archive/"})),
            ("memory_move", json!({"path": path})),
            ("memory_move", json!({"path": "reference", "to": "archive/"})),
            ("memory_move", json!({"path": "reference/", "to": "archive/"})),
            ("memory_move", json!({"path": copy, "to": path})),
            ("memory_move", json!({"path": copy, "to": folded})),
            ("memory_delete", json!({"path": path})),
            ("memory_delete", json!({"path": path, "forget": true})),
            // Whatever says the same goes with what is forgotten.
            ("memory_delete", json!({"path": copy, "forget": true})),
            ("memory_restore", json!({"path": path, "rev": unprotected})),
            ("memory_restore", json!({"path": folded, "rev": unprotected})),
        ];
        for (tool, args) in calls {
            let done = server.try_tool(tool, &args);
            let is_copys = tool == "memory_delete" && args["path"] == copy.as_str();
            assert!(done.is_err() || is_copys, "{keys:?}: {tool} {args}: {done:?}");
            assert_eq!(env.read(&path), text, "{keys:?}: {tool} {args}");
        }
        let _ = server.try_tool(
            "memory_add",
            &json!({"text": format!("Words {n} that are mine alone.")}),
        );
        assert_eq!(env.read(&path), text, "{keys:?}: memory_add");
    }
}

#[test]
fn no_order_of_calls_raises_a_limit() {
    let env = TestEnv::with_store();
    env.write("project/short.md", "A text that had no limit at first.\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let unlimited = commits(&env).trim().to_owned();
    env.write("project/short.md", "---\nlimit: 20\n---\nTwenty at most.\n");
    let mut server = Server::start(&env);
    let long = "This is much longer than twenty characters.";
    let is_refused = |server: &mut Server, tool: &str, args: Value| {
        let message = server.refused(tool, &args);
        assert!(message.contains("limit"), "{tool} {args}: {message}");
    };
    let path = "project/short.md";
    is_refused(
        &mut server,
        "memory_restore",
        json!({"path": path, "rev": unlimited}),
    );
    // Moved away and back, in another folder, under another type: the limit goes with it.
    server.tool("memory_move", &json!({"path": path, "to": "decision/moved.md"}));
    is_refused(
        &mut server,
        "memory_edit",
        json!({"path": "moved", "old": "Twenty at most.", "new": long}),
    );
    server.tool("memory_move", &json!({"path": "moved", "to": path}));
}
