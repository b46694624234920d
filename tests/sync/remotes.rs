//! Fetching from real remotes and pushing to them, by the facade.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use mdmem::git::{
    Force, GitError, Network, ORIGIN_REF, Prompts, Push, Pushed, RemoteFault, Repo, parse_oid, remote_address,
};
use mdmem::model::Oid;
use mdmem::sys::Env;

use super::http::Manners;
use super::remote::{Remote, run_git};

/// A store on one machine, which knows the remote.
struct Machine {
    folder: tempfile::TempDir,
    repo: Repo,
    env: Env,
}

impl Machine {
    fn knowing(remote: &Remote) -> Self {
        let machine = Self::alone();
        machine.repo.set_remote(remote.address(), "main").unwrap();
        if !remote.ssh_command.is_empty() {
            machine.git(&["config", "core.sshCommand", &remote.ssh_command]);
        }
        machine
    }

    fn alone() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::init(&folder.path().join("store")).unwrap();
        let env = Env::fixed([("HOME", folder.path())], folder.path());
        Self { folder, repo, env }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        run_git(&self.root(), args)
    }

    /// A commit with one more file, on the branch.
    #[track_caller]
    fn commit(&self, name: &str) -> Oid {
        std::fs::write(self.root().join(name), format!("{name}\n")).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", name]);
        self.rev("HEAD")
    }

    #[track_caller]
    fn rev(&self, name: &str) -> Oid {
        parse_oid(&self.git(&["rev-parse", name])).unwrap()
    }

    fn fetch(&self) -> Result<Option<Oid>, GitError> {
        self.repo.fetch("main", &Network::background(&self.env))
    }

    fn push(&self, new: Oid, expected: Option<Oid>) -> Result<Pushed, GitError> {
        self.push_by(new, expected, Force::No)
    }

    fn push_by(&self, new: Oid, expected: Option<Oid>, force: Force) -> Result<Pushed, GitError> {
        let push = Push {
            new,
            branch: "main",
            expected,
            force,
        };
        self.repo.push(&push, &Network::background(&self.env))
    }

    /// The reason why the remote could not be fetched from; the error names no password and has one line.
    #[track_caller]
    fn fault(&self) -> RemoteFault {
        fault_of(self.fetch().unwrap_err())
    }
}

#[track_caller]
fn fault_of(error: GitError) -> RemoteFault {
    let shown = error.to_string();
    assert!(!shown.contains("s3cret") && !shown.contains('\n'), "{shown}");
    println!("{shown}\n    {:?}", error.hint());
    match error {
        GitError::Remote { fault, .. } => fault,
        other => panic!("{other:?}"),
    }
}

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
    // Force, but only over what is expected.
    assert_eq!(
        two.push_by(theirs, Some(first), Force::Yes).unwrap(),
        Pushed::Moved
    );
    assert_eq!(
        two.push_by(theirs, Some(merged), Force::Yes).unwrap(),
        Pushed::Accepted
    );
    assert_eq!(
        remote.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
    // Words of a hook reach the person.
    remote.set_hook(
        "pre-receive",
        "echo 'no pushes on Sundays, see https://me:s3cret@host/rules' >&2; exit 1",
    );
    let Pushed::Refused(why) = one.push_by(merged, Some(theirs), Force::Yes).unwrap() else {
        panic!("a hook refuses");
    };
    assert!(
        why.contains("no pushes on Sundays, see https://host/rules"),
        "{why}"
    );
    for machine in [&one, &two] {
        machine.git(&["fsck", "--full", "--strict"]);
        assert!(!machine.root().join(".git/FETCH_HEAD").exists() || machine.root() == two.root());
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
