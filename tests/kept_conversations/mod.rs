//! `mdmem sessions` and the tool `session_history`: the conversations that hosts keep, in databases with the tables of
//! OpenCode 1.18.33 and in transcripts in Claude Code's form. tests/opencode/working.rs asks the real client's database.

mod browsing;
mod claude_code;
mod tool;
mod trouble;
mod writing;

use std::path::PathBuf;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::env::TestEnv;

/// The tables of OpenCode 1.18.33 that are read, with their columns and indices in its order.
const TABLES: &str = "
    CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER NOT NULL);
    INSERT INTO migration VALUES ('20260622202450_simplify_session_input', 1);
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text,
        slug text NOT NULL, directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL,
        share_url text, summary_additions integer, summary_deletions integer, summary_files integer,
        summary_diffs text, metadata text, cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL,
        tokens_output integer DEFAULT 0 NOT NULL, tokens_reasoning integer DEFAULT 0 NOT NULL,
        tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL, revert text,
        permission text, agent text, model text, time_created integer NOT NULL, time_updated integer NOT NULL,
        time_compacting integer, time_archived integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
        time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    CREATE INDEX part_session_idx ON part (session_id);";

/// The time of the first message: 2026-11-20 09:00 UTC.
const BEGUN: i64 = 1_795_165_200_000;

/// A database as OpenCode keeps it, open for writing as long as this lives: most of it lies in the `-wal`.
pub(crate) struct Database {
    pub(super) db: Connection,
    pub(super) path: PathBuf,
    messages: i64,
}

impl Database {
    pub(crate) fn new(env: &TestEnv) -> Self {
        let folder = env.home().join(".local/share/opencode");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("opencode.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF;",
        )
        .unwrap();
        db.execute_batch(TABLES).unwrap();
        Self {
            db,
            path,
            messages: 0,
        }
    }

    pub(crate) fn session(&self, id: &str, title: &str, directory: &std::path::Path) {
        self.db
            .execute(
                "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated,
                    tokens_input) VALUES (?1, 'p', 'calm-moon', ?2, ?3, '1.18.33', ?4, ?4, 12345)",
                params![id, directory.to_str(), title, BEGUN],
            )
            .unwrap();
    }

    /// Adds a message, a minute after the one before. Its id says nothing of the time: OpenCode's begin anew every two
    /// years.
    pub(super) fn message(&mut self, session: &str, data: &Value, parts: &[Value]) -> String {
        self.messages += 1;
        let time = BEGUN + 60_000 * self.messages;
        let id = format!("msg_{:03}", 999 - self.messages % 1000);
        let id = format!("{id}{}", self.messages);
        let insert = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
        self.db
            .execute(insert, params![id, session, time, data.to_string()])
            .unwrap();
        for (at, part) in parts.iter().enumerate() {
            let insert = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
            let part_id = format!("prt_{:06}_{at:03}", self.messages);
            self.db
                .execute(insert, params![part_id, id, session, time, part.to_string()])
                .unwrap();
        }
        let update = "UPDATE session SET time_updated = ?2 WHERE id = ?1";
        self.db.execute(update, params![session, time]).unwrap();
        id
    }

    pub(crate) fn user(&mut self, session: &str, text: &str) -> String {
        self.message(session, &json!({"role": "user"}), &[said(text)])
    }

    pub(crate) fn answer(&mut self, session: &str, parts: &[Value]) -> String {
        let tokens = json!({"total": 900, "input": 700, "output": 100, "cache": {"read": 60, "write": 40}});
        let data = json!({"role": "assistant", "modelID": "fast-1", "tokens": tokens});
        self.message(session, &data, parts)
    }

    pub(super) fn compaction(&mut self, session: &str, summary: &str) {
        let asked = json!({"type": "compaction", "auto": true});
        self.message(session, &json!({"role": "user"}), &[asked]);
        let data = json!({"role": "assistant", "summary": true, "modelID": "fast-1"});
        self.message(session, &data, &[json!({"type": "step-start"}), said(summary)]);
    }
}

pub(crate) fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(super) fn called(tool: &str, input: &Value, output: &str, exit: Option<i32>) -> Value {
    let metadata = json!({"exit": exit});
    let state = json!({"status": "completed", "input": input, "output": output, "metadata": metadata});
    json!({"type": "tool", "tool": tool, "callID": "c", "state": state})
}

/// The JSON answer of `mdmem sessions …`.
#[track_caller]
pub(super) fn asked(env: &TestEnv, args: &[&str]) -> Value {
    let whole = ["--json", "sessions"].iter().chain(args);
    env.mdmem(whole.copied()).any_stdout().any_stderr().run().json()
}
