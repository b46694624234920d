//! Duplicates, for the render, which hides them without touching a file, and for `check`, which names them.

use std::collections::{BTreeMap, HashMap, hash_map};
use std::hash::Hash;

use super::containment::Containment;
use super::contest::Contest;
use crate::policy::likeness::Statement;
use crate::policy::{Entry, Likeness};

/// One memory that another one says already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Duplicate {
    /// The one that is hidden, as an index into the entries.
    pub hidden: usize,
    /// The one that stays. It is a duplicate of none.
    pub kept: usize,
    /// The way in which the two are one.
    pub likeness: Likeness,
}

/// The duplicates among memories that are in force, ordered by the hidden one. The order of the entries has no
/// influence on which are hidden. Takes n log n for a store of people's memories; a store made to be slow can raise
/// that to the product of the statements about one thing and of those that share their rarest word.
pub fn duplicates(entries: &[Entry<'_>]) -> Vec<Duplicate> {
    let mut verdict = Verdict {
        hidden_by: vec![None; entries.len()],
        gone: vec![false; entries.len()],
    };
    for group in groups(0..entries.len(), |index| entries[index].keys.same_words()) {
        verdict.keep_one(entries, &group);
    }
    let standing: Vec<usize> = verdict.standing().collect();
    for group in same_things(entries, standing.into_iter()) {
        verdict.settle(entries, &group);
    }
    let duplicate = |hidden| {
        let kept = verdict.last_keeper(hidden)?;
        let same_words = entries[hidden].keys.exact == entries[kept].keys.exact;
        let likeness = if same_words {
            Likeness::Exact
        } else {
            Likeness::Identity
        };
        Some(Duplicate {
            hidden,
            kept,
            likeness,
        })
    };
    (0..entries.len()).filter_map(duplicate).collect()
}

/// The memories that are about one thing and yet stay apart, because each says what the others do not: groups of two
/// or more, for a person to look at. Duplicates are left out.
pub fn related(entries: &[Entry<'_>]) -> Vec<Vec<usize>> {
    let hidden: Vec<usize> = duplicates(entries)
        .iter()
        .map(|duplicate| duplicate.hidden)
        .collect();
    let standing = (0..entries.len()).filter(|index| hidden.binary_search(index).is_err());
    let mut groups = same_things(entries, standing);
    groups.sort_unstable();
    groups
}

/// The decisions so far.
struct Verdict {
    /// The entry that hides each; a third one may hide it in turn.
    hidden_by: Vec<Option<usize>>,
    /// The entries that no longer take part in the contest at hand.
    gone: Vec<bool>,
}

impl Verdict {
    /// Of entries that are all one, hides all but the one that stays, and returns that one.
    fn keep_one(&mut self, entries: &[Entry<'_>], members: &[usize]) -> Option<usize> {
        let kept = Contest::new(entries, members).pick(&mut self.gone)?;
        for member in members.iter().filter(|member| **member != kept) {
            self.hidden_by[*member] = Some(kept);
        }
        self.gone[kept] = false;
        Some(kept)
    }

    /// The entries that nothing hides so far.
    fn standing(&self) -> impl Iterator<Item = usize> {
        (0..self.hidden_by.len()).filter(|index| self.hidden_by[*index].is_none())
    }

    /// Hides the duplicates among entries about one thing.
    fn settle(&mut self, entries: &[Entry<'_>], members: &[usize]) {
        let statement = |index: &usize| Statement::new(entries[*index].keys, &entries[*index].memory.content);
        let statements: Vec<Statement> = members.iter().map(statement).collect();
        for alike in groups(0..members.len(), |at| &statements[at].telling) {
            for same in groups(alike.iter().copied(), |at| &statements[at].others) {
                let same: Vec<usize> = same.into_iter().map(|at| members[at]).collect();
                self.keep_one(entries, &same);
            }
            let distinct = alike
                .into_iter()
                .filter(|at| self.hidden_by[members[*at]].is_none());
            let (indices, statements): (Vec<usize>, Vec<&Statement>) =
                distinct.map(|at| (members[at], &statements[at])).unzip();
            if indices.len() > 1 {
                self.settle_distinct(entries, &indices, statements);
            }
        }
    }

    /// Hides the duplicates among entries whose statements differ only in words that tell nothing.
    fn settle_distinct(&mut self, entries: &[Entry<'_>], indices: &[usize], statements: Vec<&Statement>) {
        let containment = Containment::new(statements);
        let place: HashMap<usize, usize> = indices
            .iter()
            .enumerate()
            .map(|(at, index)| (*index, at))
            .collect();
        for cluster in containment.clusters() {
            let cluster: Vec<usize> = cluster.into_iter().map(|at| indices[at]).collect();
            let mut contest = Contest::new(entries, &cluster);
            while let Some(kept) = contest.pick(&mut self.gone) {
                for other in containment.neighbours(place[&kept]).map(|at| indices[at]) {
                    if !self.gone[other] {
                        self.gone[other] = true;
                        self.hidden_by[other] = Some(kept);
                    }
                }
            }
        }
    }

    /// The one that stays in the end for a hidden entry.
    fn last_keeper(&self, hidden: usize) -> Option<usize> {
        let first = self.hidden_by[hidden]?;
        std::iter::successors(Some(first), |keeper| self.hidden_by[*keeper]).last()
    }
}

/// The entries that are about one thing, two or more each.
fn same_things(entries: &[Entry<'_>], members: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let about = members.filter(|index| entries[*index].keys.thing().is_some());
    groups(about, |index| entries[index].keys.thing())
}

/// The members by key, two or more each, in the order of their firsts. Most stand alone, so a list is made for the
/// second of a key and not before.
fn groups<K: Hash + Eq>(members: impl Iterator<Item = usize>, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let most = members.size_hint().1.unwrap_or_default();
    let mut firsts: HashMap<K, usize> = HashMap::with_capacity(most);
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for member in members {
        match firsts.entry(key(member)) {
            hash_map::Entry::Vacant(vacant) => {
                vacant.insert(member);
            }
            hash_map::Entry::Occupied(occupied) => {
                let first = *occupied.get();
                groups.entry(first).or_insert_with(|| vec![first]).push(member);
            }
        }
    }
    groups.into_values().collect()
}
