//! What the readers make of a source: entries, each a memory or a file. Nothing is decided yet, and nothing redacted.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::document::{Key, NewMemory, Value, keys_of};
use crate::model::Content;
use crate::policy::{Rules, initial_strength};
use crate::text::{Redactor, one_line};

/// The place of an entry that is a whole file.
pub(super) const WHOLE: &str = "file";

/// One thing that another tool remembered, or the reason why it is no memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Entry {
    /// The file that it stands in.
    pub(super) file: PathBuf,
    /// The place in that file: `entries[3]`, a heading.
    pub(super) place: String,
    /// The line on which it begins, where that is known.
    pub(super) line: Option<usize>,
    /// The id by which its tool knows it.
    pub(super) id: Option<String>,
    /// The way that it takes.
    pub(super) way: Way,
    /// The path that it asks for. A folder (with `/` at its end) names it by its words; where it asks for nothing, the
    /// folder of its type does.
    pub(super) path: String,
    /// Its keys; of a file those that it gets where it does not state them itself.
    pub(super) keys: Vec<(Key, Value)>,
    /// What it says.
    pub(super) body: Body,
    /// A word on what is not kept as it was.
    pub(super) remark: Option<String>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// The words of a memory without a file.
    Words(Content),
    /// The bytes of a file, which stay, but for the keys that are added.
    File(Vec<u8>),
    /// Nothing, for this reason.
    Fault(String),
}

impl Default for Body {
    fn default() -> Self {
        Self::File(Vec::new())
    }
}

/// The way that an entry takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Way {
    /// A memory of its own, also where another one says the same: a render hides the weaker.
    #[default]
    Memory,
    /// A memory, unless an active one says exactly the same.
    Waiting,
    /// A file of a tool's or a person's: the same, but it gets an id, and the id that it states may be that of another.
    File,
    /// A file of an export of mdmem's: every byte stays.
    Export,
}

impl Entry {
    /// A memory that stands in no file of its own.
    pub(super) fn words(way: Way, mut memory: NewMemory, rules: &Rules) -> Self {
        let NewMemory { kind, source, .. } = &memory;
        memory.strength = Some(initial_strength(kind, *source, memory.importance, rules));
        Self {
            way,
            keys: keys_of(&memory),
            body: Body::Words(memory.content),
            ..Self::default()
        }
    }

    /// Nothing, for this reason.
    pub(super) fn fault(reason: impl Into<String>) -> Self {
        Self {
            body: Body::Fault(reason.into()),
            ..Self::default()
        }
    }

    /// The entry at this place of a file.
    pub(super) fn at(self, file: &Path, place: impl Into<String>, line: Option<usize>) -> Self {
        Self {
            file: file.to_owned(),
            place: place.into(),
            line,
            ..self
        }
    }

    /// Takes out what looks like a credential, before anything is compared, shown or written. Gives the kinds, each once.
    pub(super) fn redact(&mut self, redactor: &Redactor) -> Vec<&'static str> {
        let mut kinds = Vec::new();
        // A note and a file are shown as they are written, anything else on one line.
        let mut clean = |text: &mut String, is_line: bool| {
            let found = if is_line {
                redactor.find(&one_line(text))
            } else {
                redactor.find(text)
            };
            for secret in &found {
                if !kinds.contains(&secret.kind) {
                    kinds.push(secret.kind);
                }
            }
            let without = if is_line {
                redactor.redact_line(text)
            } else {
                redactor.redact(text)
            };
            if let Cow::Owned(without) = without {
                *text = without;
            }
            !found.is_empty()
        };
        match &mut self.body {
            Body::Words(Content::Note { body }) => {
                clean(body, false);
            }
            Body::Words(Content::Fact { text, rationale }) => {
                for line in [text].into_iter().chain(rationale) {
                    clean(line, true);
                }
            }
            Body::Fault(reason) => {
                clean(reason, true);
            }
            Body::File(bytes) => {
                let mut text = String::from_utf8_lossy(bytes).into_owned();
                if clean(&mut text, false) {
                    self.body = if std::str::from_utf8(bytes).is_ok() {
                        Body::File(text.into_bytes())
                    } else {
                        Body::Fault("it is not UTF-8, and looks as if it held a credential".to_owned())
                    };
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
        clean(&mut self.place, true);
        kinds
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
        let mut entry = Entry::words(Way::Memory, memory, &Rules::default());
        assert_eq!(entry.redact(&Redactor::standard()), ["password"]);
        let Body::Words(content) = &entry.body else {
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
        let entry = Entry::words(Way::Memory, memory, &Rules::default());
        let mut entry = entry.at(Path::new("/x"), format!("Login: {SECRET}"), None);
        entry.id = Some(TOKEN.to_owned());
        assert_eq!(entry.redact(&Redactor::standard()), ["password", "github_token"]);
        let kept = format!("{entry:?}");
        assert!(
            !kept.contains("hunter2") && !kept.contains("Fake0Token1"),
            "{kept}"
        );
        assert!(kept.contains("plain"), "{kept}");
        assert!(entry.redact(&Redactor::standard()).is_empty());
    }
}
