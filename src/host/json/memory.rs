//! A memory in JSON: the keys of its frontmatter by their names, and what the rules make of them.

use serde::Serialize;

use crate::model::{Content, Id, Moment};
use crate::service::{Fate, MemoryView};

/// A memory, as `list`, `show` and `why` print it. Times are RFC 3339, or null.
#[derive(Debug, Serialize)]
pub(crate) struct MemoryJson<'a> {
    id: &'a str,
    path: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    zone: &'static str,
    source: &'static str,
    status: &'static str,
    importance: &'static str,
    title: &'a str,
    description: String,
    text: &'a str,
    rationale: Option<&'a str>,
    is_note: bool,
    /// The strength now, and the numbers that made it.
    strength: f64,
    initial: f64,
    half_life_days: f64,
    age_days: f64,
    reinforcement: u32,
    reinforced: Option<String>,
    session: Option<&'a str>,
    clock: Option<String>,
    created: Option<String>,
    updated: Option<String>,
    confidence: f64,
    stale_after: Option<u32>,
    limit: Option<u32>,
    readonly: bool,
    tags: &'a [String],
    supersedes: Vec<&'a str>,
    superseded_by: Option<&'a str>,
    conflict_of: Option<&'a str>,
    chars: usize,
    /// `pinned`, `ranked`, `cold` or `omitted`; when omitted, why, and what is shown in its stead.
    fate: &'static str,
    reason: Option<&'static str>,
    instead: Option<&'a str>,
}

/// The word for what became of a memory.
pub(crate) const fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Pinned => "pinned",
        Fate::Ranked => "ranked",
        Fate::Cold => "cold",
        Fate::Omitted(_) => "omitted",
    }
}

impl<'a> From<&'a MemoryView> for MemoryJson<'a> {
    fn from(view: &'a MemoryView) -> Self {
        let memory = &view.memory;
        let time = |moment: Moment| moment.known().map(crate::model::Timestamp::to_rfc3339);
        let reason = match view.fate {
            Fate::Omitted(reason) => Some(reason.as_str()),
            Fate::Pinned | Fate::Ranked | Fate::Cold => None,
        };
        Self {
            id: memory.id.as_str(),
            path: memory.path.as_str(),
            kind: memory.kind.as_str(),
            zone: view.zone.as_str(),
            source: memory.source.as_str(),
            status: memory.status.as_str(),
            importance: memory.importance.as_str(),
            title: memory.title(),
            description: memory.hook(),
            text: memory.content.keyed_text(),
            rationale: memory.content.rationale(),
            is_note: matches!(memory.content, Content::Note { .. }),
            strength: view.strength.value,
            initial: view.strength.initial,
            half_life_days: view.strength.half_life_days,
            age_days: view.strength.age_days,
            reinforcement: memory.reinforcement,
            reinforced: time(memory.reinforced),
            session: memory.session.as_deref(),
            clock: time(memory.clock),
            created: time(memory.created),
            updated: time(memory.updated),
            confidence: memory.confidence,
            stale_after: memory.stale_after,
            limit: memory.limit,
            readonly: memory.readonly,
            tags: &memory.tags,
            supersedes: memory.supersedes.iter().map(Id::as_str).collect(),
            superseded_by: memory.superseded_by.as_ref().map(Id::as_str),
            conflict_of: memory.conflict_of.as_ref().map(Id::as_str),
            chars: view.chars,
            fate: fate_word(view.fate),
            reason,
            instead: view.instead.as_ref().map(crate::model::StorePath::as_str),
        }
    }
}
