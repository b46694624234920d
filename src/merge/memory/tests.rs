//! The rules by example, and what holds of every triple.

use proptest::prelude::*;

use super::*;
use crate::document::{Readable, parse};
use crate::model::{Id, StorePath};

const BASE: &str = "---\nid: mem_1\ntype: decision  # ours\nreinforcement: 1\ncreated: 2026-01-05T10:00:00Z\n\
    tags: [a, b]\nown: x\n---\nUse npm.\n\nIt is fast.\n\nIt is known.\n";

fn at(hour: u32) -> Option<Timestamp> {
    Timestamp::parse(&format!("2026-11-20T{hour:02}:00:00Z"))
}

/// Merges both ways round, with the first side an hour later.
#[track_caller]
fn merged(base: &str, later: &str, other: &str) -> Merged {
    let later = Version {
        bytes: later.as_bytes(),
        at: at(11),
    };
    let other = Version {
        bytes: other.as_bytes(),
        at: at(10),
    };
    let merged = merge_memory(base.as_bytes(), later, other);
    let turned = merge_memory(base.as_bytes(), other, later);
    assert_eq!(merged.bytes, turned.bytes);
    assert_eq!(
        merged.conflict.as_ref().map(|c| &c.aside),
        turned.conflict.as_ref().map(|c| &c.aside)
    );
    merged
}

/// The file that two sides become without a conflict.
#[track_caller]
fn clean(base: &str, later: &str, other: &str) -> String {
    let merged = merged(base, later, other);
    assert_eq!(
        merged.conflict,
        None,
        "{}",
        String::from_utf8_lossy(&merged.bytes)
    );
    String::from_utf8(merged.bytes).unwrap()
}

#[test]
fn what_one_side_changed_is_kept_to_the_byte() {
    let tagged = BASE.replace("[a, b]", "[a, b, c] # more");
    let unlocked = BASE
        .replace("own: x\n", "own:   'y'\nreadonly: true\n")
        .replace("fast", "quick");
    let both = tagged
        .replace("own: x\n", "own:   'y'\nreadonly: true\n")
        .replace("fast", "quick");
    assert_eq!(clean(BASE, &tagged, &unlocked), both);
    assert_eq!(clean(BASE, &unlocked, &tagged), both);
    let without = BASE.replace("own: x\n", "");
    assert_eq!(clean(BASE, &without, &tagged), tagged.replace("own: x\n", ""));
    assert_eq!(clean(BASE, BASE, &tagged), tagged);
}

#[test]
fn each_key_has_its_rule_where_both_changed_it() {
    for (key, later, other, expected) in [
        ("reinforcement", "2", "3", "3"),
        ("reinforcement", "4", "x", "4"),
        ("reinforced", "2026-11-20T10:00:00Z", "2026-11-21", "2026-11-21"),
        (
            "created",
            "2026-01-03",
            "2026-01-02T10:00:00Z",
            "2026-01-02T10:00:00Z",
        ),
        ("status", "active", "superseded", "superseded"),
        ("readonly", "false", "true", "true"),
        ("readonly", "false", "yes please", "yes please"),
        ("importance", "low", "high", "low"),
        ("own", "1", "2", "1"),
        ("id", "mem_5", "mem_3", "mem_3"),
    ] {
        let with = |value: &str| {
            let others: Vec<&str> = BASE
                .split_inclusive('\n')
                .filter(|line| !line.starts_with(&format!("{key}:")))
                .collect();
            others
                .concat()
                .replacen("---\n", &format!("---\n{key}: {value}\n"), 1)
        };
        assert_eq!(clean(BASE, &with(later), &with(other)), with(expected), "{key}");
    }
}

#[test]
fn a_set_keeps_what_all_have_and_what_either_added() {
    let with = |tags: &str| BASE.replace("[a, b]", tags);
    assert_eq!(
        clean(BASE, &with("[b, c]"), &with("[a, b, d]")),
        with("[b, c, d]")
    );
    assert_eq!(
        clean(BASE, &with("[a]"), &with("[b]")),
        BASE.replace("tags: [a, b]\n", "")
    );
    let none = BASE.replace("tags: [a, b]\n", "");
    assert_eq!(clean(&none, &with("[x]"), &with("[z]")), with("[x, z]"));
}

#[test]
fn of_the_same_lines_the_later_stay_and_the_others_go_aside() {
    let later = BASE.replace("is fast", "is quick").replace("[a, b]", "[a, b, c]");
    let other = BASE
        .replace("is fast", "is slow")
        .replace("It is known.", "Everybody knows it.");
    let merged = merged(BASE, &later, &other);
    let text = String::from_utf8(merged.bytes).unwrap();
    assert_eq!(text, later.replace("It is known.", "Everybody knows it."));
    let conflict = merged.conflict.unwrap();
    assert_eq!(conflict.aside, other.as_bytes());
    let marked = String::from_utf8(conflict.marked).unwrap();
    assert!(
        marked.contains("<<<<<<< ours\nIt is quick.\n=======\nIt is slow.\n>>>>>>> theirs\n"),
        "{marked}"
    );
    assert!(
        sections(&marked).is_some_and(|sections| sections.keys.len() == 6),
        "{marked}"
    );
}

#[test]
fn line_endings_are_the_winners() {
    let windows = BASE.replace('\n', "\r\n").replace("known", "known well");
    let other = BASE.replace("Use npm", "Use pnpm").replace("[a, b]", "[a]");
    let expected = windows.replace("Use npm", "Use pnpm").replace("[a, b]", "[a]");
    assert_eq!(clean(BASE, &windows, &other), expected);
}

#[test]
fn a_frontmatter_that_cannot_be_read_is_the_later_sides() {
    let broken = BASE.replace("own: x", "own: x: y");
    let other = BASE.replace("fast", "quick");
    let merged = merged(BASE, &broken, &other);
    assert_eq!(merged.bytes, broken.as_bytes());
    assert_eq!(merged.conflict.unwrap().aside, other.as_bytes());
    assert_eq!(clean(BASE, &broken, BASE), broken);
}

#[test]
fn two_files_that_were_added_need_no_base() {
    let one = "---\nid: mem_2\ntags: [a]\n---\nUse npm.\n";
    let other = "---\nid: mem_1\nreinforcement: 2\n---\nUse npm.\n";
    let both = "---\nid: mem_1\ntags: [a]\nreinforcement: 2\n---\nUse npm.\n";
    assert_eq!(clean("", one, other), both);
    assert_eq!(
        clean("Use npm.\n", "Use npm!\n", "---\ntags: [a]\n---\nUse npm.\n"),
        "---\ntags: [a]\n---\nUse npm!\n"
    );
}

/// The value of a key, at random: mostly one that it can have.
fn value(key: &'static str) -> BoxedStrategy<String> {
    let time = (1_u32..28, 0_u32..24).prop_map(|(day, hour)| format!("2026-10-{day:02}T{hour:02}:00:00Z"));
    let words =
        |words: &'static [&'static str]| proptest::sample::select(words).prop_map(str::to_owned).boxed();
    match key {
        "reinforcement" => (0_u32..7).prop_map(|count| count.to_string()).boxed(),
        "created" | "clock" | "verified" | "reinforced" => time.boxed(),
        "status" => words(&["active", "superseded"]),
        "readonly" => words(&["true", "false"]),
        "tags" => words(&["[a]", "[a, b]", "\n- b\n- c", "[c, 'a']", "[]"]),
        "own" => words(&["x", "'x'", "{a: 1}", "|\n  two\n  lines", "x # why"]),
        _ => words(&["one", "two words", "\"q: r\"", "mem_2"]),
    }
}

const KEYS: [&str; 12] = [
    "id",
    "type",
    "reinforcement",
    "created",
    "clock",
    "verified",
    "reinforced",
    "status",
    "readonly",
    "tags",
    "own",
    "description",
];

prop_compose! {
    /// A file: some keys, in some order, and some lines.
    fn file()(
        keys in proptest::sample::subsequence(&KEYS[..], 0..KEYS.len()).prop_shuffle(),
        body in proptest::collection::vec("(|a|b c|Why: d|- e|\u{4e2d}\u{6587})", 0..8),
        fences in proptest::bool::weighted(0.9),
    )(
        values in keys.iter().map(|key| value(key)).collect::<Vec<_>>(),
        keys in Just(keys), body in Just(body), fences in Just(fences),
        windows in proptest::bool::weighted(0.1),
    ) -> String {
        let lines: Vec<String> = keys.iter().zip(&values).map(|(key, value)| format!("{key}: {value}\n")).collect();
        let lines = lines.concat();
        let front = if fences || !lines.is_empty() { format!("---\n{lines}---\n") } else { String::new() };
        let text = format!("{front}{}\n", body.join("\n"));
        if windows { text.replace('\n', "\r\n") } else { text }
    }
}

fn stated(bytes: &[u8]) -> Vec<(String, String)> {
    let text = std::str::from_utf8(bytes).unwrap();
    let keys = sections(text).unwrap().keys;
    keys.into_iter()
        .map(|key| (key.name, format!("{:?}", key.value)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 2_000 } else { 100_000 }))]

    #[test]
    fn of_any_three_files((base, one, other) in (file(), file(), file()), hours in (9_u32..12, 9_u32..12)) {
        let one = Version { bytes: one.as_bytes(), at: at(hours.0) };
        let other = Version { bytes: other.as_bytes(), at: at(hours.1) };
        let merged = merge_memory(base.as_bytes(), one, other);
        let turned = merge_memory(base.as_bytes(), other, one);
        prop_assert_eq!(&merged.bytes, &turned.bytes);
        prop_assert_eq!(merged.conflict.as_ref().map(|c| &c.aside), turned.conflict.as_ref().map(|c| &c.aside));

        // Valid in, valid out.
        let path = StorePath::new("decision/x.md").unwrap();
        let read = parse(&path, &merged.bytes, None, || Id::parse("derived").unwrap());
        prop_assert_eq!(read.readable, Readable::Yes);
        if let Some(conflict) = &merged.conflict {
            prop_assert_eq!(parse(&path, &conflict.marked, None, || Id::parse("derived").unwrap()).readable, Readable::Yes);
        }

        // A key that one side alone changed is as that side has it.
        let (of_base, of_one, of_other) = (stated(base.as_bytes()), stated(one.bytes), stated(other.bytes));
        let value = |of: &[(String, String)], key: &str| of.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone());
        let found = stated(&merged.bytes);
        for key in KEYS {
            let [base, one, other] = [&of_base, &of_one, &of_other].map(|of| value(of, key));
            if one == base {
                prop_assert_eq!(value(&found, key), other, "{}", key);
            } else if other == base {
                prop_assert_eq!(value(&found, key), one, "{}", key);
            }
        }

        // Merging what was merged already changes nothing.
        if merged.conflict.is_none() {
            let done = Version { bytes: &merged.bytes, at: at(12) };
            for side in [one, other] {
                prop_assert_eq!(&merge_memory(side.bytes, done, side).bytes, &merged.bytes);
            }
        }
    }
}
