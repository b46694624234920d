//! From the keys of a frontmatter to the fields of a memory. A value that a key cannot have is reported, and the key
//! then counts as absent; only `readonly` fails closed.
//!
//! The keys of a frontmatter that are mdmem's.

use std::collections::{BTreeMap, BTreeSet};

use super::yaml::{METADATA, Node, Pairs};
use crate::model::{Id, Importance, Kind, Memory, Moment, Source, Status};

/// A fault of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    /// Whose value it is.
    pub(super) key: Key,
    /// As in [`crate::model::Diagnostic`].
    pub(super) code: &'static str,
    /// As in [`crate::model::Diagnostic`].
    pub(super) message: String,
    /// As in [`crate::model::Diagnostic`].
    pub(super) mend: String,
}

/// Reads the keys into the memory of a file that states none; of a key that is there twice the last one counts, as in
/// most readers of YAML. Gives the type, where a key states it, and the troubles.
pub(super) fn read_keys(pairs: Pairs, memory: &mut Memory) -> (Option<Kind>, Vec<Trouble>) {
    let has_text = text_of(&pairs, Key::Text).is_some();
    let mut fields = Fields {
        memory,
        id: None,
        kind: None,
        nested_kind: None,
        confidence: None,
        troubles: BTreeMap::new(),
    };
    let mut seen = BTreeSet::new();
    for (name, node) in pairs {
        let Some(key) = Key::parse(&name) else {
            fields.take_own_key(&name, node);
            continue;
        };
        let is_new = seen.insert(key);
        if !is_new && !fields.troubles.contains_key(&(key, "duplicate-key")) {
            let message = format!("duplicate `{key}`; the last one is used");
            let mend = format!("Remove all but one line of `{key}`.");
            fields.trouble(key, "duplicate-key", message, &mend);
        }
        // Without `text` it means nothing to mdmem.
        fields.memory.has_own_keys |= key == Key::Rationale && !has_text;
        fields.take(key, node);
    }
    let memory = fields.memory;
    memory.id_stated = fields.id.is_some();
    if let Some(id) = fields.id {
        memory.id = id;
    }
    let kind = fields.kind.or(fields.nested_kind);
    if let Some(kind) = &kind {
        memory.kind = kind.clone();
    }
    memory.confidence = fields
        .confidence
        .unwrap_or_else(|| memory.source.usual_confidence());
    (kind, fields.troubles.into_values().collect())
}

/// The characters of a key's single value.
pub(super) fn text_of(pairs: &Pairs, key: Key) -> Option<&str> {
    match pairs.iter().rfind(|(name, _)| name == key.as_str()) {
        Some((_, Node::Scalar(text))) => Some(text),
        _ => None,
    }
}

/// The memory so far, and what is settled when every key was read.
struct Fields<'a> {
    memory: &'a mut Memory,
    id: Option<Id>,
    kind: Option<Kind>,
    nested_kind: Option<Kind>,
    confidence: Option<f64>,
    /// The last of each kind that a key has: a key that is stated ten thousand times has no more troubles than another.
    troubles: BTreeMap<(Key, &'static str), Trouble>,
}

impl Fields<'_> {
    fn take_own_key(&mut self, name: &str, node: Node) {
        let Node::Map(inner) = node else {
            self.memory.has_own_keys = true;
            return;
        };
        // Only `metadata` is read as a mapping.
        self.memory.has_own_keys |= name != METADATA || inner.iter().any(|(name, _)| name != "type");
        for (name, node) in inner {
            if let ("type", Node::Scalar(kind)) = (name.as_str(), node) {
                self.nested_kind = kind_of(&kind);
            }
        }
    }

    fn take(&mut self, key: Key, node: Node) {
        match key {
            Key::Id => self.id = self.read_id(key, node),
            Key::SupersededBy => self.memory.superseded_by = self.read_id(key, node),
            Key::ConflictOf => self.memory.conflict_of = self.read_id(key, node),
            Key::Type => self.kind = self.scalar(key, node).and_then(|name| kind_of(&name)),
            Key::Source => {
                self.memory.source = self.word(
                    key,
                    node,
                    Source::parse,
                    "explicit, manual, agent, compaction or extraction",
                );
            }
            Key::Status => self.memory.status = self.word(key, node, Status::parse, "active or superseded"),
            Key::Importance => {
                self.memory.importance = self.word(key, node, Importance::parse, "low, normal or high");
            }
            Key::Strength => {
                self.memory.strength = self.number(key, node, "a number of at least 0, as in `5.0`");
            }
            Key::Confidence => {
                self.confidence = self.number(key, node, "a number of at least 0, as in `0.75`");
            }
            Key::Reinforcement => self.memory.reinforcement = self.count(key, node).unwrap_or_default(),
            Key::StaleAfter => self.memory.stale_after = self.count(key, node),
            Key::Limit => self.memory.limit = self.count(key, node),
            Key::Reinforced => self.memory.reinforced = self.time(key, node),
            Key::Clock => self.memory.clock = self.time(key, node),
            Key::Verified => self.memory.verified = self.time(key, node),
            Key::Created => self.memory.created = self.time(key, node),
            Key::Updated => self.memory.updated = self.time(key, node),
            Key::Session => self.memory.session = self.line(key, node),
            Key::Name => self.memory.name = self.line(key, node),
            Key::Description => self.memory.description = self.line(key, node),
            Key::Promoted => self.memory.promoted = self.line(key, node),
            Key::Readonly => self.memory.readonly |= self.protection(key, node),
            Key::Supersedes => self.memory.supersedes = self.ids(key, node),
            Key::Tags => self.memory.tags = self.words(key, node),
            Key::Aliases => self.memory.aliases = self.words(key, node),
            Key::Paths => self.memory.paths = self.words(key, node),
            // Its value belongs to the content (`text_of`).
            Key::Text => drop(self.scalar(key, node)),
            // It may be the person's own key, and then any value is right.
            Key::Rationale => {}
        }
    }

    fn trouble(&mut self, key: Key, code: &'static str, message: String, mend: &str) {
        let mend = mend.to_owned();
        let trouble = Trouble {
            key,
            code,
            message,
            mend,
        };
        self.troubles.insert((key, code), trouble);
    }

    fn refuse(&mut self, key: Key, value: &str, wanted: &str) {
        let shown = beginning(value);
        let (code, read_as) = if wanted == A_TIME {
            ("bad-time", "is not a time, so now is used")
        } else {
            ("bad-value", "is not valid and is ignored")
        };
        let message = format!("`{key}: {shown}` {read_as}");
        self.trouble(
            key,
            code,
            message,
            &format!("Write {wanted}, or remove the line."),
        );
    }

    fn scalar(&mut self, key: Key, node: Node) -> Option<String> {
        match node {
            Node::Null => None,
            Node::Scalar(text) => Some(text),
            Node::List(_) | Node::Map(_) | Node::Other => {
                self.refuse(key, "…", "a single value");
                None
            }
        }
    }

    /// A scalar without white space at its ends, when anything is left.
    fn line(&mut self, key: Key, node: Node) -> Option<String> {
        let text = self.scalar(key, node)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn word<T: Default>(&mut self, key: Key, node: Node, parse: fn(&str) -> Option<T>, wanted: &str) -> T {
        let Some(text) = self.line(key, node) else {
            return T::default();
        };
        parse(&text.to_lowercase()).unwrap_or_else(|| {
            self.refuse(key, &text, wanted);
            T::default()
        })
    }

    fn number(&mut self, key: Key, node: Node, wanted: &str) -> Option<f64> {
        let text = self.line(key, node)?;
        let number: Option<f64> = text.parse().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            self.refuse(key, &text, wanted);
        }
        number
    }

    /// A whole number; one that is too great counts as the greatest.
    fn count(&mut self, key: Key, node: Node) -> Option<u32> {
        let number = self.number(key, node, A_COUNT)?;
        if number.fract() != 0.0 {
            self.refuse(key, &number.to_string(), A_COUNT);
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from a float saturates, which is what is wanted; and it is at least 0"
        )]
        Some(number as u32)
    }

    fn time(&mut self, key: Key, node: Node) -> Moment {
        let text = characters(node);
        if text.trim().is_empty() {
            return Moment::Unset;
        }
        let moment = Moment::parse(&text);
        if moment == Moment::Unreadable {
            self.refuse(key, &text, A_TIME);
        }
        moment
    }

    fn id(&mut self, key: Key, text: &str) -> Option<Id> {
        let mend = "Write one word, or remove the line.";
        Id::parse(text.trim())
            .map_err(|error| self.trouble(key, "bad-id", error.to_string(), mend))
            .ok()
    }

    fn read_id(&mut self, key: Key, node: Node) -> Option<Id> {
        let text = self.line(key, node)?;
        self.id(key, &text)
    }

    fn ids(&mut self, key: Key, node: Node) -> Vec<Id> {
        let words = self.words(key, node);
        words.iter().filter_map(|word| self.id(key, word)).collect()
    }

    /// A list of words; a single value with commas is one too.
    fn words(&mut self, key: Key, node: Node) -> Vec<String> {
        let texts: Vec<String> = match node {
            Node::Null => return Vec::new(),
            Node::Scalar(text) => parted(&text),
            Node::List(items) => items
                .into_iter()
                .filter_map(|item| self.scalar(key, item))
                .collect(),
            Node::Map(_) | Node::Other => {
                self.refuse(key, "…", "a list, as in `[a, b]`");
                return Vec::new();
            }
        };
        let trimmed = texts.iter().map(|text| text.trim().to_owned());
        trimmed.filter(|text| !text.is_empty()).collect()
    }

    /// Says whether tools must keep off: unless the value clearly says no.
    fn protection(&mut self, key: Key, node: Node) -> bool {
        let text = characters(node).trim().to_lowercase();
        match text.as_str() {
            "true" | "yes" | "on" | "y" | "1" => true,
            "false" | "no" | "off" | "n" | "0" => false,
            _ => {
                let message = format!(
                    "`{key}: {}` is neither true nor false, so the file counts as readonly",
                    beginning(&text)
                );
                let mend = "Write `true` or `false`, or remove the line.";
                self.trouble(key, "bad-value", message, mend);
                true
            }
        }
    }
}

/// The words between commas; a comma between braces, as in `*.{ts,tsx}`, parts nothing.
pub fn parted(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let words = text.split(|c| {
        depth = (depth + usize::from(c == '{')).saturating_sub(usize::from(c == '}'));
        c == ',' && depth == 0
    });
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

const A_TIME: &str = "a time, as in `2026-11-20T10:00:00Z`, or a date";
const A_COUNT: &str = "a whole number";

/// As much of a value as a message quotes.
fn beginning(value: &str) -> String {
    value.trim().chars().take(40).collect()
}

/// The characters of a single value; of any other value, a mark in their place.
fn characters(node: Node) -> String {
    match node {
        Node::Null => String::new(),
        Node::Scalar(text) => text,
        Node::List(_) | Node::Map(_) | Node::Other => "…".to_owned(),
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    let kind = Kind::new(name);
    (!kind.as_str().is_empty()).then_some(kind)
}

macro_rules! keys {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A top-level key of a frontmatter that is mdmem's (docs/file-format.md). Every other key is the person's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $($(#[$doc])* $variant,)*
        }

        impl Key {
            /// The key as it stands in a file.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The key of that name, if it is one of mdmem's.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

keys! {
    /// The stable name.
    Id = "id",
    /// feedback, decision, project, reference, user, or one from `mdmem.toml`.
    Type = "type",
    /// explicit, manual, agent, compaction or extraction.
    Source = "source",
    /// active or superseded.
    Status = "status",
    /// Initial strength.
    Strength = "strength",
    /// The number of times that it recurred.
    Reinforcement = "reinforcement",
    /// When it was last reinforced.
    Reinforced = "reinforced",
    /// When somebody last said that it still holds.
    Verified = "verified",
    /// By which session, hashed.
    Session = "session",
    /// Start of the decay.
    Clock = "clock",
    /// When it was made.
    Created = "created",
    /// When its text last changed.
    Updated = "updated",
    /// low, normal or high.
    Importance = "importance",
    /// Breaks ties.
    Confidence = "confidence",
    /// Days; 0 = never.
    StaleAfter = "stale_after",
    /// The title.
    Name = "name",
    /// The hook.
    Description = "description",
    /// Most characters in the body.
    Limit = "limit",
    /// Tools must not change it.
    Readonly = "readonly",
    /// Ids that this memory replaced.
    Supersedes = "supersedes",
    /// The id that replaced this one.
    SupersededBy = "superseded_by",
    /// The id that this one contradicts.
    ConflictOf = "conflict_of",
    /// Words.
    Tags = "tags",
    /// Other names to find it by.
    Aliases = "aliases",
    /// Patterns of the files of the workspace that it holds for.
    Paths = "paths",
    /// The file outside the store that says it now.
    Promoted = "promoted",
    /// The text, where a body would read back differently.
    Text = "text",
    /// The reason that goes with `text`; without `text` it is the person's key.
    Rationale = "rationale",
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::yaml::read;
    use super::*;
    use crate::model::{Content, StorePath};

    struct Read {
        memory: Memory,
        kind: Option<Kind>,
        troubles: Vec<Trouble>,
    }

    fn fields(text: &str) -> Read {
        let (id, path) = (Id::parse("derived").unwrap(), StorePath::new("a.md").unwrap());
        let mut memory = Memory::new(id, path, Kind::default(), Content::default());
        match read(text) {
            Ok(Some(pairs)) => {
                let (kind, troubles) = read_keys(pairs, &mut memory);
                Read {
                    memory,
                    kind,
                    troubles,
                }
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    #[test]
    fn numbers_in_any_spelling() {
        for text in ["5", "5.0", "\"5\"", "'5.00'", "+5", "5e0"] {
            let fields = fields(&format!("strength: {text}\nreinforcement: {text}\n"));
            assert_eq!(
                (fields.memory.strength, fields.memory.reinforcement),
                (Some(5.0), 5),
                "{text}"
            );
            assert_eq!(fields.troubles, []);
        }
    }

    #[test]
    fn wrong_values_are_reported_and_count_as_absent() {
        for text in [
            "strength: abc",
            "strength: -1",
            "strength: .inf",
            "strength: NaN",
            "strength: [1]",
            "reinforcement: 2.5",
            "stale_after: soon",
            "limit: -3",
            "source: rumour",
            "status: [active]",
            "importance: 3",
            "id: two words",
            "supersedes: [a, b c]",
            "created: yesterday",
            "clock: 2026050",
            "tags: {a: b}",
            "description: [a]",
            "type: {a: b}",
        ] {
            let fields = fields(text);
            assert_eq!(fields.troubles.len(), 1, "{text}: {:?}", fields.troubles);
            assert!(
                fields.memory.strength.is_none()
                    && fields.memory.reinforcement == 0
                    && fields.memory.tags.is_empty()
            );
        }
        assert_eq!(fields("created: yesterday").memory.created, Moment::Unreadable);
        assert_eq!(
            fields("reinforcement: 99999999999").memory.reinforcement,
            u32::MAX
        );
    }

    #[test]
    fn empty_values_are_absent() {
        let fields = fields(
            "id:\ntype:\nsource:\nstrength: ~\ncreated:\ntags:\nname: ''\ndescription: \"\"\nsupersedes: []\n",
        );
        assert_eq!(fields.troubles, []);
        assert_eq!(
            (
                fields.memory.id_stated,
                fields.kind,
                fields.memory.created,
                fields.memory.name
            ),
            (false, None, Moment::Unset, None)
        );
        assert!(!fields.memory.has_own_keys);
    }

    #[test]
    fn protection_fails_closed() {
        for (text, readonly) in [
            ("true", true),
            ("Yes", true),
            ("\"true\"", true),
            ("false", false),
            ("No", false),
            ("maybe", true),
            ("", true),
            ("[]", true),
        ] {
            assert_eq!(
                fields(&format!("readonly: {text}\n")).memory.readonly,
                readonly,
                "{text:?}"
            );
        }
        assert!(fields("readonly: true\nreadonly: false\n").memory.readonly);
    }

    #[test]
    fn lists_in_any_form() {
        for text in [
            "[a, b]",
            "\n- a\n- b",
            "a, b",
            "\n  - a # c\n  - \"b\"",
            "[a, b, '', ~]",
        ] {
            let memory = fields(&format!("tags: {text}\naliases: {text}\n")).memory;
            assert_eq!(memory.tags, ["a", "b"], "{text:?}");
            assert_eq!((memory.aliases, memory.has_own_keys), (memory.tags, false));
        }
    }

    #[test]
    fn the_type_may_be_nested_and_own_keys_are_noticed() {
        let nested = fields("metadata:\n  type: User\n");
        assert_eq!(nested.kind, Some(Kind::new("user")));
        assert!(!nested.memory.has_own_keys);
        let both = fields("metadata: {type: user, x: 1}\ntype: decision\n");
        assert_eq!(both.kind, Some(Kind::new("decision")));
        assert!(both.memory.has_own_keys);
        assert!(fields("own: 1\n").memory.has_own_keys);
        assert!(fields("rationale: x\n").memory.has_own_keys);
        assert!(!fields("rationale: x\ntext: y\n").memory.has_own_keys);
    }

    #[test]
    fn of_duplicates_the_last_counts() {
        let fields = fields("type: user\ntype: decision\n");
        assert_eq!(fields.kind, Some(Kind::new("decision")));
        assert_eq!(fields.troubles[0].code, "duplicate-key");
    }
}
