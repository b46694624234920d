//! A file's bytes to a memory: never a failure, and the content can be written down and read again.

use mdmem::document::{self, NewMemory, Readable};
use mdmem::model::{Id, StorePath};

pub(crate) fn run(data: &[u8]) {
    let path = StorePath::new("project/a.md").unwrap();
    let id = Id::parse("mem_derived").unwrap();
    let read = |bytes: &[u8]| document::parse(&path, bytes, None, || id.clone());
    let first = read(data);
    let lines = data.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    for found in &first.diagnostics {
        let line = found.line.unwrap_or(1);
        assert!((1..=u32::try_from(lines).unwrap()).contains(&line), "{found:?}");
        assert_ne!(found.column, Some(0), "{found:?}");
    }
    let memory = &first.memory;
    assert!(first.readable == Readable::Yes || memory.readonly);
    assert!(
        memory
            .strength
            .is_none_or(|strength| strength.is_finite() && strength >= 0.0)
    );
    assert!(first.chars <= data.len());
    assert!(!document::changes_text(data, data));
    assert!(document::body(data).len() <= data.len());
    assert!(document::links(data).len() <= data.len());
    if first.readable == Readable::No {
        return;
    }
    let new = NewMemory {
        kind: memory.kind.clone(),
        source: memory.source,
        status: memory.status,
        strength: memory.strength,
        reinforcement: memory.reinforcement,
        importance: memory.importance,
        stale_after: memory.stale_after,
        description: memory.description.clone(),
        supersedes: memory.supersedes.clone(),
        tags: memory.tags.clone(),
        content: memory.content.clone(),
        ..NewMemory::default()
    };
    let written = document::compose(&memory.id, &new);
    let second = read(&written);
    let again = &second.memory;
    let shown = || String::from_utf8_lossy(&written).into_owned();
    assert_eq!(second.readable, Readable::Yes, "{}", shown());
    // A note keeps what it has.
    assert!(
        second.diagnostics.iter().all(|found| found.code == "nul"),
        "{}",
        shown()
    );
    assert_eq!(again.content, memory.content, "{}", shown());
    assert_eq!(
        (
            &again.id,
            &again.kind,
            again.source,
            again.status,
            again.importance
        ),
        (
            &memory.id,
            &memory.kind,
            memory.source,
            memory.status,
            memory.importance
        ),
        "{}",
        shown()
    );
    assert_eq!(
        (
            again.strength,
            again.reinforcement,
            again.stale_after,
            &again.description
        ),
        (
            memory.strength,
            memory.reinforcement,
            memory.stale_after,
            &memory.description
        ),
        "{}",
        shown()
    );
    assert_eq!(
        (&again.supersedes, &again.tags),
        (&memory.supersedes, &memory.tags),
        "{}",
        shown()
    );
}
