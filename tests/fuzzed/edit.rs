//! Edits of single keys. The first line of the input says which one: `name=text`, `reinforcement#3`, `strength~1.5`,
//! `created@0`, `tags[a,b`, `name-`; the file follows.

use mdmem::document::{self, Key, KeyEdit, Value};
use mdmem::model::{Id, Memory, StorePath, Timestamp};

pub(crate) fn run(data: &[u8]) {
    let (first, file) = match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &b""[..]),
    };
    let Some(step) = std::str::from_utf8(first).ok().and_then(step) else {
        return;
    };
    let (KeyEdit::Set(key, _) | KeyEdit::Remove(key)) = step;
    let change = |bytes: &[u8], step: &KeyEdit| document::edit(bytes, std::slice::from_ref(step));
    let Ok(after) = change(file, &step) else {
        return;
    };
    let shown = || String::from_utf8_lossy(&after).into_owned();
    assert_eq!(
        document::body(&after),
        document::body(file),
        "the body of {}",
        shown()
    );
    assert_eq!(change(&after, &step).as_deref(), Ok(&after[..]), "once more");
    let (before_memory, after_memory) = (read(file), read(&after));
    assert_eq!(
        without(key, before_memory),
        without(key, after_memory),
        "{}",
        shown()
    );
    if let KeyEdit::Set(_, value) = &step
        && change(file, &KeyEdit::Remove(key)).as_deref() == Ok(file)
        && !is_type_below_metadata(key, file)
    {
        let is_plain = match value {
            Value::Text(text) => !text.contains(|c: char| c.is_control()),
            _ => true,
        };
        let back = change(&after, &KeyEdit::Remove(key));
        assert!(
            !is_plain || back.as_deref() == Ok(file),
            "set, {}, and taken out again: {back:?}",
            shown()
        );
    }
}

fn step(line: &str) -> Option<KeyEdit> {
    let sign = line.find(['=', '#', '~', '@', '[', '-'])?;
    let (key, value) = (Key::parse(&line[..sign])?, &line[sign + 1..]);
    let value = match line.as_bytes()[sign] {
        b'=' => Value::Text(value.to_owned()),
        b'#' => Value::Count(value.parse().ok()?),
        b'~' => Value::Number(value.parse().ok().filter(|number: &f64| number.is_finite())?),
        b'@' => Value::Time(Timestamp::from_millis(value.parse().ok()?)),
        b'[' => Value::List(value.split(',').map(str::to_owned).collect()),
        _ => return Some(KeyEdit::Remove(key)),
    };
    Some(KeyEdit::Set(key, value))
}

fn read(bytes: &[u8]) -> Memory {
    let path = StorePath::new("project/a.md").unwrap();
    document::parse(&path, bytes, None, || Id::parse("mem_derived").unwrap()).memory
}

/// The memory without what the key says in it.
fn without(key: Key, mut memory: Memory) -> String {
    let blank = read(b"");
    match key {
        Key::Id => (memory.id, memory.id_stated) = (blank.id, false),
        Key::Type => memory.kind = blank.kind,
        // The usual confidence is the source's.
        Key::Source => (memory.source, memory.confidence) = (blank.source, 1.0),
        Key::Status => memory.status = blank.status,
        Key::Strength => memory.strength = None,
        Key::Reinforcement => memory.reinforcement = 0,
        Key::Reinforced => memory.reinforced = blank.reinforced,
        Key::Session => memory.session = None,
        Key::Clock => memory.clock = blank.clock,
        Key::Verified => memory.verified = blank.verified,
        Key::Created => memory.created = blank.created,
        Key::Updated => memory.updated = blank.updated,
        Key::Importance => memory.importance = blank.importance,
        Key::Confidence => memory.confidence = 1.0,
        Key::StaleAfter => memory.stale_after = None,
        Key::Name => memory.name = None,
        Key::Description => memory.description = None,
        Key::Limit => memory.limit = None,
        Key::Readonly => memory.readonly = false,
        Key::Supersedes => memory.supersedes = Vec::new(),
        Key::SupersededBy => memory.superseded_by = None,
        Key::ConflictOf => memory.conflict_of = None,
        Key::Tags => memory.tags = Vec::new(),
        Key::Aliases => memory.aliases = Vec::new(),
        Key::Paths => memory.paths = Vec::new(),
        Key::Promoted => memory.promoted = None,
        Key::Text | Key::Rationale => memory.content = blank.content,
    }
    // `rationale` is mdmem's only beside `text`, and a comment goes with its key.
    memory.has_own_keys = false;
    format!("{memory:?}")
}

/// A `type` below `metadata` is changed there, and stays there when it is to be removed.
fn is_type_below_metadata(key: Key, file: &[u8]) -> bool {
    key == Key::Type && String::from_utf8_lossy(file).contains("metadata")
}
