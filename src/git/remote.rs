//! The remote of a repository, one that is called `origin`, and the words in which the network is asked for.
//!
//! An address that git may be given: no option, no command, no password.

use std::path::Path;

use super::objects::from_git2;
use super::remote_fault::shown_words;
use super::{GitError, Head, Repo};
use crate::model::Oid;
use crate::sys::Env;

/// The ref that holds the head of the remote's branch, as it was fetched or pushed last.
pub const ORIGIN_REF: &str = "refs/mdmem/remote/origin";

/// The ref that holds the head of the remote's branch that was merged or pushed last.
pub const SEEN_REF: &str = "refs/mdmem/seen/origin";

const URL: &str = "remote.origin.url";

/// Says whether a person is there who can answer git's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompts {
    /// Git and ssh may ask on the terminal.
    Allowed,
    /// Nobody is asked for anything: what would need an answer fails.
    Off,
}

/// The way in which git may use the network.
#[derive(Clone, Copy)]
pub struct Network<'a> {
    /// The environment, which may name the person's own ssh.
    pub env: &'a Env,
    /// Says whether a person is there.
    pub prompts: Prompts,
    /// Is told how far a long transfer is, in git's words.
    pub progress: Option<&'a dyn Fn(&str)>,
    /// Is told what is waited for, and since when.
    pub waiting: Option<&'a dyn Fn(&str)>,
    /// Is asked some times a second; when it says yes, git is ended.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> Network<'a> {
    /// Without a person, without a word, to its end.
    pub const fn background(env: &'a Env) -> Self {
        Self {
            env,
            prompts: Prompts::Off,
            progress: None,
            waiting: None,
            is_stopped: &|| false,
        }
    }
}

/// A branch of the remote is to move on: no commit of it is thrown away.
#[derive(Debug, Clone, Copy)]
pub struct Push<'a> {
    /// The commit that the branch gets.
    pub new: Oid,
    /// The branch of the remote, without `refs/heads/`.
    pub branch: &'a str,
    /// The commit that the branch has, as the caller knows it; `None` where it has no such branch.
    pub expected: Option<Oid>,
}

/// The remote's answer to a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The branch moved.
    Accepted,
    /// The branch had this head before.
    UpToDate,
    /// The branch is not what was expected: somebody else pushed. Fetch, and try again.
    Moved,
    /// The remote could not lock the branch, in its words: another git is at work there, or left its lock when it was
    /// killed. Fetch, and try again.
    Held(String),
    /// A hook or a rule of the remote refused, in its words, without control characters.
    Refused(String),
}

impl Repo {
    /// The address of `origin`, as the settings have it.
    pub fn remote_url(&self) -> Result<Option<String>, GitError> {
        match self.git.config().and_then(|config| config.get_string(URL)) {
            Ok(url) => Ok(Some(url).filter(|url| !url.is_empty())),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(self.failed("read the remote", &error)),
        }
    }

    /// The branch here that is exchanged, without `refs/heads/`: the first of the settings that follows `origin` and is
    /// there. Others that follow it came later; they are a person's own.
    pub fn exchanged_branch(&self) -> Result<Option<String>, GitError> {
        let failed = |e: git2::Error| self.failed("read the remote", &e);
        let of_head = match self.head()? {
            Head::Unborn { branch } | Head::Branch { branch, .. } => Some(branch),
            Head::Detached { .. } => None,
        };
        let is_there = |branch: &str| {
            let full = format!("refs/heads/{branch}");
            of_head.as_ref() == Some(&full) || self.git.find_reference(&full).is_ok()
        };
        let config = self.own_settings()?;
        let entries = config.entries(Some(r"^branch\..*\.remote$")).map_err(failed)?;
        let mut found = None;
        let listed = entries.for_each(|entry| {
            let key = entry.name().ok().filter(|_| entry.value().ok() == Some("origin"));
            let branch = key.and_then(|key| key.strip_prefix("branch.")?.strip_suffix(".remote"));
            if let Some(branch) = branch.filter(|branch| found.is_none() && is_there(branch)) {
                found = Some(branch.to_owned());
            }
        });
        listed.map_err(failed)?;
        Ok(found)
    }

    /// The branch of the remote that [`Self::exchanged_branch`] follows, without `refs/heads/`; `None` where nobody set
    /// one.
    pub fn remote_branch(&self) -> Option<String> {
        let key = format!("branch.{}.merge", self.exchanged_branch().ok()??);
        let merge = self
            .git
            .config()
            .and_then(|config| config.get_string(&key))
            .ok()?;
        merge.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// Makes this address, which has to be a full path or an URL, the one of `origin`, so that a person's own
    /// `git fetch` and `git pull` work too: the branch of HEAD follows `branch` there.
    pub fn set_remote(&self, url: &str, branch: &str) -> Result<(), GitError> {
        check_address(url)?;
        let theirs = branch_ref(branch)?;
        let is_another = self.remote_url()?.as_deref() != Some(url);
        if is_another {
            self.remove_remote()?;
        }
        let local = match self.head()? {
            Head::Unborn { branch } | Head::Branch { branch, .. } => branch,
            Head::Detached { .. } => String::new(),
        };
        let mut settings = vec![
            (URL.to_owned(), url.to_owned()),
            (
                "remote.origin.fetch".to_owned(),
                "+refs/heads/*:refs/remotes/origin/*".to_owned(),
            ),
        ];
        if let Some(local) = local.strip_prefix("refs/heads/") {
            settings.push((format!("branch.{local}.remote"), "origin".to_owned()));
            settings.push((format!("branch.{local}.merge"), theirs));
        }
        let failed = |e: git2::Error| self.failed("write the remote", &e);
        let mut config = self.own_settings()?;
        for (key, value) in settings {
            // Whatever number of values it had.
            config.set_multivar(&key, ".*", &value).map_err(failed)?;
        }
        Ok(())
    }

    /// Takes `origin` out of the settings, with what is known of it. Nothing happens where there is no remote.
    pub fn remove_remote(&self) -> Result<(), GitError> {
        for name in [ORIGIN_REF, SEEN_REF] {
            if self.own_ref(name)?.is_some() {
                self.set_own_ref(name, None)?;
            }
        }
        let failed = |e: git2::Error| self.failed("remove the remote", &e);
        let tracking = self
            .git
            .references_glob("refs/remotes/origin/*")
            .map_err(failed)?;
        for reference in tracking {
            reference
                .and_then(|mut reference| reference.delete())
                .map_err(failed)?;
        }
        let mut config = self.own_settings()?;
        let mut keys = Vec::new();
        let found = config.entries(Some(r"^(remote\.origin\.|branch\..*\.remote$)"));
        let listed = found.and_then(|entries| {
            entries.for_each(|entry| match (entry.name(), entry.value()) {
                (Ok(key), Ok("origin")) if key.starts_with("branch.") => {
                    keys.push(format!("{}.merge", key.trim_end_matches(".remote")));
                    keys.push(key.to_owned());
                }
                (Ok(key), _) if key.starts_with("remote.") => keys.push(key.to_owned()),
                _ => {}
            })
        });
        listed.map_err(failed)?;
        for key in keys {
            match config.remove_multivar(&key, ".*") {
                Err(error) if error.code() != git2::ErrorCode::NotFound => return Err(failed(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The settings in `.git/config` alone, as they are at this moment.
    fn own_settings(&self) -> Result<git2::Config, GitError> {
        git2::Config::open(&self.git_dir.join("config")).map_err(|e| self.failed("read the remote", &e))
    }

    /// The commit that a ref of our own names.
    pub fn own_ref(&self, name: &str) -> Result<Option<Oid>, GitError> {
        match self.git.refname_to_id(name) {
            Ok(oid) => Ok(Some(from_git2(oid))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(self.damaged(name, error.message())),
        }
    }
}

/// The full name of a branch, which no program can read as an option.
pub(super) fn branch_ref(branch: &str) -> Result<String, GitError> {
    let name = format!("refs/heads/{branch}");
    if branch.starts_with('-') || branch == "HEAD" || !git2::Reference::is_valid_name(&name) {
        return Err(GitError::BranchName(shown_words(branch)));
    }
    Ok(name)
}

/// The address as it is kept: a path of this machine is made a full one, below `folder`. An error where git must not be
/// given it.
pub fn remote_address(given: &str, folder: &Path) -> Result<String, GitError> {
    check_address(given)?;
    if !is_path(given) {
        return Ok(given.to_owned());
    }
    let path = folder.join(given);
    let path = path.canonicalize().unwrap_or(path);
    let path = path.to_str().ok_or_else(|| refused(given, "it is not UTF-8"))?;
    check_address(path)?;
    Ok(path.to_owned())
}

/// Git's own rule: the colon of `host:path` comes before any slash.
pub(super) fn is_path(address: &str) -> bool {
    !address.contains("://") && !address.split('/').next().is_some_and(|first| first.contains(':'))
}

pub(super) fn check_address(address: &str) -> Result<(), GitError> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = address.split(|c| !is_name(c)).next().unwrap_or_default();
    let after = &address[scheme.len()..];
    let authority = match after.strip_prefix("://") {
        Some(rest) => rest.split('/').next().unwrap_or_default(),
        None if is_path(address) => "",
        None => address.split('/').next().unwrap_or_default(),
    };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let why = if address.trim().is_empty() {
        "it is empty"
    } else if address.chars().any(char::is_control) {
        "it holds control characters"
    } else if address.starts_with('-') || user.starts_with('-') || host.starts_with('-') {
        "it starts like an option"
    } else if after.starts_with("::") || matches!(scheme, "ext" | "fd") && after.starts_with("://") {
        "it is a command, not an address"
    } else if matches!(scheme, "ftp" | "ftps") && after.starts_with("://") {
        "git cannot push over FTP"
    } else if user.contains(':') {
        "it contains a password, which would be stored in plain text"
    } else {
        return Ok(());
    };
    // Not even a person's own password is shown.
    let shown = address.replacen(&format!("{user}@"), "", usize::from(!user.is_empty()));
    Err(refused(&shown, why))
}

fn refused(address: &str, why: &'static str) -> GitError {
    let shown = shown_words(address);
    GitError::Address { shown, why }
}

#[cfg(test)]
mod remote_address_tests {
    use super::*;

    #[test]
    fn git_is_given_no_option_no_command_and_no_password() {
        for address in [
            "",
            " ",
            "-oProxyCommand=touch x",
            "--upload-pack=touch x",
            "ssh://-oProxyCommand=x/y",
            "ssh://git@-oProxyCommand=x/y",
            "ssh://-oProxyCommand=x@host/y",
            "-host:path",
            "git@-host:path",
            "ext::sh -c touch% x",
            "fd::17",
            "fd://17",
            "ext://sh",
            "gcrypt::https://host.example/a",
            "https://host.example/a\nb",
            "https://host.example/\u{1b}[2J",
            "https://me:word@host.example/a.git",
            "https://:word@host.example/a.git",
            "https://me:w@rd@host.example/a.git",
            "me:word@host.example:a.git",
        ] {
            let error = check_address(address).unwrap_err();
            let shown = error.to_string() + &error.hint().unwrap_or_default();
            assert!(!shown.contains("word@"), "{shown}");
            assert!(!shown.contains(|c: char| c.is_control()), "{shown:?}");
            assert!(error.hint().is_some(), "{shown}");
        }
    }

    #[test]
    fn every_place_that_git_knows_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("r.git")).unwrap();
        for address in [
            "https://host.example:8443/a/b.git",
            "https://me@host.example/a.git",
            "ssh://git@host.example:2222/~/a.git",
            "ssh://[::1]:22/a",
            "git@host.example:a/b.git",
            "host:a::b",
            "git://host.example/a",
            "file:///srv/git/a.git",
            "/srv/git/me:you@host/a.git",
            "/srv/a::b",
        ] {
            assert_eq!(remote_address(address, &folder).unwrap(), address);
        }
        let full = format!("{}/r.git", folder.display());
        for relative in ["r.git", "./r.git", "r.git/../r.git"] {
            assert_eq!(remote_address(relative, &folder).unwrap(), full);
        }
        let missing = format!("{}/none", folder.display());
        assert_eq!(remote_address("none", &folder).unwrap(), missing);
    }
}
