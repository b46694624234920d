//! A line of Claude Code's transcript, for whoever reads one after the other, and a prompt as its user typed it.

use serde_json::Value;

use super::claude_code::{parts, role};
use super::{ClaudeCode, Part, Role};
use crate::sys::from_json;

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

impl ClaudeCode {
    /// Reads a line of a transcript; `None` for what is no line of this host's.
    pub fn line(line: &[u8]) -> Option<ClaudeLine> {
        let entry: Value = from_json(line).ok()?;
        entry["type"].as_str()?;
        let role = role(&entry).filter(|role| *role != Role::Summary && entry["isSidechain"] != true);
        let said = role.and_then(|role| {
            let parts = parts(&entry, &mut |_, _, _| {});
            let texts = parts.iter().filter_map(|(_, part)| match part {
                Part::Text(text) => Some(text.as_str()),
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
