//! Tests of the plan of an import.

use super::super::incoming::Item;
use super::*;
use crate::document::{Value, parse};
use crate::model::{Importance, Memory, Moment, Source};
use proptest::prelude::*;

const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

fn fact(id: Option<&str>, text: &str) -> Said {
    let content = Content::Fact {
        text: text.to_owned(),
        rationale: None,
    };
    Said {
        id: id.map(str::to_owned),
        way: Way::Memory,
        memory: NewMemory {
            source: Source::Explicit,
            kind: Kind::new("decision"),
            content,
            ..NewMemory::default()
        },
    }
}

fn incoming(said: Vec<Said>) -> Incoming {
    let item = |(index, said)| Item {
        file: "/other.json".into(),
        place: format!("entries[{index}]"),
        line: None,
        said: Ok(said),
    };
    Incoming {
        tool: "other",
        files: vec!["/other.json".into()],
        items: said.into_iter().enumerate().map(item).collect(),
        ..Incoming::default()
    }
}

fn planned(said: Vec<Said>) -> Plan {
    planned_but(said, &Forgotten::default())
}

fn planned_in(incoming: Incoming, present: &Snapshot) -> Plan {
    let terms = Terms {
        rules: &Rules::default(),
        redactor: Some(&Redactor::standard()),
        forgotten: &Forgotten::default(),
        now: NOW,
    };
    plan(incoming, present, &terms)
}

fn planned_but(said: Vec<Said>, forgotten: &Forgotten) -> Plan {
    let terms = Terms {
        rules: &Rules::default(),
        redactor: Some(&Redactor::standard()),
        forgotten,
        now: NOW,
    };
    plan(incoming(said), &Snapshot::default(), &terms)
}

fn read(bytes: &[u8]) -> Memory {
    let path = StorePath::new("decision/x.md").unwrap();
    parse(&path, bytes, None, || Id::parse("derived").unwrap()).memory
}

fn fates(plan: &Plan) -> Vec<(ImportFate, &str)> {
    plan.items
        .iter()
        .map(|item| (item.fate, item.path.as_ref().map_or("", StorePath::as_str)))
        .collect()
}

#[test]
fn what_waits_is_absorbed_by_the_same_words_and_nothing_else_is() {
    let waiting = |id, text| Said {
        way: Way::Waiting,
        ..fact(Some(id), text)
    };
    let plan = planned(vec![
        fact(Some("a"), "Use npm"),
        fact(Some("b"), "use NPM!"),
        waiting("c", "Use npm."),
        waiting("d", "Use yarn"),
        waiting("e", "use yarn"),
    ]);
    assert_eq!(
        fates(&plan),
        [
            (ImportFate::Imported, "decision/use-npm.md"),
            (ImportFate::Imported, "decision/use-npm-2.md"),
            (ImportFate::AbsorbedExact, "decision/use-npm.md"),
            (ImportFate::Imported, "decision/use-yarn.md"),
            (ImportFate::AbsorbedExact, "decision/use-yarn.md"),
        ]
    );
    assert_eq!(plan.items[4].id, Some(Id::parse("d").unwrap()));
}

#[test]
fn an_id_that_cannot_be_kept_is_replaced_by_one_of_the_content() {
    let plan = planned(vec![
        fact(Some("../../etc/passwd"), "One"),
        fact(None, "Two"),
        fact(None, "Two"),
        fact(Some("same"), "Three"),
        fact(Some("same"), "Three"),
        fact(Some("same"), "Four"),
    ]);
    let remarks: Vec<Option<&str>> = plan.items.iter().map(|item| item.remark.as_deref()).collect();
    assert_eq!(
        remarks,
        [
            Some("its id cannot be that of a memory: it gets another one"),
            None,
            None,
            None,
            None,
            Some("another entry has the id same: it gets another one"),
        ]
    );
    let written: Vec<bool> = plan.items.iter().map(|item| item.fate.is_written()).collect();
    assert_eq!(written, [true, true, false, true, false, true]);
    let ids: std::collections::BTreeSet<_> = plan.items.iter().map(|item| &item.id).collect();
    assert_eq!(ids.len(), 4);
}

#[test]
fn a_superseded_entry_names_what_replaced_it() {
    let mut old = fact(Some("old"), "Use npm");
    old.memory.status = Status::Superseded;
    let mut new = fact(Some("new"), "Use pnpm");
    new.memory.supersedes = vec![Id::parse("old").unwrap()];
    let plan = planned(vec![old, new]);
    assert_eq!(plan.items[0].fate, ImportFate::Superseded);
    let file = String::from_utf8(plan.files[0].1.clone()).unwrap();
    assert!(
        file.contains("status: superseded\n") && file.contains("superseded_by: new\n"),
        "{file}"
    );
}

#[test]
fn a_file_says_what_the_entry_said() {
    let at = Timestamp::from_millis(1_781_411_859_409);
    let mut said = fact(Some("mem_1700000000000_36iavh"), "Use npm");
    said.memory = NewMemory {
        source: Source::Compaction,
        confidence: Some(1.0),
        importance: Importance::High,
        reinforcement: 3,
        stale_after: Some(0),
        created: Some(Value::Time(at)),
        clock: Some(Value::Text("bad: date # 1".to_owned())),
        reinforced: Some(Value::Text("-5".to_owned())),
        ..said.memory
    };
    let memory = read(&planned(vec![said.clone()]).files[0].1);
    assert_eq!(Some(memory.id.to_string()), said.id);
    assert_eq!((memory.confidence, memory.strength), (1.0, Some(3.75)));
    assert_eq!((memory.stale_after, memory.reinforcement), (Some(0), 3));
    assert_eq!(
        (memory.clock, memory.reinforced),
        (Moment::Unreadable, Moment::Unreadable)
    );
    assert_eq!((memory.created, memory.updated), (Moment::At(at), Moment::Unset));
    assert_eq!(memory.content, said.memory.content);
}

proptest! {
    #[test]
    fn every_time_that_is_none_is_written(text in "[\\PC]{1,80}", other in "[a-z:#'\"{}\\[\\]&*!|> -]{1,20}") {
        let mut said = fact(None, "x");
        said.memory.created = Some(Value::Text(text));
        said.memory.clock = Some(Value::Text(other));
        let memory = read(&planned(vec![said.clone()]).files[0].1);
        prop_assert_eq!(memory.content, said.memory.content);
    }
}

#[test]
fn what_was_forgotten_for_good_stays_forgotten() {
    let hash = sha256_hex(b"use npm");
    let forgotten = Forgotten::parse(format!("forget t1 2026-11-01 - {hash}").as_bytes());
    let plan = planned_but(
        vec![fact(Some("a"), "Use npm."), fact(Some("b"), "Use yarn")],
        &forgotten,
    );
    assert_eq!(plan.items[0].fate, ImportFate::AlreadyForgotten);
    assert_eq!(plan.files.len(), 1);
}

#[test]
fn neither_a_file_nor_a_report_holds_a_secret() {
    let plan = planned(vec![fact(Some("a"), "The password is hunter2-x9.")]);
    assert_eq!(plan.items[0].redacted, ["password"]);
    assert_eq!(
        plan.files[0].0.as_str(),
        "decision/the-password-is-redacted-password.md"
    );
    let file = String::from_utf8_lossy(&plan.files[0].1).into_owned();
    assert!(
        file.contains("[REDACTED:password]") && !file.contains("hunter2"),
        "{file}"
    );
    assert!(!plan.items[0].preview.contains("hunter2"));
    let mut below_it = incoming(vec![fact(Some("b"), "Use npm")]);
    below_it.items[0].place = "The password is hunter2-x9".to_owned();
    let plan = planned_in(below_it, &Snapshot::default());
    assert_eq!(plan.items[0].place, "The password is [REDACTED:password]");
}

#[test]
fn a_text_that_no_file_may_hold_is_named() {
    let plan = planned(vec![fact(Some("a"), &"x".repeat(2 << 20)), fact(Some("b"), "y")]);
    assert_eq!(plan.items[0].fate, ImportFate::Unreadable);
    assert!(
        plan.items[0].remark.as_deref().unwrap().contains("2097"),
        "{:?}",
        plan.items[0]
    );
    assert_eq!(plan.files.len(), 1);
}

#[test]
fn many_are_decided_in_a_moment() {
    let begun = std::time::Instant::now();
    let said = (0..20_000).map(|n| fact(Some(&format!("mem_{n}")), "The same words"));
    assert_eq!(planned(said.collect()).files.len(), 20_000);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
