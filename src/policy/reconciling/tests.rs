//! The changes of memories that a model may make, and those that it may not.

use super::*;
use crate::model::Id;
use crate::policy::fixture::{fact, note};

fn memories() -> Vec<Memory> {
    let facts = [
        "The API listens on port 8080",
        "API port: 8080",
        "Use pnpm in this repo",
        "We use pnpm",
        "Deploy on fridays",
        "Never deploy on fridays",
    ];
    let all = facts.iter().enumerate();
    all.map(|(at, text)| fact(&format!("mem_{at}"), &format!("project/{at}.md"), "project", text))
        .collect()
}

fn judged(
    memories: &[Memory],
    holds: &[(u32, Hold)],
    most: usize,
    all: &[Proposed],
) -> Vec<Result<Verdict, &'static str>> {
    let named = (1..).zip(memories).map(|(number, memory)| {
        let hold = holds.iter().find(|(held, _)| *held == number);
        let hold = hold.map_or(Hold::Free, |(_, hold)| *hold);
        (number, Named { memory, hold })
    });
    let named: BTreeMap<u32, Named<'_>> = named.collect();
    let mut judge = Reconciling::new(&named, most);
    all.iter().map(|operation| judge.judge(operation)).collect()
}

fn merge(refs: &[u32], text: &str) -> Proposed {
    Proposed::Merge {
        refs: refs.to_vec(),
        text: text.to_owned(),
    }
}

#[test]
fn a_merge_keeps_the_lesser_id_and_every_reason() {
    let mut all = memories();
    for (at, why) in [(0, "Nginx expects it."), (1, "nginx expects it")] {
        all[at].content = Content::Fact {
            text: all[at].content.keyed_text().to_owned(),
            rationale: Some(why.to_owned()),
        };
    }
    let text = "The API listens on\nport 8080";
    assert_eq!(
        judged(&all, &[], 9, &[merge(&[2, 1], text)]),
        [Ok(Verdict::Merge {
            kept: 1,
            gone: vec![2],
            body: Some("The API listens on port 8080\n\nWhy: Nginx expects it.".to_owned()),
        })]
    );
    all[0].id = Id::parse("mem_z").unwrap();
    let Ok(Verdict::Merge { kept, .. }) = &judged(&all, &[], 9, &[merge(&[1, 2], text)])[0] else {
        panic!("it may be merged");
    };
    assert_eq!(*kept, 2);
}

#[test]
fn a_persons_words_stay_as_they_are() {
    let all = memories();
    let persons = [(4, Hold::Persons), (5, Hold::Persons)];
    let operations = [
        merge(&[3, 4], "We use pnpm"),
        Proposed::Delete { number: 5 },
        Proposed::Update {
            number: 5,
            text: "Deploy each friday".to_owned(),
        },
    ];
    assert_eq!(
        judged(&all, &persons, 9, &operations),
        [
            Ok(Verdict::Merge {
                kept: 4,
                gone: vec![3],
                body: None
            }),
            Ok(Verdict::Suggest(vec![(5, None)])),
            Ok(Verdict::Suggest(vec![(5, Some("Deploy each friday".to_owned()))])),
        ]
    );
    // Their words do not say what the other says: a person is asked, and nothing else changes.
    let both = [(1, Hold::Persons), (2, Hold::Persons)];
    let text = "The API listens on port 8080";
    assert_eq!(
        judged(&all, &both, 9, &[merge(&[1, 2], text)]),
        [Ok(Verdict::Suggest(vec![(1, Some(text.to_owned())), (2, None)]))]
    );
}

#[test]
fn what_the_rules_forbid_is_refused_with_its_reason() {
    let all = memories();
    let mut other = all.clone();
    other[1] = fact("mem_1", "user/1.md", "user", "API port: 8080");
    let refused = |all: &[Memory], hold: Hold, operation: Proposed| {
        judged(all, &[(1, hold)], 9, &[operation])[0].clone().unwrap_err()
    };
    let text = "The API listens on port 8080";
    assert_eq!(
        refused(&all, Hold::Free, merge(&[1, 2], "The API has a port")),
        "loses_words"
    );
    assert_eq!(
        refused(&all, Hold::Free, merge(&[1, 2], "API on 8080 and 9090")),
        "adds_words"
    );
    assert_eq!(
        refused(&all, Hold::Free, merge(&[5, 6], "Deploy on fridays")),
        "loses_words"
    );
    assert_eq!(refused(&other, Hold::Free, merge(&[1, 2], text)), "other_type");
    for refs in [&[1][..], &[], &[1, 1], &[1, 7], &[0, 1]] {
        assert_eq!(
            refused(&all, Hold::Free, merge(refs, text)),
            "invalid_memory_ref",
            "{refs:?}"
        );
    }
    for (hold, why) in [
        (Hold::Changed, "memory_ref_target_changed"),
        (Hold::Gone, "memory_ref_target_unavailable"),
        (Hold::Protected, "protected_memory_source"),
    ] {
        assert_eq!(refused(&all, hold, Proposed::Delete { number: 1 }), why);
        assert_eq!(refused(&all, hold, merge(&[2, 1], text)), why);
    }
    let same = "the API listens on port 8080.".to_owned();
    let rewrite = Proposed::Update {
        number: 1,
        text: same,
    };
    assert_eq!(refused(&all, Hold::Free, rewrite), "nothing_new");
}

#[test]
fn a_note_keeps_its_lines() {
    let all = [
        note("reference/a.md", "One\n\nTwo"),
        note("reference/b.md", "Three\n\nTwo"),
    ];
    let merged = |text: &str| judged(&all, &[], 9, &[merge(&[1, 2], text)])[0].clone();
    assert_eq!(merged("One\n\nThree"), Err("loses_words"));
    let whole = "One\n\nTwo\n\n Three";
    let Ok(Verdict::Merge { body, .. }) = merged(whole) else {
        panic!("every line is there");
    };
    assert_eq!(body.as_deref(), Some(whole));
}

#[test]
fn a_pass_changes_a_tenth_of_the_store_or_three() {
    assert_eq!([0, 3, 30, 39, 60, 5000].map(most_changed), [3, 3, 3, 3, 6, 500]);
    let all = memories();
    let operations = [
        merge(&[1, 2], "The API listens on port 8080"),
        merge(&[3, 4], "We use pnpm in this repo"),
        Proposed::Delete { number: 5 },
        Proposed::Delete { number: 6 },
        Proposed::Delete { number: 1 },
    ];
    let verdicts = judged(&all, &[], 3, &operations);
    assert!(matches!(verdicts[0], Ok(Verdict::Merge { .. })));
    assert_eq!(verdicts[1], Err("over_limit"));
    assert_eq!(verdicts[2], Ok(Verdict::Archive(5)));
    assert_eq!(verdicts[3], Err("over_limit"));
    assert_eq!(verdicts[4], Err("named_twice"));
}

#[test]
fn a_contradiction_is_of_two_memories() {
    let all = memories();
    let flag = |a, b| Proposed::Flag {
        a,
        b,
        why: "yes\nand no".to_owned(),
    };
    assert_eq!(
        judged(
            &all,
            &[(6, Hold::Protected)],
            1,
            &[flag(6, 5), flag(5, 5), flag(1, 2)]
        ),
        [
            Ok(Verdict::Flag(6, 5, "yes and no".to_owned())),
            Err("invalid_memory_ref"),
            Err("over_limit")
        ]
    );
}
