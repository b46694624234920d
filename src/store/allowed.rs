//! `.mdmem/allowed`: what looks like a credential and is none, as a person said (`mdmem allow`). By path and by the
//! SHA-256 of what was found; the thing itself is in the file alone. Local: another machine asks its own people.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::StorePath;
use crate::sys::{self, SysError};

use super::contents::LOCAL;
use super::findings::find;
use super::{Finding, StoreError, Writer};

const FILE: &str = "allowed";
/// Many thousands of allowances.
const MOST_READ: u64 = 16 << 20;

/// One thing that a person allowed: a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Allowance {
    /// The file, below the store.
    pub path: String,
    /// The SHA-256 of it.
    #[serde(rename = "sha256")]
    pub digest: String,
    /// The kind of credential that it looks like.
    pub kind: String,
}

/// The findings that were allowed in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowed {
    entries: BTreeSet<Allowance>,
}

impl Allowed {
    /// Reads it; a line that cannot be read allows nothing, and neither does what is no file.
    pub fn read(root: &Path) -> Self {
        let read = sys::read(root, Path::new(LOCAL).join(FILE), MOST_READ);
        let bytes = read.map(|read| read.bytes).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let allowances = text.lines().map(serde_json::from_str);
        Self {
            entries: allowances.filter_map(Result::ok).collect(),
        }
    }

    /// Everything, by path.
    pub fn entries(&self) -> impl Iterator<Item = &Allowance> {
        self.entries.iter()
    }

    /// Says whether this was allowed in this file.
    pub(super) fn contains(&self, path: &Path, digest: &str) -> bool {
        let Some(path) = path.to_str().filter(|_| !self.entries.is_empty()) else {
            return false;
        };
        let first = Allowance {
            path: path.to_owned(),
            digest: digest.to_owned(),
            kind: String::new(),
        };
        let next = self.entries.range(first..).next();
        next.is_some_and(|entry| entry.path == path && entry.digest == digest)
    }

    /// The files in which something is allowed by only one of the two.
    pub(super) fn files_that_differ(&self, other: &Self) -> BTreeSet<PathBuf> {
        self.entries
            .symmetric_difference(&other.entries)
            .map(|entry| PathBuf::from(&entry.path))
            .collect()
    }

    /// Allows one thing more; whether it was not allowed before.
    pub(super) fn insert(&mut self, allowance: Allowance) -> bool {
        self.entries.insert(allowance)
    }

    /// Allows nothing any more in a file; how many things were allowed in it.
    pub(super) fn forget(&mut self, path: &str) -> usize {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.path != path);
        before - self.entries.len()
    }

    /// Writes it.
    pub(super) fn write(&self, root: &Path) -> Result<(), SysError> {
        let line = |entry: &Allowance| {
            serde_json::to_string(entry).expect("because an allowance is three strings") + "\n"
        };
        let text: String = self.entries.iter().map(line).collect();
        sys::write_durable(&file(root), text.as_bytes()).map(drop)
    }
}

impl Writer<'_> {
    /// Allows what looks like a credential in a file; what was not allowed before.
    pub fn allow(&mut self, path: &str) -> Result<Vec<Finding>, StoreError> {
        let findings = self.snapshot().findings(Path::new(path)).iter();
        let open: Vec<Finding> = findings.filter(|finding| !finding.is_allowed).cloned().collect();
        let mut allowed = self.loaded.allowed.clone();
        for finding in &open {
            allowed.insert(finding.allowance(path));
        }
        self.change_allowed(allowed)?;
        Ok(open)
    }

    /// Allows what looks like a credential in files that are about to be written, and in their names.
    pub fn allow_in(&mut self, files: &[(StorePath, Vec<u8>)]) -> Result<(), StoreError> {
        let mut allowed = self.loaded.allowed.clone();
        for (path, bytes) in files {
            let findings = find(path.as_ref(), bytes, self.store.redactor(), &allowed).into_iter();
            for finding in findings.filter(Finding::is_secret) {
                allowed.insert(finding.allowance(path.as_str()));
            }
        }
        self.change_allowed(allowed)
    }

    /// Allows nothing any more in a file; how many things were allowed in it.
    pub fn revoke(&mut self, path: &str) -> Result<usize, StoreError> {
        let mut allowed = self.loaded.allowed.clone();
        let forgotten = allowed.forget(path);
        self.change_allowed(allowed)?;
        Ok(forgotten)
    }

    /// Carries the allowances of a file that is renamed, or will be, to its new path. They stay under the old one as well, for the day
    /// on which somebody takes the renaming back.
    pub fn carry_allowances(&mut self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let Some(path) = to.to_str() else {
            return Ok(());
        };
        let mut allowed = self.loaded.allowed.clone();
        for finding in self
            .snapshot()
            .findings(from)
            .iter()
            .chain(self.snapshot().findings(to))
        {
            if allowed.contains(from, &finding.digest) {
                allowed.insert(finding.allowance(path));
            }
        }
        self.change_allowed(allowed)
    }

    fn change_allowed(&mut self, allowed: Allowed) -> Result<(), StoreError> {
        if allowed != self.loaded.allowed {
            allowed.write(self.store.root())?;
        }
        self.take_allowed(allowed)
    }

    fn take_allowed(&mut self, allowed: Allowed) -> Result<(), StoreError> {
        let files = self.loaded.allowed.files_that_differ(&allowed);
        if files.is_empty() {
            return Ok(());
        }
        self.loaded.allowed = allowed;
        self.reload(files)
    }

    /// Reads the files again in which another process allowed something since.
    pub(super) fn follow_allowed(&mut self) -> Result<(), StoreError> {
        self.take_allowed(Allowed::read(self.store.root()))
    }
}

fn file(root: &Path) -> PathBuf {
    root.join(LOCAL).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{repeated, takes_its_length};

    #[test]
    fn what_is_no_file_allows_nothing_and_is_not_waited_for() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(LOCAL)).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(file(temp.path()))
            .status();
        assert!(made.unwrap().success());
        assert_eq!(Allowed::read(temp.path()), Allowed::default());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(LOCAL)).unwrap();
        let allowance = Allowance {
            path: "decision/a \"b\"\n.md".to_owned(),
            kind: "password".to_owned(),
            digest: "00".repeat(32),
        };
        let mut allowed = Allowed::read(temp.path());
        assert_eq!(allowed, Allowed::default());
        assert!(allowed.insert(allowance.clone()) && !allowed.insert(allowance.clone()));
        allowed.write(temp.path()).unwrap();
        assert_eq!(Allowed::read(temp.path()), allowed);
        assert!(allowed.contains(Path::new(&allowance.path), &allowance.digest));
        assert!(!allowed.contains(Path::new("decision/b.md"), &allowance.digest));
        assert_eq!(
            (allowed.forget(&allowance.path), allowed.forget(&allowance.path)),
            (1, 0)
        );
    }

    #[test]
    fn a_hostile_list_takes_its_length() {
        let store = tempfile::tempdir().unwrap();
        std::fs::create_dir(store.path().join(LOCAL)).unwrap();
        for piece in [
            "{\"path\":\"a.md\",\"sha256\":\"#\",\"kind\":\"password\"}\n",
            "{\"path\":\"#.md\",\"sha256\":\"x\",\"kind\":\"password\"}\n",
            "{\"path\":\"a.md\",\"sha256\":\"x\",\"kind\":\"#\"}\n",
            "{\"path\":",
            "\n",
            "\0",
            "[",
        ] {
            let list = |bytes: usize| {
                sys::write_atomic(&file(store.path()), repeated(piece, bytes).as_bytes())
                    .map(drop)
                    .unwrap();
            };
            takes_its_length(piece, list, |()| {
                let mut allowed = Allowed::read(store.path());
                assert!(!allowed.contains(Path::new("b.md"), "x"));
                allowed.forget("a.md");
                allowed.write(store.path()).unwrap();
            });
        }
    }
}
