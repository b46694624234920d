//! What the readers make of a source: entries, each a memory or a file. Nothing is decided yet, and nothing redacted.

use std::path::Path;

use super::report::{ImportFate, ImportedItem};
use crate::document::{Key, NewMemory, Value, fresh, keys_of};
use crate::model::Content;
use crate::policy::{Rules, initial_strength};
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

    /// States the files that it holds for: in the frontmatter, and in the line that a prompt shows.
    pub(super) fn state_paths(mut self) -> Self {
        if self.paths.is_empty() || self.bytes.is_none() {
            return self;
        }
        let bytes = self.bytes.take().unwrap_or_default();
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        let globs = format!("For files `{}`", self.paths.join(","));
        for (key, value) in &mut self.keys {
            if let (Key::Description, Value::Text(words)) = (key, value) {
                *words = format!("{globs}: {words}");
            }
        }
        if !text.starts_with("---\n") {
            text = format!("{globs}:\n\n{text}");
        }
        let quoted: Vec<String> = self.paths.iter().map(|path| format!("{path:?}")).collect();
        let line = format!("---\npaths: [{}]\n", quoted.join(", "));
        let text = match text.strip_prefix("---\n") {
            Some(rest) => line + rest,
            None => format!("{line}---\n{text}"),
        };
        self.bytes = Some(text.into_bytes());
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
