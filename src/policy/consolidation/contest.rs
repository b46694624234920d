//! The choice of the memory that stays.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

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

/// Picks the one that stays among many, again and again. Of two it picks the one that [`prevails`]; of more, where
/// "longer by more than 10, else newer" may go round in a circle, it picks the newest of those that no other is longer
/// than by more than 10. Takes n log n for all picks together.
pub(in crate::policy) struct Contest<'a> {
    /// Best class first, and within it the longest.
    contenders: Vec<Contender<'a>>,
    /// The first that may not be gone.
    longest: usize,
    /// The first that is not among the candidates yet.
    outside: usize,
    /// Those that no other is longer than, and perhaps some that are gone.
    candidates: BinaryHeap<Place<'a>>,
}

impl<'a> Contest<'a> {
    /// A contest among some of the entries, by index.
    pub(in crate::policy) fn new(entries: &[Entry<'a>], members: &[usize]) -> Self {
        let contender = |index: &usize| Contender::new(*index, entries[*index].memory);
        let mut contenders: Vec<_> = members.iter().map(contender).collect();
        contenders.sort_by(|a, b| {
            b.by_class(a)
                .then(b.length.cmp(&a.length))
                .then(b.place.2.cmp(&a.place.2))
        });
        Self {
            contenders,
            longest: 0,
            outside: 0,
            candidates: BinaryHeap::new(),
        }
    }

    /// The index of the one that stays among those that are not gone yet; it is gone from then on.
    pub(in crate::policy) fn pick(&mut self, gone: &mut [bool]) -> Option<usize> {
        while gone[self.contenders.get(self.longest)?.index()] {
            self.longest += 1;
        }
        let longest = self.contenders[self.longest];
        self.outside = self.outside.max(self.longest);
        while let Some(next) = self.contenders.get(self.outside).copied() {
            let near = longest.newest_first || next.length + LONGER >= longest.length;
            if next.by_class(&longest) != Ordering::Equal || !near {
                break;
            }
            self.candidates.push(next.place);
            self.outside += 1;
        }
        while let Some((.., Reverse(index))) = self.candidates.pop() {
            if !std::mem::replace(&mut gone[index], true) {
                return Some(index);
            }
        }
        None
    }
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
