//! `git gc --prune=now` beside commits: every commit stays whole.

use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::testing::{NOON, Scratch, commit_files, lock};
use super::*;
use crate::sys::Env;

/// The number of commits of each trial; `MDMEM_GC_COMMITS=5000` looks for longer.
fn commits() -> usize {
    let env = Env::real().unwrap();
    let asked = env.var("MDMEM_GC_COMMITS");
    asked.and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Runs git commands of these arguments one after another, without a pause, while `work` runs. Gives how often each
/// ended.
fn beside(scratch: &Scratch, commands: &[&[&str]], work: impl FnOnce()) -> usize {
    let (is_over, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for args in commands {
                    scratch.try_git(args);
                }
                rounds.fetch_add(1, Ordering::Relaxed);
            }
        });
        let work = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        is_over.store(true, Ordering::Relaxed);
        if let Err(panic) = work {
            std::panic::resume_unwind(panic);
        }
    });
    rounds.into_inner()
}

const COLLECT: &[&[&str]] = &[&["gc", "--prune=now", "--quiet"]];

#[test]
fn commits_survive_a_garbage_collector_in_a_loop() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a/b/c.md", "begin\n");
    commit_files(&repo, "begin", &["a/b/c.md"]).unwrap();
    let rounds = beside(&scratch, COLLECT, || {
        for round in 0..commits() {
            // Every third has the content of an earlier commit's, or goes back to it: objects that are packed already.
            scratch.write("a/b/c.md", &format!("{}\n", round / 3));
            scratch.write("d.md", &format!("{round}\n"));
            let made = commit_files(&repo, &format!("round {round}"), &["a/b/c.md", "d.md"]).unwrap();
            assert_eq!(repo.head().unwrap().tip(), Some(made));
            assert_eq!(repo.anew().unwrap().tree(made).unwrap().len(), 2);
        }
    });
    assert!(rounds > 0);
    scratch.assert_clean();
    let count = scratch.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(count.trim(), (commits() + 1).to_string());
    // When the collector has ended, nothing is kept from it any more.
    drop(lock(&repo));
    let listed = std::fs::read_dir(scratch.root().join(".git/objects/pack")).unwrap();
    let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.ends_with(".keep")));
    scratch.git(&["gc", "--prune=now", "--quiet"]);
    scratch.assert_clean();
}

#[test]
fn changes_of_many_files_survive_a_garbage_collector_in_a_loop() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "begin\n");
    commit_files(&repo, "begin", &["a.md"]).unwrap();
    beside(&scratch, COLLECT, || {
        for round in 0..commits() / 6 {
            let names: Vec<String> = (0..70).map(|place| format!("d/{place}.md")).collect();
            let text = |name: &str| format!("{round} {name}\n");
            let changes: Vec<_> = names
                .iter()
                .map(|name| PathChange::write(name, text(name), Mode::Plain))
                .collect();
            let message = Message::new(format!("round {round}"));
            let new = NewCommit {
                changes: &changes,
                message: &message,
                time: NOON,
                signing: Signing::Unsigned,
                merged: None,
            };
            let mut lock = lock(&repo);
            let Some(draft) = repo.draft(&new).unwrap() else {
                panic!("round {round} changes nothing");
            };
            for name in &names {
                scratch.write(name, &text(name));
            }
            repo.publish(&mut lock, &draft).unwrap();
            repo.remove_journal(&lock).unwrap();
        }
    });
    scratch.assert_clean();
    assert_eq!(scratch.git(&["for-each-ref", "refs/worktree"]), "");
}

/// The race at its worst: everything that the refs did not name when the collector looked goes after the branch moved.
#[test]
fn objects_that_go_between_the_writing_and_the_look_are_written_again() {
    let (scratch, repo) = Scratch::with_repo();
    scratch.write("a.md", "one\n");
    commit_files(&repo, "one", &["a.md"]).unwrap();
    let changes = [PathChange::write("d/b.md", "two\n", Mode::Plain)];
    let message = Message::new("two");
    let new = NewCommit {
        changes: &changes,
        message: &message,
        time: NOON,
        signing: Signing::Unsigned,
        merged: None,
    };
    let mut lock = lock(&repo);
    let draft = repo.draft(&new).unwrap().unwrap();
    scratch.write("d/b.md", "two\n");
    for is_collected in [false, true] {
        let mut collector = is_collected.then(|| sleeper(&scratch));
        for oid in &draft.objects {
            std::fs::remove_file(repo.loose_path(super::objects::from_git2(*oid))).unwrap();
        }
        if repo.head().unwrap().tip() == draft.parent() {
            repo.publish(&mut lock, &draft).unwrap();
        } else {
            repo.let_survive(&draft, &changes).unwrap();
        }
        scratch.assert_clean();
        if let Some(collector) = &mut collector {
            // Objects that the collector still removes harm nothing.
            for oid in &draft.objects {
                std::fs::remove_file(repo.loose_path(super::objects::from_git2(*oid))).unwrap();
            }
            scratch.assert_clean();
            collector.kill().unwrap();
            collector.wait().unwrap();
        }
    }
}

/// A process that git takes for a collector.
fn sleeper(scratch: &Scratch) -> Child {
    let child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let text = format!("{} {}", child.id(), super::lock::host());
    scratch.write(".git/gc.pid", &text);
    child
}

#[test]
fn a_lock_that_an_ended_collector_left_does_not_count() {
    let (scratch, repo) = Scratch::with_repo();
    assert!(!repo.is_being_collected());
    let mut collector = sleeper(&scratch);
    assert!(repo.is_being_collected());
    collector.kill().unwrap();
    collector.wait().unwrap();
    assert!(!repo.is_being_collected());
    scratch.write(".git/gc.pid", "77 elsewhere.invalid");
    assert!(repo.is_being_collected());
}
