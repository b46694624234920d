//! The commands that the plugin brings along: in a terminal without a turn of the model's, elsewhere with one line of it.

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, Turn, installed};
use super::main_job::{bin, machine, memories};
use crate::env::wait_for;

/// The texts of the last message of a session, as the client keeps them, and whether the model is shown them.
fn last_message(client: &mut OpenCode, session: &str) -> (String, bool) {
    let last = client.messages(session).pop().unwrap();
    let parts = last["parts"].as_array().unwrap();
    let text = |part: &Value| part["text"].as_str().unwrap_or_default().to_owned();
    let texts: Vec<String> = parts.iter().map(text).collect();
    (texts.join("\n"), parts.iter().all(|part| part["ignored"] != true))
}

/// The words of the user in the last request of a turn.
fn shown(turn: &Turn) -> String {
    turn.last("main").said_by("user").join("\n")
}

#[test]
fn commands_in_a_terminal_cost_no_turn() {
    if !installed("commands_in_a_terminal_cost_no_turn") {
        return;
    }
    let env = machine();
    let mut client = OpenCode::start_alone(&env, &[bin()]);
    client.terminal();
    let session = client.session();
    let typed = "this repo uses pnpm, never npm !`touch ran`";
    let turn = client.command(&session, "remember", &Play::new(typed));
    assert_eq!(turn.requests, []);
    let (told, is_shown) = last_message(&mut client, &session);
    assert!(told.contains("stored as ") && !is_shown, "{told}");
    assert_eq!(memories(&env).len(), 1);
    assert!(
        !env.workspace().join("ran").exists(),
        "nobody runs what is remembered"
    );

    let turn = client.command(&session, "memory", &Play::new(""));
    assert_eq!(turn.requests, []);
    let (overview, is_shown) = last_message(&mut client, &session);
    let store = env.store().display().to_string();
    assert!(
        overview.contains("Active memories of this workspace: 1\n") && overview.contains(&store),
        "{overview}"
    );
    assert!(!is_shown);

    // The model learns it with the next message, and nothing of what was for the person alone.
    let turn = client.turn(&session, &Play::new("hello"));
    assert!(
        shown(&turn).contains(typed) && !shown(&turn).contains("Active memories"),
        "{}",
        shown(&turn)
    );

    wait_for("the title", LIMIT, || {
        (client.title(&session) == "hello").then_some(())
    });

    // In the middle of a turn: neither a request more, nor a word lost.
    let forget = "fetch(process.env.CLIENT_URL + `/session/${process.argv[1]}/command`, {method: `POST`, \
        headers: {[`content-type`]: `application/json`}, \
        body: JSON.stringify({command: `forget`, arguments: `project/this-repo-uses-pnpm-never-npm.md`})}).then(({status}) => console.log(status))";
    let command = format!("node -e '{forget}' {session}");
    let bash = json!({"tool": "bash", "args": {"command": command, "description": "forgets"}});
    let turn = client.play(&session, &[bash, json!("done")]);
    assert_eq!(turn.last("main").said_by("tool"), ["500\n"]);
    assert_eq!(turn.systems("main").len(), 2);
    let told = wait_for("the answer after the turn", LIMIT, || {
        let (told, is_shown) = last_message(&mut client, &session);
        (!is_shown).then_some(told)
    });
    assert!(told.contains("- archived: "), "{told}");
    let turn = client.prompt(&session);
    assert!(shown(&turn).contains("- archived: "), "{}", shown(&turn));
}
