//! The choice of the memory that stays.

use std::cmp::{Ordering, Reverse};

use crate::model::{Memory, Source, Timestamp};
use crate::policy::Entry;

/// The types of which the newest stays, however short: a decision replaces the one before it.
const NEWEST_FIRST: [&str; 1] = ["decision"];

/// Characters that one text must be longer than another to say more.
const LONGER: usize = 10;

/// Says whether `a` stays when it and `b`, of one type, are one: source (explicit > manual > compaction), then higher
/// confidence, then the longer text if the lengths differ by more than 10 characters, else the newer; of decisions the
/// newer, then the longer. The id decides between equal ones. A memory that nobody can date counts as new.
pub fn prevails(a: &Memory, b: &Memory) -> bool {
    let (a, b) = (Contender::new(0, a), Contender::new(1, b));
    let class = a.by_class(&b);
    let length = if a.newest_first || a.length.abs_diff(b.length) <= LONGER {
        Ordering::Equal
    } else {
        a.length.cmp(&b.length)
    };
    class.then(length).then(a.place.cmp(&b.place)) == Ordering::Greater
}

/// The one that stays among several of one type, by index. Of two it is the one that [`prevails`]; of more, where "longer
/// by more than 10, else newer" may go round in a circle, the newest of those that no other is longer than by more than 10.
pub(in crate::policy) fn strongest(entries: &[Entry<'_>], members: &[usize]) -> Option<usize> {
    let contender = |index: &usize| Contender::new(*index, entries[*index].memory);
    let all: Vec<Contender<'_>> = members.iter().map(contender).collect();
    let best = all.iter().max_by(|a, b| a.by_class(b))?;
    let of_class = || all.iter().filter(|other| other.by_class(best) == Ordering::Equal);
    let longest = of_class().map(|other| other.length).max()?;
    let near = of_class().filter(|other| other.newest_first || other.length + LONGER >= longest);
    near.max_by(|a, b| a.place.cmp(&b.place)).map(Contender::index)
}

/// The facts about a memory that a contest compares.
#[derive(Debug, Clone, Copy)]
struct Contender<'a> {
    source: Source,
    confidence: f64,
    newest_first: bool,
    length: usize,
    place: Place<'a>,
}

/// The order among equals of a class: newer, then longer, then the smaller id, then the smaller index.
type Place<'a> = (Timestamp, usize, Reverse<&'a str>, Reverse<usize>);

impl<'a> Contender<'a> {
    fn new(index: usize, memory: &'a Memory) -> Self {
        let length = memory.content.keyed_text().chars().count();
        let created = memory.created_or(Timestamp::MAX);
        Self {
            source: memory.source,
            confidence: memory.confidence,
            newest_first: NEWEST_FIRST.contains(&memory.kind.as_str()),
            length,
            place: (created, length, Reverse(memory.id.as_str()), Reverse(index)),
        }
    }

    const fn index(&self) -> usize {
        self.place.3.0
    }

    fn by_class(&self, other: &Self) -> Ordering {
        let confidence = self.confidence.total_cmp(&other.confidence);
        self.source.cmp(&other.source).then(confidence)
    }
}
