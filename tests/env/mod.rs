//! A machine of its own for a test: home, stores, workspace, clock; no settings of git's or of the person's. The real
//! binary runs in it, and what it prints and returns is checked, all of it, unless the test says otherwise.
//!
//! ```
//! let env = TestEnv::new();
//! env.mdmem(["list", "--paths"]).stdout("decision/a.md\n").run();      // stderr empty, exit code 0
//! env.mdmem(["show", "nobody"]).fails("error: …").run();              // stdout empty, exit code 1
//! let output = env.mdmem(["status", "--json"]).any_stdout().run();    // and look at it
//! ```

mod call;
mod chance;
mod held;
mod http;
mod mount;
mod repository;
mod wait;
mod watching;

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use mdmem::render::Scope;
use mdmem::service::Context;

pub(crate) use call::Call;
pub(crate) use chance::Chance;
pub(crate) use held::{Held, hold};
pub(crate) use http::{Answer, Listening};
pub(crate) use mount::Mount;
pub(crate) use repository::{Commit, Repository};
pub(crate) use wait::wait_for;
pub(crate) use watching::{LIMIT, Watching};

/// When the clock of a [`TestEnv`] begins.
pub(crate) const BEGIN: &str = "2026-11-20T10:00:00Z";

/// The room that a file system in memory must have; some containers come with 64 MB of it.
const MEMORY: u64 = 2 << 30;

/// One machine.
pub(crate) struct TestEnv {
    /// Removed with everything in it at the end of the test.
    _folder: tempfile::TempDir,
    root: PathBuf,
    now: Cell<i64>,
    step: Cell<i64>,
    vars: Vec<(OsString, OsString)>,
}

impl TestEnv {
    /// A machine with a home, and an empty workspace that is no git repository: on a file system in memory where the
    /// system has one with room, because the flushes of a disk would take minutes of all tests together.
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let room = rustix::fs::statvfs(memory).map_or(0, |system| system.f_bavail * system.f_frsize);
        if room < MEMORY {
            return Self::on_disk();
        }
        Self::below(memory)
    }

    /// The same on a disk, for tests of crashes, of faults of the disk and of watches.
    pub(crate) fn on_disk() -> Self {
        Self::below(&std::env::temp_dir())
    }

    fn below(parent: &Path) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("mdmem-test-")
            .tempdir_in(parent)
            .unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home", "workspace"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let begin = chrono::DateTime::parse_from_rfc3339(BEGIN).unwrap();
        Self {
            _folder: folder,
            root,
            now: Cell::new(begin.timestamp()),
            step: Cell::new(1),
            vars: Vec::new(),
        }
    }

    /// The same, with a store.
    pub(crate) fn with_store() -> Self {
        let env = Self::new();
        env.mdmem(["init", "--quiet"]).any_stdout().run();
        env
    }

    /// Sets a variable for every program that runs from here on.
    pub(crate) fn set_var(&mut self, name: &str, value: &str) {
        self.vars.push((name.into(), value.into()));
    }

    /// The real clock instead of the fixed one, for tests that wait.
    pub(crate) fn use_real_clock(&mut self) {
        self.set_var("MDMEM_NOW", "");
    }

    /// The person's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The folder that is worked in.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// `$MDMEM_HOME`.
    pub(crate) fn mdmem_home(&self) -> PathBuf {
        self.home().join(".local/share/mdmem")
    }

    /// The workspace's store, as `mdmem path` names it: asked in this process, because tests ask so often.
    #[track_caller]
    pub(crate) fn store(&self) -> PathBuf {
        let command = self.command("mdmem");
        let vars = command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)));
        let env = mdmem::sys::Env::fixed(vars, self.workspace());
        let context = Context::real(env, Scope::Workspace, Vec::new()).unwrap();
        mdmem::service::path(&context, None).unwrap()
    }

    /// The time of the next command, in RFC 3339.
    pub(crate) fn now(&self) -> String {
        let now = chrono::DateTime::from_timestamp(self.now.get(), 0).unwrap();
        now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
    }

    /// Lets each command from now on take so many seconds of the clock.
    pub(crate) fn step_by(&self, seconds: i64) {
        self.step.set(seconds);
    }

    /// Moves the clock on.
    pub(crate) fn advance_days(&self, days: i64) {
        self.now.set(self.now.get() + days * 86_400);
    }

    /// Writes a file below the store as an editor does that truncates and writes.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        write_at(&self.store().join(path), text)
    }

    /// Reads a file below the store.
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.store().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The decisions on record that have a text, the oldest first.
    pub(crate) fn decisions(&self, text: &str) -> Vec<serde_json::Value> {
        let log = self.mdmem(["log", "--decisions", "--json", "--grep", text]);
        let told = log.any_stdout().any_stderr().run().json();
        told.as_array().unwrap().clone()
    }

    /// Prepares a call of the real binary; the clock moves on by a second.
    pub(crate) fn mdmem<I>(&self, args: I) -> Call<'_>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        Call::new(self, self.command(env!("CARGO_BIN_EXE_mdmem")), args)
    }

    /// Prepares a call of git in the store.
    pub(crate) fn git<I>(&self, args: I) -> Call<'_>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        let mut command = self.command("git");
        command.current_dir(self.store());
        Call::new(self, command, args)
    }

    /// Runs git in the workspace, as at this time.
    #[track_caller]
    pub(crate) fn git_at_work(&self, at: &str, args: &[&str]) {
        let mut git = self.command("git");
        git.args(args)
            .env("GIT_COMMITTER_DATE", at)
            .env("GIT_AUTHOR_DATE", at);
        let done = git.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Any program in this machine, for tests that keep it running.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.workspace()).env_clear();
        for name in ["PATH", "TMPDIR", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", self.home())
            .env("MDMEM_HOME", self.mdmem_home())
            .env("MDMEM_NOW", self.now())
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.home().join(".gitconfig"))
            .env("GIT_AUTHOR_NAME", "Test")
            .env("GIT_AUTHOR_EMAIL", "test@example.com")
            .env("GIT_COMMITTER_NAME", "Test")
            .env("GIT_COMMITTER_EMAIL", "test@example.com")
            .envs(self.vars.iter().map(|(name, value)| (name, value)));
        self.now.set(self.now.get() + self.step.get());
        command
    }

    /// A text with this machine's folders named by what they are, so that it is the same on every machine.
    pub(crate) fn normalised(&self, text: &str) -> String {
        let key = |name: &str| name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let mut text = text.to_owned();
        let stores = self.mdmem_home().join("workspaces");
        for entry in std::fs::read_dir(&stores).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(key) {
                text = text.replace(&entry.path().display().to_string(), "$STORE");
            }
        }
        for (folder, name) in [
            (self.mdmem_home(), "$MDMEM_HOME"),
            (self.workspace(), "$WORKSPACE"),
            (self.home(), "$HOME"),
            (self.root.clone(), "$ROOT"),
        ] {
            text = text.replace(&folder.display().to_string(), name);
        }
        text
    }
}

/// Writes a file and the folders above it.
pub(crate) fn write_at(path: &Path, text: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path.to_owned()
}
