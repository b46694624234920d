//! What the readers make of a source: entries, each a memory or a file. Nothing is decided yet, and nothing redacted.

use std::borrow::Cow;
use std::path::Path;

use super::report::ImportedItem;
use crate::document::{Key, NewMemory, Value, keys_of};
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
    /// Its keys; of a file those that it gets where it does not state them itself.
    pub(super) keys: Vec<(Key, Value)>,
    /// What it says; `None` where it is no memory.
    pub(super) body: Option<Body>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// The words of a memory of its own, also where another one says the same: a render hides the weaker.
    Memory(Content),
    /// Those of a memory, unless an active one says exactly the same.
    Waiting(Content),
    /// A file of a tool's or a person's, unless an active memory says exactly the same. Its bytes stay, but for the keys
    /// that it gets; the id that it states may be that of another.
    File(Vec<u8>),
    /// A file of an export of mdmem's: every byte stays.
    Export(Vec<u8>),
}

impl Entry {
    /// A memory that stands in no file of its own.
    pub(super) fn words(body: fn(Content) -> Body, mut memory: NewMemory, rules: &Rules) -> Self {
        let NewMemory { kind, source, .. } = &memory;
        memory.strength = Some(initial_strength(kind, *source, memory.importance, rules));
        Self {
            keys: keys_of(&memory),
            body: Some(body(memory.content)),
            ..Self::default()
        }
    }

    /// Nothing, for this reason.
    pub(super) fn fault(reason: impl Into<String>) -> Self {
        let mut entry = Self::default();
        entry.told.remark = Some(reason.into());
        entry
    }

    /// The entry at this place of a file.
    pub(super) fn at(mut self, file: &Path, place: impl Into<String>, line: Option<usize>) -> Self {
        self.told.file = file.to_string_lossy().into_owned();
        self.told.place = place.into();
        self.told.line = line;
        self
    }

    /// Takes out what looks like a credential, before anything is compared, shown or written, and tells the kinds, each once.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        let ImportedItem {
            redacted,
            place,
            remark,
            ..
        } = &mut self.told;
        // A note and a file are shown as they are written, anything else on one line.
        let mut clean = |text: &mut String, is_line: bool| {
            let (found, without) = if is_line {
                (redactor.find(&one_line(text)), redactor.redact_line(text))
            } else {
                (redactor.find(text), redactor.redact(text))
            };
            for secret in &found {
                if !redacted.contains(&secret.kind) {
                    redacted.push(secret.kind);
                }
            }
            if let Cow::Owned(without) = without {
                *text = without;
            }
            !found.is_empty()
        };
        match &mut self.body {
            None => {}
            Some(Body::Memory(content) | Body::Waiting(content)) => match content {
                Content::Note { body } => {
                    clean(body, false);
                }
                Content::Fact { text, rationale } => {
                    for line in [text].into_iter().chain(rationale) {
                        clean(line, true);
                    }
                }
            },
            Some(Body::File(bytes) | Body::Export(bytes)) => {
                let mut text = String::from_utf8_lossy(bytes).into_owned();
                let is_text = std::str::from_utf8(bytes).is_ok();
                if clean(&mut text, false) {
                    if is_text {
                        *bytes = text.into_bytes();
                    } else {
                        *remark = Some("it is not UTF-8, and looks as if it held a credential".to_owned());
                        self.body = None;
                    }
                }
            }
        }
        // An id is kept whole or not at all.
        self.id = self.id.take().filter(|id| !clean(&mut id.clone(), true));
        self.keys.retain_mut(|(key, value)| {
            let lines = match value {
                Value::Text(text) => std::slice::from_mut(text),
                Value::List(words) => words,
                Value::Number(_) | Value::Count(_) | Value::Time(_) => &mut [],
            };
            let mut is_changed = false;
            for line in lines {
                is_changed |= clean(line, true);
            }
            let is_id = matches!(key, Key::Id | Key::Session | Key::Supersedes | Key::SupersededBy);
            !(is_id && is_changed)
        });
        for line in [place].into_iter().chain(remark) {
            clean(line, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Id, Kind};

    const SECRET: &str = "the password is hunter2-x9";
    const TOKEN: &str = "ghp_Fake0Token1Fake0Token1Fake0Token1Fak";

    #[test]
    fn a_value_on_the_next_line_is_taken_out_of_a_fact() {
        let content = Content::Fact {
            text: "The password is\nhunter2-x9".to_owned(),
            rationale: None,
        };
        let memory = NewMemory {
            content,
            ..NewMemory::default()
        };
        let mut entry = Entry::words(Body::Memory, memory, &Rules::default());
        entry.redact(&Redactor::standard());
        assert_eq!(entry.told.redacted, ["password"]);
        let Some(Body::Memory(content)) = &entry.body else {
            panic!("{entry:?}")
        };
        assert_eq!(content.keyed_text(), "The password is [REDACTED:password]");
    }

    #[test]
    fn every_part_of_an_entry_is_searched() {
        let content = Content::Fact {
            text: format!("Login: {SECRET}"),
            rationale: Some(SECRET.to_owned()),
        };
        let memory = NewMemory {
            kind: Kind::new(SECRET),
            content,
            description: Some(SECRET.to_owned()),
            tags: vec!["plain".to_owned(), SECRET.to_owned()],
            clock: Some(Value::Text(SECRET.to_owned())),
            session: Some(SECRET.to_owned()),
            supersedes: vec![Id::parse(TOKEN).unwrap()],
            ..NewMemory::default()
        };
        let entry = Entry::words(Body::Memory, memory, &Rules::default());
        let mut entry = entry.at(Path::new("/x"), format!("Login: {SECRET}"), None);
        entry.id = Some(TOKEN.to_owned());
        entry.redact(&Redactor::standard());
        assert_eq!(entry.told.redacted, ["password", "github_token"]);
        let kept = format!("{entry:?}");
        assert!(
            !kept.contains("hunter2") && !kept.contains("Fake0Token1"),
            "{kept}"
        );
        assert!(kept.contains("plain"), "{kept}");
        entry.told.redacted.clear();
        entry.redact(&Redactor::standard());
        assert!(entry.told.redacted.is_empty());
    }
}
