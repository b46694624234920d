//! What the readers make of a source: entries, each a memory or a file, of which nothing is decided and nothing redacted
//! yet; and what the report says of each.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value as Json;

use crate::document::{Key, NewMemory, Value, fresh, keys_of};
use crate::model::Content;
use crate::policy::{Rules, initial_strength};
use crate::service::ServiceError;
use crate::text::{Redactor, one_line};

/// The place of an entry that is a whole file.
pub(super) const WHOLE: &str = "file";

/// One thing that another tool remembered.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Entry {
    /// What the report says of it: so far where it stands, and why it is no memory.
    pub(super) told: ImportedItem,
    /// The id by which its tool knows it.
    pub(super) id: Option<String>,
    /// The path that it asks for. A folder (with `/` at its end) names it by its words; where it asks for nothing, the
    /// folder of its type does.
    pub(super) path: String,
    /// The keys that it gets where it does not state them itself.
    pub(super) keys: Vec<(Key, Value)>,
    /// Keys that take the place of what it states: times without an offset, as they are in the person's zone.
    pub(super) restated: Vec<(Key, Value)>,
    /// The text of its file; `None` where it is no memory.
    pub(super) bytes: Option<Vec<u8>>,
    /// The files of the workspace that it holds for, as patterns; none for all of them.
    pub(super) paths: Vec<String>,
    /// How its statements become facts, where they may.
    pub(super) parts: Option<Parts>,
    /// It comes in also where a memory says the same: a render hides the weaker.
    pub(super) stands_alone: bool,
    /// A file of an export of mdmem's: every byte stays.
    pub(super) is_export: bool,
}

/// The statements of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Parts {
    /// The thing that they are about, where their heading does not tell.
    pub(super) subject: Option<String>,
    /// The tags of each.
    pub(super) tags: Vec<String>,
    /// Only `- [category] text` is one.
    pub(super) only_observations: bool,
}

impl Entry {
    /// A memory that stands in no file of its own.
    pub(super) fn words(mut memory: NewMemory, rules: &Rules) -> Self {
        // Of one time alone the other is known to be no other: an old memory does not rank as new.
        memory.updated = memory.updated.or_else(|| memory.created.clone());
        memory.created = memory.created.or_else(|| memory.updated.clone());
        let NewMemory { kind, source, .. } = &memory;
        memory.strength = Some(initial_strength(kind, *source, memory.importance, rules));
        if let Content::Fact { text, rationale } = &mut memory.content {
            for line in [text].into_iter().chain(rationale) {
                *line = one_line(line);
            }
        }
        Self {
            bytes: Some(fresh(&keys_of(&memory), &memory.content)),
            ..Self::default()
        }
    }

    /// The same with what a tool says of it in keys of its own.
    pub(super) fn with_properties<'j>(mut self, stated: impl Iterator<Item = (&'j str, &'j Json)>) -> Self {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        // What JSON writes in quotes, and its numbers, are YAML as well.
        let line = |(key, value): (&str, &Json)| {
            let is_own = key.chars().all(is_name) && !key.is_empty() && Key::parse(key).is_none();
            let value = match value {
                Json::Null => return None,
                Json::Array(_) | Json::Object(_) => Json::from(value.to_string()),
                value => value.clone(),
            };
            is_own.then(|| format!("{key}: {value}\n"))
        };
        let lines: String = stated.filter_map(line).collect();
        if let Some(bytes) = &mut self.bytes
            && let Some(end) = bytes
                .windows(5)
                .position(|five| five == b"\n---\n")
                .map(|at| at + 1)
        {
            bytes.splice(end..end, lines.into_bytes());
        }
        self
    }

    /// Nothing that could be read, for this reason.
    pub(super) fn fault(reason: impl Into<String>) -> Self {
        Self {
            told: ImportedItem {
                remark: Some(reason.into()),
                ..ImportedItem::default()
            },
            ..Self::default()
        }
    }

    /// Nothing that is meant to come in, for this reason.
    pub(super) fn left_out(reason: impl Into<String>) -> Self {
        let mut entry = Self::fault(reason);
        entry.told.fate = ImportFate::LeftOut;
        entry
    }

    /// The entry at this place of a file.
    pub(super) fn at(mut self, file: &Path, place: impl Into<String>, line: Option<usize>) -> Self {
        self.told.file = file.to_string_lossy().into_owned();
        self.told.place = place.into();
        self.told.line = line;
        self
    }

    /// The value of a key that it gets.
    pub(super) fn key(&self, key: Key) -> Option<&Value> {
        self.keys
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value)
    }

    /// States the files that it holds for.
    pub(super) fn state_paths(mut self) -> Self {
        if !self.paths.is_empty() {
            let paths = std::mem::take(&mut self.paths);
            self.keys.push((Key::Paths, Value::List(paths)));
        }
        self
    }

    /// Takes out what looks like a credential, before anything is compared, shown or written, and tells the kinds, each once.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        let told = &mut self.told.redacted;
        let mut clean = |text: &mut String, clean: fn(&Redactor, &str) -> String| {
            let found = redactor.find(text);
            told.extend(found.iter().map(|secret| secret.kind));
            *text = clean(redactor, text);
            !found.is_empty()
        };
        let line = |redactor: &Redactor, text: &str| redactor.redact_line(text).into_owned();
        let whole = |redactor: &Redactor, text: &str| redactor.redact(text).into_owned();
        if let Some(bytes) = self.bytes.take() {
            let is_text = std::str::from_utf8(&bytes).is_ok();
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            self.bytes = match (clean(&mut text, whole), is_text) {
                (true, true) => Some(text.into_bytes()),
                (false, _) => Some(bytes),
                (true, false) => {
                    let reason = "it is not UTF-8, and has a suspected secret";
                    self.told.remark = Some(reason.to_owned());
                    None
                }
            };
        }
        // An id is kept whole or not at all.
        self.id = self.id.take().filter(|id| !clean(&mut id.clone(), line));
        for (_, value) in &mut self.keys {
            match value {
                Value::Text(text) => drop(clean(text, line)),
                Value::List(texts) => texts.retain(|text| !clean(&mut text.clone(), line)),
                _ => {}
            }
        }
        for text in [&mut self.told.place].into_iter().chain(&mut self.told.remark) {
            clean(text, line);
        }
        told.sort_unstable();
        told.dedup();
    }
}

/// The report of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Import {
    /// The files that were read.
    pub files: Vec<String>,
    /// The fates of their entries, in order.
    #[serde(rename = "entries")]
    pub items: Vec<ImportedItem>,
    /// The number of entries of each fate.
    pub counts: BTreeMap<ImportFate, usize>,
    /// Says whether nothing was written.
    pub dry_run: bool,
}

impl Import {
    /// The number of entries that had this fate.
    pub fn count(&self, fate: ImportFate) -> usize {
        self.counts.get(&fate).copied().unwrap_or(0)
    }

    /// An error where something was there, and nothing of it could be read: a script must hear of that.
    pub fn check_readable(&self) -> Result<(), ServiceError> {
        match self.count(ImportFate::Unreadable) {
            0 => Ok(()),
            unreadable if unreadable < self.items.len() => Ok(()),
            unreadable => {
                let which = match unreadable {
                    1 => "the only entry is not readable".to_owned(),
                    all => format!("none of the {all} entries is readable"),
                };
                let next = "Fix what the report names, then run it again.";
                Err(ServiceError::said(format!("nothing was imported: {which}"), next))
            }
        }
    }
}

/// One entry and its fate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportedItem {
    /// The file that it stood in.
    pub file: String,
    /// The place in that file, such as `entries[3]`.
    pub place: String,
    /// The line of that file on which it begins, where that is known.
    pub line: Option<usize>,
    /// Its fate.
    #[serde(rename = "outcome")]
    pub fate: ImportFate,
    /// The memory that says it from now on: its id.
    pub id: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The beginning of its text, on one line, redacted.
    #[serde(rename = "text")]
    pub preview: String,
    /// The reason why it does not come in, or a word on what is not as it was.
    pub remark: Option<String>,
    /// The kinds of secrets that were taken out of it.
    pub redacted: Vec<&'static str>,
}

impl ImportedItem {
    /// Adds a word.
    pub(super) fn say(&mut self, more: impl Into<String>) {
        let more = more.into();
        self.remark = Some(match self.remark.take() {
            Some(remark) => format!("{remark}; {more}"),
            None => more,
        });
    }
}

/// The fate of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFate {
    /// A memory of its own.
    Imported,
    /// A memory of its own, in the place of the one that an earlier import made of the same place.
    Changed,
    /// A memory of its own, which another one has replaced.
    Superseded,
    /// A note in the archive.
    Archived,
    /// An active memory says exactly the same.
    AbsorbedExact,
    /// It was imported before: the memory of this id stays as it is.
    AlreadyThere,
    /// It was forgotten for good.
    AlreadyForgotten,
    /// It is not meant to come in, or its file could not be written.
    LeftOut,
    /// It cannot be read.
    #[default]
    Unreadable,
}

impl ImportFate {
    /// Every fate.
    pub const ALL: [Self; 9] = [
        Self::Imported,
        Self::Changed,
        Self::Superseded,
        Self::Archived,
        Self::AbsorbedExact,
        Self::AlreadyThere,
        Self::AlreadyForgotten,
        Self::LeftOut,
        Self::Unreadable,
    ];

    /// The word in a report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Changed => "changed",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
            Self::AbsorbedExact => "absorbed_exact",
            Self::AlreadyThere => "already_there",
            Self::AlreadyForgotten => "already_forgotten",
            Self::LeftOut => "left_out",
            Self::Unreadable => "unreadable",
        }
    }

    /// True when a file is written for it.
    pub const fn is_written(self) -> bool {
        matches!(
            self,
            Self::Imported | Self::Changed | Self::Superseded | Self::Archived
        )
    }
}
