//! A memory, as the rules see it.

use serde::ser::{SerializeStruct as _, Serializer};
use serde::{Deserialize, Serialize};

use super::{Id, Kind, Moment, StorePath, Timestamp};

/// Who says what a memory says. The order is the order of trust: explicit > manual > agent > compaction > extraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Proposed by a model that read a conversation.
    Extraction,
    /// Extracted from a host's summary of a conversation.
    Compaction,
    /// Written by an agent: by a tool, in its shell, or by an edit of its tools.
    Agent,
    /// A person wrote the file.
    #[default]
    Manual,
    /// The user said it in a message or at a terminal.
    Explicit,
}

impl Source {
    /// Every source, the least trusted first.
    pub const ALL: [Self; 5] = [
        Self::Extraction,
        Self::Compaction,
        Self::Agent,
        Self::Manual,
        Self::Explicit,
    ];

    /// The word in a file, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|source| source.as_str() == text.trim())
    }

    /// The confidence of a memory that states none (docs/file-format.md).
    pub const fn usual_confidence(self) -> f64 {
        match self {
            Self::Explicit | Self::Manual => 1.0,
            Self::Agent => 0.85,
            Self::Compaction => 0.75,
            Self::Extraction => 0.7,
        }
    }

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Manual => "manual",
            Self::Agent => "agent",
            Self::Compaction => "compaction",
            Self::Extraction => "extraction",
        }
    }

    /// True for the words of a person, which no summary, merge or pass may replace.
    pub const fn is_persons(self) -> bool {
        matches!(self, Self::Explicit | Self::Manual)
    }
}

/// The weight that its author gives it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Importance {
    /// Less than usual.
    Low,
    /// As usual.
    #[default]
    Normal,
    /// More than usual.
    High,
}

impl Importance {
    /// Every importance, the least first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    /// The word in a file, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|importance| importance.as_str() == text.trim())
    }

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// The force of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In force.
    #[default]
    Active,
    /// Another memory says it now (`superseded_by`).
    Superseded,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 2] = [Self::Active, Self::Superseded];

    /// The word in a file, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text.trim())
    }

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
        }
    }
}

/// The content of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// One block of lines, and perhaps the reason for it.
    Fact {
        /// The fact. Line breaks are as in the file; they become one space when it is rendered or keyed.
        text: String,
        /// The text after `Why:`, without that word.
        rationale: Option<String>,
    },
    /// Any other body: rendered as `description (path)`, never absorbed by the engine.
    Note {
        /// The body, without blank lines at its ends.
        body: String,
    },
}

impl Default for Content {
    /// The content of an empty body.
    fn default() -> Self {
        Self::Note { body: String::new() }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Content", 3)?;
        form.serialize_field("text", self.keyed_text())?;
        form.serialize_field("rationale", &self.rationale())?;
        form.serialize_field("is_note", &self.is_note())?;
        form.end()
    }
}

impl Content {
    /// The words that keys and likeness are made from: a fact's text, a note's whole body.
    pub fn keyed_text(&self) -> &str {
        match self {
            Self::Fact { text, .. } => text,
            Self::Note { body } => body,
        }
    }

    /// The reason of a fact.
    pub fn rationale(&self) -> Option<&str> {
        match self {
            Self::Fact { rationale, .. } => rationale.as_deref(),
            Self::Note { .. } => None,
        }
    }

    /// The words as a body: of a fact also its reason.
    pub fn as_body(&self) -> String {
        match self.rationale() {
            Some(why) => format!("{}\n\nWhy: {why}", self.keyed_text()),
            None => self.keyed_text().to_owned(),
        }
    }

    /// Says whether this is a note.
    pub const fn is_note(&self) -> bool {
        matches!(self, Self::Note { .. })
    }
}

/// A memory: one markdown file, read. Keys as in docs/file-format.md; a key that the file does not state has the
/// default of that table here, or is `None`/`Unset` where "not stated" means something of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Memory {
    /// Stated, or derived from the path and blob under which the file first appeared.
    pub id: Id,
    /// True when the file states `id`.
    #[serde(skip)]
    pub id_stated: bool,
    /// Its place.
    pub path: StorePath,
    /// `type:`, else the folder's, else `project`.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// `source:`, else manual.
    pub source: Source,
    /// `status:`, else active.
    pub status: Status,
    /// The content.
    #[serde(flatten)]
    pub content: Content,
    /// `name:`.
    #[serde(skip)]
    pub name: Option<String>,
    /// The first heading of the body, without its `#`.
    #[serde(skip)]
    pub heading: Option<String>,
    /// `description:`, as stated.
    #[serde(skip)]
    pub description: Option<String>,
    /// `strength:`, when it is a finite number of at least 0.
    #[serde(skip)]
    pub strength: Option<f64>,
    /// `reinforcement:`, how often it recurred.
    pub reinforcement: u32,
    /// `reinforced:`, when it was last reinforced.
    pub reinforced: Moment,
    /// `session:`, the (hashed) session that reinforced it last.
    pub session: Option<String>,
    /// `clock:`, the start of the decay.
    pub clock: Moment,
    /// `verified:`, when somebody last said that it still holds.
    #[serde(skip_serializing_if = "Moment::is_unset")]
    pub verified: Moment,
    /// `created:`, else from history (filled in by the store).
    pub created: Moment,
    /// `updated:`, else from history (filled in by the store).
    pub updated: Moment,
    /// `importance:`.
    pub importance: Importance,
    /// `confidence:`, else 1.0 (compaction 0.75).
    pub confidence: f64,
    /// `stale_after:` in days, 0 = never; `None` = the type's.
    pub stale_after: Option<u32>,
    /// `limit:` in characters; `None` = the store's.
    pub limit: Option<u32>,
    /// `readonly:`; true also where the frontmatter cannot be parsed, because protection fails closed.
    pub readonly: bool,
    /// `supersedes:`.
    pub supersedes: Vec<Id>,
    /// `superseded_by:`.
    pub superseded_by: Option<Id>,
    /// `conflict_of:`.
    pub conflict_of: Option<Id>,
    /// `tags:`.
    pub tags: Vec<String>,
    /// `aliases:`, other names to find it by.
    pub aliases: Vec<String>,
    /// `paths:`, patterns of the files of the workspace that it holds for; none: it holds everywhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// `promoted:`, the file outside the store that says it now, such as AGENTS.md.
    pub promoted: Option<String>,
    /// True when the file has keys that are not mdmem's, or comments among its keys.
    #[serde(skip)]
    pub has_own_keys: bool,
    /// The keys that are not mdmem's, with their values: `owner: team-a, port: 5433`.
    #[serde(skip)]
    pub properties: String,
}

impl Memory {
    /// The time of its last change.
    pub fn changed(&self) -> Option<Timestamp> {
        self.updated.known().or(self.created.known())
    }

    /// The last time at which somebody said it, or that it still holds.
    pub fn affirmed(&self) -> Option<Timestamp> {
        self.changed().max(self.verified.known())
    }

    /// The memory of a file that states nothing but its content; its author is a person.
    pub fn new(id: Id, path: StorePath, kind: Kind, content: Content) -> Self {
        let source = Source::default();
        Self {
            id,
            id_stated: false,
            path,
            kind,
            source,
            status: Status::default(),
            content,
            name: None,
            heading: None,
            description: None,
            strength: None,
            reinforcement: 0,
            reinforced: Moment::Unset,
            session: None,
            clock: Moment::Unset,
            verified: Moment::Unset,
            created: Moment::Unset,
            updated: Moment::Unset,
            importance: Importance::default(),
            confidence: source.usual_confidence(),
            stale_after: None,
            limit: None,
            readonly: false,
            supersedes: Vec::new(),
            superseded_by: None,
            conflict_of: None,
            tags: Vec::new(),
            aliases: Vec::new(),
            paths: Vec::new(),
            promoted: None,
            has_own_keys: false,
            properties: String::new(),
        }
    }

    /// Says whether the memory is in force: no other one says it now, and it is no version that a merge set aside.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active && self.conflict_of.is_none()
    }

    /// Title = `name`, else the first heading, else the file's stem.
    pub fn title(&self) -> &str {
        self.name
            .as_deref()
            .or(self.heading.as_deref())
            .unwrap_or_else(|| self.path.stem())
    }

    /// `description`, else the first heading and, behind a colon, what the text says, else the text: the first 120
    /// characters, as one line.
    pub fn hook(&self) -> String {
        let says = self.says();
        match (&self.description, &self.heading) {
            (None, Some(heading)) if says.is_empty() => on_one_line(heading.lines()),
            (None, Some(heading)) => {
                on_one_line([heading.trim_end_matches(':'), ": ", &says].concat().lines())
            }
            _ => says,
        }
    }

    /// `description`, else the first 120 characters of the text without its headings and marks, as one line: for where the
    /// title stands beside it. An item of a list and a line of code each end as a sentence does.
    pub fn says(&self) -> String {
        if let Some(description) = &self.description {
            return on_one_line(description.lines());
        }
        let (mut said, mut in_code) = (String::new(), false);
        for line in self.content.keyed_text().lines() {
            let typed = line.trim();
            let words = typed.trim_start_matches("> ");
            let item = ["- ", "* ", "+ "]
                .iter()
                .find_map(|mark| words.strip_prefix(mark));
            let is_fence = words.starts_with("```") || words.starts_with("~~~");
            let is_heading = self.heading.is_some()
                && !in_code
                && (words.starts_with('#') || self.heading.as_deref() == Some(words));
            let is_mark = !words.is_empty() && words.chars().all(|c| "=-|: ".contains(c));
            in_code ^= is_fence;
            if is_fence || is_heading || is_mark || words.is_empty() {
                continue;
            }
            let is_open = said.ends_with(|c: char| c.is_alphanumeric() || ")`*_\"'".contains(c));
            let parts = in_code || item.is_some();
            said.push_str(if parts && is_open { "; " } else { " " });
            said.push_str(item.unwrap_or(words).trim_start());
            if said.len() > 4 * MOST_SAID {
                break;
            }
        }
        on_one_line(said.lines())
    }

    /// All that a prompt, an index, a link or a list may show of it, a paragraph each: its path, names, headings, keys,
    /// patterns and properties, and so much of its body.
    pub fn shown(&self, body: &str) -> String {
        let stated = [&self.name, &self.heading, &self.description, &self.promoted];
        let lists = [&self.tags, &self.aliases, &self.paths].map(|list| list.join(", "));
        let stated = stated.into_iter().flatten().chain(&lists).map(String::as_str);
        let all = [self.path.as_str(), &self.properties, body]
            .into_iter()
            .chain(stated);
        all.filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// When it was created, `now` where nobody knows.
    pub fn created_or(&self, now: Timestamp) -> Timestamp {
        self.created.known().unwrap_or(now)
    }
}

/// The most characters of what a memory says in a list.
const MOST_SAID: usize = 120;

/// The first 120 characters of some lines. A note may be long, and 120 words are always enough.
fn on_one_line<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).take(MOST_SAID).collect();
    words.join(" ").chars().take(MOST_SAID).collect()
}
