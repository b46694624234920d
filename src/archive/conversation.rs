//! A conversation, its messages and their parts: the same values for every host.

use std::path::PathBuf;

use crate::model::Timestamp;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The host's word for itself: `opencode`, `claude-code`.
    pub host: &'static str,
    /// The host's name for it.
    pub id: String,
    /// The conversation for which this one works.
    pub parent: Option<String>,
    /// The folder in which it was begun.
    pub directory: PathBuf,
    /// Its title; may be empty.
    pub title: String,
    /// The name of the file of its plan, where it has one.
    pub plan: Option<String>,
    /// When it was begun.
    pub created: Timestamp,
    /// When it changed last.
    pub updated: Timestamp,
    /// The tokens of all its answers, where the host counts them.
    pub tokens: Option<Tokens>,
}

/// The beginning of the title of each session that a host makes for a question of mdmem's own (passes.md); a nonce
/// follows.
pub const PASS_TITLE: &str = "mdmem pass ";
/// The letters and digits of such a nonce.
const NONCE: usize = 26;

impl Conversation {
    /// True for the session of a question of mdmem's own: it is nobody's conversation.
    pub fn is_a_pass(&self) -> bool {
        let nonce = self.title.strip_prefix(PASS_TITLE);
        nonce.is_some_and(|nonce| {
            nonce.len() == NONCE && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }
}

/// The tokens of an answer, or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// The tokens that the model read, those of the cache apart.
    pub input: u64,
    /// The tokens that it wrote.
    pub output: u64,
    /// The tokens that came from the cache.
    pub cache_read: u64,
    /// The tokens that went into the cache.
    pub cache_write: u64,
}

impl Tokens {
    /// All of them.
    pub const fn total(&self) -> u64 {
        let read = self.cache_read.saturating_add(self.cache_write);
        self.input.saturating_add(self.output).saturating_add(read)
    }

    /// Adds those of another answer.
    pub const fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// The place of a message among those of all conversations, by which reading goes on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// When the message was begun.
    pub time: Timestamp,
    /// The host's name for it.
    pub id: String,
}

impl Mark {
    /// Reads what [`std::fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (millis, id) = text.split_once('-')?;
        Some(Self {
            time: Timestamp::from_millis(millis.parse().ok()?),
            id: id.to_owned(),
        })
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.time.as_millis(), self.id)
    }
}

/// The one who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person, or a host in their place.
    User,
    /// The model.
    Assistant,
    /// The model, which sums up what was said before.
    Summary,
}

impl Role {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Summary => "summary",
        }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its place.
    pub mark: Mark,
    /// The one who speaks.
    pub role: Role,
    /// The model that answered.
    pub model: Option<String>,
    /// The tokens of the answer.
    pub tokens: Option<Tokens>,
    /// The error in which the answer ended.
    pub error: Option<String>,
    /// Its parts, in their order.
    pub parts: Vec<Part>,
}

impl Message {
    /// The texts that were said in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The calls of tools in it.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Every text of it, with those of its calls, to be changed in their place.
    pub fn each_text(&mut self, mut change: impl FnMut(&mut String)) {
        self.error.iter_mut().for_each(&mut change);
        for part in &mut self.parts {
            match part {
                Part::Text(text) | Part::Aside(text) => change(text),
                Part::Call(call) => {
                    change(&mut call.input);
                    change(&mut call.output);
                }
                Part::Changed(_) | Part::Compaction(_) | Part::Unread => {}
            }
        }
    }

    /// Every name in it, to be changed in its place: of the files that it changed, of its model, of its tools.
    pub fn each_name(&mut self, mut change: impl FnMut(&mut String)) {
        self.model.iter_mut().for_each(&mut change);
        for part in &mut self.parts {
            match part {
                Part::Call(call) => {
                    change(&mut call.tool);
                    call.changed.iter_mut().for_each(&mut change);
                }
                Part::Changed(files) => files.iter_mut().for_each(&mut change),
                Part::Text(_) | Part::Aside(_) | Part::Compaction(_) | Part::Unread => {}
            }
        }
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Somebody said something.
    Text(String),
    /// A text that the host or a plugin added, or the model's thoughts.
    Aside(String),
    /// The model used a tool.
    Call(Call),
    /// Files were changed.
    Changed(Vec<String>),
    /// The host asks for a summary of what was said before.
    Compaction(Trigger),
    /// The part cannot be read: it is torn, too large or of a form that is not known.
    Unread,
}

/// The call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// The arguments: JSON.
    pub input: String,
    /// The output, or the error.
    pub output: String,
    /// The outcome.
    pub state: CallState,
    /// The file that it changed.
    pub changed: Option<String>,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// It has not ended.
    Open,
    /// It ended well.
    Done,
    /// The tool failed, or a command of it.
    Failed,
}

impl CallState {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// The one who asked for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The host, because the context was nearly full.
    Auto,
    /// Somebody else.
    Asked,
}

/// A compaction: what was said before is a summary from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// When the summary was begun.
    pub mark: Mark,
    /// The one who asked for it.
    pub trigger: Option<Trigger>,
    /// The tokens of the last answer before.
    pub before: Option<u64>,
    /// The summary.
    pub summary: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_known_by_its_whole_title() {
        let nonce = "01JABCDEFGHJKMNPQRSTVWXYZ0";
        for (title, expected) in [
            (format!("{PASS_TITLE}{nonce}"), true),
            (format!("{PASS_TITLE}{nonce}0"), false),
            (format!("my {PASS_TITLE}{nonce}"), false),
            (format!("{PASS_TITLE}fails in the tests, why?"), false),
            (String::new(), false),
        ] {
            let conversation = Conversation {
                host: "opencode",
                id: "ses_1".to_owned(),
                parent: None,
                directory: PathBuf::from("/w"),
                title: title.clone(),
                plan: None,
                created: Timestamp::from_millis(0),
                updated: Timestamp::from_millis(0),
                tokens: None,
            };
            assert_eq!(conversation.is_a_pass(), expected, "{title}");
        }
    }
}
