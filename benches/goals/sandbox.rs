//! A machine of its own: home, workspace, store; nothing of the person's settings or of git's.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::corpus::{self, File};

/// Folders that are gone when this is.
pub(crate) struct Sandbox {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Sandbox {
    /// An empty machine.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("mdmem-bench-").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "workspace"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let sandbox = Self {
            _folder: folder,
            root,
        };
        run(sandbox.git(&sandbox.workspace()).args(["init", "-q"]));
        sandbox
    }

    /// A machine whose workspace has a store with these files, committed, with its cache as a sweep leaves it.
    pub(crate) fn with_store(files: &[File]) -> Self {
        let sandbox = Self::new();
        run(sandbox.mdmem(["init"]));
        corpus::write(&sandbox.store(), files);
        run(sandbox.mdmem(["sweep"]));
        // The cache trusts no file that was changed in the very moment of its writing.
        std::thread::sleep(Duration::from_millis(50));
        run(sandbox.mdmem(["render"]));
        rustix::fs::sync();
        sandbox
    }

    /// A git repository beside, as a person would have it, with these files committed.
    pub(crate) fn git_twin(&self, files: &[File]) -> PathBuf {
        let twin = self.empty_git("twin");
        corpus::write(&twin, files);
        run(self.git(&twin).args(["add", "."]));
        run(self.git(&twin).args(["commit", "-q", "-m", "begin"]));
        rustix::fs::sync();
        twin
    }

    /// A git repository without a commit.
    pub(crate) fn empty_git(&self, name: &str) -> PathBuf {
        let folder = self.root.join(name);
        std::fs::create_dir(&folder).unwrap();
        run(self.git(&folder).args(["init", "-q"]));
        folder
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// The folder of the workspace's store.
    pub(crate) fn store(&self) -> PathBuf {
        let output = run(self.mdmem(["path"]));
        PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end())
    }

    /// `mdmem` in the workspace.
    pub(crate) fn mdmem<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_mdmem"), &self.workspace());
        command.args(arguments);
        command
    }

    /// git in a folder.
    pub(crate) fn git(&self, folder: &Path) -> Command {
        self.program("git", folder)
    }

    /// A program in a folder, with an environment of its own.
    pub(crate) fn program(&self, name: &str, folder: &Path) -> Command {
        let mut command = Command::new(name);
        command
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("home"))
            .env("MDMEM_HOME", self.root.join("mdmem"))
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            // Packing in the background would be measured with whatever runs at that moment.
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "gc.auto")
            .env("GIT_CONFIG_VALUE_0", "0")
            .env("GIT_AUTHOR_NAME", "Bench")
            .env("GIT_AUTHOR_EMAIL", "bench@example.org")
            .env("GIT_COMMITTER_NAME", "Bench")
            .env("GIT_COMMITTER_EMAIL", "bench@example.org")
            .stdin(Stdio::null());
        command
    }
}

/// Runs a program that has to succeed.
pub(crate) fn run(mut command: impl std::borrow::BorrowMut<Command>) -> Output {
    let output = command.borrow_mut().output().unwrap();
    assert!(
        output.status.success(),
        "{:?}: {}",
        command.borrow(),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Gives the duration of a program, from its start to its end.
pub(crate) fn time(command: impl std::borrow::BorrowMut<Command>) -> Duration {
    let begin = Instant::now();
    run(command);
    begin.elapsed()
}
