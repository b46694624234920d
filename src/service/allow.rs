//! Use case: commit files that are held back, for a suspected secret or because git ignores them (`mdmem allow`), and
//! take the allowance of a secret back.

use std::path::Path;

use serde::Serialize;

use crate::policy::ForcedBy;
use crate::store::{Allowance, Allowed, CommitOutcome, Description, Finding, Store, Writer};

use super::ServiceError;
use super::change::{Changed, Done, changing};
use super::remove::named_paths;
use super::select_memory::{NameError, Reach};

/// The allowances of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AllowedFile {
    /// Its path below the store.
    pub path: String,
    /// The findings that were allowed now; empty where there was nothing left to allow.
    #[serde(rename = "allowed")]
    pub findings: Vec<Finding>,
    /// True where the history did not have it, and nothing in it was held back: git ignored it.
    #[serde(rename = "tracked")]
    pub is_newly_tracked: bool,
}

/// The number of allowances that were taken back in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevokedFile {
    /// Its path below the store.
    pub path: String,
    /// The number.
    pub revoked: usize,
}

/// Files in the order in which they were named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Files<T> {
    /// The files.
    pub files: Vec<T>,
}

/// Commits these files, with what looks like a credential in them, and although git ignores them. Another credential that
/// comes later into one of them is held again; a file that git ignored is tracked from then on.
pub fn allow(store: &Store, names: &[String]) -> Result<Done<Files<AllowedFile>>, ServiceError> {
    let ((files, outcome), aftermath) = changing(store, "mdmem allow", |writer| {
        let head = store.repo().head()?.tip();
        let mut files = Vec::with_capacity(names.len());
        for path in named_files(writer, names)? {
            let findings = writer.allow(&path)?;
            let is_tracked = match head {
                Some(head) => store.repo().entry_at(head, Path::new(&path))?.is_some(),
                None => false,
            };
            files.push(AllowedFile {
                is_newly_tracked: !is_tracked && findings.is_empty(),
                path,
                findings,
            });
        }
        let newly = files
            .iter()
            .filter(|file| file.is_newly_tracked || !file.findings.is_empty());
        let newly: Vec<&str> = newly.map(|file| file.path.as_str()).collect();
        let outcome = if newly.is_empty() {
            CommitOutcome::Nothing
        } else {
            writer.track(&newly, &Description::saves())?
        };
        Ok((files, outcome))
    })?;
    Ok(Done::real(Files { files }, Changed { outcome, aftermath }))
}

/// Takes back what was allowed in these files. Committed text stays in history; from now on it is shown redacted, in
/// every session.
pub fn revoke(store: &Store, names: &[String]) -> Result<Done<Files<RevokedFile>>, ServiceError> {
    let (files, aftermath) = changing(store, "mdmem allow --revoke", |writer| {
        let allowed = Allowed::read(store.root());
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            // The file may be gone, and what was allowed in it not.
            let is_listed = allowed.entries().any(|entry| entry.path == *name);
            let path = if is_listed {
                name.clone()
            } else {
                named_files(writer, std::slice::from_ref(name))?.remove(0)
            };
            let revoked = writer.revoke(&path)?;
            files.push(RevokedFile { path, revoked });
        }
        Ok(files)
    })?;
    if files.iter().any(|file| file.revoked > 0) {
        store.force_epochs(ForcedBy::Redaction)?;
    }
    let outcome = CommitOutcome::Nothing;
    Ok(Done::real(Files { files }, Changed { outcome, aftermath }))
}

/// Everything that was allowed in a store, by path.
pub fn allowances(store: &Store) -> Vec<Allowance> {
    Allowed::read(store.root()).entries().cloned().collect()
}

/// The files that names mean: memories by any of their names, other files by their paths.
pub(super) fn named_files(writer: &Writer<'_>, names: &[String]) -> Result<Vec<String>, ServiceError> {
    let store = writer.store();
    let mut paths: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let plain = Path::new(name.trim_start_matches("./"));
        let plain = plain.strip_prefix(store.root()).unwrap_or(plain);
        let is_other = |file: &crate::store::OtherFile| file.path == plain;
        let path = match plain.to_str() {
            Some(path) if writer.snapshot().others.iter().any(is_other) => path.to_owned(),
            _ => match named_paths(writer.snapshot(), std::slice::from_ref(name), store, Reach::Whole) {
                Err(ServiceError::Name(NameError::Unknown { .. })) => {
                    return Err(ServiceError::said(
                        format!("`{name}` is not a memory or a file of this store"),
                        "`mdmem status` names the files that are held back.",
                    ));
                }
                paths => paths?.remove(0).to_string(),
            },
        };
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}
