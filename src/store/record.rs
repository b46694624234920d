//! A memory as the cache keeps it: the wire form of [`Memory`], apart from it so that the one can change without
//! the other. Whatever does not read back is simply read from its file again.

use serde::{Deserialize, Serialize};

use crate::model::{Content, Id, Importance, Kind, Memory, Moment, Source, Status, StorePath, Timestamp};
use crate::policy::{Identity, Keys};

use super::stored_file::StatedTimes;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MemoryRecord<'a> {
    id: Option<&'a str>,
    kind: &'a str,
    source: u8,
    status: u8,
    is_note: bool,
    text: String,
    rationale: Option<String>,
    name: Option<String>,
    heading: Option<String>,
    description: Option<String>,
    strength: Option<f64>,
    reinforcement: u32,
    reinforced: MomentRecord,
    session: Option<String>,
    clock: MomentRecord,
    created: MomentRecord,
    updated: MomentRecord,
    importance: u8,
    confidence: f64,
    stale_after: Option<u32>,
    limit: Option<u32>,
    readonly: bool,
    supersedes: Vec<&'a str>,
    superseded_by: Option<&'a str>,
    conflict_of: Option<&'a str>,
    tags: Vec<String>,
    aliases: Vec<String>,
    promoted: Option<String>,
    has_own_keys: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum MomentRecord {
    Unset,
    Unreadable,
    At(i64),
}

impl From<Moment> for MomentRecord {
    fn from(moment: Moment) -> Self {
        match moment {
            Moment::Unset => Self::Unset,
            Moment::Unreadable => Self::Unreadable,
            Moment::At(time) => Self::At(time.as_millis()),
        }
    }
}

impl From<MomentRecord> for Moment {
    fn from(record: MomentRecord) -> Self {
        match record {
            MomentRecord::Unset => Self::Unset,
            MomentRecord::Unreadable => Self::Unreadable,
            MomentRecord::At(millis) => Self::At(Timestamp::from_millis(millis)),
        }
    }
}

impl<'a> MemoryRecord<'a> {
    /// The record of a memory as its file states it, without what was filled in from history.
    pub(super) fn of(memory: &'a Memory, stated: &StatedTimes) -> Self {
        Self {
            id: memory.id_stated.then(|| memory.id.as_str()),
            kind: memory.kind.as_str(),
            source: memory.source as u8,
            status: memory.status as u8,
            is_note: memory.content.is_note(),
            text: memory.content.keyed_text().to_owned(),
            rationale: memory.content.rationale().map(str::to_owned),
            name: memory.name.clone(),
            heading: memory.heading.clone(),
            description: memory.description.clone(),
            strength: memory.strength,
            reinforcement: memory.reinforcement,
            reinforced: memory.reinforced.into(),
            session: memory.session.clone(),
            clock: memory.clock.into(),
            created: stated.created.into(),
            updated: stated.updated.into(),
            importance: memory.importance as u8,
            confidence: memory.confidence,
            stale_after: memory.stale_after,
            limit: memory.limit,
            readonly: memory.readonly,
            supersedes: memory.supersedes.iter().map(Id::as_str).collect(),
            superseded_by: memory.superseded_by.as_ref().map(Id::as_str),
            conflict_of: memory.conflict_of.as_ref().map(Id::as_str),
            tags: memory.tags.clone(),
            aliases: memory.aliases.clone(),
            promoted: memory.promoted.clone(),
            has_own_keys: memory.has_own_keys,
        }
    }

    /// The memory again; `None` when the record is not one that this version writes. Where it states no id, the history
    /// gives it one.
    pub(super) fn into_memory(self, path: StorePath) -> Option<Memory> {
        let parse = |id: Option<&str>| id.map(Id::parse).transpose().ok();
        Some(Memory {
            id_stated: self.id.is_some(),
            id: Id::parse(self.id.unwrap_or("unstated")).ok()?,
            path,
            kind: Kind::new(self.kind),
            source: *Source::ALL.get(usize::from(self.source))?,
            status: *Status::ALL.get(usize::from(self.status))?,
            content: if self.is_note {
                Content::Note { body: self.text }
            } else {
                Content::Fact {
                    text: self.text,
                    rationale: self.rationale,
                }
            },
            name: self.name,
            heading: self.heading,
            description: self.description,
            strength: self.strength,
            reinforcement: self.reinforcement,
            reinforced: self.reinforced.into(),
            session: self.session,
            clock: self.clock.into(),
            created: self.created.into(),
            updated: self.updated.into(),
            importance: *Importance::ALL.get(usize::from(self.importance))?,
            confidence: self.confidence,
            stale_after: self.stale_after,
            limit: self.limit,
            readonly: self.readonly,
            supersedes: self
                .supersedes
                .iter()
                .map(|id| Id::parse(id))
                .collect::<Result<_, _>>()
                .ok()?,
            superseded_by: parse(self.superseded_by)?,
            conflict_of: parse(self.conflict_of)?,
            tags: self.tags,
            aliases: self.aliases,
            promoted: self.promoted,
            has_own_keys: self.has_own_keys,
        })
    }
}

/// The keys of a memory; its content says whether it is a note.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeysRecord {
    exact: String,
    thing: Option<(String, u64)>,
}

impl KeysRecord {
    pub(super) fn of(keys: &Keys) -> Self {
        let thing = match &keys.identity {
            Identity::Thing(thing) => Some((thing.clone(), keys.numbers.said)),
            Identity::Note | Identity::Words => None,
        };
        let exact = keys.exact.clone();
        Self { exact, thing }
    }

    pub(super) fn into_keys(self, content: &Content) -> Keys {
        let (identity, said) = match self.thing {
            Some((thing, said)) => (Identity::Thing(thing), said),
            None if content.is_note() => (Identity::Note, 0),
            None => (Identity::Words, 0),
        };
        Keys::new(self.exact, identity, said, content)
    }
}
