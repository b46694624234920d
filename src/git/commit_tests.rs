//! Commits beside the real git: what it sees after them, and what survives.

use std::time::Duration;

use super::commit::Stage;
use super::testing::{NOON, Scratch, commit_files, commit_files_at, lock};
use super::*;
use crate::model::Timestamp;

fn new_commit<'a>(changes: &'a [PathChange], message: &'a Message) -> NewCommit<'a> {
    NewCommit {
        changes,
        message,
        time: NOON,
        signing: Signing::Unsigned,
    }
}

#[test]
fn the_first_commit_and_the_next_leave_git_clean() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(
        repo.head().unwrap(),
        Head::Unborn {
            branch: "refs/heads/main".into()
        }
    );
    scratch.write("decision/a.md", "one\n");
    scratch.write("b.md", "two\n");
    let first = commit_files(&repo, "memory: add 2 files", &["decision/a.md", "b.md"]).unwrap();
    scratch.assert_clean();
    scratch.write("b.md", "three\n");
    let second = commit_files(&repo, "memory: edit b", &["b.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(repo.head().unwrap().tip(), Some(second));
    assert_eq!(
        scratch.git(&["log", "--format=%H %s %ct"]),
        format!(
            "{second} memory: edit b {0}\n{first} memory: add 2 files {0}\n",
            NOON.as_seconds()
        )
    );
    assert_eq!(scratch.git(&["show", "HEAD:b.md"]), "three\n");
    assert_eq!(scratch.git(&["rev-parse", "main"]).trim(), second.to_string());
    assert!(
        scratch
            .git(&["reflog"])
            .contains("commit (initial): memory: add 2 files")
    );
}

#[test]
fn nothing_changed_is_no_commit() {
    let (scratch, repo) = Scratch::with_repo();
    assert_eq!(commit_files(&repo, "nothing", &["gone.md"]), None);
    scratch.write("a.md", "x\n");
    let first = commit_files(&repo, "add", &["a.md"]).unwrap();
    assert_eq!(commit_files(&repo, "again", &["a.md", "gone.md"]), None);
    assert_eq!(repo.head().unwrap().tip(), Some(first));
}

#[test]
fn removing_the_last_file_of_a_folder_removes_the_folder() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a/b/c.md", "x\n");
    scratch.write("d.md", "y\n");
    commit_files(&repo, "add", &["a/b/c.md", "d.md"]).unwrap();
    std::fs::remove_dir_all(scratch.root().join("a")).unwrap();
    commit_files(&repo, "remove", &["a/b/c.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["ls-tree", "--name-only", "HEAD"]), "d.md\n");
    std::fs::remove_file(scratch.root().join("d.md")).unwrap();
    commit_files(&repo, "remove all", &["d.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["ls-tree", "HEAD"]), "");
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("x.md", "file\n");
    commit_files(&repo, "add", &["x.md"]).unwrap();
    std::fs::remove_file(scratch.root().join("x.md")).unwrap();
    scratch.write("x.md/y.md", "below\n");
    commit_files(&repo, "a folder", &["x.md", "x.md/y.md"]).unwrap();
    scratch.assert_clean();
    std::fs::remove_dir_all(scratch.root().join("x.md")).unwrap();
    scratch.write("x.md", "file again\n");
    commit_files(&repo, "a file", &["x.md/y.md", "x.md"]).unwrap();
    scratch.assert_clean();
    assert_eq!(scratch.git(&["show", "HEAD:x.md"]), "file again\n");
}

#[test]
fn a_file_beside_a_folder_of_its_name_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("x/y.md", "below\n");
    commit_files(&repo, "add", &["x/y.md"]).unwrap();
    let changes = [PathChange::write("x", "file", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(matches!(error, GitError::Clash { .. }), "{error}");
}

#[test]
fn names_that_git_cannot_hold_are_refused() {
    let (_scratch, repo) = Scratch::with_repo();
    for bad in [
        "../x.md",
        "/x.md",
        "a//b.md",
        ".git/config",
        "a/.git/x",
        "a/.GIT/x",
        "",
    ] {
        let changes = [PathChange::write(bad, "x", Mode::Plain)];
        let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
        assert!(matches!(error, GitError::Unfit { .. }), "{bad}: {error}");
    }
}

#[test]
fn any_bytes_may_stand_in_a_name() {
    let (scratch, repo) = Scratch::with_repo();
    let names: [&[u8]; 4] = [
        "日本 語.md".as_bytes(),
        b"not\xffutf8.md",
        b"a\nb.md",
        b"-dash \"quote\".md",
    ];
    let changes: Vec<_> = names
        .iter()
        .map(|name| {
            let path = super::paths::from_git(name);
            scratch.write_bytes(&path, b"x\n");
            PathChange::write(path, "x\n", Mode::Plain)
        })
        .collect();
    repo.commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    scratch.assert_clean();
    let files = repo.tree(repo.head().unwrap().tip().unwrap()).unwrap();
    assert_eq!(files.len(), 4);
    assert!(
        files
            .iter()
            .any(|file| super::paths::to_git(&file.path) == b"not\xffutf8.md")
    );
}

#[test]
fn a_mode_is_kept() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("run.md", "x\n");
    let path = scratch.root().join("run.md");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let changes = [PathChange::write("run.md", "x\n", Mode::Executable)];
    let done = repo
        .commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    scratch.assert_clean();
    assert_eq!(repo.tree(done).unwrap()[0].entry.mode, Mode::Executable);
}

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
    for (verb, obstacle) in [
        ("merge", Obstacle::Merge),
        ("rebase", Obstacle::Rebase),
        ("cherry-pick", Obstacle::CherryPick),
        ("revert", Obstacle::Revert),
    ] {
        let target = if verb == "revert" { "HEAD~1" } else { "side" };
        scratch.try_git(&[verb, target]);
        assert_eq!(blocked(), obstacle, "{verb}");
        assert_eq!(repo.obstacle(NOON).unwrap(), Some(obstacle), "{verb}");
        scratch.git(&[verb, "--abort"]);
        assert_eq!(repo.obstacle(NOON).unwrap(), None, "{verb}");
    }
    scratch.git(&["bisect", "start"]);
    assert_eq!(blocked(), Obstacle::Bisect);
}

#[test]
fn what_another_program_just_changed_is_an_obstacle_and_our_own_commit_is_not() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let index = scratch.root().join(".git/index");
    let now_of = |path: &std::path::Path| super::stamp::Stamp::read(path).unwrap().modified();
    assert_eq!(repo.obstacle(now_of(&index)).unwrap(), None);
    scratch.write("b.md", "1\n");
    scratch.git(&["add", "b.md"]);
    let obstacle = repo.obstacle(now_of(&index)).unwrap().unwrap();
    assert!(obstacle.is_momentary(), "{obstacle}");
    let later = Timestamp::from_millis(now_of(&index).as_millis() + 2000);
    assert_eq!(repo.obstacle(later).unwrap(), None);
}

#[test]
fn hooks_do_not_run() {
    let (scratch, repo) = Scratch::with_repo();
    let hooks = scratch.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in ["pre-commit", "commit-msg", "post-commit", "reference-transaction"] {
        scratch.write(
            &format!(".git/hooks/{hook}"),
            "#!/bin/sh\ntouch hook-ran\nexit 1\n",
        );
        let path = hooks.join(hook);
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    scratch.write("a.md", "1\n");
    assert!(commit_files(&repo, "add", &["a.md"]).is_some());
    assert!(!scratch.root().join("hook-ran").exists());
}

#[test]
fn a_filter_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("secret/.gitattributes", "*.md filter=git-crypt\n");
    scratch.write("secret/a.md", "1\n");
    let changes = [PathChange::write("secret/a.md", "1\n", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(
        matches!(&error, GitError::Unfit { why: Unfit::Filter(filter), .. } if filter == "git-crypt"),
        "{error}"
    );
    scratch.write(".gitattributes", "*.md -text\n*.bin filter=lfs\n");
    let error = Repo::open(&scratch.root())
        .unwrap()
        .check_attributes()
        .unwrap_err();
    assert!(
        matches!(&error, GitError::ForeignFilter { line: 2, .. }),
        "{error}"
    );
}

#[test]
fn a_filter_that_only_the_index_names_is_refused() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("secret/.gitattributes", "*.md filter=git-crypt\n");
    scratch.git(&["add", "secret/.gitattributes"]);
    std::fs::remove_file(scratch.root().join("secret/.gitattributes")).unwrap();
    let changes = [PathChange::write("secret/a.md", "1\n", Mode::Plain)];
    let error = repo.draft(&new_commit(&changes, &Message::new("s"))).unwrap_err();
    assert!(
        matches!(
            &error,
            GitError::Unfit {
                why: Unfit::Filter(_),
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn many_new_files_at_once() {
    let (scratch, repo) = Scratch::with_repo();
    let names: Vec<String> = (0..300)
        .map(|n| format!("reference/{:02}/{n}.md", n % 7))
        .collect();
    for name in &names {
        scratch.write(name, name);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    commit_files(&repo, "add", &names).unwrap();
    scratch.assert_clean();
    assert_eq!(repo.tree(repo.head().unwrap().tip().unwrap()).unwrap().len(), 300);
}

#[test]
fn a_file_that_was_edited_after_its_commit_shows_as_changed() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "on disk, not what is committed\n");
    let changes = [PathChange::write("a.md", "committed\n", Mode::Plain)];
    repo.commit(&mut lock(&repo), &new_commit(&changes, &Message::new("s")))
        .unwrap()
        .unwrap();
    assert_eq!(scratch.status(), " M a.md\n");
    assert_eq!(scratch.read("a.md"), "on disk, not what is committed\n");
}

#[test]
fn a_change_of_the_same_size_in_the_same_instant_is_seen_by_git() {
    let (scratch, repo) = Scratch::with_repo();
    for n in 0..40 {
        scratch.write("a.md", &format!("{n:04}\n"));
        commit_files_at(&repo, "edit", &["a.md"], Timestamp::from_seconds(n)).unwrap();
        scratch.write("a.md", &format!("{n:03}x\n"));
        assert_eq!(scratch.status(), " M a.md\n", "round {n}");
    }
}

#[test]
fn a_repository_that_was_taken_away_is_an_error_and_never_made_anew() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let git_dir = scratch.root().join(".git");
    std::fs::rename(&git_dir, scratch.path("away")).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let message = Message::new("s");
    let error = repo.draft(&new_commit(&changes, &message)).unwrap_err();
    assert!(matches!(error, GitError::Vanished { .. }), "{error}");
    assert!(matches!(
        repo.write_files(&[("x", b"x")]),
        Err(GitError::Vanished { .. })
    ));
    assert!(matches!(
        repo.lock("x", Duration::from_secs(5)),
        Err(GitError::Vanished { .. })
    ));
    assert!(!git_dir.exists());
    Repo::init(&scratch.root()).unwrap();
    assert!(matches!(repo.obstacle(NOON), Err(GitError::Replaced { .. })));
}

#[test]
fn a_name_is_given_when_git_knows_none() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    commit_files(&repo, "add", &["a.md"]).unwrap();
    let author = scratch.git(&["log", "--format=%an <%ae> %at"]);
    assert!(
        author.contains('@') && author.trim().ends_with(&NOON.as_seconds().to_string()),
        "{author}"
    );
    scratch.git(&["config", "user.name", "Ada Lovelace"]);
    scratch.git(&["config", "user.email", "ada@example.org"]);
    scratch.write("a.md", "2\n");
    commit_files(&repo, "edit", &["a.md"]).unwrap();
    assert_eq!(
        scratch.git(&["log", "-1", "--format=%an <%ae>"]),
        "Ada Lovelace <ada@example.org>\n"
    );
}

/// Ends the process at one stage of a commit; only ever run as a child of the test below.
#[test]
#[ignore = "a part of `a_kill_at_any_stage_is_recovered`, which runs it as a child"]
fn dies_in_the_middle_of_a_commit() {
    let root = std::path::Path::new("store");
    let Ok(stage) = std::fs::read_to_string("stage") else {
        return;
    };
    let repo = Repo::open(root).unwrap();
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let draft = repo
        .draft(&new_commit(&changes, &Message::new("second")))
        .unwrap()
        .unwrap();
    let mut lock = lock(&repo);
    repo.publish_in_stages(&mut lock, &draft, &[], &mut |reached| {
        if format!("{reached:?}") == stage {
            std::process::abort();
        }
    })
    .unwrap();
}

#[test]
fn a_kill_at_any_stage_is_recovered() {
    for stage in [
        Stage::IndexPrepared,
        Stage::IndexLocked,
        Stage::RefLocked,
        Stage::RefMoved,
        Stage::Published,
    ] {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        scratch.write("staged.md", "1\n");
        commit_files(&repo, "first", &["a.md", "staged.md"]).unwrap();
        scratch.write("staged.md", "staged\n");
        scratch.git(&["add", "staged.md"]);
        scratch.write("a.md", "2\n");
        let mut stage_file = std::fs::File::create(scratch.path("stage")).unwrap();
        std::io::Write::write_all(&mut stage_file, format!("{stage:?}").as_bytes()).unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                "git::commit_tests::dies_in_the_middle_of_a_commit",
            ])
            .current_dir(scratch.path(""))
            .output()
            .unwrap();
        assert!(!child.status.success(), "{stage:?} did not kill it");

        let left = scratch.root().join(".git/index.lock");
        let half = [
            ".git/objects/tmp_object_git2_1aB2c3",
            ".git/objects/pack/pack_git2_1aB2c3",
        ];
        for path in half {
            scratch.write(path, "half");
        }
        let is_locked = matches!(stage, Stage::IndexLocked | Stage::RefLocked | Stage::RefMoved);
        assert_eq!(left.exists(), is_locked, "{stage:?}");
        let branch = scratch.root().join(".git/refs/heads/main.lock");
        assert_eq!(branch.exists(), stage == Stage::RefLocked, "{stage:?}");
        assert_eq!(repo.obstacle(NOON).unwrap(), None, "an own lock is no obstacle");
        let lock = lock(&repo);
        match (stage, lock.recovered()) {
            (Stage::IndexLocked | Stage::RefLocked, Some(Recovery::Removed { .. }))
            | (Stage::RefMoved, Some(Recovery::Finished { .. }))
            | (Stage::IndexPrepared | Stage::Published, None) => {}
            (stage, other) => panic!("{stage:?}: {other:?}"),
        }
        assert!(half.iter().all(|path| !scratch.root().join(path).exists()));
        assert_eq!(strays(&scratch), [""; 0], "{stage:?}");
        drop(lock);
        assert!(!left.exists() && !branch.exists());
        commit_files(&repo, "second", &["a.md"]);
        assert_eq!(
            scratch.git(&["log", "--format=%s"]),
            "second\nfirst\n",
            "{stage:?}"
        );
        assert_eq!(scratch.status(), "M  staged.md\n", "{stage:?}");
        scratch.assert_whole();
        assert_eq!(strays(&scratch), [""; 0], "{stage:?}");
    }
}

/// The files that mdmem made for itself before a commit.
fn strays(scratch: &Scratch) -> Vec<String> {
    std::fs::read_dir(scratch.root().join(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("mdmem-index") || name.starts_with("mdmem-ref"))
        .collect()
}

#[test]
fn threads_with_their_own_handles_take_turns() {
    let (scratch, repo) = Scratch::with_repo();
    let root = scratch.root();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let root = root.clone();
            std::thread::spawn(move || {
                let repo = Repo::open(&root).unwrap();
                for n in 0..10 {
                    let name = format!("{writer}-{n}.md");
                    let path = root.join(&name);
                    std::fs::File::create(&path)
                        .and_then(|mut file| std::io::Write::write_all(&mut file, name.as_bytes()))
                        .unwrap();
                    commit_files(&repo, &name, &[&name]).unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(repo.tree(repo.head().unwrap().tip().unwrap()).unwrap().len(), 40);
    assert_eq!(scratch.git(&["rev-list", "--count", "HEAD"]).trim(), "40");
    scratch.assert_clean();
}

#[test]
fn who_waits_too_long_is_told_who_holds() {
    let (_scratch, repo) = Scratch::with_repo();
    let held = repo.lock("mdmem watch", Duration::from_secs(5)).unwrap();
    let error = repo
        .lock("mdmem add", std::time::Duration::from_millis(30))
        .unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("mdmem watch") && said.contains(&std::process::id().to_string()),
        "{said}"
    );
    drop(held);
    repo.lock("mdmem add", std::time::Duration::ZERO).unwrap();
}

#[test]
fn a_lock_file_that_was_removed_is_noticed() {
    let (_scratch, repo) = Scratch::with_repo();
    let held = lock(&repo);
    std::fs::remove_file(repo.lock_path()).unwrap();
    assert!(held.check_still_ours().is_err());
    let second = repo.lock("other", std::time::Duration::ZERO).unwrap();
    assert!(matches!(held.check_still_ours(), Err(GitError::Busy { .. })));
    drop(held);
    second.check_still_ours().unwrap();
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
