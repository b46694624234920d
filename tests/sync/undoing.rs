//! An undo takes back what this machine did, however it came together with what others did; and the branch that is
//! exchanged stays the one that was.

use super::auto::{machine as exchanging, remote_state};
use super::pair::{bare, cloned, head, run, save, shared, sync};
use super::remote::Remote;
use crate::env::{LIMIT, Repository, TestEnv, wait_for};

const OWN: &str = "user/own.md";
const OTHER: &str = "user/other.md";

/// A machine that shares its first memory with the next, and that one.
fn two_machines() -> (TestEnv, TestEnv) {
    let one = TestEnv::with_store();
    save(&one, "project/first.md", "The parser is written by hand.\n");
    let two = cloned(&shared(&one));
    (one, two)
}

fn is_there(env: &TestEnv, path: &str) -> bool {
    env.store().join(path).is_file()
}

#[track_caller]
fn assert_nothing_to_undo(env: &TestEnv) {
    let before = head(env);
    env.mdmem(["undo"]).fails("nothing to undo").run();
    assert_eq!(head(env), before);
}

#[test]
fn a_machine_that_changed_nothing_has_nothing_to_undo() {
    let (one, two) = two_machines();
    assert_nothing_to_undo(&two);
    save(&one, OTHER, "The office is in Bern.\n");
    sync(&one);
    sync(&two);
    assert!(is_there(&two, OTHER));
    assert_nothing_to_undo(&two);
    // The change of another machine stays that without a remote too.
    Repository::of(&two).git(&["remote", "remove", "origin"]);
    assert_nothing_to_undo(&two);
}

#[test]
fn the_own_change_is_taken_back_and_not_what_came_after_it() {
    for by in ["sync", "pull", "pull --rebase"] {
        let (one, two) = two_machines();
        save(&two, "user/older.md", "We deploy on Thursdays.\n");
        save(&two, OWN, "The coffee is on the second floor.\n");
        sync(&two);
        sync(&one);
        save(&one, OTHER, "The office is in Bern.\n");
        sync(&one);
        if by == "sync" {
            sync(&two);
        } else {
            let args: Vec<&str> = by.split(' ').chain(["-q"]).collect();
            Repository::of(&two).git(&args);
            run(&two, &["sweep"]);
        }
        let came = head(&two);
        run(&two, &["undo"]);
        assert!(!is_there(&two, OWN) && is_there(&two, OTHER), "{by}");
        run(&two, &["undo"]);
        assert!(!is_there(&two, "user/older.md") && is_there(&two, OTHER), "{by}");
        assert_nothing_to_undo(&two);
        run(&two, &["undo", "HEAD"]);
        run(&two, &["undo", "HEAD~2"]);
        assert!(is_there(&two, OWN) && is_there(&two, "user/older.md"), "{by}");
        // All that the machine did came before this commit of the other's, and so it is skipped alone.
        run(&two, &["undo", "--past", came.trim()]);
        assert!(!is_there(&two, OWN) && is_there(&two, OTHER), "{by}");
        Repository::of(&two).assert_sound();
    }
}

#[test]
fn a_change_that_the_other_machine_merged_is_taken_back_and_brought_back() {
    let (one, two) = two_machines();
    save(&two, OWN, "The coffee is on the second floor.\n");
    save(&one, OTHER, "The office is in Bern.\n");
    sync(&two);
    // The second parent of this machine's merge is what the other one said.
    sync(&one);
    sync(&two);
    let second = Repository::of(&two).git(&["log", "-1", "--format=%s", "HEAD^2", "--", OWN]);
    assert!(!second.is_empty());
    run(&two, &["undo"]);
    let undo = head(&two);
    assert!(!is_there(&two, OWN) && is_there(&two, OTHER));
    save(&one, "user/third.md", "Releases are made on Mondays.\n");
    sync(&one);
    sync(&two);
    // A merge between them is no change of this machine.
    run(&two, &["undo", undo.trim()]);
    assert!(is_there(&two, OWN) && is_there(&two, "user/third.md"));
    sync(&two);
    sync(&one);
    run(&one, &["undo"]);
    assert!(is_there(&one, OWN) && is_there(&one, OTHER) && !is_there(&one, "user/third.md"));
}

#[test]
fn after_a_pull_of_ones_own_making_the_own_change_is_found() {
    let (one, two) = two_machines();
    save(&one, OTHER, "The office is in Bern.\n");
    sync(&one);
    save(&two, OWN, "The coffee is on the second floor.\n");
    Repository::of(&two).git(&["pull", "-q", "--rebase"]);
    run(&two, &["sweep"]);
    run(&two, &["undo"]);
    assert!(!is_there(&two, OWN) && is_there(&two, OTHER));
    assert_nothing_to_undo(&two);
}

#[test]
fn what_another_machine_changed_since_is_left() {
    let (one, two) = two_machines();
    save(&two, OWN, "The coffee is on the second floor.\n");
    sync(&two);
    sync(&one);
    save(&one, OWN, "The coffee is on the third floor.\n");
    sync(&one);
    sync(&two);
    two.mdmem(["undo"]).fails("was changed again since").run();
    assert_eq!(two.read(OWN), "The coffee is on the third floor.\n");
}

/// A save that nobody committed is new: it is committed by the undo, and is not what the undo takes back.
#[test]
fn a_new_file_that_the_undo_commits_first_stays_after_a_fast_forward() {
    let (one, two) = two_machines();
    save(&two, OWN, "The coffee is on the second floor.\n");
    sync(&two);
    sync(&one);
    save(&one, OTHER, "The office is in Bern.\n");
    sync(&one);
    sync(&two);
    two.write("user/new.md", "Releases are made on Mondays.\n");
    run(&two, &["undo"]);
    assert!(is_there(&two, "user/new.md") && is_there(&two, OTHER) && !is_there(&two, OWN));
}

#[test]
fn another_branch_is_not_exchanged() {
    let (one, two) = two_machines();
    let repository = Repository::of(&one);
    let remote = one.home().join("remote.git").to_str().unwrap().to_owned();
    save(&two, OTHER, "The office is in Bern.\n");
    sync(&two);
    let refs = ["for-each-ref", "refs/mdmem/remote", "refs/mdmem/seen"];
    for switch in [["-c", "topic"].as_slice(), &["-c", "tracking", "--track", "main"]] {
        repository.git(&[&["switch", "-q"], switch].concat());
        save(&one, OWN, "The coffee is on the second floor.\n");
        let before = (
            repository.git(&refs),
            repository.git(&["config", "--local", "-l"]),
        );
        let name = switch[1];
        for args in [["sync"].as_slice(), &["sync", "--dry-run"], &["sync", &remote]] {
            one.mdmem(args)
                .fails(format!("the branch {name} is checked out"))
                .stderr_has("git switch main")
                .run();
        }
        let after = (
            repository.git(&refs),
            repository.git(&["config", "--local", "-l"]),
        );
        assert_eq!(before, after);
        repository.git(&["switch", "-q", "main"]);
        assert!(!is_there(&one, OWN));
    }
    // A branch that follows the remote too, as the settings of some stores have it, does not take its place.
    repository.git(&["config", "branch.topic.remote", "origin"]);
    repository.git(&["config", "branch.topic.merge", "refs/heads/main"]);
    sync(&one);
    assert!(is_there(&one, OTHER));
    repository.git(&["switch", "-q", "topic"]);
    one.mdmem(["sync"]).fails("the branch topic").any_stderr().run();
    // The branch keeps its part under another name.
    repository.git(&["switch", "-q", "main"]);
    repository.git(&["branch", "-q", "-m", "trunk"]);
    sync(&one);
    assert_eq!(remote_state(&one)["branch"], "main");
}

#[test]
fn the_first_remote_may_be_set_on_any_branch() {
    let one = TestEnv::with_store();
    let remote = bare(&one);
    save(&one, OWN, "The coffee is on the second floor.\n");
    Repository::of(&one).git(&["switch", "-q", "-c", "topic"]);
    run(&one, &["sync", &remote]);
    sync(&one);
    Repository::of(&one).git(&["switch", "-q", "main"]);
    one.mdmem(["sync"])
        .fails("the store syncs topic")
        .stderr_has("git switch topic")
        .run();
}

#[test]
fn another_branch_is_told_once_by_the_automatic_exchange() {
    let remote = Remote::path();
    let one = exchanging(remote.address());
    save(&one, "project/first.md", "The parser is written by hand.\n");
    run(&one, &["sync"]);
    let head = remote.git(&["rev-parse", "main"]);
    Repository::of(&one).git(&["switch", "-q", "-c", "topic"]);
    save(&one, OWN, "The coffee is on the second floor.\n");
    let watcher = one.watch(&[]);
    watcher.wait_until_said("the branch topic is checked out");
    wait_for("the state", LIMIT, || {
        let status = one.mdmem(["status"]).any_stdout().any_stderr().run();
        status.stdout.contains("the branch topic").then_some(())
    });
    assert_eq!(remote.git(&["rev-parse", "main"]), head);
    Repository::of(&one).git(&["switch", "-q", "main"]);
    save(&one, OTHER, "The office is in Bern.\n");
    watcher.wait_until_said("synced: ");
}

#[test]
fn the_store_itself_is_no_remote() {
    let env = TestEnv::with_store();
    let root = env.store();
    let root = root.to_str().unwrap();
    for url in [root.to_owned(), format!("{root}/.git/"), format!("file://{root}")] {
        env.mdmem(["sync", &url])
            .fails("is this store itself")
            .stderr_has("git init --bare")
            .run();
    }
    assert_eq!(remote_state(&env), serde_json::Value::Null);
}

#[test]
fn a_change_whose_file_a_merge_moved_is_taken_back_where_it_is() {
    let (one, two) = two_machines();
    save(&two, "decision/older.md", "We deploy on Thursdays.\n");
    sync(&two);
    sync(&one);
    // A folder on one machine, a file of that name on the other: the file gets another name.
    save(&one, "decision/same.md/inner.md", "The office is in Bern.\n");
    sync(&one);
    save(&two, "decision/same.md", "The coffee is on the second floor.\n");
    sync(&two);
    two.mdmem(["undo"])
        .stdout_has("removed  decision/same-")
        .stderr_has("memory: add decision/same")
        .run();
    assert!(is_there(&two, "decision/older.md") && is_there(&two, "decision/same.md/inner.md"));
    run(&two, &["undo"]);
    assert!(!is_there(&two, "decision/older.md"));
}
