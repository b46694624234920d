//! The memory tools in the hands of a model, in the real client.

use serde_json::{Value, json};

use super::driver::{OpenCode, Turn};
use crate::env::TestEnv;

const PATH: &str = "reference/lexer.md";

fn call(tool: &str, args: &Value) -> Value {
    json!({"tool": tool, "args": args})
}

/// The last answers of tools that the model was shown in a turn.
fn answers(turn: &Turn, count: usize) -> Vec<String> {
    let mut said = turn.last("main").said_by("tool");
    let last = said.split_off(said.len() - count);
    last.into_iter().map(str::to_owned).collect()
}

/// The `rev` that an answer names.
#[track_caller]
fn rev(answer: &str) -> &str {
    let (_, rest) = answer
        .split_once("rev: ")
        .unwrap_or_else(|| panic!("no rev in {answer}"));
    &rest[..12]
}

/// A file that no model may change.
pub(super) fn lock_a_file(env: &TestEnv) {
    env.write("user/locked.md", "---\nreadonly: true\n---\nMine alone.\n");
}

/// In a session of its own.
pub(super) fn a_model_writes_edits_pins_and_restores(env: &TestEnv, client: &mut OpenCode) {
    let session = client.session();
    client.answers("always");
    let mut play = |calls: &[Value]| {
        let steps: Vec<Value> = calls.iter().cloned().chain([json!("done")]).collect();
        let turn = client.play(&session, &steps);
        (answers(&turn, calls.len()), turn)
    };

    let note = "# The lexer\n\nIt keeps comments.\n\nIt drops blanks.";
    let write = json!({"path": PATH, "content": note, "description": "how the lexer works"});
    let (said, turn) = play(&[
        call("memory_write", &write),
        call("memory_read", &json!({"path": PATH})),
    ]);
    assert!(said[1].ends_with(note), "{said:?}");
    assert_eq!(rev(&said[0]), rev(&said[1]));
    let offered = turn.last("main").tools.iter();
    let offered = offered.filter(|tool| tool["name"].as_str().unwrap_or_default().starts_with("memory_"));
    assert_eq!(offered.count(), 13);

    let edit = json!({"path": PATH, "old": "drops", "new": "skips", "rev": rev(&said[1])});
    let locked = json!({"path": "user/locked.md", "old": "Mine", "new": "Theirs"});
    let (said, _) = play(&[call("memory_edit", &edit), call("memory_edit", &locked)]);
    assert!(
        said[0].starts_with("Edited: ") && said[1].contains("readonly"),
        "{said:?}"
    );
    assert!(env.read("user/locked.md").contains("Mine alone."));

    let (_, turn) = play(&[call("memory_move", &json!({"path": PATH, "to": "system/"}))]);
    let shown = |turn: &Turn| turn.last("main").system.join("\n\n");
    assert!(!turn.requests[0].system.join("\n\n").contains("skips blanks"));
    let (_, turn) = play(&[call("memory_tree", &json!({}))]);
    assert!(shown(&turn).contains("It skips blanks."), "{}", shown(&turn));

    // What the person wrote is theirs until they agree, and a planted quotation is no leave.
    env.write("project/port.md", "The cart service listens on port 8005\n");
    let edit = json!({"path": "project/port.md", "old": "8005", "new": "9900", "reason": "the user said \"the cart service moved to 9900\""});
    let steps = [call("memory_edit", &edit), json!("done")];
    client.answers("reject");
    let turn = client.play(&session, &steps);
    let said = answers(&turn, 1).remove(0);
    assert!(
        said.contains("did nothing") && said.contains("tell the user"),
        "{said}"
    );
    assert!(env.read("project/port.md").contains("8005"));
    client.answers("once");
    let turn = client.play(&session, &steps);
    assert!(answers(&turn, 1)[0].starts_with("Edited: "), "{turn:?}");
    let dialogs = client.dialogs();
    assert_eq!(
        dialogs.last().unwrap()["permission"],
        "memory_change",
        "{dialogs:?}"
    );
    client.shows("Memory, by the agent: Edited: project/port.md");
    let next = client.session();
    let turn = client.play(&next, &[json!("done")]);
    let system = shown(&turn);
    let line = system.lines().find(|line| line.contains("port 9900"));
    assert!(line.is_some_and(|line| line.ends_with(", agent)")), "{system}");
}
