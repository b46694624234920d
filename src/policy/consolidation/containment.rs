//! Finds the statements that hold others, without comparing each to each.

use std::collections::HashMap;

use crate::policy::likeness::Statement;

/// An index over statements about one thing with the same telling words: a statement that holds another one has its
/// rarest word too, so that only those are compared that share it.
pub(super) struct Containment<'a> {
    statements: Vec<&'a Statement>,
    /// The statements with a word.
    with: HashMap<&'a str, Vec<usize>>,
    /// The statements whose rarest word it is; `None` for those without any word.
    by_rarest: HashMap<Option<&'a str>, Vec<usize>>,
    /// Each statement's rarest word.
    rarest: Vec<Option<&'a str>>,
}

impl<'a> Containment<'a> {
    pub(super) fn new(statements: Vec<&'a Statement>) -> Self {
        let mut with: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, statement) in statements.iter().enumerate() {
            for word in &statement.others {
                with.entry(word).or_default().push(at);
            }
        }
        let rarest = |statement: &&'a Statement| {
            let words = statement.others.iter().map(String::as_str);
            words.min_by_key(|word| with[word].len())
        };
        let rarest: Vec<_> = statements.iter().map(rarest).collect();
        let mut by_rarest: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, word) in rarest.iter().enumerate() {
            by_rarest.entry(*word).or_default().push(at);
        }
        Self {
            statements,
            with,
            by_rarest,
            rarest,
        }
    }

    /// The other statements that hold this one or are held by it, some of them perhaps twice.
    pub(super) fn neighbours(&self, of: usize) -> impl Iterator<Item = usize> {
        self.holders(of).chain(self.held(of))
    }

    /// The statements that are connected, directly or through others, two or more each.
    pub(super) fn clusters(&self) -> Vec<Vec<usize>> {
        let mut parents: Vec<usize> = (0..self.statements.len()).collect();
        for at in 0..self.statements.len() {
            for holder in self.holders(at) {
                let (a, b) = (root(&mut parents, at), root(&mut parents, holder));
                parents[a] = b;
            }
        }
        let mut clusters: HashMap<usize, Vec<usize>> = HashMap::new();
        for at in 0..self.statements.len() {
            clusters.entry(root(&mut parents, at)).or_default().push(at);
        }
        clusters
            .into_values()
            .filter(|cluster| cluster.len() > 1)
            .collect()
    }

    fn holders(&self, of: usize) -> impl Iterator<Item = usize> {
        let all = 0..self.statements.len();
        let sharing = self.rarest[of].map(|word| self.with[word].iter().copied());
        let without_words = sharing.is_none().then_some(all);
        sharing
            .into_iter()
            .flatten()
            .chain(without_words.into_iter().flatten())
            .filter(move |other| *other != of && self.statements[of].is_within(self.statements[*other]))
    }

    fn held(&self, of: usize) -> impl Iterator<Item = usize> {
        let words = self.statements[of].others.iter().map(|word| Some(word.as_str()));
        words
            .chain([None])
            .filter_map(|word| self.by_rarest.get(&word))
            .flatten()
            .copied()
            .filter(move |other| *other != of && self.statements[*other].is_within(self.statements[of]))
    }
}

/// The representative of an element, by a forest of parents that gets flatter with each question.
fn root(parents: &mut [usize], of: usize) -> usize {
    let mut at = of;
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}
