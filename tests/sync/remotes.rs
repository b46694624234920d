//! Fetching from real remotes and pushing to them, by the facade.

use mdmem::git::{ORIGIN_REF, Pushed};

use super::machine::Machine;
use super::remote::Remote;

/// All that two machines do with a remote.
#[track_caller]
fn two_machines_meet(remote: &Remote) {
    let (one, two) = (Machine::knowing(remote), Machine::knowing(remote));
    assert_eq!(one.fetch().unwrap(), None, "an empty remote");
    let first = one.commit("a.md");
    assert_eq!(one.push(first, None).unwrap(), Pushed::Accepted);
    assert_eq!(one.push(first, None).unwrap(), Pushed::UpToDate);
    assert_eq!(one.repo.own_ref(ORIGIN_REF).unwrap(), Some(first));
    assert_eq!(two.fetch().unwrap(), Some(first));
    let refs = two.git(&["for-each-ref", "--format=%(refname)"]);
    assert_eq!(refs, ORIGIN_REF, "nothing else changes");
    assert!(!two.root().join(".git/FETCH_HEAD").exists());
    two.git(&["reset", "-q", "--hard", ORIGIN_REF]);
    let theirs = two.commit("b.md");
    assert_eq!(two.push(theirs, Some(first)).unwrap(), Pushed::Accepted);
    // The first machine does not know of it.
    let ours = one.commit("c.md");
    assert_eq!(one.push(ours, Some(first)).unwrap(), Pushed::Moved);
    assert_eq!(remote.git(&["rev-parse", "main"]), theirs.to_string());
    assert_eq!(one.fetch().unwrap(), Some(theirs));
    assert_eq!(
        one.push(ours, Some(theirs)).unwrap(),
        Pushed::Moved,
        "it would throw a commit away"
    );
    one.git(&["merge", "-q", "-m", "merge", &theirs.to_string()]);
    let merged = one.rev("HEAD");
    assert_eq!(one.push(merged, Some(theirs)).unwrap(), Pushed::Accepted);
    assert_eq!(remote.git(&["rev-parse", "main"]), merged.to_string());
    // A person's own git works with it too.
    two.git(&["fetch", "-q"]);
    assert_eq!(two.rev("refs/remotes/origin/main"), merged);
    assert_eq!(
        remote.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
    // Words of a hook reach the person.
    remote.set_hook(
        "pre-receive",
        "echo 'no pushes on Sundays, see https://me:s3cret@host/rules' >&2; exit 1",
    );
    let last = one.commit("d.md");
    let Pushed::Refused(why) = one.push(last, Some(merged)).unwrap() else {
        panic!("a hook refuses");
    };
    assert!(
        why.contains("no pushes on Sundays, see https://host/rules"),
        "{why}"
    );
    for machine in [&one, &two] {
        machine.git(&["fsck", "--full", "--strict"]);
    }
}

#[test]
fn machines_meet_in_a_folder() {
    two_machines_meet(&Remote::path());
}

#[test]
fn machines_meet_at_gits_own_daemon() {
    two_machines_meet(&Remote::daemon());
}

#[test]
fn machines_meet_over_http() {
    two_machines_meet(&Remote::http());
}

#[test]
fn machines_meet_over_ssh() {
    let Some(remote) = Remote::ssh() else { return };
    two_machines_meet(&remote);
}
