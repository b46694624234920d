//! Fetching from the remote and pushing to it, by the person's own git.

use std::fs::DirEntry;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::transfer::{Ended, Transfer, transfer};
use super::{set, set_beyond};
use crate::git::objects::parse_oid;
use crate::git::remote::{branch_ref, check_address, is_path};
use crate::git::remote_fault::{RemoteFault, shown_words};
use crate::git::{GitError, Network, ORIGIN_REF, Prompts, Push, Pushed, Repo};
use crate::model::Oid;

/// Settings for git while it talks to a remote. Objects are checked before they count, and flushed; no hook of the
/// repository runs; nothing is packed or pruned in passing; a server that says nothing is given up.
const SETTINGS: [(&str, &str); 17] = [
    ("fetch.fsckObjects", "true"),
    ("core.fsync", "committed,reference"),
    ("core.hooksPath", "/dev/null"),
    ("core.filesRefLockTimeout", "6000"),
    ("protocol.ext.allow", "never"),
    ("protocol.fd.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.prune", "false"),
    ("fetch.pruneTags", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.followTags", "false"),
    ("remote.origin.followRemoteHEAD", "never"),
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
];

/// Of a push, which does not wait for the lock of git's own record of the remote: nobody needs that.
const OF_PUSH: [(&str, &str); 1] = [("core.filesRefLockTimeout", "0")];

/// The same without a person who could answer.
const BACKGROUND: [(&str, &str); 1] = [("credential.interactive", "false")];

/// The attempts to fetch while other processes do the same.
const ATTEMPTS: usize = 5;
/// The lines of a refusal that are shown.
const MOST_REASONS: usize = 6;
/// Git's words where it could not move the ref.
const HELD: [&str; 2] = ["cannot lock ref", "unable to update local ref"];
/// Its words where it could not make the file of the lock.
const LOCK_NOT_MADE: &str = ": Unable to create '";
/// No git leaves a pack alone for so long that it is writing.
const OLD: Duration = Duration::from_mins(10);
/// No git holds the lock of [`ORIGIN_REF`] for so long: it writes a line and renames the file. The lock is left by a git
/// that was killed, and git waits for it a second longer before it gives up.
const OLD_LOCK: Duration = Duration::from_secs(5);
/// The beginnings of the names of packs that git has not finished.
const PARTS: [&[u8]; 3] = [b"tmp_pack_", b"tmp_idx_", b"tmp_rev_"];

/// The options that OpenSSH is given without a person.
const QUIET_SSH: &str =
    "-oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4";

impl Repo {
    /// Brings the remote's branch, with all that is missing of its history, into [`ORIGIN_REF`] and returns its head.
    /// `None` where the remote is empty; [`RemoteFault::OtherBranches`] where it has branches, but not this one.
    /// Nothing else changes: no branch, no tag, no tracking ref, no file.
    pub fn fetch(&self, branch: &str, network: &Network<'_>) -> Result<Option<Oid>, GitError> {
        let branch = branch_ref(branch)?;
        self.drop_leftovers();
        let mut run = self.run_fetch(&branch, network)?;
        for _ in 1..ATTEMPTS {
            // Another process fetches into the same ref, or a git that was killed left its lock.
            let is_held = |line: &String| HELD.iter().any(|phrase| line.contains(phrase));
            if run.status.success() || !run.words.iter().any(is_held) {
                break;
            }
            self.drop_leftovers();
            run = self.run_fetch(&branch, network)?;
        }
        // Git fetches what a shallow remote has, and leaves the ref as it was.
        if run
            .words
            .iter()
            .any(|line| line.contains("shallow roots are not allowed"))
        {
            let why = "it is a shallow clone: a part of its history is missing";
            return Err(self.remote_error(RemoteFault::Unsound, why.to_owned()));
        }
        if run.status.success() {
            return self.own_ref(ORIGIN_REF);
        }
        let has_no_branch = |line: &String| line.contains("couldn't find remote ref");
        if !run.words.iter().any(has_no_branch) {
            return Err(self.failed_run(&run));
        }
        let heads = self.remote_heads(network)?;
        if heads.is_empty() {
            self.set_own_ref(ORIGIN_REF, None)?;
            return Ok(None);
        }
        let names: Vec<String> = heads.into_iter().map(|(name, _)| name).collect();
        if names
            .iter()
            .any(|name| branch.strip_prefix("refs/heads/") == Some(name))
        {
            // Another machine pushed it for the first time at this moment.
            let run = self.run_fetch(&branch, network)?;
            return if run.status.success() {
                self.own_ref(ORIGIN_REF)
            } else {
                Err(self.failed_run(&run))
            };
        }
        Err(self.remote_error(RemoteFault::OtherBranches(names), String::new()))
    }

    fn run_fetch(&self, branch: &str, network: &Network<'_>) -> Result<Transfer, GitError> {
        let mut command = self.network_command("fetch", network)?;
        command
            .args([
                "--progress",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
            ])
            .args(["--no-auto-maintenance", "--no-prune", "--refmap=", "--", "origin"])
            .arg(format!("+{branch}:{ORIGIN_REF}"));
        self.run_network(command, network)
    }

    /// Removes what a git left that was killed or had no room: the lock of [`ORIGIN_REF`], which nobody else takes, and
    /// for a moment only; and beginnings of packs, which a git that still fetches keeps writing.
    fn drop_leftovers(&self) {
        let lock = self.git_dir.join(format!("{ORIGIN_REF}.lock"));
        let packs = self.git_dir.join("objects/pack").read_dir();
        let packs = packs.into_iter().flatten().flatten();
        let is_part = |entry: &DirEntry| {
            let name = entry.file_name();
            PARTS.iter().any(|part| name.as_encoded_bytes().starts_with(part))
        };
        let parts = packs.filter(is_part).map(|entry| (entry.path(), OLD));
        for (path, old) in parts.chain([(lock, OLD_LOCK)]) {
            let modified = path.symlink_metadata().and_then(|meta| meta.modified());
            let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > old));
            if is_old && let Err(error) = std::fs::remove_file(&path) {
                tracing::debug!(%error, "a leftover of git could not be removed");
            }
        }
    }

    /// The branches of the remote, without `refs/heads/`, and their heads.
    pub fn remote_heads(&self, network: &Network<'_>) -> Result<Vec<(String, Oid)>, GitError> {
        let mut command = self.network_command("ls-remote", network)?;
        command.args(["--quiet", "--", "origin", "refs/heads/*"]);
        let run = self.run_network(command, network)?;
        if !run.status.success() {
            return Err(self.failed_run(&run));
        }
        let head = |line: &str| {
            let (oid, name) = line.split_once('\t')?;
            let name = name.strip_prefix("refs/heads/")?;
            branch_ref(name).ok()?;
            Some((name.to_owned(), parse_oid(oid)?))
        };
        Ok(run.stdout.lines().filter_map(head).collect())
    }

    /// Asks the remote to move its branch, and only if it is still what the caller expects, and an ancestor of the new
    /// head. The remote's refusal is an answer and no error.
    pub fn push(&self, push: &Push<'_>, network: &Network<'_>) -> Result<Pushed, GitError> {
        let branch = branch_ref(push.branch)?;
        // Git takes a lease for a permission to force.
        if let Some(expected) = push.expected
            && !(self.has_object(expected) && self.is_ancestor(expected, push.new)?)
        {
            return Ok(Pushed::Moved);
        }
        let mut command = self.network_command("push", network)?;
        let expected = push.expected.map(|oid| oid.to_string()).unwrap_or_default();
        command
            .args(["--porcelain", "--progress", "--no-verify", "--no-follow-tags"])
            .arg(format!("--force-with-lease={branch}:{expected}"))
            .args(["--", "origin"])
            .arg(format!("{}:{branch}", push.new));
        let run = self.run_network(command, network)?;
        match run.stdout.lines().find_map(|line| answer(line, &branch)) {
            Some(Answer::Taken(pushed)) => {
                self.set_own_ref(ORIGIN_REF, Some(push.new))?;
                Ok(pushed)
            }
            Some(Answer::Moved) => {
                let Some(why) = held(&run.words) else {
                    return Ok(Pushed::Moved);
                };
                match RemoteFault::of(&run.words) {
                    (fault @ RemoteFault::Full(_), said) => Err(self.remote_error(fault, said)),
                    _ => Ok(Pushed::Held(why)),
                }
            }
            Some(Answer::Refused(why)) => {
                let (fault, said) = RemoteFault::of(&run.words);
                if matches!(fault, RemoteFault::Full(_) | RemoteFault::Offline) {
                    return Err(self.remote_error(fault, said));
                }
                let theirs = run.words.iter().filter_map(|line| {
                    let told = line.strip_prefix("error: ").unwrap_or(line);
                    let told = told.strip_prefix("remote")?;
                    Some(told.trim_start_matches(':').trim()).filter(|line| !line.is_empty())
                });
                let theirs: Vec<&str> = theirs.take(MOST_REASONS).collect();
                Ok(Pushed::Refused(
                    [&[why.as_str()], theirs.as_slice()].concat().join("; "),
                ))
            }
            None => Err(self.failed_run(&run)),
        }
    }

    /// Sets a ref of our own, or removes it.
    pub fn set_own_ref(&self, name: &str, oid: Option<Oid>) -> Result<(), GitError> {
        let mut command = self.git_command("update-ref");
        match oid {
            Some(oid) => command.args(["--no-deref", name, &oid.to_string()]),
            None => command.args(["--no-deref", "-d", name]),
        };
        set(
            &mut command,
            &[
                ("core.fsync", "committed,reference"),
                ("core.hooksPath", "/dev/null"),
            ],
        );
        self.run_git(command, None).map(drop)
    }

    fn network_command(&self, verb: &str, network: &Network<'_>) -> Result<Command, GitError> {
        // A person may have written another address into the settings by hand.
        let address = self
            .remote_url()?
            .ok_or_else(|| GitError::NoRemote(self.root.clone()))?;
        check_address(&address)?;
        let mut command = self.git_command(verb);
        // Settings of the person's, such as another way to the network out of a container.
        let theirs = network.env.var("GIT_CONFIG_COUNT");
        let theirs = theirs.and_then(|count| count.parse().ok()).unwrap_or(0);
        let of_verb: &[_] = if verb == "push" { &OF_PUSH } else { &[] };
        let settings = [&SETTINGS, of_verb].concat();
        if network.prompts == Prompts::Allowed {
            set_beyond(&mut command, theirs, &settings);
            command.env("GIT_TERMINAL_PROMPT", "1");
            return Ok(command);
        }
        set_beyond(&mut command, theirs, &[&settings[..], &BACKGROUND].concat());
        // Empty: git then asks nobody. An askpass that fails: ssh, too, is told no.
        command
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("GCM_INTERACTIVE", "never");
        if let Some(ssh) = self.quiet_ssh(network) {
            command.env("GIT_SSH_COMMAND", ssh);
        }
        Ok(command)
    }

    /// The person's own command for ssh with the options that keep it from asking. `None` where it is not OpenSSH,
    /// which alone knows them.
    fn quiet_ssh(&self, network: &Network<'_>) -> Option<String> {
        let var = |name| network.env.var(name).filter(|value| !value.is_empty());
        let ssh = match self.ssh_command(network) {
            Some(command) => command,
            None if var("GIT_SSH").is_some() => return None,
            None => "ssh".to_owned(),
        };
        let is_openssh = Path::new(ssh.split_whitespace().next()?).file_name()? == "ssh";
        let is_told = var("GIT_SSH_VARIANT").is_some_and(|variant| variant != "ssh" && variant != "auto");
        (is_openssh && !is_told).then(|| format!("{ssh} {QUIET_SSH}"))
    }

    fn run_network(&self, command: Command, network: &Network<'_>) -> Result<Transfer, GitError> {
        let partner = self.partner(network);
        match transfer(command, &partner, network)? {
            Ended::ByItself(run) => Ok(run),
            Ended::ByUs(fault @ RemoteFault::Silent(_)) => {
                Err(self.remote_error(fault, format!("waited for {partner}")))
            }
            Ended::ByUs(fault) => Err(self.remote_error(fault, String::new())),
        }
    }

    /// What a git that uses the network talks to: a folder, a host, or the person's program for ssh and its host.
    fn partner(&self, network: &Network<'_>) -> String {
        let address = shown_words(&self.remote_url().ok().flatten().unwrap_or_default());
        let (scheme, host) = match address.split_once("://") {
            Some((scheme, rest)) => (scheme, rest.split('/').next().unwrap_or_default()),
            None if is_path(&address) => return address,
            None => ("ssh", address.split(':').next().unwrap_or_default()),
        };
        let host = host.rsplit('@').next().unwrap_or_default();
        match scheme {
            "file" => address,
            "ssh" => {
                let command = self.ssh_command(network).unwrap_or_else(|| "ssh".to_owned());
                let program = command.split_whitespace().next().unwrap_or_default();
                format!("`{}` to {host}", shown_words(program))
            }
            _ => host.to_owned(),
        }
    }

    /// The command for ssh that the person set.
    fn ssh_command(&self, network: &Network<'_>) -> Option<String> {
        let var = network
            .env
            .var("GIT_SSH_COMMAND")
            .filter(|value| !value.is_empty());
        var.or_else(|| self.git.config().ok()?.get_string("core.sshCommand").ok())
    }

    fn failed_run(&self, run: &Transfer) -> GitError {
        if let Some(stray) = self.stray_ref() {
            return GitError::StrayRef(stray);
        }
        let (fault, said) = RemoteFault::of(&run.words);
        let said = if said.is_empty() {
            run.status.to_string()
        } else {
            said
        };
        self.remote_error(fault, said)
    }

    /// `said` is the line in which git tells of it; it may be empty.
    fn remote_error(&self, fault: RemoteFault, said: String) -> GitError {
        let address = shown_words(&self.remote_url().ok().flatten().unwrap_or_default());
        GitError::Remote { address, fault, said }
    }
}

/// The remote's answer about one branch.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Taken(Pushed),
    Moved,
    Refused(String),
}

/// Reads a line of `git push --porcelain`: a flag, both names, a summary with its reason.
fn answer(line: &str, branch: &str) -> Option<Answer> {
    let mut fields = line.splitn(3, '\t');
    let (flag, names, summary) = (fields.next()?, fields.next()?, fields.next()?);
    if !names.ends_with(&format!(":{branch}")) {
        return None;
    }
    let reason = summary.split_once('(').map_or(summary, |(_, reason)| reason);
    let reason = shown_words(reason.trim_end_matches(')'));
    match flag {
        "=" => Some(Answer::Taken(Pushed::UpToDate)),
        "!" if is_moved(summary) => Some(Answer::Moved),
        "!" => Some(Answer::Refused(reason)),
        " " | "+" | "*" => Some(Answer::Taken(Pushed::Accepted)),
        _ => None,
    }
}

/// The remote's words, where it could not make the lock of the branch.
fn held(words: &[String]) -> Option<String> {
    let line = words.iter().find(|line| line.contains(LOCK_NOT_MADE))?;
    Some(line[line.find(HELD[0])?..].trim_end_matches('.').to_owned())
}

/// True when the branch was not what git expected: it found so itself, or the remote did, a moment later.
fn is_moved(summary: &str) -> bool {
    const REMOTE: [&str; 5] = [
        "cannot lock ref",
        "failed to update ref",
        "incorrect old value",
        "reference already exists",
        "fetch first",
    ];
    summary.starts_with("[rejected]") || REMOTE.iter().any(|phrase| summary.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::testing::Scratch;
    use crate::sys::Env;

    #[test]
    fn reads_the_answers_of_a_remote() {
        const BRANCH: &str = "refs/heads/main";
        let names = "aaa:refs/heads/main";
        let read = |flag: &str, summary: &str| answer(&format!("{flag}\t{names}\t{summary}"), BRANCH);
        assert_eq!(read("*", "[new branch]"), Some(Answer::Taken(Pushed::Accepted)));
        assert_eq!(read(" ", "aaa..bbb"), Some(Answer::Taken(Pushed::Accepted)));
        let forced = "aaa...bbb (forced update)";
        assert_eq!(read("+", forced), Some(Answer::Taken(Pushed::Accepted)));
        assert_eq!(read("=", "[up to date]"), Some(Answer::Taken(Pushed::UpToDate)));
        for moved in [
            "[rejected] (stale info)",
            "[rejected] (fetch first)",
            "[rejected] (non-fast-forward)",
            "[remote rejected] (cannot lock ref 'refs/heads/main': is at aaa but expected bbb)",
            "[remote rejected] (failed to update ref)",
            "[remote rejected] (incorrect old value provided)",
        ] {
            assert_eq!(read("!", moved), Some(Answer::Moved), "{moved}");
        }
        let refused = |why: &str| Some(Answer::Refused(why.to_owned()));
        let declined = "[remote rejected] (pre-receive hook declined)";
        assert_eq!(read("!", declined), refused("pre-receive hook declined"));
        let protected = "[remote rejected] (protected \u{1b}[31mbranch)";
        assert_eq!(read("!", protected), refused("protected [31mbranch"));
        for other in [
            "Done",
            "To /r.git",
            "*\taaa:refs/heads/other\t[new branch]",
            "?\tx",
        ] {
            assert_eq!(answer(other, BRANCH), None, "{other}");
        }
    }

    #[test]
    fn a_lock_that_is_not_made_is_no_branch_that_moved() {
        let words = |line: &str| held(&["Total 3".to_owned(), line.to_owned()]);
        let lock = "cannot lock ref 'refs/heads/main': Unable to create '/r.git/./refs/heads/main.lock': File exists";
        assert_eq!(words(&format!("remote: error: {lock}.")).as_deref(), Some(lock));
        let moved = "remote: error: cannot lock ref 'refs/heads/main': is at aaa but expected bbb";
        assert_eq!(words(moved), None);
    }

    #[test]
    fn what_a_git_left_long_ago_is_removed_and_nothing_else() {
        let (scratch, repo) = Scratch::with_repo();
        let packs = scratch.root().join(".git/objects/pack");
        let refs = scratch.root().join(".git/refs/mdmem/remote");
        std::fs::create_dir_all(&refs).unwrap();
        let now = packs.metadata().unwrap().modified().unwrap();
        let make = |path: std::path::PathBuf, is_old: bool| {
            let file = std::fs::File::create(path).unwrap();
            if is_old {
                file.set_modified(now - OLD * 2).unwrap();
            }
        };
        for (name, is_old) in [
            ("tmp_pack_a", true),
            ("tmp_idx_a", true),
            ("tmp_pack_b", false),
            ("pack-1.keep", true),
        ] {
            make(packs.join(name), is_old);
        }
        make(refs.join("origin.lock"), true);
        repo.drop_leftovers();
        let mut left: Vec<_> = packs
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["pack-1.keep", "tmp_pack_b"]);
        assert!(!refs.join("origin.lock").exists());
    }

    #[test]
    fn it_is_said_what_is_waited_for() {
        let (_scratch, repo) = Scratch::with_repo();
        let env = Env::fixed([("GIT_SSH_COMMAND", "/opt/my-ssh -v")], "/");
        for (address, partner) in [
            ("https://me@host.example:8443/a.git", "host.example:8443"),
            (
                "ssh://git@host.example:22/a.git",
                "`/opt/my-ssh` to host.example:22",
            ),
            ("git@host.example:a/b.git", "`/opt/my-ssh` to host.example"),
            ("/srv/git/a.git", "/srv/git/a.git"),
        ] {
            repo.set_remote(address, "main").unwrap();
            assert_eq!(repo.partner(&Network::background(&env)), partner);
        }
    }

    #[test]
    fn ssh_is_kept_from_asking_where_it_is_openssh() {
        let (scratch, repo) = Scratch::with_repo();
        let quiet = |vars: &[(&str, &str)]| {
            let env = Env::fixed(vars.iter().copied(), "/");
            let ssh = repo.quiet_ssh(&Network::background(&env));
            ssh.map(|ssh| {
                ssh.split(" -oBatchMode=yes")
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
        };
        let is = |ssh: &str| Some(ssh.to_owned());
        assert_eq!(quiet(&[]), is("ssh"));
        assert_eq!(
            quiet(&[("GIT_SSH_COMMAND", "/opt/bin/ssh -p 7")]),
            is("/opt/bin/ssh -p 7")
        );
        assert_eq!(quiet(&[("GIT_SSH_COMMAND", "plink -batch")]), None);
        assert_eq!(quiet(&[("GIT_SSH", "/home/me/my-ssh")]), None);
        assert_eq!(quiet(&[("GIT_SSH_VARIANT", "tortoiseplink")]), None);
        scratch.git(&["config", "core.sshCommand", "ssh -i key"]);
        assert_eq!(quiet(&[("GIT_SSH", "/home/me/my-ssh")]), is("ssh -i key"));
        assert_eq!(quiet(&[("GIT_SSH_COMMAND", "ssh -v")]), is("ssh -v"));
    }
}
