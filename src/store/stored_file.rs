//! One file of a store, read.

use crate::document::derived_id;
use crate::git::{Entry, Mode};
use crate::model::{Diagnostic, Id, Memory, Moment, Oid, Severity, StorePath, Timestamp, Zone};
use crate::policy::{self, Eligibility, Keys};
use crate::sys::FileStat;

use super::findings::{self, Finding};
use super::history::History;

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
    /// The id that it states and another file has, of which it is a copy.
    pub(super) copied_id: Option<Id>,
    pub(super) stat: FileStat,
    /// The times that the file itself states; the others follow the history.
    pub(super) stated: StatedTimes,
}

/// The times that a file states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatedTimes {
    pub(super) created: Moment,
    pub(super) updated: Moment,
}

impl StatedTimes {
    pub(super) const fn of(memory: &Memory) -> Self {
        Self {
            created: memory.created,
            updated: memory.updated,
        }
    }
}

impl StoredFile {
    /// The entry that the rules work on.
    pub const fn as_entry(&self) -> policy::Entry<'_> {
        policy::Entry {
            memory: &self.memory,
            keys: &self.keys,
            numbers: self.keys.numbers,
            eligibility: self.eligibility,
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
        let Some(known) = history.file(path) else {
            self.former = Vec::new();
            self.memory.created = self.stated.created.or(Moment::At(now));
            self.memory.updated = self.stated.updated.or(Moment::At(now));
            return;
        };
        self.former = known.former;
        self.memory.created = self.stated.created.or(Moment::At(known.created));
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
