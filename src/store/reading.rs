//! From a file's bytes to what the store knows about it.
//!
//! One file of a store, read.

use std::path::Path;
use std::sync::Arc;

use super::contents::{FileRole, MAX_FILE};
use super::findings::{Finding, redacted};
use super::history::History;
use super::load::Source;
use super::snapshot::OtherFile;
use super::{contents, findings};
use crate::capture::is_planted;
use crate::document::derived_id;
use crate::git::{Entry, Mode};
use crate::model::{Diagnostic, Id, Memory, Moment, Oid, Severity, StorePath, Timestamp, Zone};
use crate::policy::{Eligibility, Keys, Reason, zone};
use crate::search::{Prints, prints_of};
use crate::sys::{FileStat, ScannedFile, SysError, shown_path};
use crate::{document, model, policy, sys};

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
                let message = format!("{error}, so it is not shown in the prompt");
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
    let keys = policy::keys_of(&memory);
    let zone = zone(path, rules);
    let is_readable = is_shown && read.readable != document::Readable::No;
    let eligibility = if is_readable {
        eligibility(&memory, zone)
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
        stated: Stated::of(&memory),
        prints: prints_of(&memory),
        follows_now: true,
        memory,
    }
}

/// The eligibility of a memory that can be read. What Claude Code saves by itself passes no other door.
pub(super) fn eligibility(memory: &Memory, zone: Zone) -> Eligibility {
    let is_own = memory.path.first_folder() == Some(model::CLAUDE_FOLDER);
    if is_own && is_planted(&memory.shown(&memory.content.as_body())) {
        return Err(Reason::Planted);
    }
    policy::eligibility(memory, zone)
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
            "Move it out of the store, or add it to the store's .gitignore: it is neither read nor \
             committed.",
        )
    } else {
        (UNREADABLE, "Make it readable for your user.")
    };
    let message = error.to_string();
    // The line begins with the path.
    let message = message
        .split_once(" is too large: ")
        .map_or(&*message, |(_, size)| size);
    Diagnostic::error(code, shown_path(path), message, mend)
}

/// A memory with everything that is known about its file.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// The memory; times and id that the file does not state are filled in from history.
    pub memory: Memory,
    /// The keys that make it one with another.
    pub keys: Keys,
    /// The zone of its folder.
    pub zone: Zone,
    /// The zone in which a prompt may show it, or the reason why none does.
    pub eligibility: Eligibility,
    /// The blob that the file's bytes make, committed or not.
    pub blob: Oid,
    /// The length of its body in characters.
    pub chars: usize,
    /// The diagnostics for a person.
    pub diagnostics: Vec<Diagnostic>,
    /// True when the file can be read as a memory; `false`: kept, committed, not rendered.
    pub is_readable: bool,
    /// The parts that look like a credential. The memory above shows it redacted, as far as nobody allowed it.
    pub findings: Vec<Finding>,
    /// The last paths that it had before this one, the oldest first.
    pub former: Vec<String>,
    /// What tells which words a search may find in it.
    pub prints: Prints,
    /// The id that it states and another file has, of which it is a copy.
    pub(super) copied_id: Option<Id>,
    pub(super) stat: FileStat,
    /// What the file itself states; the rest follows the history.
    pub(super) stated: Stated,
    /// True while history has not told its times: they are those of the load.
    pub(super) follows_now: bool,
}

/// The times and the origin that a file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) created: Moment,
    pub(super) updated: Moment,
    pub(super) source: model::Source,
}

impl Stated {
    pub(super) const fn of(memory: &Memory) -> Self {
        Self {
            created: memory.created,
            updated: memory.updated,
            source: memory.source,
        }
    }

    /// The memory as its file alone states it.
    pub(super) fn put_into(self, mut memory: Memory) -> Memory {
        (memory.created, memory.updated, memory.source) = (self.created, self.updated, self.source);
        memory
    }
}

impl StoredFile {
    /// Its path, as a walk compares it.
    pub(super) fn path_bytes(&self) -> &[u8] {
        self.memory.path.as_str().as_bytes()
    }

    /// The entry that the rules work on.
    pub const fn as_entry(&self) -> policy::Entry<'_> {
        policy::Entry {
            memory: &self.memory,
            keys: &self.keys,
            numbers: self.keys.numbers,
            eligibility: self.eligibility,
            gone: &[],
        }
    }

    /// Says whether the file states this id, also as a copy of the file that has it.
    pub fn states_id(&self, id: &Id) -> bool {
        let stated = self.copied_id.as_ref().unwrap_or(&self.memory.id);
        self.memory.id_stated && stated == id
    }

    /// Says whether the file needs a person's attention.
    pub(super) fn needs_attention(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|told| told.severity >= Severity::Warning)
    }

    /// Says whether git left two versions in the file.
    pub fn has_conflict(&self) -> bool {
        findings::conflict(&self.findings).is_some()
    }

    /// The fault that keeps the file, or its frontmatter, from being read.
    pub fn unread(&self) -> Option<&Diagnostic> {
        let mut faults = self.diagnostics.iter();
        faults.find(|fault| ["yaml-syntax", "not-closed", "not-utf8"].contains(&fault.code))
    }

    /// `created` and `updated` as the file states them.
    pub const fn stated_times(&self) -> (Moment, Moment) {
        (self.stated.created, self.stated.updated)
    }

    /// Blob and mode, as git has or would have them.
    pub fn entry(&self) -> Entry {
        Entry {
            oid: self.blob,
            mode: mode(&self.stat),
        }
    }

    /// Fills in what the file does not state: from its history, or, for a file that was never committed, from what it
    /// is now. `text_changed` says whether the words differ from those that HEAD has.
    pub(super) fn fill(
        &mut self,
        history: &History,
        now: Timestamp,
        text_changed: impl FnOnce(&StorePath, Oid, Oid) -> bool,
    ) {
        let path = self.memory.path.as_str();
        let head = history.head_blob(path);
        if !self.memory.id_stated {
            self.memory.id = derived_id(path, head.unwrap_or(self.blob));
        }
        self.memory.source = self.stated.source;
        self.follows_now = true;
        let Some(known) = history.file(path) else {
            self.former = Vec::new();
            self.memory.created = self.stated.created.or(Moment::At(now));
            self.memory.updated = self.stated.updated.or(Moment::At(now));
            return;
        };
        self.former = known.former;
        // What a person has edited is their word, whoever wrote it first; the file is not written for it.
        let is_agents = self.memory.path.first_folder() == Some(model::CLAUDE_FOLDER);
        if known.is_by_hand && !is_agents && !self.memory.source.is_persons() {
            self.memory.source = model::Source::Manual;
        }
        self.memory.created = self.stated.created.or(Moment::At(known.created));
        self.follows_now = head != Some(self.blob);
        if self.stated.updated == Moment::Unset {
            let edited =
                head.is_none_or(|head| head != self.blob && text_changed(&self.memory.path, head, self.blob));
            self.memory.updated = Moment::At(if edited { now } else { known.updated });
        }
    }
}

/// The mode that git gives a file.
pub(super) const fn mode(stat: &FileStat) -> Mode {
    if stat.mode & 0o100 == 0 {
        Mode::Plain
    } else {
        Mode::Executable
    }
}

#[cfg(test)]
mod tests;
