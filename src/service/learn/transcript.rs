//! The messages of a conversation, from where a model has read it: JSON lines of an agent, a plain text whose messages
//! begin with `User:` and `Assistant:`, or what a host keeps.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use crate::capture::{Speaker, Utterance, in_one_batch};
use crate::model::Timestamp;
use crate::sys::{GrowingFile, SysError, from_json};

use super::super::ServiceError;
use super::super::kept_conversations::{
    ClaudeCode, ClaudeLine, Conversation, KeptConversations, Mark, Reading, Role,
};

/// The bytes that are read at once; a pass goes on behind them.
const MOST: u64 = 16 << 20;
/// The bytes at the beginning of a transcript that say its form.
const BEGINNING: u64 = 4096;

/// The messages of a host's that are read at once. More than one question has room for, so that it is known that more
/// follow.
const PAGE: usize = 200;

/// The part of a transcript that one question is about.
pub(super) struct Part {
    /// The agent's name for the session, where the transcript has it.
    pub(super) session: Option<String>,
    pub(super) messages: Vec<Utterance>,
    /// The place behind the last of them.
    pub(super) end: u64,
    /// True when messages follow.
    pub(super) is_more: bool,
}

/// The name of the session that a transcript is of: the one in the file, else the file's own path.
pub(super) fn name_of(file: &Path) -> Result<String, ServiceError> {
    if let Some(session) = part(file, 0, str::to_owned)?.session {
        return Ok(session);
    }
    let full = file.canonicalize();
    let full = full.map_err(|error| SysError::io("read", file, error))?;
    Ok(format!("transcript {}", full.display()))
}

/// Reads the next messages behind `from`, each as `clean` gives it.
pub(super) fn part(file: &Path, from: u64, clean: impl Fn(&str) -> String) -> Result<Part, ServiceError> {
    let failed = |error| SysError::io("read", file, error);
    let open = GrowingFile::open(file).map_err(failed)?;
    let missing = || failed(std::io::ErrorKind::NotFound.into());
    let open = open.ok_or_else(missing)?;
    let lines = open.lines_from(from, MOST).map_err(failed)?;
    let start = lines.end - lines.bytes.len() as u64;
    let mut bytes = lines.bytes;
    let mut session = None;
    let mut found: Vec<(Utterance, u64)> = Vec::new();
    // The file's own beginning says its form: what is new may be half a line.
    let beginning = open.rest(0, BEGINNING).map_err(failed)?;
    if beginning.trim_ascii_start().starts_with(b"{") {
        let mut end = start;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            end += line.len() as u64;
            let Some(line) = ClaudeCode::line(line).or_else(|| by_role(line)) else {
                continue;
            };
            session = session.or(line.session);
            let said = line.said.and_then(|(role, text)| utterance(role, text));
            found.extend(said.map(|message| (message, end)));
        }
    } else {
        // The last line of a text need not end.
        bytes.extend(open.rest(lines.end, MOST).map_err(failed)?);
        found = spoken(&bytes, start);
    }
    found.retain(|(message, _)| !message.text.trim().is_empty());
    let cleaned = found.iter().map(|(message, _)| Utterance {
        text: clean(message.text.trim()),
        speaker: message.speaker,
    });
    let messages = in_one_batch(cleaned);
    let is_more = messages.len() < found.len();
    let end = match messages.len() {
        count if is_more => found[count - 1].1,
        _ => start + bytes.len() as u64,
    };
    Ok(Part {
        session,
        is_more: is_more || end < open.size(),
        messages,
        end,
    })
}

/// The messages behind a time, in milliseconds, of a conversation whose host keeps no transcript.
pub(super) fn kept(
    hosts: &KeptConversations,
    of: &Conversation,
    from: u64,
    clean: impl Fn(&str) -> String,
) -> Result<Part, ServiceError> {
    let mut found: Vec<(Utterance, u64)> = Vec::new();
    let time = Timestamp::from_millis(i64::try_from(from).unwrap_or(i64::MAX));
    // Behind every message of that time.
    let id = char::MAX.to_string();
    let behind = Reading::OldestBehind((from > 0).then_some(Mark { time, id }));
    let mut end = from;
    hosts.read(of, &behind, |message| {
        let at = u64::try_from(message.mark.time.as_millis()).unwrap_or_default();
        end = end.max(at);
        let text = message.texts().collect::<Vec<_>>().join("\n");
        // An answer of calls alone says nothing.
        let said = utterance(message.role, clean(text.trim())).filter(|said| !said.text.is_empty());
        found.extend(said.map(|said| (said, at)));
        match found.len() {
            PAGE.. => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    let messages = in_one_batch(found.iter().map(|(said, _)| said.clone()));
    let is_more = messages.len() < found.len();
    Ok(Part {
        session: None,
        end: if is_more { found[messages.len() - 1].1 } else { end },
        is_more,
        messages,
    })
}

/// The words of somebody; `None` for a summary, which repeats them.
fn utterance(role: Role, text: String) -> Option<Utterance> {
    let speaker = match role {
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::Summary => return None,
    };
    Some(Utterance { speaker, text })
}

/// A line of the common form `{"role": "user", "content": "…"}`.
fn by_role(line: &[u8]) -> Option<ClaudeLine> {
    let line: Value = from_json(line).ok()?;
    let word = line["role"].as_str()?.trim();
    let mut roles = [Role::User, Role::Assistant].into_iter();
    let role = roles.find(|role| word.eq_ignore_ascii_case(role.as_str()))?;
    Some(ClaudeLine {
        session: line["session"].as_str().map(str::to_owned),
        said: line["content"].as_str().map(|text| (role, text.to_owned())),
    })
}

fn speaker(word: &str) -> Option<Speaker> {
    [Speaker::User, Speaker::Assistant]
        .into_iter()
        .find(|speaker| word.trim().eq_ignore_ascii_case(speaker.as_str()))
}

/// The messages of a plain text, each with the place behind it. What stands above the first label is nobody's.
fn spoken(text: &[u8], start: u64) -> Vec<(Utterance, u64)> {
    let mut found: Vec<(Utterance, u64)> = Vec::new();
    let mut end = start;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        end += line.len() as u64;
        let line = String::from_utf8_lossy(line);
        let labelled = line
            .split_once(':')
            .and_then(|(label, rest)| Some((speaker(label)?, rest)));
        if let Some((speaker, rest)) = labelled {
            let text = rest.trim_start().to_owned();
            found.push((Utterance { speaker, text }, end));
        } else if let Some((message, behind)) = found.last_mut() {
            message.text.push_str(&line);
            *behind = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str, from: u64) -> (Vec<String>, u64, bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        crate::sys::write_atomic(&file, content.as_bytes()).unwrap();
        let part = part(&file, from, |text| text.replace("hunter2", "***")).unwrap();
        let said = |message: &Utterance| format!("{}: {}", message.speaker.as_str(), message.text);
        (part.messages.iter().map(said).collect(), part.end, part.is_more)
    }

    #[test]
    fn a_plain_text_and_json_lines_are_read_from_any_place() {
        let text = "A chat\n\nUser: we use hunter2\nand: tabs\n\nassistant: ok\nUSER: bye";
        let (said, end, is_more) = read(text, 0);
        assert_eq!(
            said,
            ["user: we use ***\nand: tabs", "assistant: ok", "user: bye"]
        );
        assert_eq!((end, is_more), (text.len() as u64, false));
        assert_eq!(read(text, end).0, [""; 0]);
        let grown = format!("{text}\n{{}}\nUser: hi");
        assert_eq!(read(&grown, end).0, ["user: hi"], "a brace changes no form");
        let json = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"tool\",\"content\":\"x\"}\nnoise\n\
            {\"role\":\"assistant\",\"content\":\"yes\"}\n{\"role\":\"user\",\"cont";
        let (said, end, is_more) = read(json, 0);
        assert_eq!(said, ["user: hi", "assistant: yes"]);
        assert!(is_more, "half a line is not read yet");
        assert_eq!(read(json, end), (vec![], end, true));
        let whole = format!("{json}ent\":\"go\"}}\n");
        assert_eq!(read(&whole, end).0, ["user: go"], "when the line is whole");
        assert_eq!(read("", 0), (vec![], 0, false));
    }

    #[test]
    fn what_does_not_fit_into_one_question_is_for_the_next() {
        let line = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "a".repeat(9_000));
        let all = line.repeat(5);
        let (first, end, is_more) = read(&all, 0);
        assert_eq!((first.len(), end, is_more), (2, 2 * line.len() as u64, true));
        let (second, end, _) = read(&all, end);
        assert_eq!(second.len(), 2);
        assert_eq!(read(&all, end).0.len(), 1);
    }
}
