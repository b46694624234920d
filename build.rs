//! Names the commit that a release is built from: what `SOURCE_COMMIT` says, else what cargo noted in a package of its
//! own, else git. Nothing is named in the tree of an archive, nor in a build for development: there each commit would
//! compile the program anew.

#![expect(clippy::disallowed_methods, reason = "cargo asks by the environment")]

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=SOURCE_COMMIT");
    let named = var("SOURCE_COMMIT").ok().or_else(of_package);
    let is_release = || var("PROFILE").is_ok_and(|profile| profile == "release");
    let mut commit = named
        .or_else(|| is_release().then(of_repository)?)
        .unwrap_or_default();
    commit.retain(|sign| sign.is_ascii_alphanumeric());
    commit.truncate(10);
    let suffix = if commit.is_empty() {
        commit
    } else {
        format!(" ({commit})")
    };
    println!("cargo:rustc-env=MDMEM_BUILT_FROM={suffix}");
}

fn of_package() -> Option<String> {
    let noted = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = noted.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of the repository whose tree this is, and not of one that it only lies in.
fn of_repository() -> Option<String> {
    let args = ["rev-parse", "--show-toplevel", "--git-path", "logs/HEAD", "HEAD"];
    let output = Command::new("git").args(args).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let mut lines = said.lines();
    let (root, log, commit) = (lines.next()?, lines.next()?, lines.next()?);
    let here = var("CARGO_MANIFEST_DIR").ok()?;
    if Path::new(root).canonicalize().ok()? != Path::new(&here).canonicalize().ok()? {
        return None;
    }
    println!("cargo:rerun-if-changed={log}");
    Some(commit.to_owned())
}
