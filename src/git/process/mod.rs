//! The git program, run in this folder and nowhere else: for what libgit2 cannot do (packing, signing, an index in a
//! form that it cannot read), and for the network, which is the person's own git with all that they have set.
//!
//! Always with the C locale, without a terminal and without stdin, and without the variables by which git would look
//! at another repository: mdmem may have been started by a hook of one.

mod network;
mod transfer;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::index::IndexChange;
use super::index::{IndexEntry, IndexState};
use super::message::as_git_writes;
use super::objects::parse_oid;
use super::{Entry, GitError, Mode, Repo, paths};
use crate::model::Oid;
use crate::sys::{Group, Ran, RunError, RunLimits, Running};

/// The time that git has for a question about the index or about paths: it is asked under the store's lock.
const TIME: Duration = Duration::from_mins(1);
/// The time that a person has to enter the passphrase of a key.
const TIME_TO_SIGN: Duration = Duration::from_mins(5);
/// The time to read every object.
const TIME_TO_READ_ALL: Duration = Duration::from_hours(1);
/// The most bytes of an answer.
const MOST_BYTES: usize = 1 << 30;

/// The variables that `git rev-parse --local-env-vars` names, and those that change what git prints or asks.
const FOREIGN: [&str; 27] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_CURL_VERBOSE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

impl Repo {
    /// The command of the pager that git would start here: `GIT_PAGER`, `core.pager`, `PAGER` or its own choice.
    pub fn pager(&self) -> Result<String, GitError> {
        let mut command = self.git_command("var");
        command.arg("GIT_PAGER");
        let printed = self.run_git(command, None)?;
        Ok(String::from_utf8_lossy(&printed).trim().to_owned())
    }

    /// Makes a signed commit, by the person's own `gpg.format`, key and agent. Returns its name.
    pub(super) fn commit_tree_signed(
        &self,
        tree: Oid,
        parents: &[Oid],
        message: &str,
        [author, committer]: &[git2::Signature<'_>; 2],
    ) -> Result<Oid, GitError> {
        let mut command = self.git_command("commit-tree");
        command.arg("-S").arg("-F").arg("-");
        for parent in parents {
            command.arg("-p").arg(parent.to_string());
        }
        command.arg(tree.to_string());
        for (who, signature) in [("AUTHOR", author), ("COMMITTER", committer)] {
            command
                .env(
                    format!("GIT_{who}_NAME"),
                    OsStr::from_bytes(signature.name_bytes()),
                )
                .env(
                    format!("GIT_{who}_EMAIL"),
                    OsStr::from_bytes(signature.email_bytes()),
                )
                .env(
                    format!("GIT_{who}_DATE"),
                    format!("@{}", as_git_writes(signature.when())),
                );
        }
        // The key may have a passphrase, which is asked for at the terminal.
        let ran = self.run(command, Some(message.into()), Group::Shared, TIME_TO_SIGN)?;
        let printed = self.printed(ran)?;
        let printed = String::from_utf8_lossy(&printed);
        let printed = printed.trim();
        parse_oid(printed).ok_or_else(|| {
            let said = format!("it printed no commit hash: {printed}");
            self.refused("commit-tree".to_owned(), said)
        })
    }

    /// Changes entries of an index file, in whatever form git keeps it.
    pub(super) fn update_index(&self, index: &Path, changes: &[IndexChange]) -> Result<(), GitError> {
        let mut lines = Vec::new();
        for (path, new) in changes {
            let head = new.map_or_else(
                || format!("0 {}\t", "0".repeat(40)),
                |entry| format!("{:o} {}\t", entry.mode.as_raw(), entry.oid),
            );
            lines.extend_from_slice(head.as_bytes());
            lines.extend_from_slice(paths::to_git(path));
            lines.push(0);
        }
        let mut command = self.git_command("update-index");
        command.env("GIT_INDEX_FILE", index).args(["-z", "--index-info"]);
        self.run_git(command, Some(lines))?;
        let mut refresh = self.git_command("update-index");
        refresh.env("GIT_INDEX_FILE", index).args(["-q", "--refresh"]);
        // Its status says whether files differ, which is no failure here.
        let _ = self.run_git(refresh, None);
        Ok(())
    }

    /// Every entry of the index, in whatever form git keeps it.
    pub(super) fn list_index(&self) -> Result<BTreeMap<PathBuf, IndexEntry>, GitError> {
        let mut command = self.git_command("ls-files");
        command.args(["-z", "-t", "--stage"]);
        let printed = self.run_git(command, None)?;
        Ok(printed
            .split(|byte| *byte == 0)
            .filter_map(parse_listed)
            .collect())
    }

    /// The faults that git finds when it reads every object, line by line. What it has noted beside them does not count.
    pub(super) fn fsck(&self) -> Result<Vec<String>, GitError> {
        // Git would wait for who writes into a fifo.
        self.check_index_is_file()?;
        let mut command = self.git_command("fsck");
        command.args(["--no-dangling", "--no-progress"]);
        set(
            &mut command,
            &[("core.commitGraph", "false"), ("core.multiPackIndex", "false")],
        );
        let (_, ran) = self.run(command, None, Group::Own, TIME_TO_READ_ALL)?;
        if ran.status.success() {
            return Ok(Vec::new());
        }
        let printed = [ran.stdout, ran.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        let lines = printed.lines().map(str::trim);
        let mut lines: Vec<String> = lines
            .filter(|line| !line.starts_with("warning"))
            .map(str::to_owned)
            .collect();
        lines.dedup();
        Ok(lines)
    }

    /// The packs that git cannot read whole.
    pub(super) fn spoilt_packs(&self) -> Result<Vec<PathBuf>, GitError> {
        let entries = std::fs::read_dir(self.git_dir.join("objects/pack"));
        let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
        let mut spoilt = Vec::new();
        for pack in paths.filter(|path| path.extension().is_some_and(|ending| ending == "pack")) {
            let mut command = self.git_command("verify-pack");
            command.arg(pack.with_extension("idx"));
            let (_, ran) = self.run(command, None, Group::Own, TIME_TO_READ_ALL)?;
            if !ran.status.success() {
                spoilt.push(pack);
            }
        }
        Ok(spoilt)
    }

    /// Makes loose objects of what git can read of a pack that is cut off or spoilt.
    pub(super) fn unpack(&self, pack: &Path) {
        let mut command = self.git_command("unpack-objects");
        command.args(["-q", "-r"]);
        let input = std::fs::read(pack).ok();
        if let Err(error) = self.run(command, input, Group::Own, TIME_TO_READ_ALL) {
            tracing::info!(%error, "nothing could be read from a damaged pack");
        }
    }

    /// Those of the paths that git ignores, tracked or not, whatever the person's global ignore file says.
    pub(super) fn check_ignore<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Vec<PathBuf>, GitError> {
        let input = terminated(paths);
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.git_command("check-ignore");
        command
            .args(["-z", "--stdin", "--no-index"])
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        set(&mut command, &[("core.excludesFile", "/dev/null")]);
        let ran = self.run(command, Some(input), Group::Own, TIME)?;
        // One says that it ignores none of them.
        let printed = match ran.1.status.code() {
            Some(1) => ran.1.stdout,
            _ => self.printed(ran)?,
        };
        Ok(fields(&printed).map(named).collect())
    }

    /// Those of the paths for which git would run a filter, and its name.
    pub(super) fn check_filters(&self, paths: &[&Path]) -> Result<Vec<(PathBuf, String)>, GitError> {
        let input = terminated(paths.iter().copied());
        if input.is_empty() {
            return Ok(Vec::new());
        }
        let mut command = self.git_command("check-attr");
        command.args(["-z", "--stdin", "filter"]);
        let printed = self.run_git(command, Some(input))?;
        let records: Vec<&[u8]> = fields(&printed).collect();
        let set = records.chunks_exact(3).filter_map(|record| {
            let filter = String::from_utf8_lossy(record[2]).into_owned();
            let is_set = !matches!(filter.as_str(), "unspecified" | "unset" | "set");
            is_set.then(|| (named(record[0]), filter))
        });
        Ok(set.collect())
    }

    /// Starts to put the loose objects into a pack, with the packs that are small beside it, in a process group of its own,
    /// and does not wait. It removes nothing that is in no pack afterwards.
    pub(super) fn start_packing(&self) -> Result<Child, GitError> {
        let mut command = self.git_command("repack");
        command
            .args(["-q", "-d", "--geometric=2"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        command.spawn().map_err(|source| GitError::NoProgram { source })
    }

    fn git_command(&self, verb: &str) -> Command {
        let mut command = Command::new("git");
        // The repository is named, never searched for.
        command
            .arg("--git-dir")
            .arg(&self.git_dir)
            .arg("--work-tree")
            .arg(&self.root)
            .arg(verb)
            .current_dir(&self.root);
        for name in FOREIGN {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .env("LANGUAGE", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0");
        command
    }

    /// What a command of git's printed; an error when it fails.
    fn run_git(&self, command: Command, input: Option<Vec<u8>>) -> Result<Vec<u8>, GitError> {
        let ran = self.run(command, input, Group::Own, TIME)?;
        self.printed(ran)
    }

    fn printed(&self, (verb, ran): (String, Ran)) -> Result<Vec<u8>, GitError> {
        if ran.status.success() {
            return Ok(ran.stdout);
        }
        let said = String::from_utf8_lossy(&ran.stderr).trim().replace('\n', "; ");
        let status = ran.status.to_string();
        Err(self.refused(verb, if said.is_empty() { status } else { said }))
    }

    fn refused(&self, command: String, stderr: String) -> GitError {
        let root = self.root.clone();
        GitError::Program {
            root,
            command,
            stderr,
        }
    }

    /// Runs a command of git's to its end, however that is; gives its verb too.
    fn run(
        &self,
        command: Command,
        input: Option<Vec<u8>>,
        group: Group,
        time: Duration,
    ) -> Result<(String, Ran), GitError> {
        let verb = command.get_args().nth(4).unwrap_or_default();
        let verb = verb.to_string_lossy().into_owned();
        let running = Running::start(command, input, group).map_err(no_program)?;
        match running.finish(RunLimits {
            time,
            bytes: MOST_BYTES,
        }) {
            Ok(ran) => Ok((verb, ran)),
            Err(error) => Err(self.refused(verb, error.to_string())),
        }
    }
}

/// Gives a command settings that stand above those of every file.
fn set(command: &mut Command, settings: &[(&str, &str)]) {
    set_beyond(command, 0, settings);
}

/// The same, above so many that the environment has already.
fn set_beyond(command: &mut Command, first: usize, settings: &[(&str, &str)]) {
    command.env("GIT_CONFIG_COUNT", (first + settings.len()).to_string());
    for (number, (key, value)) in settings.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{}", first + number), key);
        command.env(format!("GIT_CONFIG_VALUE_{}", first + number), value);
    }
}

/// Paths as `-z` reads them; after a dot and a slash no name is a pattern.
fn terminated<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<u8> {
    let each = paths
        .into_iter()
        .flat_map(|path| [b"./", paths::to_git(path), b"\0"]);
    each.collect::<Vec<_>>().concat()
}

/// The path that was given so.
fn named(printed: &[u8]) -> PathBuf {
    paths::from_git(printed.strip_prefix(b"./").unwrap_or(printed))
}

/// The fields that git prints by `-z`.
fn fields(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = printed.strip_suffix(b"\0").unwrap_or_default();
    whole.split(|byte| *byte == 0).filter(|_| !whole.is_empty())
}

fn no_program(error: RunError) -> GitError {
    let source = match error {
        RunError::NotRun(source) => source,
        error => std::io::Error::other(error),
    };
    GitError::NoProgram { source }
}

/// One entry of `git ls-files -t --stage`: `H 100644 <oid> 0<tab><path>`.
fn parse_listed(record: &[u8]) -> Option<(PathBuf, IndexEntry)> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&record[..tab]).ok()?;
    let mut words = head.split(' ');
    let (tag, mode, oid, side) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let state = match (side, tag) {
        ("0", "S") => IndexState::Sparse,
        ("0", _) => IndexState::Plain,
        _ => IndexState::Conflict,
    };
    let entry = Entry {
        oid: parse_oid(oid)?,
        mode: Mode::from_raw(u32::from_str_radix(mode, 8).ok()?),
    };
    let stat = None;
    let path = paths::from_git(&record[tab + 1..]);
    Some((path, IndexEntry { entry, state, stat }))
}
