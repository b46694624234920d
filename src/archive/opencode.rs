//! OpenCode's conversations: a file of `SQLite` in WAL mode, which the client writes to at the same time.
//!
//! It is opened for reading, and never as one that does not change: most of it lies in the `-wal` beside it. Each page
//! is a transaction of its own, so that the client's checkpoints wait for nobody. Form: the columns that the statements
//! below name, and JSON in `data`, as OpenCode 1.18 writes them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, params};
use serde_json::Value;

use super::{
    ArchiveError, Call, Conversation, ConversationArchive, Mark, Message, Part, Reading, Role, Tokens,
};
use crate::model::Timestamp;
use crate::sys::Deadline;

/// The time to wait for a client that keeps everybody out.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time that one question to the database may take, a page or the list of all conversations. Of a hundred thousand
/// messages either takes some milliseconds.
const LIMIT: Duration = Duration::from_secs(10);
/// The newest change of the form that is known.
const KNOWN: &str = "20260622202450_simplify_session_input";
/// Steps of the database's program between two looks at the clock: one of them may compute a long column.
const STEPS: i32 = 100;
/// The most bytes of a part that are read.
const MOST_BYTES: u32 = 16 << 20;

const CONVERSATIONS: &str = "SELECT id, parent_id, directory, title, slug, time_created, time_updated,
    tokens_input, tokens_output, tokens_cache_read, tokens_cache_write
    FROM session ORDER BY time_updated DESC, id";
const NEWEST: &str = "SELECT id, time_created, data FROM message
    WHERE session_id = ?1 AND (time_created, id) < (?2, ?3) ORDER BY time_created DESC, id DESC LIMIT ?4";
const OLDEST: &str = "SELECT id, time_created, data FROM message
    WHERE session_id = ?1 AND (time_created, id) > (?2, ?3) ORDER BY time_created, id LIMIT ?4";
const PARTS: &str =
    "SELECT CASE WHEN octet_length(data) <= ?2 THEN data END FROM part WHERE message_id = ?1 ORDER BY id";
const NEWEST_CHANGE: &str = "SELECT max(id) FROM migration";
/// A view under the name of a table that the statements above read.
const VIEW: &str = "SELECT name FROM sqlite_schema
    WHERE type = 'view' AND name COLLATE NOCASE IN ('session', 'message', 'part', 'migration')";

/// The database of OpenCode, open for reading.
pub struct OpenCode {
    db: Connection,
    limit: Duration,
    /// When the present question is broken off.
    end: Arc<Mutex<Deadline>>,
    path: PathBuf,
    newer: Option<String>,
}

impl OpenCode {
    /// The name by which the host calls itself.
    pub const HOST: &str = "opencode";

    /// Opens the database at `path`, and looks whether it has the form that is known.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_within(path, LIMIT)
    }

    /// The same with questions that take this long at most.
    fn open_within(path: &Path, limit: Duration) -> Result<Self, ArchiveError> {
        let (host, path) = (Self::HOST, path.to_owned());
        match path.metadata() {
            Ok(file) if file.is_file() => {}
            Ok(_) => {
                let source = std::io::Error::other("not a regular file");
                return Err(ArchiveError::Read { path, source });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ArchiveError::Missing { host, path });
            }
            Err(source) => return Err(ArchiveError::Read { path, source }),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let end = Arc::new(Mutex::new(Deadline::after(limit)));
        let watched = Arc::clone(&end);
        let is_over = move || watched.lock().unwrap_or_else(PoisonError::into_inner).is_over();
        let opened = Connection::open_with_flags(&path, flags).and_then(|mut db| {
            db.busy_timeout(PATIENCE)?;
            db.progress_handler(STEPS, Some(is_over))?;
            db.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(db)
        });
        let db = opened.map_err(|error| ArchiveError::of(&path, &error))?;
        let mut archive = Self {
            db,
            limit,
            end,
            path,
            newer: None,
        };
        archive.check_form()?;
        Ok(archive)
    }

    /// Looks at the form, and notes where it is newer than what is known. A view in the place of a table is refused:
    /// reading it may never end.
    fn check_form(&mut self) -> Result<(), ArchiveError> {
        let view = self
            .db
            .query_row(VIEW, [], |row| row.get::<_, String>(0))
            .optional();
        let form = view.and_then(|view| {
            if let Some(view) = view {
                let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR);
                let words = format!("`{view}` is a view");
                return Err(rusqlite::Error::SqliteFailure(error, Some(words)));
            }
            let newest = self
                .db
                .query_row(NEWEST_CHANGE, [], |row| row.get::<_, Option<String>>(0));
            self.newer = newest.ok().flatten().filter(|change| change.as_str() > KNOWN);
            let mut statements = [CONVERSATIONS, NEWEST, OLDEST, PARTS].into_iter();
            statements.try_for_each(|statement| self.db.prepare_cached(statement).map(drop))
        });
        form.map_err(|source| {
            let code = source.sqlite_error_code();
            if code.is_some_and(|code| code != ErrorCode::Unknown) {
                return ArchiveError::of(&self.path, &source);
            }
            let (what, hint) = match &self.newer {
                Some(newer) => (newer_form(newer), "Install a newer mdmem."),
                None => (
                    "it has not the tables of OpenCode".to_owned(),
                    "`mdmem config get history.opencode` says which file is meant.",
                ),
            };
            ArchiveError::Database {
                path: self.path.clone(),
                what: format!("{what}: {source}"),
                hint,
            }
        })
    }

    /// Gives the next question to the database its whole time: a file that somebody else made may have rows without end,
    /// or columns that are computed for as long.
    fn begin(&self) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Deadline::after(self.limit);
    }

    fn page(&self, id: &str, from: &Reading, most: usize) -> Result<Vec<Message>, rusqlite::Error> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let (statement, mark) = match from {
            Reading::NewestBefore(mark) => (NEWEST, mark.as_ref().map_or((i64::MAX, ""), at)),
            Reading::OldestBehind(mark) => (OLDEST, mark.as_ref().map_or((i64::MIN, ""), at)),
        };
        self.begin();
        // One transaction: a message and its parts are of one moment.
        let transaction = self.db.unchecked_transaction()?;
        let mut found = self.db.prepare_cached(statement)?;
        let mut parts = self.db.prepare_cached(PARTS)?;
        let found = found.query_map(params![id, mark.0, mark.1, most], |row| {
            let id = text(row, 0);
            let of_message = parts.query_map(params![id, MOST_BYTES], |row| Ok(part(&json(row, 0))))?;
            let of_message = of_message.collect::<Result<Vec<_>, _>>()?;
            let time = Timestamp::from_millis(number(row, 1));
            Ok(message(
                Mark { time, id },
                &json(row, 2),
                of_message.into_iter().flatten(),
            ))
        });
        let mut messages = found?.collect::<Result<Vec<_>, _>>()?;
        drop(transaction);
        if matches!(from, Reading::NewestBefore(_)) {
            messages.reverse();
        }
        // A time or an id that is of no use is read as another one, and the next page would begin there again.
        messages.retain(|message| match from {
            Reading::NewestBefore(mark) => mark.as_ref().is_none_or(|mark| message.mark < *mark),
            Reading::OldestBehind(mark) => mark.as_ref().is_none_or(|mark| message.mark > *mark),
        });
        Ok(messages)
    }
}

impl ConversationArchive for OpenCode {
    fn host(&self) -> &'static str {
        Self::HOST
    }

    fn notice(&self) -> Option<String> {
        let newer = self.newer.as_deref()?;
        Some(format!(
            "{}: {}: something may be missing here",
            self.path.display(),
            newer_form(newer)
        ))
    }

    fn conversations(&self) -> Result<Vec<Conversation>, ArchiveError> {
        let read = || {
            self.begin();
            let mut found = self.db.prepare_cached(CONVERSATIONS)?;
            let found = found.query_map([], |row| Ok(conversation(row)))?;
            found.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|error| ArchiveError::of(&self.path, &error))
    }

    fn messages(&self, of: &Conversation, from: &Reading, most: usize) -> Result<Vec<Message>, ArchiveError> {
        let page = self.page(&of.id, from, most);
        page.map_err(|error| ArchiveError::of(&self.path, &error))
    }

    fn plans(&self) -> Option<PathBuf> {
        Some(self.path.parent()?.join("plans"))
    }
}

fn newer_form(newer: &str) -> String {
    format!("it is of a newer OpenCode than this mdmem knows ({newer})")
}

fn at(mark: &Mark) -> (i64, &str) {
    (mark.time.as_millis(), mark.id.as_str())
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
fn message(mark: Mark, data: &Value, parts: impl Iterator<Item = Part>) -> Message {
    let role = match data["role"].as_str() {
        Some("user") => Role::User,
        _ if data["summary"] == true => Role::Summary,
        _ => Role::Assistant,
    };
    let counted = |name: &str| data["tokens"].pointer(name).and_then(Value::as_u64).unwrap_or(0);
    let error = data["error"].as_object().map(|error| {
        let name = error.get("name").and_then(Value::as_str).unwrap_or("error");
        let why = data["error"]["data"]["message"].as_str();
        why.map_or_else(|| name.to_owned(), |why| format!("{name}: {why}"))
    });
    Message {
        mark,
        role,
        model: data["modelID"].as_str().map(str::to_owned),
        tokens: data["tokens"].is_object().then(|| {
            Tokens::new(
                counted("/input"),
                counted("/output"),
                counted("/cache/read"),
                counted("/cache/write"),
            )
        }),
        error,
        parts: parts.collect(),
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

    use super::*;

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
        let archive = OpenCode::open_within(&path, Duration::from_millis(50)).unwrap();
        for _ in 0..2 {
            let error = archive.conversations().unwrap_err();
            assert!(error.to_string().contains("did not answer in time"), "{error}");
        }
        let newest = Reading::NewestBefore(None);
        let page = archive.page("ses", &newest, 9).unwrap();
        assert_eq!(page, [], "each question has a time of its own");
    }

    #[test]
    fn no_page_gives_a_message_again() {
        // Their times and ids are read as 0 and as nothing, and lie elsewhere for the database.
        let rows =
            "INSERT INTO message VALUES ('a', 'ses', 'soon', ''), ('b', 'ses', 5.5, ''), (7, 'ses', 9, ''),
            (x'c0', 'ses', 9, ''), ('d', 'ses', 8, ''), (NULL, 'ses', NULL, '');";
        let (_folder, path) = database("''", rows);
        let archive = OpenCode::open(&path).unwrap();
        for most in 1..=6 {
            for mut from in [Reading::NewestBefore(None), Reading::OldestBehind(None)] {
                let mut pages = 0;
                loop {
                    let page = archive.page("ses", &from, most).unwrap();
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
