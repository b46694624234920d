//! Memories that arrive one after the other, and what is left of them.

use std::collections::HashMap;

use super::contest::prevails;
use super::topics::{Statements, Topics};
use super::{FileFate, Standing};
use crate::model::{Status, Timestamp};
use crate::policy::{Entry, Likeness, ReinforceDecision, ReinforceRules};

/// A memory that arrives, and the session that it arrives from, where one is known.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The memory.
    pub entry: Entry<'a>,
    /// The session that it is pending for.
    pub session: Option<&'a str>,
}

/// One memory that another one absorbs, which recurs by that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absorption {
    /// The one that is absorbed, as an index.
    pub absorbed: usize,
    /// The one that absorbs it. A later arrival may absorb that one in turn.
    pub kept: usize,
    /// How the two are one.
    pub likeness: Likeness,
    /// The session that the recurrence counts for.
    pub session: Option<String>,
    /// What the recurrence does to the one that stays; `None` where that one is `readonly`.
    pub attempt: Option<ReinforceDecision>,
    /// What becomes of the other's file, if it has one.
    pub file: FileFate,
}

/// What is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consolidation {
    /// Who absorbed whom, in the order in which it happened.
    pub absorbed: Vec<Absorption>,
    /// How each memory stands afterwards, by index; of an absorbed one, how it stood when that happened.
    pub standings: Vec<Standing>,
}

/// Consolidates memories in the order in which they arrive: each one that is one with a memory before it absorbs that
/// one or is absorbed. Notes and what is superseded already take no part. `session` is the session of an arrival
/// without one.
pub fn consolidate(
    arrivals: &[Arrival<'_>],
    session: Option<&str>,
    now: Timestamp,
    rules: &ReinforceRules,
) -> Consolidation {
    let takes_part = |arrival: &Arrival<'_>| {
        let memory = arrival.entry.memory;
        memory.status == Status::Active && !memory.content.is_note()
    };
    let members: Vec<usize> = (0..arrivals.len())
        .filter(|index| takes_part(&arrivals[*index]))
        .collect();
    let statements = Statements::new(arrivals, &members);
    let mut round = Round {
        arrivals,
        session,
        now,
        rules,
        by_words: HashMap::with_capacity(members.len()),
        topics: Topics::new(arrivals, &statements),
        result: Consolidation {
            absorbed: Vec::new(),
            standings: arrivals
                .iter()
                .map(|arrival| Standing::of(arrival.entry.memory))
                .collect(),
        },
    };
    for index in members {
        round.arrive(index);
    }
    round.result
}

struct Round<'a> {
    arrivals: &'a [Arrival<'a>],
    session: Option<&'a str>,
    now: Timestamp,
    rules: &'a ReinforceRules,
    /// Those that stand, by their words.
    by_words: HashMap<(&'a str, Option<&'a str>), usize>,
    /// Those that stand, by what they say about what.
    topics: Topics<'a>,
    result: Consolidation,
}

impl Round<'_> {
    fn arrive(&mut self, new: usize) {
        let entry = self.arrivals[new].entry;
        if let Some(&old) = self.by_words.get(&entry.keys.same_words()) {
            if self.prevails(new, old) {
                self.leave(old);
                self.stand(new);
                self.absorb(old, new, Likeness::Exact);
            } else {
                self.absorb(new, old, Likeness::Exact);
            }
            return;
        }
        let alike = self.topics.alike(new);
        // The strongest of those that are stronger than the new one, which says what they say and goes nowhere else.
        let stronger = alike.iter().copied().filter(|old| !self.prevails(new, *old));
        let strongest = stronger.reduce(|a, b| if self.prevails(a, b) { a } else { b });
        if let Some(old) = strongest {
            self.absorb(new, old, Likeness::Identity);
            return;
        }
        for old in alike {
            self.leave(old);
            self.absorb(old, new, Likeness::Identity);
        }
        self.stand(new);
    }

    fn prevails(&self, a: usize, b: usize) -> bool {
        prevails(self.arrivals[a].entry.memory, self.arrivals[b].entry.memory)
    }

    fn stand(&mut self, index: usize) {
        let words = self.arrivals[index].entry.keys.same_words();
        self.by_words.insert(words, index);
        self.topics.stand(index);
    }

    fn leave(&mut self, index: usize) {
        let words = self.arrivals[index].entry.keys.same_words();
        self.by_words.remove(&words);
        self.topics.leave(index);
    }

    fn absorb(&mut self, absorbed: usize, kept: usize, likeness: Likeness) {
        let (gone, stays) = (&self.arrivals[absorbed], &self.arrivals[kept]);
        let session = gone.session.or(stays.session).or(self.session);
        let taken = self.result.standings[absorbed].clone();
        let standing = &mut self.result.standings[kept];
        let attempt = (!stays.entry.memory.readonly).then(|| {
            standing.take(&taken);
            standing.recur(session, self.now, self.rules)
        });
        self.result.absorbed.push(Absorption {
            absorbed,
            kept,
            likeness,
            session: session.map(str::to_owned),
            attempt,
            file: FileFate::new(gone.entry.memory, stays.entry.memory, likeness),
        });
    }
}
