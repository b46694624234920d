//! Duplicates, for the render, which hides them without touching a file, and for `check`, which names them.

use std::collections::{BTreeMap, HashMap, hash_map};
use std::hash::Hash;

use super::contest::strongest;
use crate::policy::likeness::Statement;
use crate::policy::{Entry, Likeness};
use crate::text::wording;

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
/// influence on which are hidden. Takes n log n.
pub fn duplicates(entries: &[Entry<'_>]) -> Vec<Duplicate> {
    let mut verdict = Verdict {
        hidden_by: vec![None; entries.len()],
    };
    // Two memories without a text speak by their names and descriptions.
    let with_text = (0..entries.len()).filter(|index| entries[*index].numbers.words != 0);
    // Those whose words differ are left out by their numbers: a look at each text takes longer than all else.
    for alike in groups(with_text, |index| entries[index].numbers.words) {
        let words = |index: usize| {
            let Entry { memory, keys, .. } = entries[index];
            (keys.same_words(), wording(memory.content.keyed_text()))
        };
        for same in groups(alike.into_iter(), words) {
            verdict.keep_one(entries, &same);
        }
    }
    let about = verdict
        .standing()
        .filter(|index| entries[*index].numbers.said != 0);
    for alike in groups(about, |index| entries[index].numbers.said) {
        for same in same_things(entries, alike.into_iter()) {
            verdict.settle(entries, &same);
        }
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
}

impl Verdict {
    /// Of entries that are all one, hides all but the one that stays.
    fn keep_one(&mut self, entries: &[Entry<'_>], members: &[usize]) {
        let kept = strongest(entries, members);
        for member in members.iter().filter(|member| Some(**member) != kept) {
            self.hidden_by[*member] = kept;
        }
    }

    /// The entries that nothing hides so far.
    fn standing(&self) -> impl Iterator<Item = usize> {
        (0..self.hidden_by.len()).filter(|index| self.hidden_by[*index].is_none())
    }

    /// Hides the duplicates among entries about one thing.
    fn settle(&mut self, entries: &[Entry<'_>], members: &[usize]) {
        let statement = |index: &usize| Statement::new(entries[*index].keys, &entries[*index].memory.content);
        let statements: Vec<Option<Statement>> = members.iter().map(statement).collect();
        let said = |at: usize| statements[at].as_ref().map(|statement| &statement.said);
        let fragments = |at: usize| {
            statements[at]
                .as_ref()
                .map_or(&[][..], |statement| &statement.fragments)
        };
        for alike in groups(0..members.len(), said) {
            for same in groups(alike.iter().copied(), fragments) {
                let same: Vec<usize> = same.into_iter().map(|at| members[at]).collect();
                self.keep_one(entries, &same);
            }
            let standing = alike
                .into_iter()
                .filter(|at| self.hidden_by[members[*at]].is_none());
            let (plain, others): (Vec<usize>, Vec<usize>) =
                standing.partition(|at| fragments(*at).is_empty());
            if let Some(plain) = plain.first() {
                self.settle_plain(
                    entries,
                    members[*plain],
                    others.into_iter().map(|at| members[at]).collect(),
                );
            }
        }
    }

    /// Settles an entry that names a URL without a fragment among those that say the same with one: it is one with each
    /// of them, and they are not one with each other.
    fn settle_plain(&mut self, entries: &[Entry<'_>], plain: usize, others: Vec<usize>) {
        let all: Vec<usize> = others.iter().copied().chain([plain]).collect();
        match strongest(entries, &all) {
            Some(kept) if kept != plain => self.hidden_by[plain] = Some(kept),
            _ => others
                .into_iter()
                .for_each(|other| self.hidden_by[other] = Some(plain)),
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
