//! The competition for the lines of a prompt, which a new memory of a summary enters.

use std::cmp::Ordering;

use super::order::{heaviest_first, name, weight};
use super::rules::Rules;
use super::selection::{Candidates, Reason, Selection};
use crate::model::{Memory, Timestamp};

/// The cap for which a new memory would win no line beside the candidates; `None` where it would.
pub fn over_capacity(memory: &Memory, candidates: &Candidates<'_>, now: Timestamp) -> Option<Reason> {
    let weight = |memory: &Memory| weight(memory, candidates.dormancy, now, candidates.rules);
    let own = (weight(memory), name(memory));
    let order = Selection::competing(candidates, now).into_iter();
    let is_stronger = |other: &&Memory| heaviest_first((weight(other), name(other)), own) == Ordering::Less;
    let mut caps = Caps::new(candidates.rules);
    for stronger in order
        .map(|entry| candidates.memory(entry))
        .take_while(is_stronger)
    {
        caps.pass(stronger.kind.as_str());
    }
    caps.pass(memory.kind.as_str())
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
    use super::*;
    use crate::model::Source;
    use crate::policy::fixture::{NOW, days_ago, fact};
    use crate::policy::{Dormancy, Entry, Keys, keys};

    fn memory(n: usize, source: Source, kind: &str, days: i64) -> Memory {
        let (id, path) = (format!("mem_{n}"), format!("{n}.md"));
        Memory {
            source,
            clock: days_ago(days),
            ..fact(&id, &path, kind, &format!("Fact number {n}"))
        }
    }

    fn capacity(weak: &Memory, memories: &[Memory], rules: &Rules) -> Option<Reason> {
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
        over_capacity(weak, &candidates, NOW)
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
            capacity(&weak, &strong, rules)
        };
        let filled = (with(5, &rules), with(6, &rules));
        assert_eq!(filled, (None, Some(Reason::TypeCap)));
        rules.render.max_entries = 3;
        let filled = (with(2, &rules), with(3, &rules));
        assert_eq!(filled, (None, Some(Reason::GlobalCap)));
    }
}
