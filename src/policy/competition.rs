//! The competition for the lines of a prompt, which many new memories of one summary enter.

use std::cmp::Ordering;

use super::dormancy::Dormancy;
use super::order::{Name, Weight, heaviest_first, weight};
use super::rules::Rules;
use super::selection::{Candidates, Reason, Selection};
use crate::model::{Id, Kind, Memory, StorePath, Timestamp};

/// The memories of a store that compete for a line at one time, the strongest first. It is made once, and others join.
pub struct Competition {
    contenders: Vec<Contender>,
    dormancy: Dormancy,
    now: Timestamp,
}

struct Contender {
    weight: Weight,
    stated: Option<Id>,
    path: StorePath,
    kind: Kind,
}

impl Contender {
    fn key(&self) -> (Weight, Name<'_>) {
        let id = self.stated.as_ref().map_or("", Id::as_str);
        (self.weight, (self.stated.is_none(), id, &self.path))
    }
}

impl Competition {
    /// The competition among these memories; duplicates take no part.
    pub fn new(candidates: &Candidates<'_>, now: Timestamp) -> Self {
        let mut competition = Self {
            contenders: Vec::new(),
            dormancy: candidates.dormancy.clone(),
            now,
        };
        let order = Selection::competing(candidates, now).into_iter();
        let contenders = order.map(|entry| competition.contender(candidates.memory(entry), candidates.rules));
        competition.contenders = contenders.collect();
        competition
    }

    /// The cap by which one more memory would win no place, whatever the budget of characters: that of its type or the one
    /// for all (consolidation.md, "Adding").
    pub fn over_capacity(&self, memory: &Memory, rules: &Rules) -> Option<Reason> {
        let mut caps = Caps::new(rules);
        let place = self.place_of(&self.contender(memory, rules));
        for stronger in &self.contenders[..place] {
            caps.pass(stronger.kind.as_str());
        }
        caps.pass(memory.kind.as_str())
    }

    /// Lets one more memory compete from now on.
    pub fn join(&mut self, memory: &Memory, rules: &Rules) {
        let contender = self.contender(memory, rules);
        self.contenders.insert(self.place_of(&contender), contender);
    }

    fn contender(&self, memory: &Memory, rules: &Rules) -> Contender {
        Contender {
            weight: weight(memory, &self.dormancy, self.now, rules),
            stated: memory.id_stated.then(|| memory.id.clone()),
            path: memory.path.clone(),
            kind: memory.kind.clone(),
        }
    }

    fn place_of(&self, contender: &Contender) -> usize {
        let is_stronger = |other: &Contender| heaviest_first(other.key(), contender.key()) == Ordering::Less;
        self.contenders.partition_point(is_stronger)
    }
}

/// The caps, as the memories pass them that come before: each type's own first, then the one for all.
pub(super) struct Caps<'a> {
    rules: &'a Rules,
    /// The number that passed of each type that has a rule, in the order of the rules. No other type has a cap.
    of_type: Vec<usize>,
    through: usize,
}

impl<'a> Caps<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            of_type: vec![0; rules.types.len()],
            through: 0,
        }
    }

    /// The cap that stops the next memory, which is of this type; `None`: it passes.
    pub(super) fn pass(&mut self, kind: &str) -> Option<Reason> {
        let rule = self
            .rules
            .types
            .iter()
            .position(|rule| rule.kind.as_str() == kind);
        if let Some(at) = rule {
            if self.rules.types[at]
                .cap
                .is_some_and(|cap| self.of_type[at] >= cap)
            {
                return Some(Reason::TypeCap);
            }
            self.of_type[at] += 1;
        }
        if self.through >= self.rules.render.max_entries {
            return Some(Reason::GlobalCap);
        }
        self.through += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Source;
    use crate::policy::fixture::{NOW, days_ago, fact};
    use crate::policy::{Entry, Keys, keys};

    fn memory(n: usize, source: Source, kind: &str, days: i64) -> Memory {
        let (id, path) = (format!("mem_{n}"), format!("{n}.md"));
        Memory {
            source,
            clock: days_ago(days),
            ..fact(&id, &path, kind, &format!("Fact number {n}"))
        }
    }

    fn competition(memories: &[Memory], rules: &Rules) -> Competition {
        let keys: Vec<Keys> = memories.iter().map(|it| keys(&it.kind, &it.content)).collect();
        let both = memories.iter().zip(&keys);
        let entries: Vec<Entry<'_>> = both
            .map(|(memory, keys)| Entry::new(memory, keys, rules))
            .collect();
        let candidates = Candidates {
            entries: &entries,
            dormancy: &Dormancy::new(&[], NOW, &rules.retention),
            rules,
        };
        Competition::new(&candidates, NOW)
    }

    #[test]
    fn only_the_caps_leave_a_memory_out() {
        let mut rules = Rules::default();
        rules.render.total_chars = 100;
        let weak = memory(0, Source::Compaction, "reference", 1);
        let with = |strong: usize, rules: &Rules| {
            let strong: Vec<Memory> = (1..=strong)
                .map(|n| memory(n, Source::Explicit, "reference", 1))
                .collect();
            competition(&strong, rules).over_capacity(&weak, rules)
        };
        let filled = (with(5, &rules), with(6, &rules));
        assert_eq!(filled, (None, Some(Reason::TypeCap)));
        rules.render.max_entries = 3;
        let filled = (with(2, &rules), with(3, &rules));
        assert_eq!(filled, (None, Some(Reason::GlobalCap)));
    }

    proptest! {
        #[test]
        fn who_joins_is_as_who_was_there(
            others in prop::collection::vec((0..2_usize, 0..2_usize, 0..400_i64), 0..24),
            new in (0..2_usize, 0..2_usize, 0..400_i64),
        ) {
            let mut rules = Rules::default();
            rules.render.max_entries = 8;
            let of = |(n, (source, kind, days)): (usize, (usize, usize, i64))| {
                let source = [Source::Compaction, Source::Explicit][source];
                memory(n, source, ["reference", "decision"][kind], days)
            };
            let all: Vec<Memory> = others.into_iter().enumerate().map(of).collect();
            let new = of((99, new));
            let mut joined = competition(&[], &rules);
            for memory in &all {
                joined.join(memory, &rules);
            }
            let there = competition(&all, &rules).over_capacity(&new, &rules);
            prop_assert_eq!(joined.over_capacity(&new, &rules), there);
        }
    }
}
