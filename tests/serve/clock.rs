//! A clock that goes back or years ahead in the middle of a session: the events of one session come from servers with
//! different clocks, as they do around a clock that is set.

use serde_json::json;

use super::context::{advice, set, told, used};
use super::server::Server;
use crate::env::TestEnv;

const YEARS: i64 = 20 * 365;

#[test]
fn a_clock_that_jumps_takes_nothing_that_does_not_end_by_time() {
    let env = TestEnv::with_store();
    set(&env, "session.working", "true");
    // Each begins before the session, because a server sweeps what is idle by its clock.
    let start = |days: i64| {
        env.advance_days(days);
        let mut server = Server::start(&env);
        server.prompt("swept");
        env.advance_days(-days);
        server
    };
    let (mut ahead, mut back, mut now) = (start(YEARS), start(-YEARS), start(0));
    let memory = |server: &mut Server, args| server.tool("session_memory", &args);
    let listed = |server: &mut Server, path: &str| {
        let glob = json!({"session": "s", "tool": "glob", "args": {"pattern": "*"}, "output": path});
        server.ask("tool", &glob);
    };

    memory(
        &mut now,
        json!({"op": "set", "block": "goal", "text": "Ship 2.0"}),
    );
    memory(&mut now, json!({"op": "note", "text": "the first note"}));
    memory(
        &mut now,
        json!({"op": "note", "text": "tell Ana", "slot": "todo"}),
    );
    now.bash("s", "cargo add serde", 0, "Adding serde");
    listed(&mut now, "/w/first.rs");
    let prompt = now.prompt("s");
    used(&mut now, "s", 60_000);

    let shown = memory(
        &mut ahead,
        json!({"op": "append", "block": "goal", "text": "and 2.1"}),
    );
    assert!(!shown.contains("tell Ana"), "a week is over: {shown}");
    memory(&mut ahead, json!({"op": "note", "text": "the second note"}));
    listed(&mut ahead, "/w/second.rs");
    ahead.bash("s", "cargo add anyhow", 0, "Adding anyhow");
    used(&mut ahead, "s", 85_000);
    assert_eq!(advice(&mut ahead, "s"), "", "yellow");

    memory(&mut back, json!({"op": "note", "text": "the third note"}));
    memory(&mut back, json!({"op": "note", "text": "the first note"}));
    listed(&mut back, "/w/third.rs");
    used(&mut back, "s", 103_200);
    assert!(advice(&mut back, "s").contains("(red)"));

    let shown = memory(&mut now, json!({"op": "show"}));
    let (_, state) = shown.split_once('\n').unwrap();
    assert_eq!(
        state,
        "goal (16/1000):\n  Ship 2.0\n  and 2.1\ntodos:\n- tell Ana\n\
         dependencies:\n- added serde (cargo)\n- added anyhow (cargo)\n\
         key_files:\n- /w/third.rs\n- /w/second.rs\n- /w/first.rs\n\
         notes:\n- the first note\n- the third note\n- the second note",
        "the order is that of the mentions"
    );
    assert_eq!(now.prompt("s"), prompt, "one epoch, one prompt");
    used(&mut now, "s", 103_300);
    assert_eq!(advice(&mut now, "s"), "", "told once");
    assert_eq!(told(&mut now, "s", "m1"), "");
    used(&mut ahead, "s", 111_600);
    assert!(advice(&mut ahead, "s").contains("(critical)"));
    assert_eq!(told(&mut back, "s", "m2"), "", "told with the tool's answer");
    let view = now.tool("memory_context", &json!({}));
    assert!(view.starts_with("The context is 93 % full (critical)"), "{view}");

    // A new epoch, and with it the state that is kept, at each of the three times.
    for server in [&mut back, &mut ahead, &mut now] {
        server.ask("flush", &json!({"session": "s"}));
        let prompt = server.prompt("s");
        assert!(
            prompt.contains("  and 2.1\n") && prompt.contains("notes:\n- the first note\n"),
            "{prompt}"
        );
    }
    for server in [now, ahead, back] {
        server.bye();
    }
}
