//! Tests of the plan of an import.

use super::*;
use crate::document::NewMemory;
use crate::model::{Content, Importance, Kind, Moment, Source};
use proptest::prelude::*;
use std::path::Path;

use crate::text::sha256_hex;

const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

fn memory(text: &str) -> NewMemory {
    NewMemory {
        source: Source::Explicit,
        kind: Kind::new("decision"),
        content: Content::Fact {
            text: text.to_owned(),
            rationale: None,
        },
        ..NewMemory::default()
    }
}

fn of(id: Option<&str>, memory: NewMemory) -> Entry {
    Entry {
        id: id.map(str::to_owned),
        ..Entry::words(memory, &Rules::default())
    }
}

fn fact(id: Option<&str>, text: &str) -> Entry {
    of(id, memory(text))
}

fn foreign(path: &str, bytes: impl Into<Vec<u8>>) -> Entry {
    Entry {
        path: path.to_owned(),
        bytes: Some(bytes.into()),
        ..Entry::default()
    }
}

fn export(path: &str, bytes: impl Into<Vec<u8>>) -> Entry {
    Entry {
        is_export: true,
        stands_alone: true,
        ..foreign(path, bytes)
    }
}

/// The plan in an empty store, where `use npm` was forgotten for good.
fn planned(entries: Vec<Entry>) -> Plan {
    let forgotten = format!("forget t1 2026-11-01 - {}", sha256_hex(b"use npm"));
    let terms = Terms {
        rules: &Rules::default(),
        redactor: Some(&Redactor::standard()),
        forgotten: &Forgotten::parse(forgotten.as_bytes()),
        now: NOW,
    };
    plan(entries, &Snapshot::default(), &terms)
}

fn read(bytes: &[u8]) -> Memory {
    let path = StorePath::new("decision/x.md").unwrap();
    parse(&path, bytes, None, || Id::parse("derived").unwrap()).memory
}

fn text(plan: &Plan, at: usize) -> String {
    String::from_utf8(plan.files[at].1.clone()).unwrap()
}

fn fates(plan: &Plan) -> Vec<(ImportFate, &str)> {
    plan.items
        .iter()
        .map(|item| (item.fate, item.path.as_deref().unwrap_or_default()))
        .collect()
}

#[test]
fn what_another_says_is_absorbed() {
    let plan = planned(vec![
        fact(Some("a"), "Use bun"),
        fact(Some("b"), "use BUN!"),
        fact(Some("c"), "Use yarn"),
    ]);
    assert_eq!(
        fates(&plan),
        [
            (ImportFate::Imported, "decision/use-bun.md"),
            (ImportFate::AbsorbedExact, "decision/use-bun.md"),
            (ImportFate::Imported, "decision/use-yarn.md"),
        ]
    );
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
            Some("its id is not valid here: it gets a new one"),
            None,
            None,
            None,
            None,
            Some("another entry has the id same: it gets a new one"),
        ]
    );
    let written: Vec<bool> = plan.items.iter().map(|item| item.fate.is_written()).collect();
    assert_eq!(written, [true, true, false, true, false, true]);
    let ids: std::collections::BTreeSet<_> = plan.items.iter().map(|item| &item.id).collect();
    assert_eq!(ids.len(), 4);
}

#[test]
fn a_file_says_what_the_entry_said() {
    let at = Timestamp::from_millis(1_781_411_859_409);
    let new = NewMemory {
        source: Source::Compaction,
        confidence: Some(1.0),
        importance: Importance::High,
        reinforcement: 3,
        stale_after: Some(0),
        created: Some(Value::Time(at)),
        clock: Some(Value::Text("bad: date # 1".to_owned())),
        reinforced: Some(Value::Text("-5".to_owned())),
        ..memory("Use bun")
    };
    let entry = of(Some("mem_1700000000000_36iavh"), new.clone());
    let memory = read(&planned(vec![entry]).files[0].1);
    assert_eq!(memory.id.as_str(), "mem_1700000000000_36iavh");
    assert_eq!((memory.confidence, memory.strength), (1.0, Some(3.75)));
    assert_eq!((memory.stale_after, memory.reinforcement), (Some(0), 3));
    assert_eq!(
        (memory.clock, memory.reinforced),
        (Moment::Unreadable, Moment::Unreadable)
    );
    assert_eq!((memory.created, memory.updated), (Moment::At(at), Moment::At(at)));
    assert_eq!(memory.content, new.content);
}

proptest! {
    #[test]
    fn every_time_that_is_none_is_written(text in "[\\PC]{1,80}", other in "[a-z:#'\"{}\\[\\]&*!|> -]{1,20}") {
        let new = NewMemory {
            created: Some(Value::Text(text)),
            clock: Some(Value::Text(other)),
            ..memory("x")
        };
        let read = read(&planned(vec![of(None, new.clone())]).files[0].1);
        prop_assert_eq!(read.content, new.content);
    }
}

#[test]
fn what_was_forgotten_for_good_stays_forgotten() {
    let plan = planned(vec![fact(Some("a"), "Use npm."), fact(Some("b"), "Use yarn")]);
    assert_eq!(plan.items[0].fate, ImportFate::AlreadyForgotten);
    assert_eq!(plan.files.len(), 1);
}

#[test]
fn neither_a_file_nor_a_report_holds_a_secret() {
    let nothing_else = planned(vec![fact(Some("a"), "The password is hunter2-x9.")]);
    assert_eq!(nothing_else.items[0].fate, ImportFate::LeftOut);
    assert!(nothing_else.files.is_empty() && !nothing_else.items[0].preview.contains("hunter2"));
    let plan = planned(vec![fact(Some("a"), "The password is hunter2-x9, ask ops.")]);
    assert_eq!(plan.items[0].redacted, ["password"]);
    assert_eq!(
        plan.files[0].0.as_str(),
        "decision/the-password-is-redacted-password-ask.md"
    );
    let file = String::from_utf8_lossy(&plan.files[0].1).into_owned();
    assert!(
        file.contains("[REDACTED:password]") && !file.contains("hunter2"),
        "{file}"
    );
    assert!(!plan.items[0].preview.contains("hunter2"));
    let place = "The password is hunter2-x9";
    let below_it = fact(Some("b"), "Use bun").at(Path::new("/x"), place, None);
    assert_eq!(
        planned(vec![below_it]).items[0].place,
        "The password is [REDACTED:password]"
    );
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
    let said = (0..20_000).map(|n| fact(Some(&format!("mem_{n}")), &format!("The same words {n}")));
    assert_eq!(planned(said.collect()).files.len(), 20_000);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn a_file_keeps_its_bytes_and_gets_an_id_and_what_it_does_not_state() {
    let time = Value::Time(Timestamp::from_seconds(1_700_000_000));
    let mut note = foreign(
        "kb/Auth.md",
        "---\r\ntype: note # mine\r\nother:   x\r\n---\r\n\r\nBody\r\n\r\nMore\r\n",
    );
    note.keys = vec![(Key::Created, time), (Key::Name, Value::from("Auth"))];
    let plan = planned(vec![note]);
    let id = plan.items[0].id.as_deref().unwrap();
    assert_eq!(
        text(&plan, 0),
        format!(
            "---\r\ntype: project # mine\r\nother:   x\r\nid: {id}\r\ncreated: 2023-11-14T22:13:20Z\r\nname: Auth\r\n---\r\n\r\nBody\r\n\r\nMore\r\n"
        )
    );
    assert_eq!(plan.files[0].0.as_str(), "kb/Auth.md");
}

#[test]
fn a_frontmatter_that_is_no_yaml_stays_and_the_id_is_that_of_its_place() {
    let odd = "---\ndescription: fix: the build\n---\nBody\n\nMore\n";
    let plan = planned(vec![foreign("kb/odd.md", odd)]);
    assert_eq!(text(&plan, 0), odd);
    assert!(
        plan.items[0]
            .remark
            .as_deref()
            .unwrap()
            .contains("no key was added")
    );
    let path = StorePath::new("kb/odd.md").unwrap();
    assert_eq!(
        plan.items[0].id,
        Some(derived_id(path.as_str(), hash_blob(odd.as_bytes())).to_string())
    );
}

#[test]
fn what_is_no_memory_is_refused_with_its_reason() {
    let plan = planned(vec![
        foreign("b.md", "a\0b"),
        foreign("c.md", " \n\n"),
        foreign("d.md", "x".repeat(2 << 20)),
        foreign("e.md", "Use npm."),
    ]);
    assert!(plan.files.is_empty(), "{:?}", plan.items);
    let remarks: Vec<_> = plan
        .items
        .iter()
        .map(|item| item.remark.as_deref().unwrap_or_default())
        .collect();
    for (remark, part) in remarks.iter().zip(["NUL", "empty", "2097", ""]) {
        assert!(remark.contains(part), "{remarks:?}");
    }
    assert_eq!(plan.items[3].fate, ImportFate::AlreadyForgotten);
}

#[test]
fn a_hostile_path_leads_nowhere() {
    let hostile = [
        "../../etc/x.md",
        "/etc/x.md",
        ".git/x.md",
        "a/.GIT/x.md",
        ".mdmem/x.md",
        "MEMORY.md",
        "memory.md",
        "a\\b.md",
        "nul\0.md",
        "CON.md",
        "a//b.md",
        "x.txt",
        "ghp_Fake0Token1Fake0Token1Fake0Token1Fak.md",
    ];
    let plan = planned(
        hostile
            .iter()
            .map(|path| {
                foreign(
                    path,
                    format!("About {}", path.len() * 31 + path.as_bytes()[0] as usize),
                )
            })
            .collect(),
    );
    for (path, _) in &plan.files {
        // A path of a store leads nowhere else.
        assert!(!path.as_str().contains("ghp_"), "{path:?}");
    }
    assert_eq!(plan.files.len(), hostile.len());
}

#[test]
fn two_versions_of_git_are_refused() {
    let conflict = "a\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> x\n";
    let plan = planned(vec![
        foreign("a.md", conflict),
        export("b.md", conflict),
        foreign("c.md", "Use npm."),
    ]);
    assert!(plan.files.is_empty(), "{:?}", plan.files);
    for item in &plan.items[..2] {
        assert!(item.remark.as_deref().unwrap().contains("markers"), "{item:?}");
    }
}

#[test]
fn a_credential_is_taken_out_and_named() {
    let plan = planned(vec![foreign("a.md", "# Login\n\nThe password is hunter2-x9.\n")]);
    assert_eq!(plan.items[0].redacted, ["password"]);
    assert!(text(&plan, 0).contains("[REDACTED:password]") && !text(&plan, 0).contains("hunter2"));
}

#[test]
fn a_credential_in_a_title_is_taken_out_of_the_name_too() {
    let secrets = [
        "Tr0ub4dor&3xyz",
        "ghp_Fake0Token1Fake0Token1Fake0Token1Fak",
        "AKIAQ3EGRV2XN7PLM4ZT",
    ];
    let titles = ["Prod DB password: Tr0ub4dor&3xyz", secrets[1], secrets[2]];
    let note = |(at, title): (usize, &str)| Entry {
        keys: vec![(Key::Name, Value::from(title))],
        ..foreign(
            &format!("{at}.md"),
            format!("---\ntitle: \"{title}\"\n---\nNote {at}.\n\nMore.\n"),
        )
    };
    let plan = planned(titles.into_iter().enumerate().map(note).collect());
    assert_eq!(plan.files.len(), 3);
    let all = format!(
        "{}{}{}{:?}",
        text(&plan, 0),
        text(&plan, 1),
        text(&plan, 2),
        plan.items
    );
    assert_eq!(all.matches("name: ").count(), 3, "{all}");
    for secret in secrets {
        assert!(!all.contains(secret), "{all}");
    }
    assert_eq!(plan.items[0].redacted, ["password"]);
}

#[test]
fn files_with_other_descriptions_or_tags_do_not_say_the_same() {
    let files = [
        "---\ndescription: The first\n---\n",
        "---\ndescription: The second\n---\n",
        "---\ndescription: The first\ntags: [a]\n---\nUse npm.\n",
        "---\ndescription: The first\ntags: [b]\n---\nUse yarn.\n",
        "---\ndescription: The second\ntags: [b]\n---\nUse yarn.\n",
        "Use yarn!\n",
        "---\ndescription: The second\ntags: [b]\n---\nuse Yarn\n",
    ];
    let named = |(at, text): (usize, &&str)| foreign(&format!("{at}.md"), *text);
    let plan = planned(files.iter().enumerate().map(named).collect());
    let written: Vec<bool> = plan.items.iter().map(|item| item.fate.is_written()).collect();
    // `Use npm.` was forgotten; the last two lose nothing.
    assert_eq!(written, [true, true, false, true, true, false, false]);
    let ids: std::collections::BTreeSet<_> = plan.items[..5].iter().map(|item| &item.id).collect();
    assert_eq!(ids.len(), 5);
}

#[test]
fn a_copy_in_an_export_is_no_entry_too_many() {
    let bytes = "---\nid: mem_a\n---\nUse yarn.\n";
    let plan = planned(["a.md", "b.md", "c.md"].map(|path| export(path, bytes)).into());
    let paths: Vec<&str> = plan.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a.md", "b.md", "c.md"]);
    assert!(plan.files.iter().all(|(_, written)| written == bytes.as_bytes()));
    let ids: std::collections::BTreeSet<_> = plan.items.iter().map(|item| &item.id).collect();
    assert_eq!(ids.len(), 3);
}

#[test]
fn a_name_that_is_taken_gets_a_number_also_where_it_is_long() {
    let long = format!("{}.md", "n".repeat(250));
    let files = [("a.md", "1"), ("A.md", "2"), (&long, "3"), (&long, "4")];
    let plan = planned(files.iter().map(|(path, text)| foreign(path, *text)).collect());
    let paths: Vec<&str> = plan.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths[..3], ["a.md", "A-2.md", &long]);
    assert_eq!(plan.files.len(), 4);
}

#[test]
fn an_export_keeps_every_byte() {
    let bytes = b"---\nid: mem_a\n---\n\xff".to_vec();
    let plan = planned(vec![export("decision/a.md", bytes.clone())]);
    assert_eq!(plan.files[0].1, bytes);
}
