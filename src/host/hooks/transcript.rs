//! The file in which the host keeps a conversation: a JSON object on each line.

use std::path::Path;

use serde_json::Value;

use crate::service::Todo;
use crate::sys::{GrowingFile, from_json};

/// The bytes at the end of the file in which the todo list is looked for.
const TODOS_WITHIN: u64 = 4 << 20;
/// The beginnings of the host's own words behind a summary.
const CLOSING: [&str; 2] = [
    "\nIf you need specific details from before compaction",
    "\nPlease continue the conversation from where",
];

/// The summary that a line is, without the host's words behind it; `None` for any other line.
pub(super) fn summary(line: &[u8]) -> Option<String> {
    let entry = entry(line, "\"isCompactSummary\"")?;
    if entry["isCompactSummary"] != true {
        return None;
    }
    let content = &entry["message"]["content"];
    let text = match content.as_str() {
        Some(text) => text.to_owned(),
        None => texts(content).join("\n"),
    };
    let end = CLOSING.iter().filter_map(|words| text.find(words)).min();
    Some(text[..end.unwrap_or(text.len())].to_owned())
}

/// The todo list as the model wrote it last.
pub(super) fn todos(file: &Path) -> Vec<Todo> {
    let read = || {
        let file = GrowingFile::open(file).ok()??;
        file.lines_from(file.size().saturating_sub(TODOS_WITHIN), TODOS_WITHIN)
            .ok()
    };
    let lines = read().map(|lines| lines.bytes).unwrap_or_default();
    lines
        .rsplit(|byte| *byte == b'\n')
        .find_map(written)
        .unwrap_or_default()
}

/// The length of the file; 0 for one that cannot be read.
pub(super) fn size(file: &Path) -> u64 {
    let file = GrowingFile::open(file).ok().flatten();
    file.map_or(0, |file| file.size())
}

fn written(line: &[u8]) -> Option<Vec<Todo>> {
    let entry = entry(line, "\"TodoWrite\"")?;
    let uses = entry["message"]["content"].as_array()?;
    let list = uses.iter().rev().find(|part| part["name"] == "TodoWrite")?;
    let todo = |todo: &Value| {
        Some(Todo {
            content: todo["content"].as_str()?.to_owned(),
            status: todo["status"].as_str().unwrap_or_default().to_owned(),
            priority: todo["priority"].as_str().unwrap_or_default().to_owned(),
        })
    };
    let todos = list["input"]["todos"].as_array()?;
    Some(todos.iter().filter_map(todo).collect())
}

/// An entry of the conversation itself that holds these words: most lines are long, and of no interest.
fn entry(line: &[u8], words: &str) -> Option<Value> {
    let line = std::str::from_utf8(line)
        .ok()
        .filter(|line| line.contains(words))?;
    let entry: Value = from_json(line.as_bytes()).ok()?;
    (entry["isSidechain"] != true).then_some(entry)
}

fn texts(content: &Value) -> Vec<&str> {
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_summary_is_an_entry_that_says_so_without_the_hosts_last_words() {
        let words = "Summary:\nMemory candidates:\n- [decision] x\n\nIf you need specific details from before \
            compaction, read the full transcript at: /t.jsonl\nPlease continue the conversation from where we left it";
        let entry = |marks: Value, content: Value| {
            let mut entry = json!({"type": "user", "message": {"role": "user", "content": content}});
            for (key, value) in marks.as_object().unwrap() {
                entry[key] = value.clone();
            }
            summary(entry.to_string().as_bytes())
        };
        let kept = Some("Summary:\nMemory candidates:\n- [decision] x\n".to_owned());
        let marked = json!({"isCompactSummary": true});
        assert_eq!(entry(marked.clone(), json!(words)), kept);
        assert_eq!(entry(marked, json!([{"type": "text", "text": words}])), kept);
        for marks in [
            json!({}),
            json!({"isCompactSummary": false}),
            json!({"isCompactSummary": true, "isSidechain": true}),
        ] {
            assert_eq!(entry(marks, json!(words)), None);
        }
        assert_eq!(entry(json!({}), json!("it says \"isCompactSummary\":true")), None);
        assert_eq!(summary(b"{\"isCompactSummary\": tr"), None);
        assert_eq!(summary(b"\xff\"isCompactSummary\""), None);
    }

    #[test]
    fn the_last_todo_list_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.jsonl");
        assert_eq!(todos(&file), []);
        let used = |content: &str| {
            let todos = json!([{"content": content, "status": "pending", "activeForm": "x"}]);
            let used = json!({"type": "tool_use", "name": "TodoWrite", "input": {"todos": todos}});
            json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "so"}, used]}})
        };
        let said = json!({"type": "user", "message": {"content": "\"TodoWrite\" is a tool"}});
        let lines = format!("{}\n{}\n{said}\n", used("old"), used("new"));
        crate::sys::write_atomic(&file, lines.as_bytes()).unwrap();
        let found = todos(&file);
        assert_eq!((found.len(), found[0].content.as_str()), (1, "new"));
    }
}
