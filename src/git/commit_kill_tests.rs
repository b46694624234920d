//! Commits that are killed at every stage, and writers that take turns.

use std::time::Duration;

use super::commit::Stage;
use super::commit_tests::new_commit;
use super::testing::{NOON, Scratch, commit_files, lock};
use super::*;

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
                "git::commit_kill_tests::dies_in_the_middle_of_a_commit",
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

/// The disk refuses to replace the index, when the branch has moved already.
#[test]
fn an_index_that_could_not_be_replaced_is_put_in_place_by_the_next_writer() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "1\n");
    scratch.write("staged.md", "1\n");
    commit_files(&repo, "first", &["a.md", "staged.md"]).unwrap();
    scratch.write("staged.md", "staged\n");
    scratch.git(&["add", "staged.md"]);
    scratch.write("a.md", "2\n");
    let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
    let message = Message::new("second");
    let draft = repo.draft(&new_commit(&changes, &message)).unwrap().unwrap();
    let index = scratch.root().join(".git/index");
    let aside = scratch.root().join(".git/aside");
    let mut held = lock(&repo);
    let published = repo.publish_in_stages(&mut held, &draft, &[], &mut |reached| {
        if reached == Stage::RefMoved {
            std::fs::rename(&index, &aside).unwrap();
            std::fs::create_dir_all(index.join("in the way")).unwrap();
        }
    });
    assert_eq!(published.unwrap(), draft.oid);
    drop(held);
    std::fs::remove_dir_all(&index).unwrap();
    std::fs::rename(&aside, &index).unwrap();
    assert_eq!(repo.head().unwrap().tip(), Some(draft.oid));
    let taken_back = scratch.try_git(&["commit", "--quiet", "--message=mine"]);
    assert!(!taken_back.status.success(), "git would take the commit back");
    let next = lock(&repo);
    assert!(matches!(next.recovered(), Some(Recovery::Finished { .. })));
    assert_eq!(scratch.status(), "M  staged.md\n");
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
    repo.lock("mdmem add", Duration::ZERO).unwrap();
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
fn locks_that_went_away_with_the_repository_are_cleared_by_who_noted_them() {
    for stage in [Stage::IndexLocked, Stage::RefLocked, Stage::RefMoved] {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        commit_files(&repo, "first", &["a.md"]).unwrap();
        scratch.write("a.md", "2\n");
        let changes = [PathChange::write("a.md", "2\n", Mode::Plain)];
        let message = Message::new("second");
        let new = new_commit(&changes, &message);
        let draft = repo.draft(&new).unwrap().unwrap();
        let (git_dir, away) = (scratch.root().join(".git"), scratch.path("away"));
        let mut lock = lock(&repo);
        let failed = repo.publish_in_stages(&mut lock, &draft, &[], &mut |reached| {
            if reached == stage {
                std::fs::rename(&git_dir, &away).unwrap();
            }
        });
        failed.unwrap_err();
        std::fs::rename(&away, &git_dir).unwrap();
        assert!(git_dir.join("index.lock").exists(), "{stage:?}");
        repo.commit(&mut lock, &new).unwrap();
        drop(lock);
        assert_eq!(repo.obstacle(NOON).unwrap(), None, "{stage:?}");
        // A commit whose branch has moved is finished by the next writer.
        drop(super::testing::lock(&repo));
        assert!(!git_dir.join("index.lock").exists(), "{stage:?}");
        assert_eq!(
            scratch.git(&["log", "--format=%s"]),
            "second\nfirst\n",
            "{stage:?}"
        );
        scratch.assert_clean();
    }
}
