//! The commits that came before one, in the order in which people read them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::object::to_git2;
use super::{GitError, Repo};
use crate::model::Oid;

/// The commits up to one.
pub(super) struct Ancestry {
    /// Each before its parents, the newest first.
    pub(super) commits: Vec<git2::Oid>,
    /// True when the commit that was known is among them, or was the first.
    pub(super) has_known: bool,
}

/// The part of a commit by which it is ordered.
pub(super) struct Node {
    parents: Vec<git2::Oid>,
    seconds: i64,
    /// The number of commits that were found before it.
    found: usize,
}

impl Node {
    /// Of nodes found in no order; those of one second are ordered by their names.
    pub(super) const fn new(parents: Vec<git2::Oid>, seconds: i64) -> Self {
        let found = 0;
        Self {
            parents,
            seconds,
            found,
        }
    }
}

impl Repo {
    /// The commits up to `from`, without `known` and all that came before it.
    pub(super) fn ancestry(&self, from: Oid, known: Option<Oid>) -> Result<Ancestry, GitError> {
        let known = known.map(to_git2);
        let mut nodes = self.nodes(to_git2(from), known.as_slice())?;
        let is_known = |node: &Node| node.parents.iter().any(|parent| Some(*parent) == known);
        let has_known = known == Some(to_git2(from)) || nodes.values().any(is_known);
        // Another way than through the known commit may lead to what came before it.
        let has_merges = nodes.values().any(|node| node.parents.len() > 1);
        if let Some(known) = known.filter(|_| has_known && has_merges) {
            let before = self.nodes(known, &[])?;
            nodes.retain(|oid, _| !before.contains_key(oid));
        }
        let commits = in_order(&nodes);
        Ok(Ancestry { commits, has_known })
    }

    /// The commits that can be reached, but not through one of `ends`.
    pub(super) fn nodes(
        &self,
        from: git2::Oid,
        ends: &[git2::Oid],
    ) -> Result<HashMap<git2::Oid, Node>, GitError> {
        let mut nodes = HashMap::new();
        let mut left = vec![from];
        while let Some(oid) = left.pop() {
            if ends.contains(&oid) || nodes.contains_key(&oid) {
                continue;
            }
            let commit = self.read_commit(oid)?;
            left.extend(commit.parents.iter().rev());
            let node = Node {
                parents: commit.parents,
                seconds: commit.seconds,
                found: nodes.len(),
            };
            nodes.insert(oid, node);
        }
        Ok(nodes)
    }
}

/// Each before its parents, the newest first.
pub(super) fn in_order(nodes: &HashMap<git2::Oid, Node>) -> Vec<git2::Oid> {
    let mut children: HashMap<git2::Oid, usize> = HashMap::new();
    for parent in nodes.values().flat_map(|node| &node.parents) {
        *children.entry(*parent).or_default() += 1;
    }
    let key = |(oid, node): (&git2::Oid, &Node)| (node.seconds, Reverse(node.found), *oid);
    let childless = nodes.iter().filter(|(oid, _)| !children.contains_key(oid));
    let mut ready: BinaryHeap<_> = childless.map(key).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some((_, _, oid)) = ready.pop() {
        order.push(oid);
        for parent in &nodes[&oid].parents {
            let left = children.get_mut(parent).expect("because each parent was counted");
            *left -= 1;
            if *left == 0 {
                ready.extend(nodes.get_key_value(parent).map(key));
            }
        }
    }
    order
}
