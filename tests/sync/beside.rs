//! A sync while git is in the middle of something in the store, and beside a watcher that commits all the time.

use std::sync::atomic::{AtomicBool, Ordering};

use super::pair::{cloned, head, run, save, shared, sync};
use crate::env::{Repository, TestEnv};

const MEMORY: &str = "decision/cache.md";

/// Nothing is fetched, nothing is changed, and the hint says what to do; afterwards the sync completes.
#[test]
fn while_git_is_in_the_middle_of_something_a_sync_waits_for_it() {
    let there = TestEnv::with_store();
    save(&there, MEMORY, "Use npm cache.\n");
    let remote = shared(&there);
    let here = cloned(&remote);
    save(&there, "user/there.md", "Said there.\n");
    sync(&there);
    let repository = Repository::of(&here);
    repository.git(&["switch", "-q", "-c", "topic"]);
    save(&here, MEMORY, "Use yarn cache.\n");
    repository.git(&["switch", "-q", "main"]);
    save(&here, MEMORY, "Use pnpm cache.\n");
    // Without the driver git stops.
    repository.git(&["config", "--remove-section", "merge.mdmem"]);
    let states: [(&[&str], &str, &[&str]); 6] = [
        (
            &["merge", "topic"],
            "a merge is in progress",
            &["merge", "--abort"],
        ),
        (
            &["rebase", "topic"],
            "a rebase is in progress",
            &["rebase", "--abort"],
        ),
        (
            &["cherry-pick", "topic"],
            "a cherry-pick is in progress",
            &["cherry-pick", "--abort"],
        ),
        (
            &["revert", "HEAD~1"],
            "a revert is in progress",
            &["revert", "--abort"],
        ),
        (
            &["bisect", "start"],
            "a bisect is in progress",
            &["bisect", "reset"],
        ),
        (
            &["switch", "-q", "--detach"],
            "HEAD is detached",
            &["switch", "-q", "main"],
        ),
    ];
    for (begin, state, end) in states {
        repository.try_git(begin);
        let (before, files) = (head(&here), repository.files());
        let index = repository.git(&["ls-files", "--stage"]);
        here.mdmem(["sync"])
            .fails(state)
            .stderr_has(format!("git {}", end[0]))
            .run();
        assert_eq!(head(&here), before, "{state}");
        assert!(repository.files() == files, "{state}");
        assert_eq!(repository.git(&["ls-files", "--stage"]), index, "{state}");
        let fetched = repository.try_git(&["cat-file", "-e", &head(&there)]);
        assert!(!fetched.status.success(), "{state}: it was fetched");
        repository.git(end);
    }
    sync(&here);
    sync(&there);
    assert_eq!(head(&there), head(&here));
    assert_eq!(here.read("user/there.md"), "Said there.\n");
    repository.assert_sound();
}

/// Ends what goes on beside a test, also where that fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn beside_a_watcher_that_commits_all_the_time_a_sync_completes() {
    let mut there = TestEnv::with_store();
    there.use_real_clock();
    save(&there, MEMORY, "Use npm cache.\n");
    let mut here = cloned(&shared(&there));
    here.use_real_clock();
    let watching = here.watch(&[("MDMEM_WATCH__QUIET_MS", "10")]);
    let (is_over, path) = (AtomicBool::new(false), here.store().join("user/here.md"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                crate::env::write_at(&path, &format!("Said {number} times.\n"));
                std::thread::sleep(std::time::Duration::from_millis(15));
            }
        });
        let _end = End(&is_over);
        for round in 0..3 {
            save(&there, MEMORY, &format!("Use npm cache {round}.\n"));
            sync(&there);
            sync(&here);
        }
    });
    drop(watching);
    run(&here, &["sweep"]);
    sync(&here);
    sync(&there);
    assert_eq!(head(&there), head(&here));
    assert_eq!(here.read(MEMORY), "Use npm cache 2.\n");
    let repository = Repository::of(&here);
    let commits = repository.git(&["log", "--oneline", "--", "user/here.md"]);
    assert!(commits.lines().count() > 3, "{commits}");
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}

/// Git's lock keeps a save from being committed: a sync says so, and sends nothing less than everything.
#[test]
fn a_save_that_cannot_be_committed_is_no_silence() {
    let env = TestEnv::with_store();
    save(&env, MEMORY, "Use npm cache.\n");
    shared(&env);
    let repository = Repository::of(&env);
    for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
        let told = format!("{MEMORY} is not committed: git's lock $STORE/.git/{lock} is held");
        env.write(MEMORY, &format!("Use the cache beside {lock}.\n"));
        let lock = repository.root().join(".git").join(lock);
        std::fs::write(&lock, "").unwrap();
        env.mdmem(["sync"])
            .fails(told)
            .stderr_has("committed as soon as the lock is gone")
            .run();
        std::fs::remove_file(&lock).unwrap();
        sync(&env);
    }
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

/// Cloud drives copy files of `.git` beside themselves, and a loss of power leaves empty ones. Git stops at each.
#[test]
fn a_stray_ref_is_named_and_blames_no_remote() {
    let env = TestEnv::with_store();
    save(&env, MEMORY, "Use npm cache.\n");
    shared(&env);
    let heads = Repository::of(&env).root().join(".git/refs/heads");
    let tip = std::fs::read_to_string(heads.join("main")).unwrap();
    let dangling = format!("{}\n", "1".repeat(40));
    for (name, text) in [
        ("main 2", &*tip),
        ("main (conflicted copy)", &*tip),
        ("empty", ""),
        ("dangling", &*dangling),
    ] {
        let stray = heads.join(name);
        std::fs::write(&stray, text).unwrap();
        save(&env, MEMORY, &format!("Use the cache of {name}.\n"));
        let named = format!("git stops at $STORE/.git/refs/heads/{name}, which does not name a commit");
        env.mdmem(["sync"]).fails(&named).stderr_has("`rm ").run();
        env.mdmem(["check"]).code(1).stdout_has(&named).run();
        std::fs::remove_file(&stray).unwrap();
        sync(&env);
    }
    // What git passes over is no trouble, nor is git's own record of the remote.
    std::fs::write(heads.join(".DS_Store"), "x").unwrap();
    std::fs::write(heads.join("../remotes/origin/main.lock"), "").unwrap();
    save(&env, MEMORY, "Use no cache.\n");
    sync(&env);
    env.mdmem(["check"]).stderr("no problems found\n").run();
}
