//! OpenCode's conversations: a file of `SQLite` in WAL mode, which the client writes to at the same time.
//!
//! It is opened for reading, and never as one that does not change: most of it lies in the `-wal` beside it. Each
//! conversation is read in a transaction of its own, so that the client's checkpoints wait for nobody. Form: the columns that the statements
//! below name, and JSON in `data`, as OpenCode 1.18 writes them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use memchr::memmem;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};
use serde_json::Value;

use super::{Call, Conversation, ConversationError, Mark, Message, Part, Reader, Role, Tokens};
use crate::model::Timestamp;
use crate::sys::Deadline;
use crate::text::LineFilter;

/// The time to wait for a client that keeps everybody out.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time for which the database is asked. Of a hundred thousand messages it takes some seconds.
const LIMIT: Duration = Duration::from_mins(2);
/// The newest change of the form that is known.
const KNOWN: &str = "20260622202450_simplify_session_input";
/// Steps of the database's program between two looks at the clock: one of them may compute a long column.
const STEPS: i32 = 100;
const CONVERSATIONS: &str = "SELECT id, parent_id, directory, title, slug, time_created, time_updated,
    tokens_input, tokens_output, tokens_cache_read, tokens_cache_write
    FROM session ORDER BY time_updated DESC, id";
const MESSAGES: &str = "SELECT id, time_created, data FROM message WHERE session_id = ?1
    ORDER BY time_created, id LIMIT -1 OFFSET ?2";
const PARTS: &str = "SELECT data FROM part WHERE message_id = ?1 ORDER BY id";
/// What stands in a part that says something.
const TEXT: &[u8] = br#""type":"text""#;
const NEWEST_CHANGE: &str = "SELECT max(id) FROM migration";

/// The database of OpenCode, open for reading.
pub(super) struct OpenCode {
    db: Connection,
    path: PathBuf,
    newer: Option<String>,
}

impl OpenCode {
    /// The name by which the host calls itself.
    pub(super) const HOST: &str = "opencode";

    /// Opens the database at `path`, and looks whether it has the form that is known.
    pub(super) fn open(path: &Path) -> Result<Self, ConversationError> {
        Self::open_within(path, LIMIT)
    }

    /// The same with a database that answers within this time: a file that somebody else made may have rows without end,
    /// or columns that are computed for as long.
    fn open_within(path: &Path, limit: Duration) -> Result<Self, ConversationError> {
        match path.metadata() {
            Ok(file) if file.is_file() => {}
            Ok(_) => {
                let source = std::io::Error::other("not a regular file");
                return Err(ConversationError::read(path, &source));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let hint = "If OpenCode's database is elsewhere, `mdmem config set --user history.opencode FILE` names \
                    it.";
                return Err(ConversationError {
                    is_missing: true,
                    ..ConversationError::new(
                        "no conversations of OpenCode or Claude Code on this machine",
                        hint,
                    )
                });
            }
            Err(source) => return Err(ConversationError::read(path, &source)),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let end = Deadline::after(limit);
        let opened = Connection::open_with_flags(path, flags).and_then(|mut db| {
            db.busy_timeout(PATIENCE)?;
            db.progress_handler(STEPS, Some(move || end.is_over()))?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(db)
        });
        let db = opened.map_err(|error| unanswered(path, &error))?;
        let newest = db.query_row(NEWEST_CHANGE, [], |row| row.get::<_, Option<String>>(0));
        let newer = newest.ok().flatten().filter(|change| change.as_str() > KNOWN);
        let mut statements = [CONVERSATIONS, MESSAGES, PARTS].into_iter();
        if let Err(source) = statements.try_for_each(|statement| db.prepare_cached(statement).map(drop)) {
            if source
                .sqlite_error_code()
                .is_some_and(|code| code != ErrorCode::Unknown)
            {
                return Err(unanswered(path, &source));
            }
            let (what, hint) = match &newer {
                Some(newer) => (newer_form(newer), "Install a newer mdmem."),
                None => (
                    "it does not have OpenCode's tables".to_owned(),
                    "`mdmem config get history.opencode` shows which file is used.",
                ),
            };
            return Err(ConversationError::at(path, format!("{what}: {source}"), hint));
        }
        let path = path.to_owned();
        Ok(Self { db, path, newer })
    }

    /// What a person should know of beside the answers.
    pub(super) fn notice(&self) -> Option<String> {
        let newer = newer_form(self.newer.as_deref()?);
        Some(format!(
            "{}: {newer}: something may be missing here",
            self.path.display()
        ))
    }
}

impl Reader for OpenCode {
    fn host(&self) -> &'static str {
        Self::HOST
    }

    fn conversations(&self) -> Result<Vec<Conversation>, ConversationError> {
        let read = || {
            let mut found = self.db.prepare_cached(CONVERSATIONS)?;
            let found = found.query_map([], |row| Ok(conversation(row)))?;
            found.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|error| unanswered(&self.path, &error))
    }

    fn messages(
        &self,
        of: &Conversation,
        from: u64,
        filter: Option<&LineFilter>,
        take: &mut dyn FnMut(Message) -> bool,
    ) -> Result<(), ConversationError> {
        let mut read = || {
            // One transaction: a message and its parts are of one moment.
            let _transaction = self.db.unchecked_transaction()?;
            let mut statement = self.db.prepare_cached(MESSAGES)?;
            let mut of_message = self.db.prepare_cached(PARTS)?;
            let mut rows = statement.query(params![of.id, from.cast_signed()])?;
            let (mut at, mut turn, text_mark) = (from, 0, memmem::Finder::new(TEXT));
            while let Some(row) = rows.next()? {
                let (id, time) = (text(row, 0), Timestamp::from_millis(number(row, 1)));
                let (mut parts, mut says) = (Vec::new(), false);
                let mut rows = of_message.query(params![id])?;
                while let Some(part_row) = rows.next()? {
                    let data = bytes(part_row, 0).unwrap_or_default();
                    let is_text = text_mark.find(data).is_some();
                    says |= is_text;
                    if filter.is_none_or(|filter| (is_text || filter.is_of_tools) && filter.has_some(data)) {
                        parts.extend(part(&serde_json::from_slice(data).unwrap_or_default()));
                    }
                }
                turn += usize::from(says);
                if filter.is_none() || !parts.is_empty() {
                    let message = message(Mark { time, id }, &json(row, 2), parts);
                    if !take(Message { turn, at, ..message }) {
                        break;
                    }
                }
                at += 1;
            }
            Ok(())
        };
        read().map_err(|error| unanswered(&self.path, &error))
    }

    fn plans(&self) -> Option<PathBuf> {
        Some(self.path.parent()?.join("plans"))
    }
}

/// The error of the database at `path`.
fn unanswered(path: &Path, source: &rusqlite::Error) -> ConversationError {
    let (what, hint) = match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            "another process has locked the database",
            "Run it again in a moment.",
        ),
        Some(ErrorCode::OperationInterrupted) => (
            "the database took too long to answer",
            "Run it again when the machine is less busy.",
        ),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
            "it is damaged, or not a database",
            "Repair or replace it with OpenCode; mdmem only reads it.",
        ),
        _ => (
            "the database cannot be read",
            "Check that you can read the file and write to its folder, where SQLite keeps its locks.",
        ),
    };
    ConversationError::at(path, format!("{what}: {source}"), hint)
}

fn newer_form(newer: &str) -> String {
    format!("it is from a newer OpenCode than this mdmem knows ({newer})")
}

fn conversation(row: &Row<'_>) -> Conversation {
    let created = number(row, 5);
    let parent = Some(text(row, 1)).filter(|parent| !parent.is_empty());
    Conversation {
        host: OpenCode::HOST,
        id: text(row, 0),
        parent,
        directory: PathBuf::from(text(row, 2)),
        title: text(row, 3),
        plan: Some(format!("{created}-{}.md", text(row, 4))),
        transcript: None,
        created: Timestamp::from_millis(created),
        updated: Timestamp::from_millis(number(row, 6)),
        tokens: Some(Tokens::new(
            count(row, 7),
            count(row, 8),
            count(row, 9),
            count(row, 10),
        )),
    }
}

/// A message as the host keeps it; torn JSON gives one that says nothing of itself.
fn message(mark: Mark, data: &Value, parts: Vec<Part>) -> Message {
    let role = match data["role"].as_str() {
        Some("user") => Role::User,
        _ if data["summary"] == true => Role::Summary,
        _ => Role::Assistant,
    };
    let (tokens, counted) = (&data["tokens"], |count: &Value| count.as_u64().unwrap_or(0));
    let error = data["error"].as_object().map(|error| {
        let name = error.get("name").and_then(Value::as_str).unwrap_or("error");
        let why = data["error"]["data"]["message"].as_str();
        why.map_or_else(|| name.to_owned(), |why| format!("{name}: {why}"))
    });
    Message {
        mark,
        role,
        model: data["modelID"].as_str().map(str::to_owned),
        tokens: tokens.is_object().then(|| {
            Tokens::new(
                counted(&tokens["input"]),
                counted(&tokens["output"]),
                counted(&tokens["cache"]["read"]),
                counted(&tokens["cache"]["write"]),
            )
        }),
        error,
        parts,
        turn: 0,
        at: 0,
    }
}

/// A part as the host keeps it; `None` for its book-keeping.
fn part(data: &Value) -> Option<Part> {
    let text = || data["text"].as_str().unwrap_or_default().to_owned();
    Some(match data["type"].as_str() {
        // The model is not shown what is ignored, such as the answers to mdmem's commands.
        Some("text") if data["synthetic"] == true || data["ignored"] == true => Part::Aside { text: text() },
        Some("text") => Part::Text { text: text() },
        Some("reasoning") => Part::Aside { text: text() },
        Some("tool") => Part::Tool(call(data)),
        Some("patch") => {
            let files = data["files"].as_array().into_iter().flatten();
            let files = files.filter_map(|file| Some(file.as_str()?.to_owned()));
            Part::Files {
                files: files.collect(),
            }
        }
        Some("compaction") => Part::Compaction {
            trigger: if data["auto"] == true { "auto" } else { "asked" },
        },
        Some(_) => return None,
        None => Part::Unread,
    })
}

fn call(data: &Value) -> Call {
    let tool = data["tool"].as_str().unwrap_or_default();
    let state = &data["state"];
    let exit = &state["metadata"]["exit"];
    let has_failed_command = exit.as_i64().is_some_and(|exit| exit != 0);
    let (outcome, output) = match state["status"].as_str() {
        Some("completed") if has_failed_command => ("failed", &state["output"]),
        Some("completed") => ("done", &state["output"]),
        Some("error") => ("failed", &state["error"]),
        _ => ("open", &state["output"]),
    };
    let changes = matches!(tool, "edit" | "write" | "multiedit") && outcome == "done";
    let file = state["input"]["filePath"].as_str().filter(|_| changes);
    Call {
        tool: tool.to_owned(),
        input: state["input"].to_string(),
        output: output.as_str().unwrap_or_default().to_owned(),
        state: outcome,
        changed: file.map(str::to_owned),
    }
}

/// A column as text, whatever it holds.
fn text(row: &Row<'_>, index: usize) -> String {
    bytes(row, index).map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// A column as JSON; `null` where it holds none.
fn json(row: &Row<'_>, index: usize) -> Value {
    let read = bytes(row, index).and_then(|bytes| serde_json::from_slice(bytes).ok());
    read.unwrap_or_default()
}

fn bytes<'r>(row: &'r Row<'_>, index: usize) -> Option<&'r [u8]> {
    match row.get_ref(index) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => Some(bytes),
        _ => None,
    }
}

/// A column as a number; 0 where it holds none.
fn number(row: &Row<'_>, index: usize) -> i64 {
    match row.get_ref(index) {
        Ok(ValueRef::Integer(number)) => number,
        _ => 0,
    }
}

fn count(row: &Row<'_>, index: usize) -> u64 {
    u64::try_from(number(row, index)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Chosen, KeptConversations, Reading};
    use super::*;
    use crate::text::Redactor;

    /// A database without types, filled by these statements; the title of a session is computed so.
    fn database(title: &str, rows: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        let tables = format!(
            "CREATE TABLE session (id, parent_id, directory, title AS ({title}), slug, time_created, time_updated,
                tokens_input, tokens_output, tokens_cache_read, tokens_cache_write);
             CREATE TABLE message (id, session_id, time_created, data);
             CREATE TABLE part (id, message_id, data);
             CREATE TABLE migration (id);
             INSERT INTO session (id) VALUES ('ses');
             {rows}"
        );
        Connection::open(&path).unwrap().execute_batch(&tables).unwrap();
        (folder, path)
    }

    #[test]
    fn a_question_without_an_end_is_broken_off() {
        // Half a second for each row, and an hour for all of them.
        let title = "length(replace(hex(zeroblob(20000000)), '0', 'a'))";
        let rows = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
            INSERT INTO session (id) SELECT i FROM n;";
        let (_folder, path) = database(title, rows);
        let opencode = OpenCode::open_within(&path, Duration::from_millis(50)).unwrap();
        let error = opencode.conversations().unwrap_err();
        assert!(error.to_string().contains("took too long to answer"), "{error}");
    }

    #[test]
    fn no_page_gives_a_message_again() {
        // Their times and ids are read as 0 and as nothing, and lie elsewhere for the database.
        let rows =
            "INSERT INTO message VALUES ('a', 'ses', 'soon', ''), ('b', 'ses', 5.5, ''), (7, 'ses', 9, ''),
            (x'c0', 'ses', 9, ''), ('d', 'ses', 8, ''), (NULL, 'ses', NULL, '');";
        let (_folder, path) = database("''", rows);
        let kept = KeptConversations {
            readers: vec![Box::new(OpenCode::open(&path).unwrap())],
            notices: Vec::new(),
            redactor: Redactor::standard(),
            workspace: None,
            home: None,
        };
        let all = Chosen {
            all: true,
            ..Chosen::default()
        };
        let of = kept.conversation(Some("ses"), all).unwrap();
        for most in 1..=6 {
            for mut from in [Reading::NewestBefore(None), Reading::OldestBehind(None)] {
                let mut pages = 0;
                loop {
                    let page = kept.page(of.clone(), &from, most, true).unwrap().messages;
                    from = match from {
                        Reading::NewestBefore(_) => {
                            Reading::NewestBefore(page.first().map(|of| of.mark.clone()))
                        }
                        Reading::OldestBehind(_) => {
                            Reading::OldestBehind(page.last().map(|of| of.mark.clone()))
                        }
                    };
                    pages += 1;
                    assert!(pages < 9, "{from:?}");
                    if page.is_empty() {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn what_nobody_said_is_no_text() {
        for (mark, expected) in [
            ("none", Part::Text { text: "x".to_owned() }),
            ("synthetic", Part::Aside { text: "x".to_owned() }),
            ("ignored", Part::Aside { text: "x".to_owned() }),
        ] {
            let data = json!({"type": "text", "text": "x", mark: true});
            assert_eq!(part(&data), Some(expected), "{mark}");
        }
    }
}
