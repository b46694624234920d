//! Somebody who may push to the remote, by plain git.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::env::{Repository, TestEnv};

use super::pair::{bare, sync};

/// A machine whose store is exchanged with a bare repository, and a clone by git of that repository.
pub(super) struct Attacked {
    pub(super) env: TestEnv,
    pub(super) remote: String,
    clone: PathBuf,
}

/// Everything of a store that no refused head may change.
#[derive(PartialEq, Eq)]
pub(super) struct Untouched {
    head: String,
    status: String,
    index: Vec<u8>,
    files: std::collections::BTreeMap<PathBuf, Vec<u8>>,
}

impl Attacked {
    /// A store with so many memories, which the remote has.
    pub(super) fn with_memories(count: usize) -> Self {
        let env = TestEnv::with_store();
        for number in 0..count {
            env.write(
                &memory(number),
                &format!("The build step number {number} runs on linux.\n"),
            );
        }
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let remote = bare(&env);
        env.mdmem(["sync", &remote]).any_stdout().any_stderr().run();
        sync(&env);
        let clone = env.home().join("attacker");
        let attacked = Self { env, remote, clone };
        let cloned = attacked
            .env
            .command("git")
            .args(["clone", "-q", "-b", "main", &attacked.remote])
            .arg(&attacked.clone)
            .status();
        assert!(cloned.unwrap().success());
        attacked
    }

    /// Runs git in the attacker's clone.
    #[track_caller]
    pub(super) fn git(&self, args: &[&str]) -> String {
        self.git_with(args, b"")
    }

    /// The same, with this on standard input.
    #[track_caller]
    pub(super) fn git_with(&self, args: &[&str], stdin: &[u8]) -> String {
        let mut command: Command = self.env.command("git");
        command
            .current_dir(&self.clone)
            .args(["-c", "core.quotePath=false"]);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}\n{stderr}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Writes a file in the attacker's clone.
    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.clone.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(super) fn in_clone(&self, path: &str) -> PathBuf {
        self.clone.join(path)
    }

    /// Commits all of the clone and pushes it, whatever the remote has.
    #[track_caller]
    pub(super) fn push_all(&self) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "-m", "attack"]);
        self.push();
    }

    #[track_caller]
    pub(super) fn push(&self) {
        self.git(&["push", "-q", "--force", "origin", "HEAD:main"]);
    }

    /// Pushes a commit on top of the head whose tree has one entry more at its root.
    #[track_caller]
    pub(super) fn push_entry(&self, mode: &str, kind: &str, oid: &str, name: &[u8]) {
        let listed = self.git(&["ls-tree", "-z", "HEAD"]);
        let entry = [format!("{mode} {kind} {oid}\t").as_bytes(), name, b"\0"].concat();
        let tree = self.git_with(
            &["mktree", "-z", "--missing"],
            &[listed.as_bytes(), &entry].concat(),
        );
        self.push_tree(&tree);
    }

    #[track_caller]
    pub(super) fn push_tree(&self, tree: &str) {
        let commit = self.git(&["commit-tree", "-p", "HEAD", "-m", "attack", tree]);
        self.git(&["push", "-q", "--force", "origin", &format!("{commit}:main")]);
    }

    /// The name of a new blob.
    #[track_caller]
    pub(super) fn blob(&self, bytes: &[u8]) -> String {
        self.git_with(&["hash-object", "-w", "--stdin"], bytes)
    }

    /// The head of the remote.
    pub(super) fn remote_head(&self) -> String {
        self.git(&["ls-remote", "origin", "main"])
            .split('\t')
            .next()
            .unwrap()
            .to_owned()
    }

    pub(super) fn repository(&self) -> Repository<'_> {
        Repository::of(&self.env)
    }

    pub(super) fn untouched(&self) -> Untouched {
        let repository = self.repository();
        Untouched {
            head: repository.git(&["rev-parse", "HEAD"]),
            status: repository.status(),
            index: std::fs::read(repository.at(".git/index")).unwrap(),
            files: repository.files(),
        }
    }

    /// The sync fails and says this; nothing changes here or there. Returns its error.
    #[track_caller]
    pub(super) fn refuses(&self, why: &str) -> String {
        let (before, there) = (self.untouched(), self.remote_head());
        let said = self.env.mdmem(["sync"]).fails(why).run().stderr;
        assert!(self.untouched() == before, "{said}");
        assert_eq!(self.remote_head(), there);
        said
    }

    /// The sync works, and both sides have one head after it.
    #[track_caller]
    pub(super) fn agrees(&self) {
        sync(&self.env);
        assert_eq!(
            self.repository().git(&["rev-parse", "HEAD"]).trim(),
            self.remote_head()
        );
        assert_eq!(self.repository().status(), "");
        self.repository().assert_sound();
    }

    /// Runs the command that an error names for taking it back there.
    #[track_caller]
    pub(super) fn take_back(&self, said: &str) {
        let from = said.find("git push --force").unwrap_or_else(|| panic!("{said}"));
        let command = said[from..].split('`').next().unwrap();
        let args: Vec<&str> = command.split_whitespace().skip(1).collect();
        self.repository().git(&args);
    }
}

/// The path of a memory by its number.
pub(super) fn memory(number: usize) -> String {
    format!("project/step-{number}.md")
}
