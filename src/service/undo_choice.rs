//! The change that `undo` takes back, or `undo --redo` brings back. Pure: a list of commits in, a choice out.
//!
//! An undo is a commit like any other; its trailer `Mdmem-Undoes` names what it took back. A redo is the undo of an
//! undo. So the state is in the history alone, and two machines or two programs cannot disagree about it.

use std::collections::BTreeSet;

use crate::model::Oid;

/// A commit of this machine, newest first, as the choice needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UndoableCommit {
    /// Its name.
    pub oid: Oid,
    /// False for a merge, for what belongs to one, and for the first commit.
    pub is_change: bool,
    /// The commit that it undoes, by its trailer.
    pub undoes: Option<Oid>,
    /// The way in which that commit was chosen.
    pub choice: Choice,
}

/// The way in which the commit that an undo took back was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// It was the next one (`Mdmem-Undoes`).
    Next,
    /// A person named it, wherever it lies (`Mdmem-Undoes-Named`): nothing was stepped past.
    Named,
}

/// The commits that can be undone, newest first: neither a merge, nor the first one, nor an undo, nor undone yet. What lies
/// between an undo and the commit that it took back was stepped past: the next undo goes further back.
pub(super) fn to_undo(newest_first: &[UndoableCommit]) -> Vec<Oid> {
    let undone = undone(newest_first);
    let changes = newest_first.iter().filter(|commit| commit.undoes.is_none());
    let changes: BTreeSet<Oid> = changes.map(|commit| commit.oid).collect();
    let mut taken_back = BTreeSet::new();
    let mut found = Vec::new();
    for commit in newest_first {
        taken_back.remove(&commit.oid);
        match commit.undoes {
            Some(target)
                if commit.choice == Choice::Next
                    && changes.contains(&target)
                    && !undone.contains(&commit.oid) =>
            {
                taken_back.insert(target);
            }
            None if taken_back.is_empty() && commit.is_change && !undone.contains(&commit.oid) => {
                found.push(commit.oid);
            }
            _ => {}
        }
    }
    found
}

/// The undo that a redo takes back: the newest one in force, as long as nothing else was changed after it.
pub(super) fn to_redo(newest_first: &[UndoableCommit]) -> Option<Oid> {
    let undone = undone(newest_first);
    let undos = newest_first.iter().take_while(|commit| commit.undoes.is_some());
    let names: BTreeSet<Oid> = newest_first
        .iter()
        .filter(|commit| commit.undoes.is_some())
        .map(|c| c.oid)
        .collect();
    let is_undo_of_a_change = |commit: &&UndoableCommit| {
        !undone.contains(&commit.oid) && commit.undoes.is_some_and(|target| !names.contains(&target))
    };
    undos
        .into_iter()
        .find(is_undo_of_a_change)
        .map(|commit| commit.oid)
}

/// The undo in force that took a commit back.
pub(super) fn undo_of(target: Oid, newest_first: &[UndoableCommit]) -> Option<Oid> {
    let undone = undone(newest_first);
    let undo = newest_first
        .iter()
        .find(|commit| commit.undoes == Some(target) && !undone.contains(&commit.oid));
    undo.map(|commit| commit.oid)
}

/// Everything that is undone: an undo that was itself undone is void.
fn undone(newest_first: &[UndoableCommit]) -> BTreeSet<Oid> {
    let mut undone = BTreeSet::new();
    for commit in newest_first {
        if let Some(target) = commit.undoes
            && !undone.contains(&commit.oid)
        {
            undone.insert(target);
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(byte: u8) -> Oid {
        Oid([byte; 20])
    }

    /// Newest last, as one would tell it; 1 is the first commit.
    fn history(commits: &[(u8, Option<u8>)]) -> Vec<UndoableCommit> {
        let commit = |(name, undoes): &(u8, Option<u8>)| UndoableCommit {
            oid: oid(*name),
            is_change: *name != 1,
            undoes: undoes.map(oid),
            choice: Choice::Next,
        };
        commits.iter().rev().map(commit).collect()
    }

    /// The commit that an undo takes back.
    fn to_undo(newest_first: &[UndoableCommit]) -> Option<Oid> {
        super::to_undo(newest_first).first().copied()
    }

    #[test]
    fn what_an_undo_stepped_past_is_not_undone_after_it() {
        let stepped = [(1, None), (2, None), (3, None), (4, None), (5, Some(3))];
        assert_eq!(to_undo(&history(&stepped)), Some(oid(2)));
        let later = [&stepped[..], &[(6, None)]].concat();
        assert_eq!(super::to_undo(&history(&later)), [oid(6), oid(2)]);
        let redone = [&stepped[..], &[(6, Some(5))]].concat();
        assert_eq!(to_undo(&history(&redone)), Some(oid(4)));
        let rewritten = [(1, None), (2, None), (3, Some(9))];
        assert_eq!(to_undo(&history(&rewritten)), Some(oid(2)));
    }

    #[test]
    fn a_named_change_that_is_undone_leaves_the_others_to_the_next_undo() {
        let mut named = history(&[(1, None), (2, None), (3, None), (4, Some(2))]);
        named[0].choice = Choice::Named;
        assert_eq!(super::to_undo(&named), [oid(3)]);
        assert_eq!(to_redo(&named), Some(oid(4)));
        assert_eq!(
            (undo_of(oid(2), &named), undo_of(oid(3), &named)),
            (Some(oid(4)), None)
        );
        let mut later = history(&[
            (1, None),
            (2, None),
            (3, None),
            (4, Some(2)),
            (5, None),
            (6, Some(4)),
        ]);
        later[2].choice = Choice::Named;
        later[0].choice = Choice::Named;
        assert_eq!(
            (undo_of(oid(2), &later), super::to_undo(&later)),
            (None, vec![oid(5), oid(3), oid(2)])
        );
    }

    #[test]
    fn again_goes_one_further() {
        assert_eq!(
            to_undo(&history(&[(1, None), (2, None), (3, None)])),
            Some(oid(3))
        );
        assert_eq!(
            to_undo(&history(&[(1, None), (2, None), (3, None), (4, Some(3))])),
            Some(oid(2))
        );
        assert_eq!(
            to_undo(&history(&[
                (1, None),
                (2, None),
                (3, None),
                (4, Some(3)),
                (5, Some(2))
            ])),
            None
        );
    }

    #[test]
    fn redo_takes_back_the_last_undo_and_can_be_undone_again() {
        let undone = [(1, None), (2, None), (3, None), (4, Some(3)), (5, Some(2))];
        assert_eq!(to_redo(&history(&undone)), Some(oid(5)));
        let mut redone = undone.to_vec();
        redone.push((6, Some(5)));
        assert_eq!(to_redo(&history(&redone)), Some(oid(4)));
        assert_eq!(to_undo(&history(&redone)), Some(oid(2)));
        redone.push((7, Some(4)));
        assert_eq!(
            (to_redo(&history(&redone)), to_undo(&history(&redone))),
            (None, Some(oid(3)))
        );
    }

    #[test]
    fn nothing_is_redone_over_a_later_change_and_merges_are_left_alone() {
        assert_eq!(
            to_redo(&history(&[(1, None), (2, None), (3, Some(2)), (4, None)])),
            None
        );
        let mut merge = history(&[(1, None), (2, None), (3, None)]);
        merge[0].is_change = false;
        assert_eq!(to_undo(&merge), Some(oid(2)));
    }
}
