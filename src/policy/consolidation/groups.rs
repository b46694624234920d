//! What has one key.

use std::collections::hash_map;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// The members by key, two or more each, in the order of their firsts. Most stand alone, so a list is made for the
/// second of a key and not before.
pub(super) fn groups<K: Hash + Eq>(
    members: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> K,
) -> Vec<Vec<usize>> {
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
