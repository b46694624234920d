//! A fresh file, and the id of a file that states none.

use super::body::read_content;
use super::fields::Key;
use super::scalar::{Value, double_quoted};
use crate::model::{Content, Id, Importance, Kind, Oid, Source, Status};
use crate::text::sha256;

/// The content of a fresh file beside its id. Keys that would only state a default are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewMemory {
    /// `type`.
    pub kind: Kind,
    /// `source`.
    pub source: Source,
    /// `status`.
    pub status: Status,
    /// `strength`, the initial one.
    pub strength: Option<f64>,
    /// `reinforcement`; 0 is not written.
    pub reinforcement: u32,
    /// `created`: a time, or what another tool stated in its place. The rules count a text that is no time as now.
    pub created: Option<Value>,
    /// `updated`.
    pub updated: Option<Value>,
    /// `reinforced`.
    pub reinforced: Option<Value>,
    /// `session`, hashed.
    pub session: Option<String>,
    /// `clock`.
    pub clock: Option<Value>,
    /// `importance`; normal is not written.
    pub importance: Importance,
    /// `confidence`.
    pub confidence: Option<f64>,
    /// `stale_after`, in days.
    pub stale_after: Option<u32>,
    /// `description`.
    pub description: Option<String>,
    /// `supersedes`.
    pub supersedes: Vec<Id>,
    /// `superseded_by`.
    pub superseded_by: Option<Id>,
    /// `tags`.
    pub tags: Vec<String>,
    /// `paths`.
    pub paths: Vec<String>,
    /// The text. A note is written as it is, and is one again when it came from [`read_content`].
    pub content: Content,
}

/// The bytes of a fresh file, with the keys in the order of docs/file-format.md. Reading them gives the same values.
pub fn compose(id: &Id, new: &NewMemory) -> Vec<u8> {
    let mut keys = keys_of(new);
    keys.insert(0, (Key::Id, Value::from(id.as_str())));
    fresh(&keys, &new.content)
}

/// The bytes of a fresh file with these keys in their order.
pub fn fresh(keys: &[(Key, Value)], content: &Content) -> Vec<u8> {
    let mut file = String::from("---\n");
    for (key, value) in keys {
        line(&mut file, *key, &value.on_one_line());
    }
    let body = body(content);
    if body.is_none() {
        line(&mut file, Key::Text, &double_quoted(content.keyed_text()));
        if let Some(rationale) = content.rationale() {
            line(&mut file, Key::Rationale, &double_quoted(rationale));
        }
    }
    file.push_str("---\n");
    file.push_str(&body.unwrap_or_default());
    file.into_bytes()
}

fn line(file: &mut String, key: Key, value: &str) {
    file.push_str(key.as_str());
    file.push_str(": ");
    file.push_str(value);
    file.push('\n');
}

/// The keys that a fresh file states, but for its id.
pub fn keys_of(new: &NewMemory) -> Vec<(Key, Value)> {
    let text = |text: &str| Value::Text(text.to_owned());
    let some_list = |items: Vec<String>| (!items.is_empty()).then_some(Value::List(items));
    let unless = |default: &str, word: &str| (word != default).then(|| text(word));
    let reinforcement = Some(new.reinforcement).filter(|count| *count > 0);
    let supersedes = new.supersedes.iter().map(Id::to_string).collect();
    let stated = [
        (Key::Type, Some(text(new.kind.as_str()))),
        (Key::Source, Some(text(new.source.as_str()))),
        (Key::Status, unless(Status::Active.as_str(), new.status.as_str())),
        (
            Key::Importance,
            unless(Importance::Normal.as_str(), new.importance.as_str()),
        ),
        (Key::Confidence, new.confidence.map(Value::Number)),
        (Key::Strength, new.strength.map(Value::Number)),
        (Key::Reinforcement, reinforcement.map(Value::Count)),
        (Key::Created, new.created.clone()),
        (Key::Updated, new.updated.clone()),
        (Key::Reinforced, new.reinforced.clone()),
        (Key::Session, new.session.as_deref().map(text)),
        (Key::Clock, new.clock.clone()),
        (Key::StaleAfter, new.stale_after.map(Value::Count)),
        (Key::Description, new.description.as_deref().map(text)),
        (Key::Supersedes, some_list(supersedes)),
        (
            Key::SupersededBy,
            new.superseded_by.as_ref().map(|id| text(id.as_str())),
        ),
        (Key::Tags, some_list(new.tags.clone())),
        (Key::Paths, some_list(new.paths.clone())),
    ];
    stated
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

/// The body that says this content; `None` where it would read back as something else.
fn body(content: &Content) -> Option<String> {
    let (text, rationale) = match content {
        Content::Note { body } => {
            let end = if body.is_empty() { "" } else { "\n" };
            return Some(format!("{body}{end}"));
        }
        Content::Fact { text, rationale } => (text, rationale.as_deref()),
    };
    let body = match rationale {
        Some(rationale) => format!("{text}\n\nWhy: {rationale}\n"),
        None => format!("{text}\n"),
    };
    // A rule as first line reads back, and yet looks like a second frontmatter to people and other tools; a control
    // character does too, until an editor drops it or git takes the file for a binary one.
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    let looks_right = !text.starts_with("---") && body.chars().all(plain);
    (looks_right && read_content(&body) == *content).then_some(body)
}

/// `mem_` and the first 128 bits of SHA-256 over its path and the blob that HEAD has there, written as a ULID is: the same
/// on every machine that has this commit. It changes with the file, until the engine writes it into the file.
pub fn derived_id(path: &str, blob: Oid) -> Id {
    nth_derived_id(path, blob, 0)
}

/// The same for a file of which others have the first `nth` of these ids.
pub fn nth_derived_id(path: &str, blob: Oid, nth: u32) -> Id {
    let first = format!("{path}\0{blob}");
    let digest = match nth {
        0 => sha256(first.as_bytes()),
        nth => sha256(format!("{first}\0{nth}").as_bytes()),
    };
    let bits = digest[..16].try_into().expect("because a digest has 32 bytes");
    Id::parse(&format!("mem_{}", ulid::Ulid(u128::from_be_bytes(bits))))
        .expect("because a ULID is letters and digits")
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Readable, parse};
    use super::*;
    use crate::model::{Moment, StorePath, Timestamp};
    use proptest::prelude::*;

    fn sample(text: &str, rationale: Option<&str>) -> NewMemory {
        let content = Content::Fact {
            text: text.to_owned(),
            rationale: rationale.map(str::to_owned),
        };
        NewMemory {
            kind: Kind::new("decision"),
            content,
            ..NewMemory::default()
        }
    }

    fn id() -> Id {
        Id::parse("mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R").expect("valid")
    }

    fn written(new: &NewMemory) -> String {
        String::from_utf8(compose(&id(), new)).expect("UTF-8")
    }

    fn reads_back(new: &NewMemory) {
        let path = StorePath::new("user/x.md").expect("valid");
        let document = parse(&path, &compose(&id(), new), None, || {
            Id::parse("derived").expect("valid")
        });
        let file = written(new);
        assert_eq!(
            (document.readable, &document.diagnostics),
            (Readable::Yes, &vec![]),
            "{file:?}"
        );
        let memory = document.memory;
        assert_eq!(memory.content, new.content, "{file:?}");
        assert_eq!(
            (memory.id, memory.kind, memory.source, memory.status),
            (id(), new.kind.clone(), new.source, new.status)
        );
        assert_eq!(
            (memory.strength, memory.reinforcement, memory.importance),
            (new.strength, new.reinforcement, new.importance)
        );
        let at = |stated: &Option<Value>| match stated {
            Some(Value::Time(time)) => Moment::At(*time),
            _ => Moment::Unset,
        };
        assert_eq!((memory.created, memory.clock), (at(&new.created), at(&new.clock)));
        assert_eq!(
            (memory.tags, memory.session),
            (new.tags.clone(), new.session.clone())
        );
        assert_eq!(memory.description, new.description);
        assert!(!memory.has_own_keys && !memory.readonly);
    }

    #[test]
    fn writes_the_example() {
        let mut new = sample(
            "Use npm cache for plugin loading, not npm link.",
            Some("npm link breaks peer dependencies. See [[plugin-loading]]."),
        );
        new.source = Source::Explicit;
        new.strength = Some(5.0);
        new.reinforcement = 2;
        new.created = Timestamp::parse("2026-11-20T10:00:00Z").map(Value::Time);
        new.reinforced = Timestamp::parse("2026-11-27T10:00:05Z").map(Value::Time);
        assert_eq!(
            written(&new),
            "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\ntype: decision\nsource: explicit\nstrength: 5.0\nreinforcement: 2\ncreated: 2026-11-20T10:00:00Z\nreinforced: 2026-11-27T10:00:05Z\n---\nUse npm cache for plugin loading, not npm link.\n\nWhy: npm link breaks peer dependencies. See [[plugin-loading]].\n"
        );
        reads_back(&new);
    }

    #[test]
    fn a_text_that_would_read_back_differently_is_a_key() {
        for (text, rationale) in [
            ("a\n\nb", None),
            ("---", None),
            ("---\na: b\n---", None),
            (" a", None),
            ("a ", None),
            ("a\n", None),
            ("", None),
            ("a\n\nWhy: b", None),
            ("a", Some("")),
            ("a", Some("b\n\nc")),
            ("a", Some(" b")),
            ("", Some("b")),
        ] {
            let new = sample(text, rationale);
            let file = written(&new);
            assert!(
                file.contains("\ntext: \"") && file.ends_with("\n---\n"),
                "{file:?}"
            );
            reads_back(&new);
        }
        for (text, rationale) in [("a", None), ("a\nb", Some("c\nd")), ("Why: a", None)] {
            let new = sample(text, rationale);
            assert!(!written(&new).contains("\ntext:"), "{text:?}");
            reads_back(&new);
        }
    }

    #[test]
    fn a_note_is_its_body() {
        for body in ["", "# A\n\nb\n\nc", "  a\n\nb"] {
            let mut new = sample("", None);
            new.content = read_content(body);
            assert!(new.content.is_note());
            reads_back(&new);
        }
    }

    #[test]
    fn many_brackets_are_no_nesting() {
        for brackets in ["[", "{", "[{", "{}[", "]["] {
            let many = brackets.repeat(100);
            let mut new = sample(&format!("a\0{many}"), Some(&many));
            new.description = Some(format!("a{many}"));
            new.tags = vec![many.clone()];
            reads_back(&new);
        }
    }

    proptest! {
        #[test]
        fn reads_back_any_text(text in any::<String>(), rationale in any::<Option<String>>(), tag in "[\\PC]{1,8}") {
            let mut new = sample(&text, rationale.as_deref());
            new.tags = vec![tag.trim().to_owned()];
            new.tags.retain(|tag| !tag.is_empty());
            reads_back(&new);
        }

        #[test]
        fn reads_back_awkward_texts(
            text in "(---|Why:|#|text:|\u{feff}|\\x00|\u{2028}|[a-z'\"\\\\:#é]|\n|\r|\t| ){0,12}",
            rationale in prop::option::of("(---|Why:|[a-z'\":]|\n|\r| ){0,8}"),
            description in prop::option::of("[a-z'\"#:{}\\[\\],&*!|>%@`-][a-z :#]{0,6}[a-z]"),
            millis in prop::option::of(0_i64..4_000_000_000_000),
            strength in prop::option::of(0.0..1e12),
            reinforcement in 0_u32..20,
        ) {
            let mut new = sample(&text, rationale.as_deref());
            new.description = description;
            new.created = millis.map(|millis| Value::Time(Timestamp::from_millis(millis)));
            new.clock.clone_from(&new.created);
            new.strength = strength;
            new.reinforcement = reinforcement;
            new.status = Status::Superseded;
            new.importance = Importance::Low;
            new.session = Some("12e4".to_owned());
            reads_back(&new);
        }
    }
}
