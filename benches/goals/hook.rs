//! The hooks of an agent: a process for each event, beside `git status` in the same store.

use std::fs::File;
use std::time::Duration;

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::sandbox::{Sandbox, time};

const TURNS: usize = 20;
const GOAL: Duration = Duration::from_millis(30);

/// The events: each with its command and its fields, in which `%` is another number each time.
const EVENTS: [(&str, &str, &str); 6] = [
    ("a session resumed", "session-start", r#""source":"resume""#),
    ("a session compacted", "session-start", r#""source":"compact""#),
    (
        "a message that asks for nothing",
        "user-prompt-submit",
        r#""prompt":"Go on %""#,
    ),
    (
        "a request",
        "user-prompt-submit",
        r#""prompt":"Remember: service % has queue %""#,
    ),
    (
        "a file edited",
        "post-tool-use",
        r#""tool_name":"Edit","tool_input":{"file_path":"src/%.rs"}"#,
    ),
    ("before a compaction", "pre-compact", r#""trigger":"auto""#),
];

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(10_000));
    let store = sandbox.store();
    let event = sandbox.root().join("event.json");
    for (what, verb, fields) in EVENTS {
        let hook = |turn: usize| {
            let number = turn.to_string();
            let fields = fields.replace('%', &number);
            std::fs::write(
                &event,
                format!(r#"{{"session_id":"s","prompt_id":"{number}",{fields}}}"#),
            )
            .unwrap();
            time(sandbox.mdmem(["hook", verb]).stdin(File::open(&event).unwrap()))
        };
        // A status that refreshes the index is a write to mdmem, which then leaves git alone for half a second.
        let status = |_| time(sandbox.git(&store).args(["--no-optional-locks", "status"]));
        let pairs = Pairs::measure(TURNS, hook, status);
        let what = format!("hook: {what}, 10000 memories; `git status`");
        report(Row::time_beside(what, &pairs, Some(GOAL)));
    }
}
