//! The choice of a prompt, rule by rule.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::model::{Id, Kind};
use crate::policy::fixture::{NOW, days_ago, fact, note};
use crate::policy::{Keys, Line, keys};

/// Every part costs what its words do.
struct Words;

impl Layout for Words {
    fn least(&self) -> usize {
        80
    }
    fn heading(&self) -> usize {
        10
    }
    fn section(&self, kind: &Kind) -> usize {
        kind.as_str().len()
    }
    fn line(&self, line: &Line, _number: usize) -> usize {
        line.text.chars().count()
    }
    fn pinned_heading(&self) -> usize {
        10
    }
    fn pinned_file(&self, entry: &Entry<'_>) -> usize {
        entry.memory.content.keyed_text().chars().count()
    }
    fn pinned_left_out(&self, _files: &[&Memory]) -> usize {
        10
    }
    fn block_break(&self) -> usize {
        2
    }
}

/// Selects among these, and hands over what the test needs to look at it.
fn with_selection<T>(
    memories: &[Memory],
    unreadable: &[usize],
    rules: &Rules,
    look: impl FnOnce(&Selection, &Candidates<'_>) -> T,
) -> T {
    let keys: Vec<Keys> = memories
        .iter()
        .map(|memory| keys(&memory.kind, &memory.content))
        .collect();
    let mut entries: Vec<Entry<'_>> = memories
        .iter()
        .zip(&keys)
        .map(|(memory, keys)| Entry::new(memory, keys, rules))
        .collect();
    for place in unreadable.iter().filter(|place| **place < memories.len()) {
        entries[*place].eligibility = Err(Reason::Unreadable);
    }
    let dormancy = Dormancy::new(&[], NOW, &rules.retention);
    let candidates = Candidates {
        entries: &entries,
        dormancy: &dormancy,
        rules,
    };
    let selection = select(&candidates, NOW, rules.render.total_chars, &Words);
    look(&selection, &candidates)
}

fn reasons(memories: &[Memory], unreadable: &[usize], rules: &Rules) -> Vec<Option<&'static str>> {
    with_selection(memories, unreadable, rules, |selection, _| {
        let reason = |entry| selection.reason(entry).map(Reason::as_str);
        (0..memories.len()).map(reason).collect()
    })
}

fn numbered(n: usize, kind: &str) -> Memory {
    fact(
        &format!("mem_{n:03}"),
        &format!("{n}.md"),
        kind,
        &format!("fact number {n}"),
    )
}

#[test]
fn what_is_not_in_force_is_left_out() {
    let mut superseded = numbered(0, "decision");
    superseded.status = Status::Superseded;
    let archived = fact("a", "archive/a.md", "decision", "old");
    // It has the same words as a memory that is shown, and is no duplicate of it.
    let mut aside = fact("s", "3.conflict-01234567.md", "decision", "fact number 3");
    aside.conflict_of = Id::parse("mem_003").ok();
    let memories = [
        superseded,
        archived,
        numbered(2, "decision"),
        numbered(3, "decision"),
        aside,
    ];
    assert_eq!(
        reasons(&memories, &[2], &Rules::default()),
        [
            Some("superseded"),
            Some("archived"),
            Some("unreadable"),
            None,
            Some("conflict")
        ]
    );
}

#[test]
fn a_secret_that_was_taken_out_is_no_memory() {
    let secret = "The staging password is [REDACTED:password]";
    let mut because = fact("b", "b.md", "reference", secret);
    because.content = Content::Fact {
        text: secret.into(),
        rationale: Some("the vault is down on Mondays".into()),
    };
    let mut described = note(
        "reference/c.md",
        &format!("{secret}\n\nDB_PASSWORD=[REDACTED:password]"),
    );
    let bare = described.clone();
    described.description = Some("How to get into staging".into());
    let memories = [
        fact("a", "a.md", "reference", secret),
        fact("p", "system/a.md", "reference", secret),
        fact("n", "notes/a.md", "reference", secret),
        fact("x", "archive/a.md", "reference", secret),
        bare,
        fact("d", "d.md", "reference", &format!("{secret}, ask ops for it")),
        because,
        described,
    ];
    let hidden = Some("redacted");
    assert_eq!(
        reasons(&memories, &[], &Rules::default()),
        [hidden, hidden, hidden, Some("archived"), hidden, None, None, None]
    );
}

#[test]
fn what_has_no_room_is_counted_once() {
    let mut rules = Rules::default();
    rules.render.max_entries = 5;
    let mut memories: Vec<Memory> = (0..12).map(|n| numbered(n, "decision")).collect();
    memories[0].status = Status::Superseded;
    memories.push(fact("p", "system/a.md", "project", &"x".repeat(13_000)));
    with_selection(&memories, &[], &rules, |selection, _| {
        assert_eq!(
            (&selection.pinned_left_out[..], selection.without_room()),
            (&[12][..], 6)
        );
    });
}

#[test]
fn a_duplicate_names_the_one_that_is_shown() {
    let mut weaker = fact("a", "a.md", "decision", "Use npm cache!");
    weaker.source = crate::model::Source::Compaction;
    let memories = [weaker, fact("b", "b.md", "decision", "use NPM cache.")];
    with_selection(&memories, &[], &Rules::default(), |selection, _| {
        assert_eq!(selection.reason(0), Some(Reason::Duplicate { kept: 1 }));
        assert_eq!(selection.ranked().collect::<Vec<_>>(), [1]);
    });
}

#[test]
fn the_caps_of_the_types_come_before_the_one_for_all() {
    let mut rules = Rules::default();
    rules.render.max_entries = 11;
    let decisions = (0..12).map(|n| numbered(n, "decision"));
    let references = (12..15).map(|n| numbered(n, "reference"));
    let memories: Vec<Memory> = decisions.chain(references).collect();
    let reasons = reasons(&memories, &[], &rules);
    let count = |reason| reasons.iter().filter(|other| **other == reason).count();
    assert_eq!(
        (count(None), count(Some("type_cap")), count(Some("global_cap"))),
        (11, 2, 2)
    );
}

#[test]
fn a_type_that_nobody_knows_has_no_cap_of_its_own() {
    let memories: Vec<Memory> = (0..20).map(|n| numbered(n, "recipe")).collect();
    assert!(
        reasons(&memories, &[], &Rules::default())
            .iter()
            .all(Option::is_none)
    );
}

#[test]
fn a_line_that_does_not_fit_is_skipped_and_the_next_is_tried() {
    let mut rules = Rules::default();
    rules.render.max_chars = 100;
    let long = fact("a", "a.md", "decision", &"x".repeat(90));
    let memories = [long, fact("b", "b.md", "decision", "short")];
    assert_eq!(reasons(&memories, &[], &rules), [Some("char_budget"), None]);
    rules.render.max_chars = 79;
    assert_eq!(reasons(&memories, &[], &rules), [Some("empty_render_budget"); 2]);
}

#[test]
fn pinned_files_come_first_and_whole() {
    let mut rules = Rules::default();
    rules.render.total_chars = 200;
    let pinned = |name: &str, chars| fact(name, &format!("system/{name}.md"), "project", &"x".repeat(chars));
    let memories = [
        pinned("c", 60),
        pinned("b", 170),
        pinned("a", 40),
        numbered(3, "decision"),
    ];
    with_selection(&memories, &[], &rules, |selection, _| {
        assert_eq!(
            (&selection.pinned[..], &selection.pinned_left_out[..]),
            (&[2, 0][..], &[1][..])
        );
        assert_eq!(selection.reason(1), Some(Reason::CharBudget));
        assert_eq!(selection.reason(3), Some(Reason::EmptyRenderBudget));
    });
}

#[test]
fn a_rank_says_the_place_and_the_limits() {
    let mut memories: Vec<Memory> = (0..12).map(|n| numbered(n, "decision")).collect();
    memories.push(numbered(12, "reference"));
    memories[11].created = days_ago(30);
    with_selection(&memories, &[], &Rules::default(), |selection, candidates| {
        let rank = selection.rank(11, candidates);
        let place = crate::policy::Place {
            overall: 12,
            of: 13,
            in_type: 12,
            of_type: 12,
        };
        assert_eq!((rank.place, rank.type_cap), (Some(place), Some(10)));
        let fate = selection.fate(11, Zone::Ranked);
        assert_eq!(fate, crate::policy::Fate::Omitted(Reason::TypeCap));
    });
}

fn any_memory() -> impl Strategy<Value = Memory> {
    let folder = prop_oneof![
        Just(""),
        Just("system/"),
        Just("archive/"),
        Just("notes/"),
        Just("decision/")
    ];
    let kind = prop_oneof![Just("decision"), Just("reference"), Just("recipe")];
    (folder, kind, "[a-c]{0,3}", 0_u32..1000, any::<bool>()).prop_map(|(folder, kind, text, n, old)| {
        let mut memory = fact(&format!("m{n}"), &format!("{folder}{n}.md"), kind, &text);
        if old {
            memory.status = Status::Superseded;
        }
        memory
    })
}

proptest! {
    #[test]
    fn every_memory_is_shown_or_has_one_reason(
        memories in proptest::collection::vec(any_memory(), 0..60),
        unreadable in proptest::collection::vec(0_usize..60, 0..3),
        max_chars in 60_usize..400,
        total_chars in 0_usize..600,
        max_entries in 0_usize..30,
    ) {
        let mut rules = Rules::default();
        rules.render.max_chars = max_chars;
        rules.render.total_chars = total_chars;
        rules.render.max_entries = max_entries;
        let all = with_selection(&memories, &unreadable, &rules, |selection, _| {
            let shown = selection.ranked().chain(selection.pinned.iter().copied());
            let omitted = selection.omitted.iter().map(|omitted| omitted.entry);
            assert!(selection.chars <= total_chars);
            shown.chain(selection.cold.iter().copied()).chain(omitted).collect::<Vec<usize>>()
        });
        prop_assert_eq!(all.len(), memories.len());
        prop_assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), memories.len());
    }
}
