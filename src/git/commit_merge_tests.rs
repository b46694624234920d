//! Commits that join another line of history.

use super::commit_tests::new_commit;
use super::testing::{Scratch, commit_files, lock};
use super::*;
use crate::model::Oid;

/// A repository whose `main` and `other` each have a file that the other lacks; `main` is checked out.
fn with_two_lines() -> (Scratch, Repo, Oid) {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add a", &["a.md"]).unwrap();
    scratch.git(&["switch", "-q", "-c", "other"]);
    scratch.write("theirs.md", "theirs\n");
    let theirs = commit_files(&repo, "add theirs", &["theirs.md"]).unwrap();
    scratch.git(&["switch", "-q", "main"]);
    (scratch, repo, theirs)
}

fn join(repo: &Repo, theirs: Oid, changes: &[PathChange]) -> Option<Oid> {
    let message = Message::new("memory: merge");
    let new = NewCommit {
        merged: Some(Merged::Line(theirs)),
        ..new_commit(changes, &message)
    };
    repo.commit(&mut lock(repo), &new).unwrap()
}

#[test]
fn a_head_that_is_behind_becomes_the_other_and_one_that_is_ahead_stays() {
    let (scratch, repo, theirs) = with_two_lines();
    let change = [PathChange::write("theirs.md", "theirs\n", Mode::Plain)];
    assert_eq!(join(&repo, theirs, &change), Some(theirs));
    scratch.write("theirs.md", "theirs\n");
    scratch.assert_clean();
    assert_eq!(join(&repo, theirs, &change), None);
    scratch.write("a.md", "2\n");
    let ours = commit_files(&repo, "edit a", &["a.md"]).unwrap();
    assert_eq!(join(&repo, theirs, &[]), None);
    assert_eq!(repo.head().unwrap().tip(), Some(ours));
    scratch.assert_whole();
}

#[test]
fn two_lines_that_went_apart_become_the_parents_of_one_commit() {
    let (scratch, repo, theirs) = with_two_lines();
    scratch.write("a.md", "2\n");
    let ours = commit_files(&repo, "edit a", &["a.md"]).unwrap();
    let change = [PathChange::write("theirs.md", "theirs\n", Mode::Plain)];
    let merge = join(&repo, theirs, &change).unwrap();
    assert_eq!(repo.commit_info(merge).unwrap().parents, [ours, theirs]);
    scratch.write("theirs.md", "theirs\n");
    scratch.assert_clean();
    let reflog = scratch.git(&["reflog", "-1", "--format=%gs"]);
    assert_eq!(reflog, "commit (merge): memory: merge\n");
    scratch.assert_whole();
}

#[test]
fn two_lines_with_the_same_files_are_joined_all_the_same() {
    let (scratch, repo, theirs) = with_two_lines();
    scratch.write("theirs.md", "theirs\n");
    let ours = commit_files(&repo, "add it here too", &["theirs.md"]).unwrap();
    let merge = join(&repo, theirs, &[]).unwrap();
    assert_eq!(repo.commit_info(merge).unwrap().parents, [ours, theirs]);
    scratch.assert_clean();
}

#[test]
fn a_merge_that_nobody_has_is_no_parent_of_the_next_one() {
    let (scratch, repo, theirs) = with_two_lines();
    let sync = |repo: &Repo, theirs: Oid, changes: &[PathChange]| {
        let message = Message::new("memory: merge").with(trailer::OP, "sync");
        let new = NewCommit {
            merged: Some(Merged::Line(theirs)),
            ..new_commit(changes, &message)
        };
        repo.commit(&mut lock(repo), &new).unwrap().unwrap()
    };
    scratch.write("a.md", "2\n");
    let ours = commit_files(&repo, "edit a", &["a.md"]).unwrap();
    let there = PathChange::write("theirs.md", "theirs\n", Mode::Plain);
    let first = sync(&repo, theirs, std::slice::from_ref(&there));
    // Somebody else has pushed more meanwhile, and the same merge.
    scratch.write("theirs.md", "theirs\n");
    scratch.git(&["switch", "-q", "other"]);
    scratch.write("more.md", "more\n");
    let more = commit_files(&repo, "add more", &["more.md"]).unwrap();
    scratch.git(&["switch", "-q", "-c", "twin", "main"]);
    scratch.git(&["commit", "-q", "--amend", "-m", "the same, by another machine"]);
    let twin = parse_oid(scratch.git(&["rev-parse", "HEAD"]).trim()).unwrap();
    scratch.git(&["switch", "-q", "main"]);
    let repo = Repo::open(&repo.root).unwrap();
    assert_eq!(repo.head().unwrap().tip(), Some(first));
    assert_eq!(sync(&repo, twin, &[]), twin);
    scratch.git(&["reset", "-q", "--hard", &first.to_string()]);
    let more_there = PathChange::write("more.md", "more\n", Mode::Plain);
    let second = sync(&repo, more, std::slice::from_ref(&more_there));
    assert_eq!(repo.commit_info(second).unwrap().parents, [ours, more]);
    // A commit of somebody's on top keeps it.
    scratch.git(&["reset", "-q", "--hard", &first.to_string()]);
    scratch.write("a.md", "3\n");
    let ours = commit_files(&repo, "edit a", &["a.md"]).unwrap();
    let third = sync(&repo, more, &[more_there]);
    assert_eq!(repo.commit_info(third).unwrap().parents, [ours, more]);
    scratch.assert_whole();
}

#[test]
fn a_repository_without_a_commit_becomes_the_other() {
    let (scratch, repo, theirs) = with_two_lines();
    scratch.git(&["checkout", "-q", "--orphan", "new"]);
    scratch.git(&["rm", "-q", "-r", "-f", "."]);
    let repo = Repo::open(&repo.root).unwrap();
    let changes = [
        PathChange::write("a.md", "1\n", Mode::Plain),
        PathChange::write("theirs.md", "theirs\n", Mode::Plain),
    ];
    assert_eq!(join(&repo, theirs, &changes), Some(theirs));
}
