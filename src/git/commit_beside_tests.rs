//! Commits beside a person who uses git at the same time: staging, locks, other branches.

use super::commit_tests::new_commit;
use super::testing::{NOON, Scratch, commit_files, lock};
use super::*;
use crate::model::Timestamp;

#[test]
fn a_persons_staging_is_neither_committed_nor_lost() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("b.md", "1\n");
    scratch.write("gone.md", "1\n");
    commit_files(&repo, "add", &["a.md", "b.md", "gone.md"]).unwrap();
    scratch.write("b.md", "staged\n");
    scratch.write("new.md", "staged new\n");
    scratch.write("later.md", "intent\n");
    scratch.git(&["add", "b.md", "new.md"]);
    scratch.git(&["add", "-N", "later.md"]);
    scratch.git(&["rm", "-q", "--cached", "gone.md"]);
    scratch.write("b.md", "and edited after\n");
    let before = scratch.git(&["diff", "--cached"]);
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit a", &["a.md"]).unwrap();
    assert_eq!(scratch.git(&["diff", "--cached"]), before);
    assert_eq!(
        scratch.git(&["show", "--format=", "--name-only", "HEAD"]),
        "a.md\n"
    );
    assert_eq!(
        scratch.status(),
        "MM b.md\nD  gone.md\n A later.md\nA  new.md\n?? gone.md\n"
    );
    scratch.assert_whole();
}

#[test]
fn sparse_files_and_conflicts_of_others_stay_in_the_index() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("sparse.md", "1\n");
    commit_files(&repo, "add", &["a.md", "sparse.md"]).unwrap();
    scratch.git(&["update-index", "--skip-worktree", "sparse.md"]);
    std::fs::remove_file(scratch.root().join("sparse.md")).unwrap();
    let blob = scratch.git(&["rev-parse", "HEAD:a.md"]);
    let line = |stage| format!("100644 {} {stage}\tclash.md\n", blob.trim());
    let lines = [1, 2, 3].map(line).concat();
    let mut child = scratch
        .command(&["update-index", "--index-info"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit a", &["a.md"]).unwrap();
    assert_eq!(scratch.git(&["ls-files", "-u"]).lines().count(), 3);
    assert!(scratch.git(&["ls-files", "-t"]).contains("S sparse.md"));
}

#[test]
fn a_split_index_is_left_to_git() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("gone.md", "1\n");
    commit_files(&repo, "add", &["a.md", "gone.md"]).unwrap();
    scratch.git(&["update-index", "--split-index"]);
    scratch.write("staged.md", "1\n");
    scratch.git(&["add", "staged.md"]);
    scratch.write("a.md", "2\n");
    std::fs::remove_file(scratch.root().join("gone.md")).unwrap();
    // Another process, which has read no attributes yet.
    let repo = Repo::open(&scratch.root()).unwrap();
    commit_files(&repo, "edit", &["a.md", "gone.md"]).unwrap();
    assert_eq!(scratch.status(), "A  staged.md\n");
    scratch.assert_whole();
}

#[test]
fn a_foreign_index_lock_is_waited_for_then_named_and_never_removed() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    let foreign = scratch.root().join(".git/index.lock");
    std::fs::File::create(&foreign).unwrap();
    let changes = [PathChange::write("a.md", "1\n", Mode::Plain)];
    let message = Message::new("s");
    let error = repo
        .commit(&mut lock(&repo), &new_commit(&changes, &message))
        .unwrap_err();
    assert!(
        matches!(&error, GitError::Blocked(Obstacle::Locked { path, age_seconds: Some(_) }) if *path == foreign),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("remove"));
    assert!(foreign.exists());
    drop(lock(&repo));
    assert!(foreign.exists());
    assert_eq!(repo.head().unwrap().tip(), None);
    let now = Timestamp::from_millis(i64::MAX / 4);
    assert!(matches!(
        repo.obstacle(now).unwrap(),
        Some(Obstacle::Locked { .. })
    ));
    std::fs::remove_file(&foreign).unwrap();
    assert!(
        repo.commit(&mut lock(&repo), &new_commit(&changes, &message))
            .unwrap()
            .is_some()
    );
    scratch.assert_clean();
}

#[test]
fn a_held_branch_lock_is_named_and_the_index_let_go() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let held = scratch.root().join(".git/refs/heads/main.lock");
    std::fs::File::create(&held).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let error = repo
        .commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap_err();
    assert!(
        matches!(error, GitError::Blocked(Obstacle::Locked { .. })),
        "{error}"
    );
    assert!(!scratch.root().join(".git/index.lock").exists());
    std::fs::remove_file(held).unwrap();
    scratch.assert_clean();
}

#[test]
fn a_draft_is_of_no_use_once_head_moved() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let draft = repo
        .draft(&new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "by hand"]);
    let mut lock = lock(&repo);
    let error = repo.publish(&mut lock, &draft).unwrap_err();
    assert!(matches!(error, GitError::Restless { .. }), "{error}");
    assert!(!scratch.root().join(".git/index.lock").exists());
    scratch.assert_clean();
}

#[test]
fn a_commit_by_hand_meanwhile_is_built_upon() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    scratch.write("b.md", "by hand\n");
    scratch.git(&["add", "b.md"]);
    scratch.git(&["commit", "-q", "-m", "by hand"]);
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit", &["a.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["log", "--format=%s"]), "edit\nby hand\nadd\n");
}

#[test]
fn operations_of_git_and_a_detached_head_block() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    let first = commit_files(&repo, "add", &["a.md"]).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let message = Message::new("s");
    let blocked = || match repo.commit(&mut lock(&repo), &new_commit(&changes, &message)) {
        Err(GitError::Blocked(obstacle)) => obstacle,
        other => panic!("{other:?}"),
    };
    scratch.git(&["checkout", "-q", "--detach"]);
    assert_eq!(blocked(), Obstacle::Detached { tip: first });
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("a.md", "side\n");
    commit_files(&repo, "side", &["a.md"]).unwrap();
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a.md", "main\n");
    commit_files(&repo, "main", &["a.md"]).unwrap();
    for (verb, words) in [
        ("merge", "a merge is in progress, and stopped at a.md"),
        ("rebase", "a rebase is in progress"),
        ("cherry-pick", "a cherry-pick is in progress"),
        ("revert", "a revert is in progress"),
    ] {
        let target = if verb == "revert" { "HEAD~1" } else { "side" };
        scratch.try_git(&[verb, target]);
        assert_eq!(blocked().to_string(), words, "{verb}");
        assert_eq!(repo.obstacle(NOON).unwrap(), Some(blocked()), "{verb}");
        scratch.git(&[verb, "--abort"]);
        assert_eq!(repo.obstacle(NOON).unwrap(), None, "{verb}");
    }
    scratch.git(&["bisect", "start"]);
    assert_eq!(blocked().to_string(), "a bisect is in progress");
}

#[test]
fn what_another_program_just_changed_is_an_obstacle_and_our_own_commit_is_not() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let index = scratch.root().join(".git/index");
    let now_of = |path: &std::path::Path| super::work_file::Stamp::read(path).unwrap().modified();
    assert_eq!(repo.obstacle(now_of(&index)).unwrap(), None);
    // A `git status` renews what the index knows of the files.
    durable::replace(&scratch.root().join("a.md"), b"1\n").unwrap();
    let before = super::work_file::Stamp::read(&index);
    scratch.git(&["update-index", "--refresh"]);
    assert_ne!(super::work_file::Stamp::read(&index), before);
    assert_eq!(repo.obstacle(now_of(&index)).unwrap(), None);
    scratch.write("b.md", "1\n");
    scratch.git(&["add", "b.md"]);
    let obstacle = repo.obstacle(now_of(&index)).unwrap().unwrap();
    assert!(obstacle.is_momentary(), "{obstacle}");
    let later = Timestamp::from_millis(now_of(&index).as_millis() + 2000);
    assert_eq!(repo.obstacle(later).unwrap(), None);
}

#[test]
fn what_was_found_against_another_head_is_not_committed() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    let first = commit_files(&repo, "one", &["a.md"]).unwrap();
    scratch.write("a.md", "2\n");
    let second = commit_files(&repo, "two", &["a.md"]).unwrap();
    let changes = [PathChange::write("a.md", "3\n", Mode::Plain)];
    let message = Message::new("three");
    let new = new_commit(&changes, &message);
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let error = repo
        .commit_onto(&mut lock(&repo), &new, Some(second))
        .unwrap_err();
    assert!(matches!(error, GitError::Restless { .. }), "{error}");
    assert_eq!(repo.head().unwrap().tip(), Some(first));
    let done = repo
        .commit_onto(&mut lock(&repo), &new, Some(first))
        .unwrap()
        .unwrap();
    assert_eq!(repo.commit_info(done).unwrap().parents, [first]);
}

#[test]
fn a_person_who_commits_at_the_same_time_loses_nothing_and_sweeps_nothing_along() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("start.md", "1\n");
    commit_files(&repo, "start", &["start.md"]).unwrap();
    let root = scratch.root();
    let ours = std::thread::spawn(move || {
        let repo = Repo::open(&root).unwrap();
        for n in 0..15 {
            let name = format!("ours-{n}.md");
            std::fs::File::create(root.join(&name))
                .and_then(|mut file| std::io::Write::write_all(&mut file, b"ours\n"))
                .unwrap();
            let changes = [PathChange::write(&name, "ours\n", Mode::Plain)];
            let message = Message::new(&name);
            let new = new_commit(&changes, &message);
            let start = std::time::Instant::now();
            while let Err(error) = repo.commit(&mut lock(&repo), &new) {
                let passes = matches!(
                    error,
                    GitError::Restless { .. } | GitError::Blocked(Obstacle::Locked { .. })
                );
                assert!(passes && start.elapsed().as_secs() < 60, "{error}");
            }
        }
    });
    for n in 0..15 {
        let name = format!("theirs-{n}.md");
        scratch.write(&name, "theirs\n");
        // The path alone, because `git commit` reads the index before it locks it: with the whole index, a commit of ours
        // in between is taken out by git.
        for args in [&["add", &name][..], &["commit", "-q", "-m", &name, "--", &name]] {
            let start = std::time::Instant::now();
            // Git does not wait for its own lock; a person presses the key again.
            while !scratch.try_git(args).status.success() {
                assert!(start.elapsed().as_secs() < 60, "git {args:?}");
            }
        }
    }
    ours.join().unwrap();
    // For the same reason the index may have lost what HEAD and the folder have.
    scratch.git(&["reset", "-q"]);
    scratch.assert_clean();
    let log = scratch.git(&["log", "--format=subject %s", "--name-only", "--no-renames"]);
    let mut commits = 0;
    for commit in log.split("subject ").filter(|commit| !commit.is_empty()) {
        let mut lines = commit.lines().filter(|line| !line.is_empty());
        let subject = lines.next().unwrap();
        let paths: Vec<&str> = lines.collect();
        let expected = if subject == "start" { "start.md" } else { subject };
        assert_eq!(paths, [expected]);
        commits += 1;
    }
    assert_eq!(commits, 31);
}
