//! From a file's bytes to what the store knows about it.

use std::path::Path;
use std::sync::Arc;

use crate::document;
use crate::model::{Diagnostic, StorePath};
use crate::policy::{self, Reason, zone};
use crate::sys::{self, FileStat, ScannedFile, SysError, shown_path};

use super::contents::{self, FileRole, MAX_FILE};
use super::findings::{self, redacted};
use super::load::Source;
use super::snapshot::OtherFile;
use super::stored_file::{StatedTimes, StoredFile};
use crate::document::derived_id;

/// The result of reading a file.
pub(super) enum Reading {
    Memory(Arc<StoredFile>),
    Other(OtherFile, Vec<Diagnostic>),
    /// Generated, hidden, or gone since the scan.
    Nothing,
}

/// Reads one file. Nothing about a file is an error here: what cannot be read is named and kept.
pub(super) fn read_file(source: &Source<'_>, file: &ScannedFile) -> Reading {
    let role = contents::role_in(&file.path, source.rules);
    if role == FileRole::Ignored {
        return Reading::Nothing;
    }
    let other = |blob, findings, stat| OtherFile {
        path: file.path.clone(),
        blob,
        findings,
        stat,
    };
    let bytes = match sys::read(source.root, &file.path, MAX_FILE) {
        Ok(read) => read,
        Err(error) if error.kind() == sys::FailureKind::Missing => return Reading::Nothing,
        Err(error) => {
            let problem = unread(&file.path, &error);
            return Reading::Other(other(None, Vec::new(), file.stat), vec![problem]);
        }
    };
    match role {
        FileRole::Memory(path) => {
            let file = from_bytes(source, &path, &bytes.bytes, bytes.stat);
            Reading::Memory(Arc::new(before_conflict(source, file)))
        }
        role => {
            let blob = Some(crate::git::hash_blob(&bytes.bytes));
            let found = findings::find(&file.path, &bytes.bytes, source.redactor, &source.allowed);
            let mut problems = findings::diagnostics(&file.path, &found);
            if let FileRole::Unnameable(error) = role {
                let message = format!("{error}, so it is kept, but not rendered");
                let mend = "Rename it, or move its folder out of the store.";
                problems.push(Diagnostic::error(
                    "bad-name",
                    shown_path(&file.path),
                    message,
                    mend,
                ));
            }
            Reading::Other(other(blob, found, bytes.stat), problems)
        }
    }
}

/// A memory from bytes, wherever they come from: the work tree or a commit.
pub(super) fn from_bytes(source: &Source<'_>, path: &StorePath, bytes: &[u8], stat: FileStat) -> StoredFile {
    let rules = source.rules;
    let blob = crate::git::hash_blob(bytes);
    let kind = contents::folder_kind(path, rules);
    let read = document::parse(path, bytes, kind.as_ref(), || derived_id(path.as_str(), blob));
    let file = Path::new(path.as_str());
    let mut findings = findings::find_in_bytes(file, bytes, source.redactor, &source.allowed);
    findings::find_in_memory(
        &read.memory,
        bytes,
        source.redactor,
        &source.allowed,
        &mut findings,
    );
    let is_hidden = findings::are_too_many(&findings) || findings::conflict(&findings).is_some();
    let memory = if is_hidden {
        findings::blank(read.memory)
    } else {
        redacted(read.memory, &findings, source.redactor)
    };
    let is_shown = !is_hidden && !findings::has_unfit_name(&findings);
    let mut diagnostics = findings::redacted_problems(read.diagnostics, &findings, source.redactor);
    diagnostics.extend(findings::diagnostics(file, &findings));
    let keys = policy::keys(&memory.kind, &memory.content);
    let zone = zone(path, rules);
    let is_readable = is_shown && read.readable != document::Readable::No;
    let eligibility = if is_readable {
        policy::eligibility(&memory, zone)
    } else {
        Err(Reason::Unreadable)
    };
    StoredFile {
        keys,
        zone,
        eligibility,
        blob,
        chars: read.chars,
        is_readable,
        diagnostics,
        findings,
        former: Vec::new(),
        copied_id: None,
        stat,
        stated: StatedTimes::of(&memory),
        memory,
    }
}

/// A file in which git left two versions says what HEAD's version says, until a person has put it right.
fn before_conflict(source: &Source<'_>, file: StoredFile) -> StoredFile {
    if findings::conflict(&file.findings).is_none() {
        return file;
    }
    let path = Path::new(file.memory.path.as_str());
    let committed = || {
        let head = source.repo.head().ok()?.tip()?;
        let entry = source.repo.entry_at(head, path).ok()??;
        source.repo.blob(entry.oid).ok()
    };
    let Some(bytes) = committed() else { return file };
    let before = from_bytes(source, &file.memory.path, &bytes, file.stat);
    StoredFile {
        blob: file.blob,
        diagnostics: file.diagnostics,
        findings: file.findings,
        ..before
    }
}

/// The codes of the problems of files that are neither read nor committed.
pub(super) const TOO_LARGE: &str = "too-large";
pub(super) const UNREADABLE: &str = "unreadable";
/// That of a folder which the scan passes over.
pub(super) const NESTED: &str = "nested-repository";

fn unread(path: &Path, error: &SysError) -> Diagnostic {
    let (code, mend) = if error.kind() == sys::FailureKind::TooLarge {
        (
            TOO_LARGE,
            "Move it out of the store, or name it in the store's .gitignore: it is neither read nor committed.",
        )
    } else {
        (UNREADABLE, "Make it readable for your user.")
    };
    Diagnostic::error(code, shown_path(path), error.to_string(), mend)
}

#[cfg(test)]
mod tests;
