//! The order of memories: those that hold everywhere before those that hold for some files, then strength, then source, then the newest, then the id that is stated, then the path by code point.

use std::cmp::Ordering;

use super::dormancy::Dormancy;
use super::retention::{initial_of, strength};
use super::rules::{Rules, TypeRule};
use crate::model::{Kind, Memory, Source, StorePath, Timestamp};

/// The numbers that decide about the place of a memory among others, besides its name.
pub(super) type Weight = (bool, f64, Source, Timestamp);

/// The weight of a memory at `now`.
pub(super) fn weight(memory: &Memory, dormancy: &Dormancy, now: Timestamp, rules: &Rules) -> Weight {
    let value = strength(memory, dormancy, now, rules).value;
    (
        !memory.paths.is_empty(),
        value,
        memory.source,
        memory.created_or(now),
    )
}

/// The name by which equal ones are ordered: those that state an id by that, then the others by path.
pub(super) type Name<'a> = (bool, &'a str, &'a StorePath);

pub(super) fn name(memory: &Memory) -> Name<'_> {
    let id = if memory.id_stated { memory.id.as_str() } else { "" };
    (!memory.id_stated, id, &memory.path)
}

/// The heaviest first; equal ones by name.
pub(super) fn heaviest_first(a: (Weight, Name<'_>), b: (Weight, Name<'_>)) -> Ordering {
    heavier_first(a.0, b.0).then_with(|| a.1.cmp(&b.1))
}

fn heavier_first(a: Weight, b: Weight) -> Ordering {
    let (a_is_partial, a, a_source, a_created) = a;
    let (b_is_partial, b, b_source, b_created) = b;
    let wider = a_is_partial.cmp(&b_is_partial);
    wider
        .then_with(|| b.total_cmp(&a))
        .then_with(|| (b_source, b_created).cmp(&(a_source, a_created)))
}

/// The strongest first of `entries`, which are places in a list, each with its type; `memory` names what stands there.
pub(super) fn by_strength<'a>(
    entries: impl Iterator<Item = usize>,
    memory: impl Fn(usize) -> &'a Memory,
    dormancy: &Dormancy,
    now: Timestamp,
    rules: &Rules,
) -> Vec<(usize, &'a str)> {
    // One look at each memory: a second one, in the new order, would wait for main memory ten thousand times.
    let mut keyed: Vec<(Weight, usize, &str)> = entries
        .map(|entry| {
            let memory = memory(entry);
            (weight(memory, dormancy, now, rules), entry, memory.kind.as_str())
        })
        .collect();
    // The names are looked at where the numbers are equal: most comparisons stay within the list.
    let name = |entry: usize| name(memory(entry));
    keyed.sort_unstable_by(|(a_weight, a, _), (b_weight, b, _)| {
        heavier_first(*a_weight, *b_weight).then_with(|| name(*a).cmp(&name(*b)))
    });
    keyed.into_iter().map(|(_, entry, kind)| (entry, kind)).collect()
}

/// The order of the index, which knows no time: initial strength, then the newest, then the name. A memory without
/// a time counts as made now, hence as the newest. Only the first `most` are put in their places; the others follow.
pub fn sort_by_initial_strength(memories: &mut [ByInitialStrength<'_>], most: usize) {
    if most < memories.len() {
        memories.select_nth_unstable_by(most, ByInitialStrength::order);
    }
    let first = most.min(memories.len());
    memories[..first].sort_unstable_by(ByInitialStrength::order);
}

/// A memory, with what decides about its place in the index.
#[derive(Debug, Clone, Copy)]
pub struct ByInitialStrength<'a> {
    /// The memory.
    pub memory: &'a Memory,
    strength: f64,
    created: Timestamp,
}

impl<'a> ByInitialStrength<'a> {
    /// The memory, with its initial strength by these rules.
    pub fn new(memory: &'a Memory, rules: &Rules) -> Self {
        Self {
            memory,
            strength: initial_of(memory, rules),
            created: memory.created_or(Timestamp::MAX),
        }
    }

    fn order(a: &Self, b: &Self) -> Ordering {
        let stronger = b.strength.total_cmp(&a.strength);
        stronger
            .then_with(|| b.created.cmp(&a.created))
            .then_with(|| name(a.memory).cmp(&name(b.memory)))
    }
}

/// The order of the sections: the known types by `order`, equal ones by name, then the others by name.
pub fn by_section(a: &Kind, b: &Kind, rules: &Rules) -> Ordering {
    let place = |rule: Option<&TypeRule>| rule.map_or((1, 0), |rule| (0, rule.order));
    place(rules.type_rule(a))
        .cmp(&place(rules.type_rule(b)))
        .then_with(|| a.as_str().cmp(b.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Moment;
    use crate::policy::fixture::{NOW, days_ago, decision};

    fn order(memories: &[Memory]) -> Vec<usize> {
        let rules = Rules::default();
        let awake = Dormancy::new(&[], NOW, &rules.retention);
        let order = by_strength(0..memories.len(), |at| &memories[at], &awake, NOW, &rules);
        order.into_iter().map(|(at, _)| at).collect()
    }

    fn named(id: &str, path: &str) -> Memory {
        Memory {
            id: crate::model::Id::parse(id).unwrap(),
            path: StorePath::new(path).unwrap(),
            ..decision()
        }
    }

    #[test]
    fn equal_strength_goes_by_source() {
        let strong = Some(2.0);
        let of = |source| Memory {
            source,
            strength: strong,
            ..decision()
        };
        let memories = [of(Source::Compaction), of(Source::Explicit), of(Source::Manual)];
        assert_eq!(order(&memories), [1, 2, 0]);
    }

    #[test]
    fn then_the_newest_where_a_time_that_nobody_knows_is_now() {
        let made = |created| Memory {
            created,
            clock: days_ago(3),
            ..decision()
        };
        let memories = [made(days_ago(2)), made(Moment::Unreadable), made(days_ago(1))];
        assert_eq!(order(&memories), [1, 2, 0]);
    }

    #[test]
    fn then_the_stated_id_and_the_path_by_code_point() {
        let unnamed = |path: &str| Memory {
            id_stated: false,
            ..named("a", path)
        };
        let memories = [
            unnamed("項.md"),
            unnamed("W.md"),
            named("b", "w.md"),
            named("B", "x.md"),
        ];
        assert_eq!(order(&memories), [3, 2, 1, 0]);
    }

    #[test]
    fn sections_stand_in_the_order_of_their_types_and_unknown_ones_last() {
        let rules = Rules::default();
        let mut kinds = ["zebra", "user", "apple", "project", "feedback"].map(Kind::new);
        kinds.sort_by(|a, b| by_section(a, b, &rules));
        assert_eq!(
            kinds.each_ref().map(Kind::as_str),
            ["feedback", "project", "user", "apple", "zebra"]
        );
    }

    #[test]
    fn the_index_puts_what_is_not_committed_yet_among_the_newest() {
        let rules = Rules::default();
        let fresh = decision();
        let old = Memory {
            created: days_ago(1),
            ..decision()
        };
        let mut memories = [&old, &fresh].map(|memory| ByInitialStrength::new(memory, &rules));
        sort_by_initial_strength(&mut memories, 2);
        assert_eq!(memories[0].memory.created, Moment::Unset);
    }

    #[test]
    fn the_first_of_the_index_are_those_of_the_whole_order() {
        let rules = Rules::default();
        let made = |n: i64| Memory {
            created: days_ago(n * 37 % 101),
            ..named(&format!("m{n}"), &format!("{n}.md"))
        };
        let memories: Vec<Memory> = (0..100).map(made).collect();
        let first = |most: usize| {
            let memories = memories.iter();
            let mut sorted: Vec<_> = memories
                .map(|memory| ByInitialStrength::new(memory, &rules))
                .collect();
            sort_by_initial_strength(&mut sorted, most);
            assert_eq!(sorted.len(), 100);
            sorted.truncate(most);
            sorted
                .iter()
                .map(|sorted| sorted.memory.id.clone())
                .collect::<Vec<_>>()
        };
        for most in [0, 1, 7, 99, 100] {
            assert_eq!(first(most), first(100)[..most], "{most}");
        }
        assert_eq!(first(200), first(100));
    }
}
