//! Claude Code's conversations: a file of JSON lines each, `projects/FOLDER/ID.jsonl` in the host's folder.
//!
//! The form is what others observed (`tests/claude_code/README.md`): an entry for each message of the user and for each
//! part of an answer, whose parts share the id of their message; the output of a tool is an entry of the user's.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde_json::Value;

use super::{Call, Conversation, ConversationError, Mark, Message, Part, Reader, Role, Tokens};
use crate::model::Timestamp;
use crate::search::APART;
use crate::sys::{GrowingFile, each, from_json, open_regular};
use crate::text::LineFilter;

/// The bytes at both ends of a file that tell about a conversation.
const ABOUT_BYTES: u64 = 64 << 10;
/// The bytes that are read at a time; they fit into a processor's cache.
const CHUNK: usize = 256 << 10;

/// The beginnings of what the host itself submits as a prompt.
const HOST_BLOCKS: [&str; 5] = [
    "<task-notification",
    "<cross-session-message",
    "<system-reminder",
    "<local-command-",
    "<command-",
];

/// The beginning of what the host writes where the user has interrupted the agent.
const INTERRUPTED: &str = "[Request interrupted";

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaudeLine {
    /// The host's name for the session.
    pub session: Option<String>,
    /// The text that the user typed or the agent said. What tools printed, what the host wrote in the user's name and what
    /// sub-agents do is no message.
    pub said: Option<(Role, String)>,
}

/// The folder of Claude Code.
pub struct ClaudeCode {
    folder: PathBuf,
}

impl ClaudeCode {
    /// The name by which mdmem calls the host.
    const HOST: &str = "claude-code";

    /// The conversations in the host's folder, where there are any.
    pub(super) fn open(folder: &Path) -> Option<Self> {
        let folder = folder.join("projects");
        folder.is_dir().then_some(Self { folder })
    }
}

impl ClaudeCode {
    /// Reads a line of a transcript; `None` for what is no line of this host's.
    pub fn line(line: &[u8]) -> Option<ClaudeLine> {
        let entry: Value = from_json(line).ok()?;
        entry["type"].as_str()?;
        let role = role(&entry).filter(|role| *role != Role::Summary && entry["isSidechain"] != true);
        let said = role.and_then(|role| {
            let parts = parts(&entry, &mut |_, _, _| {});
            let texts = parts.iter().filter_map(|(_, part)| match part {
                Part::Text { text } => Some(text.as_str()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            let text = match role {
                Role::User => Self::typed(&text)?,
                _ => &text,
            };
            (!text.trim().is_empty()).then(|| (role, text.to_owned()))
        });
        Some(ClaudeLine {
            session: entry["sessionId"].as_str().map(str::to_owned),
            said,
        })
    }

    /// The words of the user in a prompt; `None` for a prompt that the host wrote. Of a command, what is typed behind its
    /// name.
    pub fn typed(prompt: &str) -> Option<&str> {
        let begins_with = |block: &&str| prompt.trim_start().starts_with(*block);
        if HOST_BLOCKS.iter().any(begins_with) || prompt.starts_with(INTERRUPTED) {
            return None;
        }
        let is_name = |c: char| c.is_alphanumeric() || "-_:.".contains(c);
        let command = prompt.strip_prefix('/');
        let command = command.and_then(|command| command.split_once(char::is_whitespace));
        match command.filter(|(name, _)| name.chars().all(is_name)) {
            Some((_, typed)) => Some(typed),
            None => Some(prompt),
        }
    }
}

impl Reader for ClaudeCode {
    fn host(&self) -> &'static str {
        Self::HOST
    }

    fn conversations(&self) -> Result<Vec<Conversation>, ConversationError> {
        let list = |folder: &Path| {
            let entries = folder
                .read_dir()
                .map_err(|error| ConversationError::read(folder, &error))?;
            let paths = entries.flatten().map(|entry| entry.path());
            Ok::<Vec<PathBuf>, ConversationError>(paths.collect())
        };
        let mut found = Vec::new();
        for folder in list(&self.folder)?.iter().filter(|folder| folder.is_dir()) {
            for file in each("listing conversations", list(folder)?) {
                if file.extension().is_some_and(|extension| extension == "jsonl") {
                    // A file that cannot be read, or is gone meanwhile, is left out.
                    found.extend(about(&file).ok().flatten());
                }
            }
        }
        found.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.id.cmp(&b.id)));
        Ok(found)
    }

    fn messages(
        &self,
        of: &Conversation,
        from: u64,
        filter: Option<&LineFilter>,
        take: &mut dyn FnMut(Message) -> bool,
    ) -> Result<(), ConversationError> {
        let path = of.transcript.as_deref().unwrap_or(&self.folder);
        let read = || {
            let mut messages = Messages::default();
            let Some(mut file) = open_regular(path)? else {
                return Ok(());
            };
            let mut start = file.seek(SeekFrom::Start(from))?;
            let (mut lines, mut part) = (BufReader::with_capacity(CHUNK, file), Vec::new());
            while lines.by_ref().take(CHUNK as u64).read_to_end(&mut part)? > 0 {
                lines.read_until(b'\n', &mut part)?;
                messages.at = start;
                start += part.len() as u64;
                match filter {
                    Some(filter) => {
                        let is_looked_at = filter.lines(&part, |line, may_have| {
                            messages.turn += usize::from(says(line));
                            if may_have {
                                messages.extend(entries(line));
                            } else {
                                messages.close(line);
                            }
                            messages.at += line.len() as u64;
                        });
                        if !is_looked_at {
                            // Nothing more comes to an answer from behind all this.
                            (messages.turn, messages.answer) = (messages.turn + APART, None);
                            messages.close(&part);
                        }
                    }
                    None => messages.extend(entries(&part)),
                }
                part.clear();
                if !messages.ended().all(&mut *take) {
                    return Ok(());
                }
            }
            messages.found.into_values().all(take);
            Ok(())
        };
        read().map_err(|error: std::io::Error| ConversationError::read(path, &error))
    }
}

/// True for a line in which somebody says something.
fn says(line: &[u8]) -> bool {
    let has = |part: &str| memmem::find(line, part.as_bytes()).is_some();
    !has("\"tool_result\"") && has(r#""type":"text""#) || has(r#""role":"user","content":""#)
}

/// A conversation by both ends of its file.
fn about(path: &Path) -> std::io::Result<Option<Conversation>> {
    let Some(file) = GrowingFile::open(path)? else {
        return Ok(None);
    };
    let lines = file.lines_from(0, ABOUT_BYTES)?;
    let head: Vec<Value> = entries(&lines.bytes).collect();
    let behind = if head.is_empty() { 0 } else { lines.end };
    let mut room = ABOUT_BYTES;
    let tail = loop {
        let start = file.size().saturating_sub(room).max(behind);
        let tail: Vec<Value> = entries(&file.lines_from(start, room)?.bytes).collect();
        // The last line may be longer than that.
        if start == behind || tail.iter().any(|entry| time(entry).is_some()) {
            break tail;
        }
        room *= 8;
    };
    let all = || head.iter().chain(&tail);
    let text = |name: &'static str| move |entry: &Value| Some(entry[name].as_str()?.to_owned());
    let Some(directory) = all().find_map(text("cwd")) else {
        return Ok(None);
    };
    let titles = ["customTitle", "aiTitle", "summary"];
    let named = titles.iter().find_map(|name| all().rev().find_map(text(name)));
    let said = || {
        let mut messages = Messages::default();
        messages.extend(all().cloned());
        let asked = messages
            .found
            .values()
            .find(|message| message.role == Role::User)?;
        Some(asked.texts().next()?.lines().next()?.to_owned())
    };
    let times = || all().filter_map(time);
    let id = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let is_sidechain = all().any(|entry| entry["isSidechain"] == true);
    let parent = all().find_map(text("sessionId")).filter(|parent| *parent != id);
    Ok(Some(Conversation {
        host: ClaudeCode::HOST,
        parent: parent.filter(|_| is_sidechain),
        id,
        directory: PathBuf::from(directory),
        title: named.or_else(said).unwrap_or_default(),
        plan: None,
        transcript: Some(path.to_owned()),
        created: times().min().unwrap_or(Timestamp::from_millis(0)),
        updated: times().max().unwrap_or(Timestamp::from_millis(0)),
        tokens: None,
    }))
}

fn entries(lines: &[u8]) -> impl DoubleEndedIterator<Item = Value> {
    let lines = lines.split(|byte| *byte == b'\n');
    lines.filter_map(|line| from_json::<Value>(line).ok().filter(Value::is_object))
}

fn time(entry: &Value) -> Option<Timestamp> {
    Timestamp::parse(entry["timestamp"].as_str()?)
}

/// The one who speaks in an entry; `None` where nobody does.
fn role(entry: &Value) -> Option<Role> {
    Some(match entry["type"].as_str()? {
        "user" if entry["isCompactSummary"] == true => Role::Summary,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" if entry["subtype"] == "compact_boundary" => Role::User,
        _ => return None,
    })
}

/// The messages that entries are, in their order.
#[derive(Default)]
struct Messages {
    /// By their numbers.
    found: BTreeMap<usize, Message>,
    /// The number of the last one.
    last: usize,
    /// The calls that have no output yet, by their ids: the message and the part.
    open: HashMap<String, (usize, usize)>,
    /// The id of the answer whose parts come.
    answer: Option<String>,
    /// The number of the last turn.
    turn: usize,
    /// The place of the present line in the file.
    at: u64,
}

impl Messages {
    /// Takes out those to which nothing comes any more.
    fn ended(&mut self) -> impl Iterator<Item = Message> {
        let open = self.open.values().map(|(message, _)| *message);
        let open: Vec<usize> = open.chain(self.answer.as_ref().map(|_| self.last)).collect();
        let ended = self.found.extract_if(.., move |number, _| !open.contains(number));
        ended.map(|(_, message)| message)
    }

    /// The outputs of calls in these lines have nothing of what is looked for.
    fn close(&mut self, lines: &[u8]) {
        const KEY: &[u8] = br#""tool_use_id":""#;
        for at in memmem::find_iter(lines, KEY) {
            let id = lines[at + KEY.len()..].split(|byte| *byte == b'"').next();
            let id = id.and_then(|id| std::str::from_utf8(id).ok());
            self.open.remove(id.unwrap_or_default());
        }
    }
}

impl Extend<Value> for Messages {
    fn extend<T: IntoIterator<Item = Value>>(&mut self, entries: T) {
        for entry in entries {
            let (Some(time), Some(role)) = (time(&entry), role(&entry)) else {
                continue;
            };
            let parts = parts(&entry, &mut |id, output, state| {
                let Some((at, part)) = self.open.remove(id) else {
                    return;
                };
                let message = self.found.get_mut(&at);
                if let Some(Part::Tool(call)) = message.and_then(|message| message.parts.get_mut(part)) {
                    (call.output, call.state) = (output, state);
                }
            });
            if parts.is_empty() {
                continue;
            }
            let message = &entry["message"];
            // The parts of an answer are entries of their own, which share its id.
            let id = message["id"].as_str().filter(|_| role == Role::Assistant);
            let is_next = id.is_some() && self.answer.as_deref() == id;
            self.answer = id.map(str::to_owned);
            if !is_next {
                let id = id.or(entry["uuid"].as_str()).unwrap_or_default().to_owned();
                self.last += 1;
                self.found.insert(
                    self.last,
                    Message {
                        mark: Mark { time, id },
                        role,
                        model: message["model"].as_str().map(str::to_owned),
                        tokens: None,
                        error: None,
                        parts: Vec::new(),
                        turn: self.turn,
                        at: self.at,
                    },
                );
            }
            let Some(last) = self.found.get_mut(&self.last) else {
                continue;
            };
            last.tokens = tokens(&message["usage"]).or(last.tokens);
            for (id, part) in parts {
                self.open.extend(id.map(|id| (id, (self.last, last.parts.len()))));
                last.parts.push(part);
            }
        }
    }
}

/// The parts of an entry, each with the id of the call that it is. The outputs of earlier calls are handed to `ended`.
fn parts(entry: &Value, ended: &mut impl FnMut(&str, String, &'static str)) -> Vec<(Option<String>, Part)> {
    if entry["type"] == "system" {
        let trigger = match entry["compactMetadata"]["trigger"].as_str() {
            Some("auto") => "auto",
            _ => "asked",
        };
        return vec![(None, Part::Compaction { trigger })];
    }
    let is_user = role(entry) == Some(Role::User);
    let is_the_hosts = |text: &str| is_user && ClaudeCode::typed(text).is_none();
    let said = |text: &str| {
        let text = text.to_owned();
        if entry["isMeta"] == true || is_the_hosts(&text) {
            (None, Part::Aside { text })
        } else {
            (None, Part::Text { text })
        }
    };
    let content = &entry["message"]["content"];
    if let Some(text) = content.as_str() {
        return vec![said(text)];
    }
    let mut parts = Vec::new();
    for part in content.as_array().into_iter().flatten() {
        match part["type"].as_str() {
            Some("text") => parts.push(said(part["text"].as_str().unwrap_or_default())),
            Some("thinking") => {
                let text = part["thinking"].as_str().unwrap_or_default().to_owned();
                parts.push((None, Part::Aside { text }));
            }
            Some("tool_use") => {
                let id = part["id"].as_str().map(str::to_owned);
                parts.push((id, Part::Tool(call(part))));
            }
            Some("tool_result") => {
                let state = if part["is_error"] == true {
                    "failed"
                } else {
                    "done"
                };
                let id = part["tool_use_id"].as_str().unwrap_or_default();
                ended(id, output(&part["content"]), state);
            }
            _ => {}
        }
    }
    parts
}

fn call(part: &Value) -> Call {
    let tool = part["name"].as_str().unwrap_or_default();
    let input = &part["input"];
    let file = input["file_path"].as_str().or(input["notebook_path"].as_str());
    let changes = matches!(tool, "Edit" | "MultiEdit" | "Write" | "NotebookEdit");
    Call {
        tool: tool.to_owned(),
        input: input.to_string(),
        output: String::new(),
        state: "open",
        changed: file.filter(|_| changes).map(str::to_owned),
    }
}

fn output(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let texts = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

fn tokens(usage: &Value) -> Option<Tokens> {
    let counted = |name: &str| usage[name].as_u64().unwrap_or_default();
    usage.is_object().then(|| {
        Tokens::new(
            counted("input_tokens"),
            counted("output_tokens"),
            counted("cache_read_input_tokens"),
            counted("cache_creation_input_tokens"),
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_what_the_user_typed_or_the_agent_said() {
        let said = |marks: Value, content: Value| {
            let mut entry = json!({"sessionId": "s", "message": {"content": content}});
            for (key, value) in marks.as_object().unwrap() {
                entry[key] = value.clone();
            }
            let line = ClaudeCode::line(entry.to_string().as_bytes()).unwrap();
            line.said.map(|(by, text)| (by.as_str(), text))
        };
        let user = json!({"type": "user"});
        let agent = json!({"type": "assistant"});
        let some = |by, text: &str| Some((by, text.to_owned()));
        assert_eq!(said(user.clone(), json!("use tabs")), some("user", "use tabs"));
        let text = json!({"type": "text", "text": "yes"});
        let call = json!({"type": "tool_use", "name": "Bash", "input": {"text": "rm"}});
        let thought = json!({"type": "thinking", "thinking": "hm", "text": "hm"});
        assert_eq!(
            said(agent, json!([thought, text, call])),
            some("assistant", "yes")
        );
        assert_eq!(
            said(user.clone(), json!("/review use tabs")),
            some("user", "use tabs")
        );
        let result = json!([{"type": "tool_result", "content": "remember: x", "text": "x"}]);
        assert_eq!(said(user.clone(), result), None);
        for text in [
            "<command-name>/x</command-name>",
            "[Request interrupted by user]",
            " ",
        ] {
            assert_eq!(said(user.clone(), json!(text)), None);
        }
        for mark in ["isMeta", "isSidechain", "isCompactSummary"] {
            assert_eq!(said(json!({"type": "user", mark: true}), json!("use tabs")), None);
        }
        let other = ClaudeCode::line(br#"{"type":"file-history-snapshot"}"#);
        assert_eq!(other, Some(ClaudeLine::default()));
        assert_eq!(ClaudeCode::line(br#"{"role":"user","content":"hi"}"#), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a file of another program")]
    fn a_call_ends_where_its_output_is_skipped_and_there_alone() {
        let entry = |role: &str, id: &str, part: Value| {
            let message = json!({"id": id, "content": [part]});
            let time = "2026-11-20T09:00:00.000Z";
            json!({"type": role, "timestamp": time, "cwd": "/", "message": message}).to_string() + "\n"
        };
        let call = |id: &str| entry("assistant", id, json!({"type": "tool_use", "id": id}));
        let output = |id: &str, text: &str| {
            let content = format!("{text}{}", " ".repeat(CHUNK));
            entry(
                "user",
                "",
                json!({"type": "tool_result", "tool_use_id": id, "content": content}),
            )
        };
        let lines = [
            call("late"),
            call("skipped"),
            output("", ""),
            output("skipped", ""),
        ]
        .concat();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, lines + &call("open") + &output("late", "needle")).unwrap();
        let wanted = crate::text::WantedWords::new("needle").unwrap();
        let filter = LineFilter::new(&wanted, Some("\"tool_use\""));
        let claude = ClaudeCode {
            folder: folder.path().to_owned(),
        };
        let mut taken = Vec::new();
        let mut take = |message: Message| {
            let outputs = message.searched(true).concat();
            taken.push((message.mark.id, outputs.contains("needle")));
            true
        };
        let of = about(&file).unwrap().unwrap();
        claude.messages(&of, 0, Some(&filter), &mut take).unwrap();
        let expected = [("skipped", false), ("late", true), ("open", false)];
        assert_eq!(taken, expected.map(|(id, has)| (id.to_owned(), has)));
    }

    #[test]
    fn a_prompt_is_what_the_user_typed() {
        assert_eq!(ClaudeCode::typed("Remember: x"), Some("Remember: x"));
        assert_eq!(
            ClaudeCode::typed("/review remember: use tabs\nin Go"),
            Some("remember: use tabs\nin Go")
        );
        assert_eq!(
            ClaudeCode::typed("/usr/bin/x remember"),
            Some("/usr/bin/x remember")
        );
        assert_eq!(ClaudeCode::typed("/clear"), Some("/clear"));
        assert_eq!(
            ClaudeCode::typed("<task-notification>\nremember: x\n</task-notification>"),
            None
        );
    }
}
