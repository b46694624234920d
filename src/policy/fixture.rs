//! Memories for the tests of the rules and of what is rendered by them.

use super::Keys;
use super::likeness::Compared;
use crate::model::{Content, Id, Kind, Memory, Moment, Source, StorePath, Timestamp};

/// The time of the tests: 2026-06-15T12:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_781_524_800_000);

pub(crate) fn days_ago(days: i64) -> Moment {
    Moment::At(Timestamp::from_millis(NOW.as_millis() - days * 86_400_000))
}

pub(crate) fn decision() -> Memory {
    let content = Content::Fact {
        text: "Use npm cache".into(),
        rationale: None,
    };
    let (id, path) = ("mem_a", "decision/a.md");
    let (id, path) = (Id::parse(id).unwrap(), StorePath::new(path).unwrap());
    Memory {
        id_stated: true,
        source: Source::Explicit,
        ..Memory::new(id, path, Kind::new("decision"), content)
    }
}

/// A memory of that type and text, named by `id`, at `path`.
pub(crate) fn fact(id: &str, path: &str, kind: &str, text: &str) -> Memory {
    Memory {
        id: Id::parse(id).unwrap(),
        path: StorePath::new(path).unwrap(),
        kind: Kind::new(kind),
        content: Content::Fact {
            text: text.into(),
            rationale: None,
        },
        created: days_ago(1),
        ..decision()
    }
}

/// A note at `path`.
pub(crate) fn note(path: &str, body: &str) -> Memory {
    Memory {
        content: Content::Note { body: body.into() },
        ..fact("mem_note", path, "reference", "")
    }
}

/// Says whether two memories of a store, each with its keys, are one, by the definition.
pub(crate) fn are_one(a: (&Keys, &Content), b: (&Keys, &Content)) -> bool {
    Compared::new(a.0, a.1).likeness(b.0, b.1).is_some()
}
