//! A store's repository as a person sees it, who has nothing but git.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use super::{TestEnv, wait_for, write_at};

/// A repository, and git in it.
pub(crate) struct Repository<'a> {
    env: &'a TestEnv,
    root: PathBuf,
}

/// A commit, as `git log` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) oid: String,
    pub(crate) subject: String,
    /// The trailer `Mdmem-Op`; empty where a person made the commit.
    pub(crate) op: String,
    /// The paths that it changed against its first parent, sorted. A merge changes nothing here.
    pub(crate) paths: Vec<String>,
}

impl Commit {
    /// True when mdmem made it.
    pub(crate) fn is_mdmems(&self) -> bool {
        !self.op.is_empty()
    }
}

impl<'a> Repository<'a> {
    /// The repository of a machine's store.
    pub(crate) fn of(env: &'a TestEnv) -> Self {
        Self {
            root: env.store(),
            env,
        }
    }

    /// The store's folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Gives the place of a path below the store.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Saves a file as an editor does that truncates and writes.
    pub(crate) fn save(&self, path: &str, text: &str) {
        write_at(&self.at(path), text);
    }

    /// Gives the present content of a file.
    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Every file of the work tree but MEMORY.md, which the engine renders.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect_files(&self.root, &mut found);
        found
    }

    /// git, prepared, in the store; its editor takes every text as it is.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command("git");
        command
            .current_dir(&self.root)
            .args(["-c", "core.quotePath=false"])
            .args(args)
            .env("GIT_EDITOR", "true")
            // A command that only looks must not write: else it were git itself that disturbs.
            .env("GIT_OPTIONAL_LOCKS", "0");
        command
    }

    /// Runs git, which must succeed, and returns what it prints.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(
            output.status.success(),
            "git {args:?}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs git, which may fail.
    pub(crate) fn try_git(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// The commits that HEAD has, newest first.
    #[track_caller]
    pub(crate) fn log(&self) -> Vec<Commit> {
        self.log_of("HEAD")
    }

    /// The commits of a revision or a range, newest first.
    #[track_caller]
    pub(crate) fn log_of(&self, range: &str) -> Vec<Commit> {
        let format = "--format=%x01%H%x00%s%x00%(trailers:key=Mdmem-Op,valueonly,separator=%x20)%x00";
        let text = self.git(&["log", "--name-only", "--no-renames", format, range]);
        let commit = |record: &str| {
            let mut fields = record.splitn(4, '\0');
            let mut next = || fields.next().unwrap_or_default().to_owned();
            let (oid, subject, op, paths) = (next(), next(), next(), next());
            let mut paths: Vec<String> = paths
                .lines()
                .filter(|l| !l.is_empty())
                .map(str::to_owned)
                .collect();
            paths.sort();
            Commit {
                oid,
                subject,
                op,
                paths,
            }
        };
        text.split('\x01').skip(1).map(commit).collect()
    }

    /// Gives the content of a path in HEAD.
    pub(crate) fn committed(&self, path: &str) -> Option<String> {
        self.at_revision("HEAD", path)
    }

    /// Gives the content of a path in a revision.
    pub(crate) fn at_revision(&self, revision: &str, path: &str) -> Option<String> {
        let output = self.try_git(&["cat-file", "blob", &format!("{revision}:{path}")]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// Waits until HEAD has this text at the path, and whoever committed it has let git's lock go.
    #[track_caller]
    pub(crate) fn wait_for_commit_of(&self, path: &str, text: &str, limit: Duration) {
        wait_for(&format!("the commit of {path}"), limit, || {
            let is_committed = self.committed(path).as_deref() == Some(text);
            (is_committed && !self.at(".git/index.lock").exists()).then_some(())
        });
    }

    /// The tracked paths of HEAD.
    #[track_caller]
    pub(crate) fn tracked(&self) -> BTreeSet<String> {
        let paths = self.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        paths.lines().map(str::to_owned).collect()
    }

    /// Gives the differences from HEAD, and the files that are not tracked, as `git status --porcelain` shows them.
    #[track_caller]
    pub(crate) fn status(&self) -> String {
        self.git(&["status", "--porcelain", "--untracked-files=all"])
    }

    /// Panics unless the repository is whole and no commit is empty.
    #[track_caller]
    pub(crate) fn assert_sound(&self) {
        let fsck = self.try_git(&["fsck", "--full", "--strict", "--no-dangling"]);
        let said = [fsck.stdout, fsck.stderr].concat();
        assert!(
            fsck.status.success() && said.is_empty(),
            "git fsck: {}",
            String::from_utf8_lossy(&said)
        );
        for commit in self.log().iter().filter(|commit| commit.is_mdmems()) {
            // A merge that made nothing new itself has no paths of its own.
            let is_merge = commit.op == "sync";
            assert!(
                is_merge || !commit.paths.is_empty(),
                "an empty commit: {commit:?}"
            );
            for path in &commit.paths {
                assert!(!is_temporary(path), "a temporary name: {commit:?}");
            }
        }
    }
}

/// True when a name is one that an editor, an unpacker or mdmem itself gives a file that does not stay.
fn is_temporary(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends = [
        ".tmp",
        ".swp",
        ".part",
        ".mdmem-part",
        ".mdmem-tmp",
        "~",
        ".bak.md~",
        "#",
    ];
    name == "4913"
        || name.starts_with(".#")
        || name.contains(".tmp.")
        || ends.iter().any(|end| name.ends_with(end))
        || (name.starts_with("sed") && name.len() == 9 && !name.contains('.'))
}

fn collect_files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name();
        if entry.file_type().unwrap().is_dir() {
            if name != ".git" && name != ".mdmem" {
                collect_files(&entry.path(), found);
            }
        } else if name != "MEMORY.md" {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap());
        }
    }
}
