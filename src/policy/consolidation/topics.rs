//! What arrivals say about one thing, and so which of them could be one in other words.

use std::collections::HashMap;

use super::Arrival;
use super::containment::Containment;
use super::groups::groups;
use crate::policy::likeness::Statement;

/// What arrivals say, of those alone whose thing others are about too: reading a statement is what costs.
pub(super) struct Statements(HashMap<usize, Statement>);

impl Statements {
    /// Reads what these members say.
    pub(super) fn new(arrivals: &[Arrival<'_>], members: &[usize]) -> Self {
        let thing = |index: usize| arrivals[index].entry.keys.thing();
        let with_thing = members.iter().copied().filter(|index| thing(*index).is_some());
        let crowds = groups(with_thing, thing).into_iter().flatten();
        let statement = |index: usize| {
            let entry = arrivals[index].entry;
            (index, Statement::new(entry.keys, &entry.memory.content))
        };
        Self(crowds.map(statement).collect())
    }
}

/// The topics of which more than one arrival says something, and who of them stands.
pub(super) struct Topics<'a> {
    topics: Vec<Topic<'a>>,
    /// The topic of an arrival, and its place among the statements there.
    places: HashMap<usize, (usize, usize)>,
}

/// A thing with the words that tell: statements about it can be one.
struct Topic<'a> {
    /// The different statements.
    containment: Containment<'a>,
    /// Who stands and says it, for each of them.
    standing: Vec<Vec<usize>>,
}

impl<'a> Topics<'a> {
    /// The topics of these statements; nobody stands yet.
    pub(super) fn new(arrivals: &[Arrival<'_>], statements: &'a Statements) -> Self {
        let said = |index: usize| &statements.0[&index];
        let mut members: Vec<usize> = statements.0.keys().copied().collect();
        members.sort_unstable();
        let topic = |index: usize| (arrivals[index].entry.keys.thing(), &said(index).telling);
        let mut topics = Vec::new();
        let mut places = HashMap::new();
        for members in groups(members.into_iter(), topic) {
            let mut different: HashMap<&[String], usize> = HashMap::new();
            let mut firsts = Vec::new();
            for index in members {
                let place = *different.entry(&said(index).others).or_insert_with(|| {
                    firsts.push(said(index));
                    firsts.len() - 1
                });
                places.insert(index, (topics.len(), place));
            }
            topics.push(Topic {
                standing: vec![Vec::new(); firsts.len()],
                containment: Containment::new(firsts),
            });
        }
        Self { topics, places }
    }

    /// Those that stand and are one with an arrival in other words, in the order of their arrival.
    pub(super) fn alike(&self, new: usize) -> Vec<usize> {
        let Some((topic, place)) = self.places.get(&new) else {
            return Vec::new();
        };
        let topic = &self.topics[*topic];
        let alike = std::iter::once(*place).chain(topic.containment.neighbours(*place));
        let mut alike: Vec<usize> = alike.flat_map(|place| &topic.standing[place]).copied().collect();
        alike.sort_unstable();
        alike.dedup();
        alike
    }

    /// An arrival stands from now on.
    pub(super) fn stand(&mut self, index: usize) {
        if let Some((topic, place)) = self.places.get(&index) {
            self.topics[*topic].standing[*place].push(index);
        }
    }

    /// An arrival stands no longer.
    pub(super) fn leave(&mut self, index: usize) {
        if let Some((topic, place)) = self.places.get(&index) {
            self.topics[*topic].standing[*place].retain(|other| *other != index);
        }
    }
}
