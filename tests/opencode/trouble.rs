//! Whatever the server does, the turn goes on: played with a server that misbehaves on demand.

use serde_json::json;

use super::driver::{LIMIT, OpenCode, installed};
use super::fake::Fake;
use crate::env::wait_for;

/// What the plugin put into the only request of a turn.
#[track_caller]
fn memory(turn: &super::driver::Turn) -> String {
    let systems = turn.systems("main");
    assert_eq!(systems.len(), 1);
    systems[0]
        .lines()
        .find(|line| line.starts_with("memory for"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_server_in_trouble_costs_no_turn_and_no_memory() {
    if !installed("a_server_in_trouble_costs_no_turn_and_no_memory") {
        return;
    }
    let fake = Fake::new();
    let program = fake.env.home().join("mdmem");
    let mut client = OpenCode::start(&fake.env, &[("MDMEM_BIN", &program)]);
    let session = client.session();
    without_the_binary_turns_work_and_the_log_says_so_once(&mut client, &session);

    // It is installed while the client runs.
    std::os::unix::fs::symlink(Fake::program(), &program).unwrap();
    let first = wait_for("the server that is there now", LIMIT, || {
        Some(memory(&client.prompt(&session))).filter(|memory| !memory.is_empty())
    });
    assert!(first.starts_with(&format!("memory for {session} ")), "{first:?}");

    for (behaviour, complaint) in [
        ("late", "prompt took more than 300 ms"),
        ("mute", "left 3 requests unanswered"),
        ("garbage", "said what is no answer: Welcome to the fake!"),
        ("dead", "the server ended (exit code 3): the fake is dead"),
    ] {
        // A server that a busy machine lost on the way begins well, and comes to the same trouble.
        fake.behave(&json!({"how": {"hello": "well", "*": behaviour}}));
        // Prompts until the complaint is there: how many it takes depends on backoff and on deadlines in a row.
        wait_for(complaint, LIMIT, || {
            // By whichever server: a late answer of a new one may be the last text.
            let shown = memory(&client.prompt(&session));
            assert!(
                shown.starts_with(&format!("memory for {session} by ")),
                "{behaviour}: {shown:?}"
            );
            let log = client.log();
            log.iter().any(|line| line.contains(complaint)).then_some(())
        });
    }
    client.logs("served the last text");

    // A session that begins now has no text of its own: it gets what the workspace had last.
    let other = client.session();
    let shown = memory(&client.prompt(&other));
    assert!(
        shown.starts_with(&format!("memory for {session} by ")),
        "{shown:?}"
    );

    fake.behaves("*", "well");
    let fresh = wait_for("the server that was started again", LIMIT, || {
        Some(memory(&client.prompt(&session))).filter(|memory| *memory != first)
    });
    assert!(fresh.starts_with(&format!("memory for {session} ")), "{fresh:?}");
    client.logs("the server answers again");
}

fn without_the_binary_turns_work_and_the_log_says_so_once(client: &mut OpenCode, session: &str) {
    for _ in 0..3 {
        let turn = client.prompt(session);
        assert_eq!(turn.text, "done");
        assert_eq!(memory(&turn), "");
    }
    client.logs("memory is off: MDMEM_BIN names no program");
    let log = client.log();
    assert_eq!(log.len(), 1, "{log:#?}");
}
