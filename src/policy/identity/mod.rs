//! The keys of a memory: by its words, and by the concrete thing that it names (docs/file-format.md).
//! Decides whether two memories with one identity are one is for [`super::likeness`] to say.

mod mention;
mod path;
mod url;

pub(super) use mention::Mention;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher as _};

use serde::{Deserialize, Serialize};

use super::likeness::Statement;
use super::rules::Rules;
use super::selection::{Eligibility, eligibility};
use super::zone;
use crate::model::{Content, Gone, Kind, Memory};
use crate::text::{canonical, is_line_break, sha256_hex};

/// The types whose memories may be one in different words. Every other type, also one from `mdmem.toml`, is as
/// strict as feedback and decisions: never merged on a likeness.
const TYPES_WITH_IDENTITY: [&str; 2] = ["project", "reference"];

/// The keys of a memory. They depend on its type and words alone, so that a cache may keep them beside the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Keys {
    /// `type:canonical text`: memories with one exact key say the same.
    pub exact: String,
    /// The subject of the memory.
    pub identity: Identity,
    /// The numbers that are compared before the texts.
    pub numbers: Numbers,
}

/// Numbers that differ where the words differ: they spare ten thousand comparisons of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Numbers {
    /// Two statements about one thing share it where their words are the same; 0 without a thing.
    pub said: u64,
    /// Memories share it where their canonical texts are the same, whatever their types; 0 without a text. It holds in one
    /// process.
    #[serde(skip)]
    pub words: u64,
}

/// The subject of a memory, as far as its key can tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Identity {
    /// A note has no identity key: nothing absorbs it.
    Note,
    /// A fact that names nothing concrete, or of a type that is never merged on a likeness: its words.
    Words,
    /// `type:url:…` or `type:path:…`, of the first concrete thing that a project or reference fact names.
    Thing(String),
}

impl Keys {
    /// Counts the number of the words anew, in a process that was given the keys of a memory with this content.
    pub fn number_words(&mut self, content: &Content) {
        if !content.keyed_text().trim().is_empty() {
            let mut hasher = DefaultHasher::new();
            hasher.write(self.text().as_bytes());
            self.numbers.words = hasher.finish().max(1);
        }
    }

    /// The canonical text, without the type.
    pub(super) fn text(&self) -> &str {
        self.exact.split_once(':').map_or("", |(_, text)| text)
    }

    /// The identity key; `None` for a note.
    pub fn identity(&self) -> Option<&str> {
        match &self.identity {
            Identity::Note => None,
            Identity::Words => Some(&self.exact),
            Identity::Thing(key) => Some(key),
        }
    }

    /// The identity key of a fact that names something concrete.
    pub(super) fn thing(&self) -> Option<&str> {
        match &self.identity {
            Identity::Thing(key) => Some(key),
            Identity::Words | Identity::Note => None,
        }
    }

    /// The parts that two memories with the same words have in common: the exact key, and the thing they name. The
    /// thing is not in the exact key, where `README.md` and `readme.md` are the same words.
    pub(super) fn same_words(&self) -> (&str, Option<&str>) {
        (&self.exact, self.thing())
    }
}

/// The keys of a memory of this type with this content.
pub fn keys(kind: &Kind, content: &Content) -> Keys {
    let identity = match content {
        Content::Note { .. } => Identity::Note,
        Content::Fact { text, .. } => thing(kind, text).map_or(Identity::Words, |mention| {
            Identity::Thing(format!("{kind}:{}", mention.key))
        }),
    };
    let exact = format!("{kind}:{}", canonical(content.keyed_text()));
    let numbers = Numbers { said: 0, words: 0 };
    let mut keys = Keys {
        exact,
        identity,
        numbers,
    };
    keys.number_words(content);
    keys.numbers.said = Statement::new(&keys, content).map_or(0, |statement| statement.number().max(1));
    keys
}

/// The keys of a memory. One that holds for some files is the same as one that holds for just those, and for no other reason.
pub fn keys_of(memory: &Memory) -> Keys {
    let mut keys = keys(&memory.kind, &memory.content);
    if !memory.paths.is_empty() {
        let paths: BTreeSet<&String> = memory.paths.iter().collect();
        let scope = &sha256_hex(format!("{paths:?}").as_bytes())[..16];
        keys.exact = format!("{} {scope}:{}", memory.kind, keys.text());
        keys.numbers.said = 0;
        if matches!(keys.identity, Identity::Thing(_)) {
            keys.identity = Identity::Words;
        }
    }
    keys
}

/// The concrete thing that gives a fact of this type its identity, if there is one.
fn thing(kind: &Kind, text: &str) -> Option<Mention> {
    if !TYPES_WITH_IDENTITY.contains(&kind.as_str()) {
        return None;
    }
    Mention::first(&unbroken(text))
}

/// The text with its line breaks as single spaces, as it is keyed and rendered.
pub(super) fn unbroken(text: &str) -> String {
    text.replace("\r\n", " ").replace(is_line_break, " ")
}

/// A memory and the keys of its words, which are made once per file and kept.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Its keys.
    pub keys: &'a Keys,
    /// The numbers of its keys, which every selection looks at.
    pub numbers: Numbers,
    /// The zone in which a prompt may show it, or the reason why none does, whatever room there is.
    pub eligibility: Eligibility,
    /// The paths that it cites and the workspace no longer has, where the prompt is to say so.
    pub gone: &'a [Gone],
}

impl<'a> Entry<'a> {
    /// The entry of a memory that can be read.
    pub fn new(memory: &'a Memory, keys: &'a Keys, rules: &Rules) -> Self {
        Self {
            memory,
            keys,
            numbers: keys.numbers,
            eligibility: eligibility(memory, zone(&memory.path, rules)),
            gone: &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fact(text: &str) -> Content {
        Content::Fact {
            text: text.to_owned(),
            rationale: None,
        }
    }

    #[test]
    fn a_thing_gives_identity_to_project_and_reference_alone() {
        let content = fact("Docs in docs/guide.md");
        for (kind, identity) in [
            ("project", "project:path:docs/guide.md"),
            ("reference", "reference:path:docs/guide.md"),
            ("feedback", "feedback:docs in docs guide md"),
            ("decision", "decision:docs in docs guide md"),
            ("user", "user:docs in docs guide md"),
            ("runbook", "runbook:docs in docs guide md"),
        ] {
            assert_eq!(keys(&Kind::new(kind), &content).identity(), Some(identity));
        }
    }

    #[test]
    fn a_note_is_keyed_by_its_whole_body_and_has_no_identity() {
        let body = "# Docs\n\nIn docs/guide.md.".to_owned();
        let keys = keys(&Kind::new("project"), &Content::Note { body });
        assert_eq!(keys.exact, "project:docs in docs guide md");
        assert_eq!(keys.identity(), None);
    }

    #[test]
    fn a_line_break_is_a_space() {
        let kind = Kind::new("project");
        assert_eq!(
            keys(&kind, &fact("see `my\r\ndir/file.json`")).identity(),
            Some("project:path:my dir/file.json")
        );
    }

    proptest! {
        #[test]
        fn any_text_has_keys_that_mentions_agree_with(
            text in ".{0,40}|([a-z設。 '\"`/\\\\.:,()\u{301}\r\n]|https?://|[.]ts|「|İ){0,30}",
        ) {
            let keys = keys(&Kind::new("project"), &fact(&text));
            prop_assert!(keys.exact.starts_with("project:"));
            let line = unbroken(&text);
            for mention in Mention::all(&line) {
                prop_assert!(line.get(mention.span.clone()).is_some_and(|written| !written.is_empty()));
                prop_assert!(mention.key.len() > "path:".len());
            }
            let first = Mention::first(&line).map(|mention| format!("project:{}", mention.key));
            prop_assert_eq!(keys.thing(), first.as_deref());
        }
    }
}
