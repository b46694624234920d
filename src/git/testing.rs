//! A repository in a folder of its own, and the real git beside it, for the tests of this module.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{Message, Mode, NewCommit, PathChange, Repo, Signing, WriterLock};
use crate::model::{Oid, Timestamp};

/// A time far from now: no change of a test looks like one "a moment ago" to it.
pub(super) const NOON: Timestamp = Timestamp::from_seconds(1_795_000_000);

pub(super) struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    /// A folder with a fresh repository.
    pub(super) fn with_repo() -> (Self, Repo) {
        let scratch = Self::new();
        let repo = Repo::init(&scratch.root()).unwrap();
        (scratch, repo)
    }

    pub(super) fn root(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        self.write_bytes(Path::new(path), text.as_bytes());
    }

    pub(super) fn write_bytes(&self, path: &Path, bytes: &[u8]) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = std::fs::File::create(path).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// git, with no settings but its own, in the store.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        self.command_in(&self.root(), args)
    }

    pub(super) fn command_in(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(folder)
            .env("HOME", self.dir.path().join("home"))
            .env("XDG_CONFIG_HOME", self.dir.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Person")
            .env("GIT_AUTHOR_EMAIL", "person@example.org")
            .env("GIT_COMMITTER_NAME", "Person")
            .env("GIT_COMMITTER_EMAIL", "person@example.org")
            .env("LC_ALL", "C")
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .stdin(Stdio::null());
        command
    }

    pub(super) fn try_git(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Gives the output of git, which must succeed and have nothing to complain of.
    pub(super) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The repository is whole, and git sees nothing to do.
    pub(super) fn assert_clean(&self) {
        assert_eq!(self.status(), "");
        self.assert_whole();
    }

    pub(super) fn status(&self) -> String {
        let output = self.try_git(&["status", "--porcelain"]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "git complains");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn assert_whole(&self) {
        let output = self.try_git(&["fsck", "--strict", "--full", "--no-dangling"]);
        let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("error") && !said.contains("missing"), "{said}");
    }
}

/// The lock, with the patience that a busy machine needs.
pub(super) fn lock(repo: &Repo) -> WriterLock {
    repo.lock("test", std::time::Duration::from_mins(1)).unwrap()
}

/// Commits what these files hold on disk now (a missing one is removed).
pub(super) fn commit_files(repo: &Repo, subject: &str, names: &[&str]) -> Option<Oid> {
    commit_files_at(repo, subject, names, NOON)
}

pub(super) fn commit_files_at(repo: &Repo, subject: &str, names: &[&str], time: Timestamp) -> Option<Oid> {
    let changes: Vec<_> = names
        .iter()
        .map(|name| match std::fs::read(repo.root.join(name)) {
            Ok(bytes) => PathChange::write(*name, bytes, Mode::Plain),
            Err(_) => PathChange::remove(*name),
        })
        .collect();
    let new = NewCommit {
        changes: &changes,
        message: &Message::new(subject),
        time,
        signing: Signing::Unsigned,
        merged: None,
    };
    repo.commit(&mut lock(repo), &new).unwrap()
}
