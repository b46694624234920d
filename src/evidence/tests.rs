//! The log as its users see it.

use serde_json::{Value, json};

use super::*;
use crate::model::{Id, Kind, Source, Status, Timestamp, repeated, takes_its_length};
use crate::sys::{Ids, write_atomic};
use crate::text::Redactor;

const DAY: i64 = 86_400_000;

fn log(root: &std::path::Path) -> EvidenceLog {
    EvidenceLog::new(root, Ids::random(), "key", "root", "cli", Redactor::standard())
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn file(root: &std::path::Path) -> std::path::PathBuf {
    root.join(FILE)
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
fn what_is_recorded_reads_back_in_order() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    assert_eq!(Evidence::read(root.path()).unwrap(), Evidence::default());
    log.append(&[], at(0)).unwrap();
    assert!(!file(root.path()).exists());
    log.append(&[whole_event(), Event::new(EventType::HookFailed)], at(0))
        .unwrap();
    log.append(&[Event::new(EventType::RenderOmitted)], at(1))
        .unwrap();
    let evidence = Evidence::read(root.path()).unwrap();
    let types: Vec<EventType> = evidence.events.iter().map(|event| event.event_type).collect();
    assert_eq!(
        types,
        [
            EventType::PromotionAbsorbedIdentity,
            EventType::HookFailed,
            EventType::RenderOmitted
        ]
    );
    let first = &evidence.events[0];
    assert_eq!(
        first.related("absorbed_by"),
        Some(&MemoryFacts::of_id(&id("mem_b")))
    );
    assert_eq!(first.memory, whole_event().memory);
    assert_eq!(
        (first.text("reason"), first.number("oldCount")),
        (Some("a b"), Some(1))
    );
    assert!(first.concerns(&id("mem_a")) && first.concerns(&id("mem_b")) && !first.concerns(&id("mem_c")));
    assert!(evidence.events.windows(2).all(|pair| pair[0].id < pair[1].id));
}

#[test]
fn a_line_that_cannot_be_read_is_counted_and_no_error() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    log.append(&[whole_event()], at(0)).unwrap();
    let mut bytes = std::fs::read(file(root.path())).unwrap();
    let good = bytes.clone();
    bytes.extend_from_slice(b"\xff\xfe\n\n[]\n{\"version\":1}\n");
    bytes.extend_from_slice(
        b"{\"version\":2,\"what\":\"ever\"}\n{\"version\":1,\"eventId\":\"e\",\"type\":\"later\"}\n",
    );
    bytes.extend_from_slice("[".repeat(100_000).as_bytes());
    bytes.push(b'\n');
    bytes.extend_from_slice(&good[..good.len() / 2]);
    write_atomic(&file(root.path()), &bytes).unwrap();
    log.append(&[whole_event()], at(2)).unwrap();
    let evidence = Evidence::read(root.path()).unwrap();
    assert_eq!(
        (evidence.events.len(), evidence.unreadable, evidence.newer),
        (2, 5, 2)
    );
}

#[test]
fn what_of_a_line_cannot_be_read_is_not_known() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(".mdmem")).unwrap();
    let line = json!({
        "version": 1, "eventId": "evt_1", "createdAt": "2026-11-20T10:00:00Z", "type": "hook_failed",
        "sessionHash": 7, "reasonCodes": ["a", 3, null], "memory": [], "details": "no object",
        "relations": [{"role": "replaced"}, {"role": "replaced", "memory": {"memoryId": "../x y", "source": "mars"}}],
    });
    write_atomic(&file(root.path()), format!("{line}\n").as_bytes()).unwrap();
    let event = Evidence::read(root.path()).unwrap().events.remove(0);
    assert_eq!((event.session, event.reasons), (None, vec!["a".to_owned()]));
    assert_eq!((event.memory, event.details.len()), (None, 0));
    let roles: Vec<_> = event.relations.iter().map(|relation| &relation.memory).collect();
    assert_eq!(roles, [&MemoryFacts::default()]);
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
    let event = Evidence::read(root.path()).unwrap().events.remove(0);
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
    let evidence = Evidence::read(root.path()).unwrap();
    assert!(
        (4_000..=5_300).contains(&evidence.events.len()),
        "{}",
        evidence.events.len()
    );
    assert!(evidence.bytes <= 2 << 20);
    prune(root.path(), at(0)).unwrap();
    assert!(Evidence::read(root.path()).unwrap().events.len() <= 5_000);
    let before = std::fs::read(file(root.path())).unwrap();
    prune(root.path(), at(0)).unwrap();
    assert_eq!(std::fs::read(file(root.path())).unwrap(), before);
    assert_eq!(
        Evidence::read(root.path()).unwrap().events.last().unwrap().at,
        at(59)
    );

    log.append(&batch[..1], at(60 * DAY)).unwrap();
    prune(root.path(), at(91 * DAY)).unwrap();
    assert_eq!(Evidence::read(root.path()).unwrap().events.len(), 1);
}

#[test]
fn large_events_are_cut_by_size() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    let large = (0..40).fold(Event::new(EventType::HookFailed), |event, _| {
        event.reason("x".repeat(240))
    });
    for n in 0..300 {
        log.append(std::slice::from_ref(&large), at(n)).unwrap();
    }
    let evidence = Evidence::read(root.path()).unwrap();
    assert!(evidence.bytes <= 2 << 20, "{}", evidence.bytes);
    assert_eq!(evidence.events.last().unwrap().at, at(299));
    assert!(evidence.bytes > 1 << 20, "{}", evidence.bytes);
}

#[test]
fn pruning_puts_aside_what_is_no_event_and_keeps_what_is_newer() {
    let root = tempfile::tempdir().unwrap();
    let log = log(root.path());
    let newer = "{\"version\":9,\"createdAt\":\"later\"}\n";
    let old = "{\"version\":9,\"createdAt\":\"1999-01-01T00:00:00Z\"}\n";
    for _ in 0..2 {
        std::fs::create_dir_all(root.path().join(".mdmem")).unwrap();
        write_atomic(&file(root.path()), format!("{old}{newer}torn {{\n").as_bytes()).unwrap();
        prune(root.path(), at(0)).unwrap();
        assert_eq!(std::fs::read_to_string(file(root.path())).unwrap(), newer);
    }
    let aside = std::fs::read_to_string(root.path().join(UNREADABLE)).unwrap();
    assert_eq!(aside, "torn {\ntorn {\n");

    write_atomic(&file(root.path()), format!("{newer}torn").as_bytes()).unwrap();
    prune(root.path(), at(0)).unwrap();
    assert_eq!(
        std::fs::read_to_string(file(root.path())).unwrap(),
        newer,
        "within every limit"
    );

    let garbage = "garbage\n".repeat(400_000);
    write_atomic(&file(root.path()), garbage.as_bytes()).unwrap();
    log.append(&[whole_event()], at(0)).unwrap();
    let evidence = Evidence::read(root.path()).unwrap();
    assert_eq!((evidence.events.len(), evidence.unreadable), (1, 0));
    let aside = std::fs::metadata(root.path().join(UNREADABLE)).unwrap().len();
    assert!((200 << 10..=256 << 10).contains(&aside), "{aside}");
}

#[test]
fn two_processes_lose_nothing_while_the_log_is_made_shorter() {
    let root = tempfile::tempdir().unwrap();
    let before: String = "no event\n".repeat(300_000);
    std::fs::create_dir_all(root.path().join(".mdmem")).unwrap();
    write_atomic(&file(root.path()), before.as_bytes()).unwrap();
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
    let evidence = Evidence::read(root.path()).unwrap();
    assert_eq!((evidence.events.len(), evidence.unreadable), (200, 0));
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
    let log = file(store.path());
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
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
        let write = |bytes: usize| {
            write_atomic(&log, repeated(piece, bytes).as_bytes())
                .map(drop)
                .unwrap();
        };
        takes_its_length(piece, write, |()| {
            let evidence = Evidence::read(store.path()).unwrap();
            assert_eq!(evidence.events, []);
        });
    }
}
