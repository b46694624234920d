//! A store on one machine, by the facade alone.

use std::path::PathBuf;

use mdmem::git::{GitError, Network, Push, Pushed, RemoteFault, Repo, parse_oid};
use mdmem::model::Oid;
use mdmem::sys::Env;

use super::remote::{Remote, run_git};

/// A store on one machine, which knows the remote.
pub(crate) struct Machine {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) repo: Repo,
    pub(crate) env: Env,
}

impl Machine {
    pub(crate) fn knowing(remote: &Remote) -> Self {
        let machine = Self::alone();
        machine.repo.set_remote(remote.address(), "main").unwrap();
        if !remote.ssh_command.is_empty() {
            machine.git(&["config", "core.sshCommand", &remote.ssh_command]);
        }
        machine
    }

    /// A machine that made the first commit of the remote.
    pub(crate) fn that_pushed_to(remote: &Remote) -> Self {
        let machine = Self::knowing(remote);
        let first = machine.commit("a.md");
        assert_eq!(machine.push(first, None).unwrap(), Pushed::Accepted);
        machine
    }

    pub(crate) fn alone() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::init(&folder.path().join("store")).unwrap();
        let env = Env::fixed([("HOME", folder.path())], folder.path());
        Self { folder, repo, env }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        run_git(&self.root(), args)
    }

    /// A commit with one more file, on the branch.
    #[track_caller]
    pub(crate) fn commit(&self, name: &str) -> Oid {
        std::fs::write(self.root().join(name), format!("{name}\n")).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", name]);
        self.rev("HEAD")
    }

    #[track_caller]
    pub(crate) fn rev(&self, name: &str) -> Oid {
        parse_oid(&self.git(&["rev-parse", name])).unwrap()
    }

    pub(crate) fn fetch(&self) -> Result<Option<Oid>, GitError> {
        self.repo.fetch("main", &Network::background(&self.env))
    }

    pub(crate) fn push(&self, new: Oid, expected: Option<Oid>) -> Result<Pushed, GitError> {
        let push = Push {
            new,
            branch: "main",
            expected,
        };
        self.repo.push(&push, &Network::background(&self.env))
    }

    /// The reason why the remote could not be fetched from; the error names no password and has one line.
    #[track_caller]
    pub(crate) fn fault(&self) -> RemoteFault {
        fault_of(self.fetch().unwrap_err())
    }
}

#[track_caller]
pub(crate) fn fault_of(error: GitError) -> RemoteFault {
    let shown = error.to_string();
    assert!(!shown.contains("s3cret") && !shown.contains('\n'), "{shown}");
    println!("{shown}\n    {:?}", error.hint());
    match error {
        GitError::Remote { fault, .. } => fault,
        other => panic!("{other:?}"),
    }
}

/// Bytes that nothing packs, the same at each run.
pub(crate) fn pseudo_random(count: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..count).map(|_| next()).collect()
}
