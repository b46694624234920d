//! Two lines of history compared: what both have, and what one has alone.
//!
//! Both are walked back together, newest commit first, until only commits are left that both have. A commit whose clock
//! was slow hides behind older ones, so the walk goes on for a while (`SLACK`, `SLOP`): the bases are exact whatever the
//! clocks said.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use super::ancestry::{Node, in_order};
use super::object::{from_git2, to_git2};
use super::{GitError, Repo};
use crate::model::Oid;

/// Seconds by which a clock may be wrong without a longer walk.
const SLACK: i64 = 2 * 24 * 60 * 60;
/// Commits that are looked at beyond the last that matters, and as many more as one side has alone.
const SLOP: usize = 32;

const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;
/// Comes before a commit that both have.
const OLDER: u8 = 4;

#[derive(Debug)]
struct Seen {
    parents: Vec<git2::Oid>,
    seconds: i64,
    sides: u8,
}

/// The commits that were looked at.
struct Relation {
    seen: HashMap<git2::Oid, Seen>,
}

impl Relation {
    fn only(&self, side: u8) -> impl Iterator<Item = git2::Oid> {
        let of_side = self.seen.iter().filter(move |(_, seen)| seen.sides == side);
        of_side.map(|(oid, _)| *oid)
    }
}

impl Repo {
    /// The commits that both have and that come before no other commit that both have, in the order of their names.
    /// Histories without a common commit have none.
    pub fn merge_bases(&self, one: Oid, other: Oid) -> Result<Vec<Oid>, GitError> {
        let relation = self.relation(one, &[other])?;
        let mut bases: BTreeSet<git2::Oid> = relation.only(BOTH).collect();
        // Clocks can make a commit look like a base that comes before another.
        if bases.len() > 1 {
            for base in bases.clone() {
                for parent in self.read_commit(base)?.parents {
                    let before = self.nodes(parent, &[])?;
                    bases.retain(|base| !before.contains_key(base));
                }
            }
        }
        Ok(bases.into_iter().map(from_git2).collect())
    }

    /// The number of commits that only the first has, and the number of those that only the second has.
    pub fn ahead_behind(&self, one: Oid, other: Oid) -> Result<(usize, usize), GitError> {
        let relation = self.relation(one, &[other])?;
        Ok((relation.only(LEFT).count(), relation.only(RIGHT).count()))
    }

    /// Says whether a commit is another one or comes before it.
    pub fn is_ancestor(&self, before: Oid, after: Oid) -> Result<bool, GitError> {
        Ok(self.merge_bases(before, after)? == [before])
    }

    /// The commits up to one, without the others and all that came before those; each before its parents, newest first.
    pub(super) fn alone(&self, from: Oid, not_in: &[Oid]) -> Result<Vec<git2::Oid>, GitError> {
        let Relation { mut seen } = self.relation(from, not_in)?;
        seen.retain(|_, seen| seen.sides == LEFT);
        let node = |(oid, seen): (git2::Oid, Seen)| (oid, Node::new(seen.parents, seen.seconds));
        Ok(in_order(&seen.into_iter().map(node).collect()))
    }

    /// The same by name.
    pub fn commits_beyond(&self, head: Oid, others: &[Oid]) -> Result<Vec<Oid>, GitError> {
        Ok(self.alone(head, others)?.into_iter().map(from_git2).collect())
    }

    fn relation(&self, left: Oid, right: &[Oid]) -> Result<Relation, GitError> {
        let mut walk = Walk {
            repo: self,
            seen: HashMap::new(),
            queue: BinaryHeap::new(),
        };
        walk.reach(to_git2(left), LEFT)?;
        for oid in right {
            walk.reach(to_git2(*oid), RIGHT)?;
        }
        walk.run()?;
        Ok(Relation { seen: walk.seen })
    }
}

struct Walk<'repo> {
    repo: &'repo Repo,
    seen: HashMap<git2::Oid, Seen>,
    /// By time, then by name, so that both ways round are one.
    queue: BinaryHeap<(i64, git2::Oid)>,
}

impl Walk<'_> {
    /// Notes that a commit belongs to these sides; it is looked at again when that is new.
    fn reach(&mut self, oid: git2::Oid, sides: u8) -> Result<(), GitError> {
        if !self.seen.contains_key(&oid) {
            let commit = self.repo.read_commit(oid)?;
            let seen = Seen {
                parents: commit.parents,
                seconds: commit.seconds,
                sides: 0,
            };
            self.seen.insert(oid, seen);
        }
        let seen = self.seen.get_mut(&oid).expect("because it was inserted");
        if seen.sides | sides != seen.sides {
            seen.sides |= sides;
            self.queue.push((seen.seconds, oid));
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), GitError> {
        // The commits that one side alone has, as far as is known, and the time of the oldest.
        let (mut alone, mut oldest) = (0, i64::MAX);
        let mut beyond = 0;
        while let Some((seconds, oid)) = self.queue.pop() {
            let seen = &self.seen[&oid];
            let (parents, mut sides) = (seen.parents.clone(), seen.sides);
            if sides & OLDER == 0 {
                beyond = 0;
            } else if self.is_settled() {
                beyond += 1;
                let is_far = seconds.saturating_add(SLACK) < oldest;
                if is_far && beyond > SLOP + alone {
                    break;
                }
            }
            if sides & BOTH == BOTH {
                sides |= OLDER;
            } else {
                alone += 1;
                oldest = oldest.min(seconds);
            }
            for parent in parents {
                self.reach(parent, sides)?;
            }
        }
        Ok(())
    }

    /// True when only commits are left that come before one that both have.
    fn is_settled(&self) -> bool {
        let is_older = |(_, oid): &(i64, git2::Oid)| self.seen[oid].sides & OLDER != 0;
        self.queue.iter().all(is_older)
    }
}

#[cfg(test)]
mod tests {
    use super::super::raw_commit::RawCommit;
    use super::super::testing::{Numbers, Scratch};
    use super::*;

    /// A commit without files, with any parents and any time.
    fn commit(repo: &Repo, parents: &[Oid], seconds: i64, name: usize) -> Oid {
        let tree = repo.write(git2::ObjectType::Tree, b"").unwrap();
        let who = git2::Signature::new("a", "a@b", &git2::Time::new(seconds, 0)).unwrap();
        let bytes = RawCommit::encode(tree, parents, &[who.clone(), who], format!("{name}\n").as_bytes());
        from_git2(repo.write(git2::ObjectType::Commit, &bytes).unwrap())
    }

    /// Some clones that go their ways and meet now and then; `clock` gives the time of a commit by its number.
    fn history(repo: &Repo, numbers: &mut Numbers, clock: impl Fn(&mut Numbers, i64) -> i64) -> Vec<Oid> {
        let mut all = vec![commit(repo, &[], 1_000_000_000, 0)];
        let mut heads = [all[0]; 4];
        for number in 1..400 {
            let (one, other) = (numbers.below(heads.len()), numbers.below(heads.len()));
            let mut parents = vec![heads[one]];
            if numbers.below(4) == 0 && heads[other] != heads[one] {
                parents.push(heads[other]);
            }
            let time = clock(numbers, i64::try_from(number).unwrap());
            heads[one] = commit(repo, &parents, time, number);
            all.push(heads[one]);
        }
        all
    }

    struct Truth {
        bases: Vec<Oid>,
        sides: (usize, usize),
    }

    /// Finds the same by reading everything.
    fn truth(repo: &Repo, one: Oid, other: Oid) -> Truth {
        let of = |oid| repo.nodes(to_git2(oid), &[]).unwrap();
        let (left, right) = (of(one), of(other));
        let common: BTreeSet<_> = left
            .keys()
            .filter(|oid| right.contains_key(oid))
            .copied()
            .collect();
        let mut bases = common.clone();
        for oid in &common {
            for parent in repo.read_commit(*oid).unwrap().parents {
                bases.remove(&parent);
            }
        }
        Truth {
            bases: bases.into_iter().map(from_git2).collect(),
            sides: (left.len() - common.len(), right.len() - common.len()),
        }
    }

    #[test]
    fn everything_is_exact_where_clocks_are_wrong_by_a_day() {
        let (_scratch, repo) = Scratch::with_repo();
        for seed in 1..3 {
            let mut numbers = Numbers(seed * 77_777);
            // A commit each hour, by clocks that differ by up to a day.
            let all = history(&repo, &mut numbers, |numbers, number| {
                1_000_000_000 + number * 3600 + i64::try_from(numbers.below(86_400)).unwrap()
            });
            for _ in 0..20 {
                let (one, other) = (all[numbers.below(400)], all[numbers.below(400)]);
                let truth = truth(&repo, one, other);
                assert_eq!(repo.merge_bases(one, other).unwrap(), truth.bases);
                assert_eq!(repo.merge_bases(other, one).unwrap(), truth.bases);
                assert_eq!(repo.ahead_behind(one, other).unwrap(), truth.sides);
                assert_eq!(repo.is_ancestor(one, other).unwrap(), truth.sides.0 == 0);
                assert_eq!(repo.alone(one, &[other]).unwrap().len(), truth.sides.0);
            }
        }
    }

    #[test]
    fn bases_are_exact_whatever_the_clocks_say() {
        let (_scratch, repo) = Scratch::with_repo();
        for seed in 1..3 {
            let mut numbers = Numbers(seed * 7_777_777);
            let all = history(&repo, &mut numbers, |numbers, _| {
                i64::try_from(numbers.below(2_000_000_000)).unwrap()
            });
            for _ in 0..20 {
                let (one, other) = (all[numbers.below(400)], all[numbers.below(400)]);
                let truth = truth(&repo, one, other);
                assert_eq!(repo.merge_bases(one, other).unwrap(), truth.bases);
                assert_eq!(repo.merge_bases(other, one).unwrap(), truth.bases);
            }
        }
    }

    #[test]
    fn histories_that_share_nothing_have_no_base() {
        let (_scratch, repo) = Scratch::with_repo();
        let one = commit(&repo, &[], 5, 1);
        let other = commit(&repo, &[], 6, 2);
        assert!(repo.merge_bases(one, other).unwrap().is_empty());
        assert_eq!(repo.ahead_behind(one, other).unwrap(), (1, 1));
        assert_eq!(repo.ahead_behind(one, one).unwrap(), (0, 0));
        assert!(repo.is_ancestor(one, one).unwrap());
        assert!(!repo.is_ancestor(one, other).unwrap());
        assert!(repo.merge_bases(one, Oid([7; 20])).is_err());
    }

    /// A long history is not read to its end for a few new commits.
    #[test]
    fn a_long_history_is_not_read_whole() {
        let (_scratch, repo) = Scratch::with_repo();
        let mut tip = commit(&repo, &[], 0, 0);
        for number in 1..1000 {
            tip = commit(&repo, &[tip], i64::try_from(number).unwrap() * 86_400, number);
        }
        let ours = commit(&repo, &[tip], 1_000 * 86_400, 1);
        let theirs = commit(&repo, &[tip], 1_001 * 86_400, 2);
        let relation = repo.relation(ours, &[theirs]).unwrap();
        assert!(relation.seen.len() < 100, "{}", relation.seen.len());
        assert_eq!(repo.merge_bases(ours, theirs).unwrap(), [tip]);
    }
}
