//! The form of `state.json`.

use serde_json::{Value, json};

use crate::capture::{ErrorCategory, FileAction};
use crate::git::parse_oid;
use crate::model::{Id, Kind, StorePath, Timestamp};
use crate::policy::{Level, NumberedMemories, NumberedMemory};
use crate::session::{
    ActiveFile, Blocks, ContextMeter, ErrorStatus, OpenError, Pool, PoolItem, PoolKind, Pruning,
    RecentDecision, SessionState, SessionTodo, StoredMemory, TokenLimits, WorkingMemory,
};

/// The version that this program writes.
pub(super) const VERSION: u32 = 1;

/// A state as JSON.
pub(super) fn write(state: &SessionState) -> Value {
    json!({
        "version": VERSION,
        "active_files": state.active_files.iter().map(file_json).collect::<Value>(),
        "open_errors": state.open_errors.iter().map(error_json).collect::<Value>(),
        "decisions": state.decisions.iter().map(decision_json).collect::<Value>(),
        "todos": state.todos.iter().map(todo_json).collect::<Value>(),
        "host_todos": state.host_todos,
        "working": working_json(&state.working),
        "context": context_json(&state.context),
        "pruning": pruning_json(&state.pruning),
        "stored": state.stored.iter().map(stored_json).collect::<Value>(),
        "handled": state.handled,
        "has_request": state.has_request,
        "numbered": state.numbered.as_ref().map(numbered_json),
        "known_head": state.known_head.map(|head| head.to_string()),
        "known_global": state.known_global.map(|head| head.to_string()),
        "transcript_read": state.transcript_read,
        "learned_to": state.learned_to,
        "learning": state.learning.map(|(end, head)| json!([end, head.map(|head| head.to_string())])),
        "learning_failed": state.learning_failed,
        "updated": state.updated.as_millis(),
    })
}

/// The state again; `None` where something is missing, or a word is unknown to this program.
pub(super) fn read(json: &Value) -> Option<SessionState> {
    let numbered = &json["numbered"];
    Some(SessionState {
        active_files: list(json, "active_files", file)?,
        open_errors: list(json, "open_errors", error)?,
        decisions: list(json, "decisions", decision)?,
        // Version 1 began without them.
        todos: if json["todos"].is_null() {
            Vec::new()
        } else {
            list(json, "todos", todo)?
        },
        host_todos: list(json, "host_todos", as_text).unwrap_or_default(),
        // Absent in the states of older programs.
        working: if json["working"].is_null() {
            WorkingMemory::default()
        } else {
            working(&json["working"])?
        },
        context: context(&json["context"]),
        pruning: pruning(&json["pruning"]),
        stored: list(json, "stored", stored)?,
        handled: list(json, "handled", as_text)?,
        has_request: json["has_request"].as_bool().unwrap_or_default(),
        numbered: numbered_memories(numbered),
        // Absent in the states of older programs.
        known_head: json["known_head"].as_str().and_then(parse_oid),
        known_global: json["known_global"].as_str().and_then(parse_oid),
        transcript_read: json["transcript_read"].as_u64().unwrap_or_default(),
        learned_to: json["learned_to"].as_u64().unwrap_or_default(),
        learning: json["learning"][0]
            .as_u64()
            .map(|end| (end, json["learning"][1].as_str().and_then(parse_oid))),
        learning_failed: number(json, "learning_failed").unwrap_or_default(),
        updated: time(json, "updated")?,
    })
}

fn file_json(file: &ActiveFile) -> Value {
    json!({
        "path": file.path,
        "action": file.action.as_str(),
        "count": file.count,
        "last_seen": file.last_seen.as_millis(),
    })
}

fn file(json: &Value) -> Option<ActiveFile> {
    Some(ActiveFile {
        path: text(json, "path")?,
        action: FileAction::parse(json["action"].as_str()?)?,
        count: number(json, "count")?,
        last_seen: time(json, "last_seen")?,
    })
}

fn error_json(error: &OpenError) -> Value {
    json!({
        "category": error.category.as_str(),
        "program": error.program,
        "summary": error.summary,
        "fingerprint": error.fingerprint,
        "files": error.files,
        "status": error.status.as_str(),
        "first_seen": error.first_seen.as_millis(),
        "last_seen": error.last_seen.as_millis(),
        "count": error.count,
    })
}

fn error(json: &Value) -> Option<OpenError> {
    Some(OpenError {
        category: ErrorCategory::parse(json["category"].as_str()?)?,
        program: text(json, "program")?,
        summary: text(json, "summary")?,
        fingerprint: text(json, "fingerprint")?,
        files: list(json, "files", as_text)?,
        status: ErrorStatus::parse(json["status"].as_str()?)?,
        first_seen: time(json, "first_seen")?,
        last_seen: time(json, "last_seen")?,
        count: number(json, "count")?,
    })
}

fn decision_json(decision: &RecentDecision) -> Value {
    json!({
        "id": decision.id.as_ref().map(Id::as_str),
        "text": decision.text,
        "exact": decision.exact,
        "at": decision.at.as_millis(),
    })
}

fn decision(json: &Value) -> Option<RecentDecision> {
    Some(RecentDecision {
        // Absent in the states of older programs.
        id: id(json),
        text: text(json, "text")?,
        exact: text(json, "exact")?,
        at: time(json, "at")?,
    })
}

fn todo_json(todo: &SessionTodo) -> Value {
    json!({"text": todo.text, "at": todo.at.as_millis(), "listed": todo.is_listed})
}

fn todo(json: &Value) -> Option<SessionTodo> {
    Some(SessionTodo {
        text: text(json, "text")?,
        at: time(json, "at")?,
        is_listed: json["listed"].as_bool().unwrap_or_default(),
    })
}

fn stored_json(stored: &StoredMemory) -> Value {
    json!({"id": stored.id.as_str(), "kind": stored.kind.as_str(), "text": stored.text})
}

fn stored(json: &Value) -> Option<StoredMemory> {
    Some(StoredMemory {
        id: id(json)?,
        kind: Kind::new(json["kind"].as_str()?),
        text: text(json, "text")?,
    })
}

fn working_json(working: &WorkingMemory) -> Value {
    let item = |item: &PoolItem| json!({"kind": item.kind.as_str(), "text": item.text, "mentions": item.mentions, "age": item.age});
    json!({
        "blocks": working.blocks.iter().map(|(name, text)| json!({"name": name, "text": text})).collect::<Value>(),
        "dependencies": working.dependencies,
        "pool": working.pool.items().iter().map(item).collect::<Value>(),
    })
}

fn working(json: &Value) -> Option<WorkingMemory> {
    let block = |json: &Value| Some((text(json, "name")?, text(json, "text")?));
    let item = |json: &Value| {
        Some(PoolItem {
            kind: PoolKind::parse(json["kind"].as_str()?)?,
            text: text(json, "text")?,
            mentions: number(json, "mentions")?,
            age: number(json, "age")?,
        })
    };
    Some(WorkingMemory {
        blocks: Blocks::new(list(json, "blocks", block)?),
        dependencies: list(json, "dependencies", as_text)?,
        pool: Pool::new(list(json, "pool", item)?),
    })
}

fn context_json(context: &ContextMeter) -> Value {
    let limits = &context.limits;
    json!({
        "model": context.model,
        "limits": {
            "context": limits.context,
            "input": limits.input,
            "output": limits.output,
            "reserved": limits.reserved,
            "compacts": limits.compacts,
        },
        "used": context.used,
        "told": context.told.as_str(),
        "due": context.due.map(Level::as_str),
        "has_intervened": context.has_intervened,
        "focus": context.focus,
        "turns": context.turns,
    })
}

/// Absent in the states of older programs. A figure that nobody can read is one that is not known, and costs the
/// session nothing else.
fn context(json: &Value) -> ContextMeter {
    let limits = &json["limits"];
    let level = |key: &str| Level::parse(json[key].as_str()?);
    ContextMeter {
        model: text(json, "model"),
        limits: TokenLimits {
            context: limits["context"].as_u64().unwrap_or_default(),
            input: limits["input"].as_u64(),
            output: limits["output"].as_u64().unwrap_or_default(),
            reserved: limits["reserved"].as_u64(),
            compacts: limits["compacts"].as_bool().unwrap_or_default(),
        },
        used: json["used"].as_u64(),
        told: level("told").unwrap_or_default(),
        due: level("due"),
        has_intervened: json["has_intervened"].as_bool().unwrap_or_default(),
        focus: text(json, "focus"),
        turns: list(json, "turns", Value::as_u64).unwrap_or_default(),
    }
}

fn pruning_json(pruning: &Pruning) -> Value {
    json!({
        "calls": pruning.calls,
        "chars_in": pruning.chars_in,
        "chars_out": pruning.chars_out,
        "fetched": pruning.fetched,
    })
}

/// Absent in the states of older programs.
pub(super) fn pruning(json: &Value) -> Pruning {
    let count = |key: &str| json[key].as_u64().unwrap_or_default();
    Pruning {
        calls: count("calls"),
        chars_in: count("chars_in"),
        chars_out: count("chars_out"),
        fetched: count("fetched"),
    }
}

fn numbered_json(numbered: &NumberedMemories) -> Value {
    let memory = |numbered: &NumberedMemory| {
        json!({
            "number": numbered.number,
            "id": numbered.id.as_str(),
            "path": numbered.path.as_str(),
            "exact": numbered.exact,
            "identity": numbered.identity,
        })
    };
    json!({"snapshot": numbered.snapshot, "refs": numbered.refs.iter().map(memory).collect::<Value>()})
}

fn numbered_memories(json: &Value) -> Option<NumberedMemories> {
    let memory = |json: &Value| {
        Some(NumberedMemory {
            number: number(json, "number")?,
            id: id(json)?,
            path: StorePath::new(&text(json, "path")?).ok()?,
            exact: text(json, "exact")?,
            identity: text(json, "identity")?,
        })
    };
    Some(NumberedMemories {
        snapshot: text(json, "snapshot")?,
        refs: list(json, "refs", memory)?,
    })
}

fn list<T>(json: &Value, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    json[key].as_array()?.iter().map(read).collect()
}

fn as_text(json: &Value) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn text(json: &Value, key: &str) -> Option<String> {
    as_text(&json[key])
}

fn id(json: &Value) -> Option<Id> {
    Id::parse(json["id"].as_str()?).ok()
}

/// A number that fits in 32 bits, such as a version.
pub(super) fn number(json: &Value, key: &str) -> Option<u32> {
    u32::try_from(json[key].as_u64()?).ok()
}

fn time(json: &Value, key: &str) -> Option<Timestamp> {
    json[key].as_i64().map(Timestamp::from_millis)
}
