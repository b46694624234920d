//! A conversation, its messages and their parts: the same values for every host, and their JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

use crate::model::Timestamp;
use crate::text::Redactor;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// The host's name for it.
    pub id: String,
    /// The host's word for itself: `opencode`, `claude-code`.
    pub host: &'static str,
    /// The conversation for which this one works.
    pub parent: Option<String>,
    /// Its title; may be empty.
    pub title: String,
    /// The folder in which it was begun.
    pub directory: PathBuf,
    /// When it was begun.
    pub created: Timestamp,
    /// When it changed last.
    pub updated: Timestamp,
    /// The tokens of all its answers, where the host counts them.
    pub tokens: Option<Tokens>,
    /// The name of the file of its plan, where it has one.
    #[serde(skip)]
    pub(super) plan: Option<String>,
    /// Its file, where the host keeps each conversation in one of its own.
    #[serde(skip)]
    pub(in crate::service) transcript: Option<PathBuf>,
}

/// The beginning of the title of each session that a host makes for a question of mdmem's own (passes.md); a nonce
/// follows.
pub(in crate::service) const PASS_TITLE: &str = "mdmem pass ";
/// The letters and digits of such a nonce.
const NONCE: usize = 26;

impl Conversation {
    /// True for the session of a question of mdmem's own: it is nobody's conversation.
    pub(super) fn is_a_pass(&self) -> bool {
        let nonce = self.title.strip_prefix(PASS_TITLE);
        nonce.is_some_and(|nonce| {
            nonce.len() == NONCE && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }

    /// Its title; for one without a title its id.
    pub fn name(&self) -> &str {
        match self.title.trim() {
            "" => &self.id,
            title => title,
        }
    }
}

/// The tokens of an answer, or of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tokens {
    /// All of them.
    pub total: u64,
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
    /// The tokens that were read and written, beside the cache and into it.
    pub fn new(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Self {
        let all = [input, output, cache_read, cache_write];
        Self {
            total: all.into_iter().fold(0, u64::saturating_add),
            input,
            output,
            cache_read,
            cache_write,
        }
    }

    /// These and those of another answer.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::new(
            self.input.saturating_add(other.input),
            self.output.saturating_add(other.output),
            self.cache_read.saturating_add(other.cache_read),
            self.cache_write.saturating_add(other.cache_write),
        )
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

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Mark", 3)?;
        form.serialize_field("id", &self.id)?;
        form.serialize_field("cursor", &self.to_string())?;
        form.serialize_field("time", &self.time)?;
        form.end()
    }
}

/// The one who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its place.
    #[serde(flatten)]
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
    /// Its number among those of the conversation that say something, where the messages are filtered.
    #[serde(skip)]
    pub(super) turn: usize,
    /// The place from which its reader finds it again.
    #[serde(skip)]
    pub(super) at: u64,
}

impl Message {
    /// The texts that were said in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// The texts that are searched; with `tools`, also what these were given and gave.
    pub(super) fn searched(&self, tools: bool) -> Vec<&str> {
        let of_tools = self.parts.iter().flat_map(|part| match part {
            Part::Tool(call) if tools => vec![call.input.as_str(), call.output.as_str()],
            _ => Vec::new(),
        });
        self.texts().chain(of_tools).collect()
    }

    /// Takes credentials out of all its words and names.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        let text = |text: &mut String| *text = redactor.redact(text).into_owned();
        let name = |name: &mut String| *name = redactor.redact_path(name);
        self.error.iter_mut().for_each(text);
        self.model.iter_mut().for_each(name);
        for part in &mut self.parts {
            match part {
                Part::Text { text: said } | Part::Aside { text: said } => text(said),
                Part::Tool(call) => {
                    [&mut call.input, &mut call.output].into_iter().for_each(text);
                    name(&mut call.tool);
                    call.changed.iter_mut().for_each(name);
                }
                Part::Files { files } => files.iter_mut().for_each(name),
                Part::Compaction { .. } | Part::Unread => {}
            }
        }
    }

    /// Leaves out what tools gave, the model's thoughts and what the host added. Of what tools were given, so many
    /// characters stay.
    pub(super) fn shorten(&mut self, input: usize) {
        self.parts.retain(|part| !matches!(part, Part::Aside { .. }));
        for part in &mut self.parts {
            if let Part::Tool(call) = part {
                call.output.clear();
                if let Some((end, _)) = call.input.char_indices().nth(input) {
                    call.input.truncate(end);
                    call.input.push('…');
                }
            }
        }
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Somebody said something.
    Text {
        /// The words.
        text: String,
    },
    /// A text that the host or a plugin added, or the model's thoughts.
    Aside {
        /// The words.
        text: String,
    },
    /// The model used a tool.
    Tool(Call),
    /// Files were changed.
    Files {
        /// Their paths.
        files: Vec<String>,
    },
    /// The host asks for a summary of what was said before.
    Compaction {
        /// `auto`: because the context was nearly full; `asked`: somebody wants it.
        trigger: &'static str,
    },
    /// The part cannot be read: it is torn, or of a form that is not known.
    Unread,
}

/// The call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// The outcome: `open` before its end, `done`, `failed`.
    pub state: &'static str,
    /// The arguments: JSON.
    pub input: String,
    /// The output, or the error.
    pub output: String,
    /// The file that it changed.
    #[serde(skip)]
    pub changed: Option<String>,
}
