//! What an entry says, as the bytes of a memory's file.

use super::incoming::{Said, Stated};
use crate::document::{self, Key, KeyEdit, NewMemory, Value};
use crate::model::Id;
use crate::policy::{Rules, initial_strength};

/// The file of an entry.
pub(super) fn file(said: &Said, id: &Id, superseded_by: Option<Id>, rules: &Rules) -> Vec<u8> {
    #[expect(clippy::float_cmp, reason = "the very number that a file need not state")]
    let confidence = said
        .confidence
        .filter(|confidence| *confidence != said.source.usual_confidence());
    let new = NewMemory {
        source: said.source,
        status: said.status,
        strength: Some(initial_strength(&said.kind, said.source, said.importance, rules)),
        reinforcement: said.reinforcement,
        created: said.created.known(),
        updated: said.updated.known(),
        reinforced: said.reinforced.known(),
        session: said.session.clone(),
        clock: said.clock.known(),
        importance: said.importance,
        confidence,
        stale_after: said.stale_after,
        description: said.description.clone(),
        supersedes: said.supersedes.clone(),
        superseded_by,
        tags: said.tags.clone(),
        ..NewMemory::new(id.clone(), said.kind.clone(), said.content.clone())
    };
    let bytes = document::compose(&new);
    let times = times_that_are_none(said);
    if times.is_empty() {
        return bytes;
    }
    document::edit(&bytes, &times).expect("because a fresh file takes every value")
}

/// They stay in the file as they stand, so that they count as now, as they did before, and `check` names them.
fn times_that_are_none(said: &Said) -> Vec<KeyEdit> {
    let times = [
        (Key::Created, &said.created),
        (Key::Updated, &said.updated),
        (Key::Reinforced, &said.reinforced),
        (Key::Clock, &said.clock),
    ];
    let edit = |(key, time): (Key, &Stated)| match time {
        Stated::Unreadable(text) => Some(KeyEdit::Set(key, Value::Text(text.clone()))),
        Stated::No | Stated::At(_) => None,
    };
    times.into_iter().filter_map(edit).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Content, Importance, Kind, Memory, Moment, Source, Status, StorePath, Timestamp};

    fn read(bytes: &[u8]) -> Memory {
        let path = StorePath::new("decision/x.md").unwrap();
        document::parse(&path, bytes, None, || Id::parse("derived").unwrap()).memory
    }

    fn said(text: &str) -> Said {
        let content = Content::Fact {
            text: text.to_owned(),
            rationale: Some("because".to_owned()),
        };
        Said::new(Kind::new("decision"), content)
    }

    fn id() -> Id {
        Id::parse("mem_1700000000000_36iavh").unwrap()
    }

    #[test]
    fn a_file_says_what_the_entry_said() {
        let said = Said {
            source: Source::Compaction,
            status: Status::Superseded,
            confidence: Some(1.0),
            importance: Importance::High,
            reinforcement: 3,
            stale_after: Some(0),
            created: Stated::At(Timestamp::from_millis(1_781_411_859_409)),
            clock: Stated::Unreadable("bad: date # 1".to_owned()),
            reinforced: Stated::Unreadable("-5".to_owned()),
            ..said("Use npm")
        };
        let by = Id::parse("mem_2").unwrap();
        let memory = read(&file(&said, &id(), Some(by.clone()), &Rules::default()));
        assert_eq!((memory.id, memory.status), (id(), Status::Superseded));
        assert_eq!((memory.confidence, memory.strength), (1.0, Some(3.75)));
        assert_eq!((memory.stale_after, memory.superseded_by), (Some(0), Some(by)));
        assert_eq!(
            (memory.clock, memory.reinforced),
            (Moment::Unreadable, Moment::Unreadable)
        );
        assert_eq!(
            memory.created,
            Moment::At(Timestamp::from_millis(1_781_411_859_409))
        );
        assert_eq!((memory.updated, memory.content), (Moment::Unset, said.content));
    }

    proptest! {
        #[test]
        fn every_time_that_is_none_is_written(text in "[\\PC]{1,80}", other in "[a-z:#'\"{}\\[\\]&*!|> -]{1,20}") {
            let said = Said {
                created: Stated::Unreadable(text),
                clock: Stated::Unreadable(other),
                ..said("x")
            };
            let memory = read(&file(&said, &id(), None, &Rules::default()));
            prop_assert_eq!(memory.content, said.content);
        }
    }
}
