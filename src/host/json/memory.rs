//! A memory in JSON: the keys of its frontmatter by their names, and what the rules make of them.

use serde_json::{Value, json};

use super::merged;
use crate::model::{Id, Moment, StorePath, Timestamp};
use crate::service::{Fate, MemoryView};

/// The word for what became of a memory.
pub(crate) const fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Pinned => "pinned",
        Fate::Ranked => "ranked",
        Fate::Cold => "cold",
        Fate::Omitted(_) => "omitted",
    }
}

/// A memory, as `list`, `show` and `why` print it. Times are RFC 3339, or null.
pub(crate) fn memory_json(view: &MemoryView) -> Value {
    let memory = &view.memory;
    let time = |moment: Moment| moment.known().map(Timestamp::to_rfc3339);
    let reason = match view.fate {
        Fate::Omitted(reason) => Some(reason.as_str()),
        Fate::Pinned | Fate::Ranked | Fate::Cold => None,
    };
    let stated = json!({
        "id": memory.id.as_str(),
        "path": memory.path.as_str(),
        "type": memory.kind.as_str(),
        "source": memory.source.as_str(),
        "status": memory.status.as_str(),
        "importance": memory.importance.as_str(),
        "reinforcement": memory.reinforcement,
        "reinforced": time(memory.reinforced),
        "session": memory.session,
        "clock": time(memory.clock),
        "created": time(memory.created),
        "updated": time(memory.updated),
        "confidence": memory.confidence,
        "stale_after": memory.stale_after,
        "limit": memory.limit,
        "readonly": memory.readonly,
        "tags": memory.tags,
        "supersedes": memory.supersedes.iter().map(Id::as_str).collect::<Value>(),
        "superseded_by": memory.superseded_by.as_ref().map(Id::as_str),
        "conflict_of": memory.conflict_of.as_ref().map(Id::as_str),
        "promoted": memory.promoted,
    });
    let computed = json!({
        "zone": view.zone.as_str(),
        "title": memory.title(),
        "description": memory.hook(),
        "text": memory.content.keyed_text(),
        "rationale": memory.content.rationale(),
        "is_note": memory.content.is_note(),
        "strength": view.strength.value,
        "initial": view.strength.initial,
        "half_life_days": view.strength.half_life_days,
        "age_days": view.strength.age_days,
        "chars": view.chars,
        "fate": fate_word(view.fate),
        "reason": reason,
        "instead": view.instead.as_ref().map(StorePath::as_str),
    });
    merged(stated, computed)
}
