//! An address that git may be given: no option, no command, no password.

use std::path::Path;

use super::GitError;
use super::remote_fault::shown_words;

/// The address as it is kept: a path of this machine is made a full one, below `folder`. An error where git must not be
/// given it.
pub fn remote_address(given: &str, folder: &Path) -> Result<String, GitError> {
    check_address(given)?;
    if !is_path(given) {
        return Ok(given.to_owned());
    }
    let path = folder.join(given);
    let path = path.canonicalize().unwrap_or(path);
    let path = path.to_str().ok_or_else(|| refused(given, "it is no UTF-8"))?;
    check_address(path)?;
    Ok(path.to_owned())
}

/// Git's own rule: the colon of `host:path` comes before any slash.
fn is_path(address: &str) -> bool {
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
        "a program would read it as an option"
    } else if after.starts_with("::") || matches!(scheme, "ext" | "fd") && after.starts_with("://") {
        "it names a command, not a place"
    } else if user.contains(':') {
        "it holds a password, which would lie in the settings in plain text"
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
mod tests {
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
