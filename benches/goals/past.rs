//! `mdmem sessions` over a database of OpenCode's form with 100,000 messages in 200 sessions: a page, the first hits of a
//! search, and a search that looks at every message.

use std::time::Duration;

use rusqlite::{Connection, params};

use crate::row::Row;
use crate::samples::repeat;
use crate::sandbox::{Sandbox, time};

const SESSIONS: i64 = 200;
const MESSAGES: i64 = 500;
/// The columns that mdmem reads, and the indices that it needs.
const TABLES: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    CREATE TABLE session (id text PRIMARY KEY, parent_id text, slug text, directory text, title text,
        tokens_input integer, tokens_output integer, tokens_cache_read integer, tokens_cache_write integer,
        time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    BEGIN;";

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&[]);
    write(&sandbox);
    let asked = |args: &[&str]| repeat(10, || time(sandbox.mdmem(["sessions"].iter().chain(args)))).median();
    let millis = |millis| Some(Duration::from_millis(millis));
    let mut row = |what: &str, args: &[&str], goal| {
        report(Row::time(
            format!("sessions: {what}, 100,000 messages"),
            asked(args),
            goal,
        ));
    };
    row(
        "a page, by a process",
        &["show", "ses_100", "--tools"],
        millis(20),
    );
    row(
        "the page before it",
        &["show", "ses_100", "--before", "1795000100300000-msg"],
        millis(20),
    );
    row("the list", &["list"], millis(20));
    row(
        "the first hits of a search",
        &["search", "parser", "queue"],
        millis(300),
    );
    row("a search to the oldest message", &["search", "BEGINNING"], None);
}

fn write(sandbox: &Sandbox) {
    let folder = sandbox.root().join("home/.local/share/opencode");
    std::fs::create_dir_all(&folder).unwrap();
    let db = Connection::open(folder.join("opencode.db")).unwrap();
    db.execute_batch(TABLES).unwrap();
    let directory = sandbox.workspace();
    let prose =
        "We looked at the worker queue \u{2014} it waits for the parser, which reads each line twice. "
            .repeat(5);
    let output = "   Compiling app v0.1.0 (/home/person/app)\\n".repeat(60);
    for session in 0..SESSIONS {
        let id = format!("ses_{session:03}");
        let begun = 1_795_000_000_000 + session * 1_000_000;
        db.execute(
            "INSERT INTO session VALUES (?1, NULL, 'calm-moon', ?2, 'A session', 1, 1, 1, 1, ?3, ?4)",
            params![id, directory.to_str(), begun, begun + MESSAGES * 1000],
        )
        .unwrap();
        for message in 0..MESSAGES {
            let (of, time) = (format!("msg_{session:03}{message:04}"), begun + message * 1000);
            let role = if message % 2 == 0 { "user" } else { "assistant" };
            let first = if session + message == 0 { "Beginning. " } else { "" };
            let data =
                format!(r#"{{"role":"{role}","modelID":"fast","tokens":{{"input":900,"output":80}}}}"#);
            let insert = "INSERT INTO message VALUES (?1, ?2, ?3, ?4)";
            db.prepare_cached(insert)
                .unwrap()
                .execute(params![of, id, time, data])
                .unwrap();
            let mut parts = vec![format!(r#"{{"type":"text","text":"{first}{prose}{message}"}}"#)];
            if message % 2 == 1 {
                parts.push(format!(
                    r#"{{"type":"tool","tool":"bash","state":{{"status":"completed","input":{{"command":"make"}},"output":"{output}"}}}}"#
                ));
            }
            for (at, part) in parts.iter().enumerate() {
                let insert = "INSERT INTO part VALUES (?1, ?2, ?3)";
                let name = format!("prt_{session:03}{message:04}{at}");
                db.prepare_cached(insert)
                    .unwrap()
                    .execute(params![name, of, part])
                    .unwrap();
            }
        }
    }
    db.execute_batch("COMMIT").unwrap();
}
