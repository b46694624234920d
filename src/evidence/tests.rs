//! The log as its users see it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::log::{FILE, UNREADABLE};
use super::*;
use crate::model::{Id, Kind, Source, Status, Timestamp, repeated, takes_its_length};
use crate::sys::{Ids, write_atomic};
use crate::text::{Phrases, Redactor};

const DAY: i64 = 86_400_000;

/// Lines as earlier builds wrote them.
const EARLIER: &str = include_str!("earlier.jsonl");

fn log(root: &Path) -> EvidenceLog {
    EvidenceLog {
        root: root.to_owned(),
        ids: Ids::random(),
        workspace: "key".to_owned(),
        workspace_root: "root".to_owned(),
        producer: "cli".to_owned(),
        redactor: Redactor::standard(),
    }
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn file(root: &Path) -> PathBuf {
    root.join(FILE)
}

fn write(root: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(root.join(".mdmem")).unwrap();
    write_atomic(&file(root), bytes).unwrap();
}

fn read(root: &Path) -> Evidence {
    Evidence::read(root).unwrap()
}

fn whole_event() -> Event {
    let facts = MemoryFacts {
        kind: Some(Kind::new("decision")),
        source: Some(Source::Compaction),
        status: Some(Status::Active),
        ..MemoryFacts::of_id(&id("mem_a"))
    };
    Event::new(EventType::PromotionAbsorbedIdentity)
        .session("abc")
        .reason("same_identity")
        .about(facts.keyed("decision:x", Some("path:y")))
        .relates("absorbed_by", &id("mem_b"))
        .detail("oldCount", 1)
        .detail("sameSession", false)
        .detail("reason", "a\nb")
        .preview("Use\nnpm")
}

#[test]
fn a_line_has_the_names_of_the_specification() {
    let root = tempfile::tempdir().unwrap();
    log(root.path()).append(&[whole_event()], at(250)).unwrap();
    let text = std::fs::read_to_string(file(root.path())).unwrap();
    assert!(text.ends_with("}\n"));
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let event_id = value["eventId"].take();
    assert!(event_id.as_str().unwrap().starts_with("evt_"), "{event_id}");
    assert_eq!(
        value,
        json!({
            "version": 1, "eventId": null, "createdAt": "2023-11-14T22:13:20.250Z",
            "workspaceKey": "key", "workspaceRootHash": "root", "sessionHash": "abc",
            "producerName": "cli", "producerVersion": env!("CARGO_PKG_VERSION"),
            "instrumentationVersion": 3,
            "type": "promotion_absorbed_identity", "phase": "promotion", "outcome": "absorbed",
            "reasonCodes": ["same_identity"],
            "memory": {
                "memoryId": "mem_a", "memoryKeyHash": key_hash("decision:x"),
                "identityKeyHash": key_hash("path:y"), "type": "decision", "source": "compaction",
                "status": "active",
            },
            "relations": [{"role": "absorbed_by", "memory": {"memoryId": "mem_b"}}],
            "details": {"oldCount": 1, "sameSession": false, "reason": "a b"},
            "textPreview": "Use npm",
        })
    );
}

#[test]
fn every_line_of_earlier_builds_is_read_and_written_as_it_was() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), EARLIER.as_bytes());
    let evidence = read(root.path());
    assert_eq!((evidence.events.len(), evidence.unreadable), (25, 0));
    for (event, line) in evidence.events.iter().zip(EARLIER.lines()) {
        let json = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        assert_eq!(json(&event.to_line()), json(line));
    }
}

#[test]
fn what_is_recorded_reads_back_in_order() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    assert_eq!(read(root.path()), Evidence::default());
    log.append(&[], at(0)).unwrap();
    assert!(!file(root.path()).exists());
    log.append(&[whole_event(), Event::new(EventType::HookFailed)], at(0))
        .unwrap();
    log.append(&[Event::new(EventType::RenderOmitted)], at(1))
        .unwrap();
    let events = read(root.path()).events;
    let types: Vec<EventType> = events.iter().map(|event| event.event_type).collect();
    assert_eq!(
        types,
        [
            EventType::PromotionAbsorbedIdentity,
            EventType::HookFailed,
            EventType::RenderOmitted
        ]
    );
    assert_eq!(events[0].relations, whole_event().relations);
    assert_eq!(events[0].memory, whole_event().memory);
    assert_eq!(events[0].text("reason"), Some("a b"));
    assert!(events.windows(2).all(|pair| pair[0].id < pair[1].id));
}

#[test]
fn a_line_that_cannot_be_read_is_no_error_and_goes_aside() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    log.append(&[whole_event()], at(0)).unwrap();
    let good = std::fs::read(file(root.path())).unwrap();
    let newer = b"{\"version\":2,\"what\":\"ever\"}\n{\"version\":1,\"eventId\":\"e\",\"type\":\"later\"}\n";
    let mut bytes = [&good[..], b"\xff\xfe\n\n[]\n{\"version\":1}\n", newer].concat();
    bytes.extend_from_slice("[".repeat(100_000).as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(&good[..good.len() / 2]);
    write(root.path(), &bytes);
    log.append(&[whole_event()], at(2)).unwrap();
    let evidence = read(root.path());
    assert_eq!((evidence.events.len(), evidence.unreadable), (2, 5));

    prune(root.path(), at(3)).unwrap();
    let kept = std::fs::read(file(root.path())).unwrap();
    let end = [&good[..], newer].concat();
    assert!(kept.starts_with(&end), "what is newer stays");
    let evidence = read(root.path());
    assert_eq!((evidence.events.len(), evidence.unreadable), (2, 0));
    let aside = std::fs::read(root.path().join(UNREADABLE)).unwrap();
    assert_eq!(String::from_utf8_lossy(&aside).lines().count(), 5);
}

#[test]
fn texts_are_cut_to_one_line() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    let endless = format!("  first\u{1b}\n{}", "字".repeat(5_000_000));
    let event = Event::new(EventType::HookFailed)
        .preview(&endless)
        .detail("reason", endless.clone())
        .detail("counts", json!({"a": [endless, 3]}));
    log.append(&[event], at(0)).unwrap();
    let event = read(root.path()).events.remove(0);
    let preview = event.preview.unwrap();
    assert_eq!(preview.chars().count(), 120);
    assert!(
        preview.starts_with("first 字") && preview.ends_with("字…"),
        "{preview}"
    );
    assert_eq!(event.details["reason"].as_str().unwrap().chars().count(), 240);
    assert_eq!(event.details["counts"]["a"][1], 3);
}

#[test]
fn keeps_no_more_than_its_limits() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    let batch: Vec<Event> = (0..100).map(|_| Event::new(EventType::RenderSelected)).collect();
    for n in 0..60 {
        log.append(&batch, at(n)).unwrap();
    }
    prune(root.path(), at(0)).unwrap();
    let events = read(root.path()).events;
    assert!((4_000..=5_000).contains(&events.len()), "{}", events.len());
    assert_eq!(events.last().unwrap().at, at(59), "the newest stay");
    let before = std::fs::read(file(root.path())).unwrap();
    prune(root.path(), at(0)).unwrap();
    assert_eq!(std::fs::read(file(root.path())).unwrap(), before);

    log.append(&batch[..1], at(60 * DAY)).unwrap();
    prune(root.path(), at(91 * DAY)).unwrap();
    assert_eq!(read(root.path()).events.len(), 1);

    let large = (0..40).fold(Event::new(EventType::HookFailed), |event, _| {
        event.reason("x".repeat(240))
    });
    for n in 0..300 {
        log.append(std::slice::from_ref(&large), at(91 * DAY + n))
            .unwrap();
    }
    let size = file(root.path()).metadata().unwrap().len();
    assert!((1 << 20..=2 << 20).contains(&size), "{size}");
    assert_eq!(read(root.path()).events.last().unwrap().at, at(91 * DAY + 299));
}

#[test]
fn two_processes_lose_nothing_while_the_log_is_made_shorter() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "no event\n".repeat(300_000).as_bytes());
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let root = root.path();
            scope.spawn(move || {
                let log = log(root);
                for n in 0..50 {
                    log.append(&[whole_event().detail("n", writer * 100 + n)], at(n))
                        .unwrap();
                }
            });
        }
    });
    let evidence = read(root.path());
    assert_eq!((evidence.events.len(), evidence.unreadable), (200, 0));
}

#[test]
fn forgotten_words_leave_the_log_and_the_events_stay() {
    let root = tempfile::tempdir().unwrap();
    let said = "Invoices are sent on the first of a month";
    let other = Event::new(EventType::HookFailed).detail("reason", format!("cannot store: {said}"));
    let quoted = Event::new(EventType::ExplicitMemoryDetected).preview(said);
    log(root.path())
        .append(&[whole_event(), other, quoted], at(0))
        .unwrap();
    let kept = std::fs::read_to_string(file(root.path())).unwrap();
    write(root.path(), format!("{kept}torn {said}\n").as_bytes());
    scrub(root.path(), &[id("mem_a")], &Phrases::of([said])).unwrap();
    let text = std::fs::read_to_string(file(root.path())).unwrap();
    assert!(!text.contains("Invoices") && !text.contains("Use npm"), "{text}");
    assert_eq!(read(root.path()).events.len(), 3);
    assert!(text.contains("mem_a"), "{text}");
}

#[test]
fn a_log_behind_a_link_is_neither_written_nor_read() {
    let root = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::create_dir(root.path().join(".mdmem")).unwrap();
    std::os::unix::fs::symlink(outside.path(), file(root.path())).unwrap();
    assert!(log(root.path()).append(&[whole_event()], at(0)).is_err());
    assert!(Evidence::read(root.path()).is_err());
    assert_eq!(std::fs::metadata(outside.path()).unwrap().len(), 0);
}

#[test]
fn a_hostile_log_takes_its_length() {
    let store = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(store.path().join(".mdmem")).unwrap();
    for piece in [
        "{\"version\":1,\"type\":\"x\",\"eventId\":\"#\"}\n",
        "{\"version\":2}\n",
        "{\"version\":1,\"relations\":[{},{},",
        "\n",
        "\r\n",
        "\0",
        "[",
        "{\"a\":",
        "{\"k#\":1,",
        "x",
        "\"\\u0000",
    ] {
        let write = |bytes: usize| write(store.path(), repeated(piece, bytes).as_bytes());
        takes_its_length(piece, write, |()| {
            assert_eq!(read(store.path()).events, []);
        });
    }
}
