//! From a file's bytes to what the store knows about it.

use std::path::Path;

use crate::document;
use crate::model::{Diagnostic, Severity, StorePath};
use crate::policy::{self, Rules, zone};
use crate::sys::{self, FileStat, ScannedFile, SysError, shown_path};

use super::contents::{self, FileRole, MAX_FILE};
use super::derived::derived_id;
use super::snapshot::OtherFile;
use super::stored_file::{StatedTimes, StoredFile};

/// What a file turned out to be.
pub(super) enum Reading {
    Memory(Box<StoredFile>),
    Other(OtherFile, Option<Diagnostic>),
    /// Generated, hidden, or gone since the scan.
    Nothing,
}

/// Reads one file. Nothing about a file is an error here: what cannot be read is named and kept.
pub(super) fn read_file(root: &Path, file: &ScannedFile, rules: &Rules) -> Reading {
    let role = contents::role(&file.path);
    if role == FileRole::Ignored {
        return Reading::Nothing;
    }
    let bytes = match sys::read(root, &file.path, MAX_FILE) {
        Ok(read) => read,
        Err(error) if error.kind() == sys::FailureKind::Missing => return Reading::Nothing,
        Err(error) => {
            let other = OtherFile {
                path: file.path.clone(),
                blob: None,
                stat: file.stat,
            };
            return Reading::Other(other, Some(unread(&file.path, &error)));
        }
    };
    match role {
        FileRole::Memory(path) => {
            Reading::Memory(Box::new(from_bytes(&path, &bytes.bytes, bytes.stat, rules)))
        }
        role => {
            let blob = Some(crate::git::hash_blob(&bytes.bytes));
            let other = OtherFile {
                path: file.path.clone(),
                blob,
                stat: bytes.stat,
            };
            let problem = match role {
                FileRole::Unnameable(error) => Some(unnameable(&file.path, &error.to_string())),
                _ => None,
            };
            Reading::Other(other, problem)
        }
    }
}

/// A memory from bytes, wherever they come from: the work tree or a commit.
pub(super) fn from_bytes(path: &StorePath, bytes: &[u8], stat: FileStat, rules: &Rules) -> StoredFile {
    let blob = crate::git::hash_blob(bytes);
    let kind = contents::folder_kind(path, rules);
    let read = document::parse(path, bytes, kind.as_ref(), || derived_id(path.as_str(), blob));
    let keys = policy::keys(&read.memory.kind, &read.memory.content);
    StoredFile {
        keys,
        zone: zone(path, rules),
        blob,
        chars: read.chars,
        is_readable: read.readable != document::Readable::No,
        diagnostics: read.diagnostics,
        stat,
        stated: StatedTimes::of(&read.memory),
        memory: read.memory,
    }
}

fn unread(path: &Path, error: &SysError) -> Diagnostic {
    let (code, mend) = if error.kind() == sys::FailureKind::TooLarge {
        (
            "too-large",
            "Move it out of the store, or name it in the store's .gitignore: it is neither read nor committed.",
        )
    } else {
        ("unreadable", "Make it readable for your user.")
    };
    Diagnostic {
        severity: Severity::Error,
        code,
        path: shown_path(path),
        line: None,
        column: None,
        message: error.to_string(),
        mend: Some(mend.to_owned()),
    }
}

fn unnameable(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "bad-name",
        path: shown_path(path),
        line: None,
        column: None,
        message: format!("{reason}, so it is kept and committed, but not rendered"),
        mend: Some("Rename the file.".to_owned()),
    }
}
