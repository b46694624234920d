//! From the keys of a frontmatter to the fields of a memory. What a key cannot mean is reported, and the key then
//! counts as absent; only `readonly` fails closed.

use super::key::Key;
use super::yaml::{METADATA, Node, Pairs};
use crate::model::{Id, Importance, Kind, Moment, Source, Status};

/// What is the matter with a key.
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

/// The keys, by what they mean.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) id: Option<Id>,
    pub(super) kind: Option<Kind>,
    pub(super) source: Source,
    pub(super) status: Status,
    pub(super) strength: Option<f64>,
    pub(super) reinforcement: u32,
    pub(super) reinforced: Moment,
    pub(super) session: Option<String>,
    pub(super) clock: Moment,
    pub(super) created: Moment,
    pub(super) updated: Moment,
    pub(super) importance: Importance,
    pub(super) confidence: Option<f64>,
    pub(super) stale_after: Option<u32>,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) limit: Option<u32>,
    pub(super) readonly: bool,
    pub(super) supersedes: Vec<Id>,
    pub(super) superseded_by: Option<Id>,
    pub(super) conflict_of: Option<Id>,
    pub(super) tags: Vec<String>,
    pub(super) text: Option<String>,
    pub(super) rationale: Option<String>,
    pub(super) has_own_keys: bool,
    pub(super) troubles: Vec<Trouble>,
}

impl Fields {
    /// Reads the keys; of a key that is there twice the last one counts, as in most readers of YAML.
    pub(super) fn read(pairs: Pairs) -> Self {
        let mut fields = Self::default();
        let mut seen = Vec::new();
        let mut nested_kind = None;
        let mut rationale_stated = false;
        for (name, node) in pairs {
            let Some(key) = Key::parse(&name) else {
                fields.take_own_key(&name, node, &mut nested_kind);
                continue;
            };
            if seen.contains(&key) {
                let message = format!("`{key}` is stated twice; the last one counts");
                let mend = format!("Remove all but one line of `{key}`.");
                fields.trouble(key, "duplicate-key", message, &mend);
            }
            seen.push(key);
            rationale_stated |= key == Key::Rationale;
            fields.take(key, node);
        }
        // Without `text` it means nothing to mdmem.
        fields.has_own_keys |= rationale_stated && fields.text.is_none();
        fields.kind = fields.kind.take().or(nested_kind);
        fields
    }

    fn take_own_key(&mut self, name: &str, node: Node, nested_kind: &mut Option<Kind>) {
        let Node::Map(inner) = node else {
            self.has_own_keys = true;
            return;
        };
        // Only `metadata` is read as a mapping.
        self.has_own_keys |= name != METADATA || inner.iter().any(|(name, _)| name != "type");
        for (name, node) in inner {
            if let ("type", Node::Scalar(kind)) = (name.as_str(), node) {
                *nested_kind = kind_of(&kind);
            }
        }
    }

    fn take(&mut self, key: Key, node: Node) {
        match key {
            Key::Id => self.id = self.read_id(key, node),
            Key::SupersededBy => self.superseded_by = self.read_id(key, node),
            Key::ConflictOf => self.conflict_of = self.read_id(key, node),
            Key::Type => self.kind = self.scalar(key, node).and_then(|name| kind_of(&name)),
            Key::Source => {
                self.source = self.word(key, node, Source::parse, "explicit, manual or compaction");
            }
            Key::Status => self.status = self.word(key, node, Status::parse, "active or superseded"),
            Key::Importance => {
                self.importance = self.word(key, node, Importance::parse, "low, normal or high");
            }
            Key::Strength => self.strength = self.number(key, node, "a number of at least 0, as in `5.0`"),
            Key::Confidence => {
                self.confidence = self.number(key, node, "a number of at least 0, as in `0.75`");
            }
            Key::Reinforcement => self.reinforcement = self.count(key, node).unwrap_or_default(),
            Key::StaleAfter => self.stale_after = self.count(key, node),
            Key::Limit => self.limit = self.count(key, node),
            Key::Reinforced => self.reinforced = self.time(key, node),
            Key::Clock => self.clock = self.time(key, node),
            Key::Created => self.created = self.time(key, node),
            Key::Updated => self.updated = self.time(key, node),
            Key::Session => self.session = self.line(key, node),
            Key::Name => self.name = self.line(key, node),
            Key::Description => self.description = self.line(key, node),
            Key::Readonly => self.readonly |= self.protection(key, node),
            Key::Supersedes => self.supersedes = self.ids(key, node),
            Key::Tags => self.tags = self.words(key, node),
            Key::Text => self.text = self.scalar(key, node),
            // It may be the person's own key, and then any value is right.
            Key::Rationale => {
                self.rationale = match node {
                    Node::Scalar(text) => Some(text),
                    _ => None,
                };
            }
        }
    }

    fn trouble(&mut self, key: Key, code: &'static str, message: String, mend: &str) {
        let mend = mend.to_owned();
        self.troubles.push(Trouble {
            key,
            code,
            message,
            mend,
        });
    }

    fn refuse(&mut self, key: Key, value: &str, wanted: &str) {
        let shown: String = value.trim().chars().take(40).collect();
        let (code, read_as) = if wanted == A_TIME {
            ("bad-time", "is no time and counts as now")
        } else {
            ("bad-value", "is not understood and counts as absent")
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
            Node::Scalar(text) => text.split(',').map(str::to_owned).collect(),
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

    /// Whether tools must keep off: unless the value clearly says no.
    fn protection(&mut self, key: Key, node: Node) -> bool {
        let text = characters(node).trim().to_lowercase();
        match text.as_str() {
            "true" | "yes" | "on" | "y" | "1" => true,
            "false" | "no" | "off" | "n" | "0" => false,
            _ => {
                let message = format!("`{key}: {text}` is neither true nor false, and protects the file");
                let mend = "Write `true` or `false`, or remove the line.";
                self.trouble(key, "bad-value", message, mend);
                true
            }
        }
    }
}

const A_TIME: &str = "a time, as in `2026-11-20T10:00:00Z`, or a date";
const A_COUNT: &str = "a whole number";

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

#[cfg(test)]
mod tests {
    use super::super::yaml::read;
    use super::*;

    fn fields(text: &str) -> Fields {
        match read(text) {
            Ok(Some(pairs)) => Fields::read(pairs),
            other => panic!("{text:?} gave {other:?}"),
        }
    }

    #[test]
    fn numbers_in_any_spelling() {
        for text in ["5", "5.0", "\"5\"", "'5.00'", "+5", "5e0"] {
            let fields = fields(&format!("strength: {text}\nreinforcement: {text}\n"));
            assert_eq!((fields.strength, fields.reinforcement), (Some(5.0), 5), "{text}");
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
            "clock: 1777636800000",
            "tags: {a: b}",
            "description: [a]",
            "type: {a: b}",
        ] {
            let fields = fields(text);
            assert_eq!(fields.troubles.len(), 1, "{text}: {:?}", fields.troubles);
            assert!(fields.strength.is_none() && fields.reinforcement == 0 && fields.tags.is_empty());
        }
        assert_eq!(fields("created: yesterday").created, Moment::Unreadable);
        assert_eq!(fields("reinforcement: 99999999999").reinforcement, u32::MAX);
    }

    #[test]
    fn empty_values_are_absent() {
        let fields = fields(
            "id:\ntype:\nsource:\nstrength: ~\ncreated:\ntags:\nname: ''\ndescription: \"\"\nsupersedes: []\n",
        );
        assert_eq!(fields.troubles, []);
        assert_eq!(
            (fields.id, fields.kind, fields.created, fields.name),
            (None, None, Moment::Unset, None)
        );
        assert!(!fields.has_own_keys);
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
                fields(&format!("readonly: {text}\n")).readonly,
                readonly,
                "{text:?}"
            );
        }
        assert!(fields("readonly: true\nreadonly: false\n").readonly);
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
            assert_eq!(fields(&format!("tags: {text}\n")).tags, ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn the_type_may_be_nested_and_own_keys_are_noticed() {
        let nested = fields("metadata:\n  type: User\n");
        assert_eq!(nested.kind, Some(Kind::new("user")));
        assert!(!nested.has_own_keys);
        let both = fields("metadata: {type: user, x: 1}\ntype: decision\n");
        assert_eq!(both.kind, Some(Kind::new("decision")));
        assert!(both.has_own_keys);
        assert!(fields("own: 1\n").has_own_keys);
        assert!(fields("rationale: x\n").has_own_keys);
        assert!(!fields("rationale: x\ntext: y\n").has_own_keys);
    }

    #[test]
    fn of_duplicates_the_last_counts() {
        let fields = fields("type: user\ntype: decision\n");
        assert_eq!(fields.kind, Some(Kind::new("decision")));
        assert_eq!(fields.troubles[0].code, "duplicate-key");
    }
}
