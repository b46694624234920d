//! The changes of memories that a model may make, and those that it may not.

use proptest::prelude::*;
use serde_json::json;

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
    all: &[Proposal],
) -> Vec<Result<Verdict, &'static str>> {
    let named = (1..).zip(memories).map(|(number, memory)| {
        let hold = holds.iter().find(|(held, _)| *held == number);
        let hold = hold.map_or(Hold::Free, |(_, hold)| *hold);
        Named { memory, hold }
    });
    let named: Vec<Named<'_>> = named.collect();
    let mut judge = Reconciling::new(&named, most);
    all.iter().map(|operation| judge.judge(operation)).collect()
}

fn proposal(form: serde_json::Value) -> Proposal {
    serde_json::from_value(form).unwrap()
}

fn merge(refs: &[u32], text: &str) -> Proposal {
    proposal(json!({"action": "merge", "refs": refs, "text": text}))
}

fn delete(number: u32) -> Proposal {
    proposal(json!({"action": "delete", "ref": number}))
}

fn rewrite(number: u32, text: &str) -> Proposal {
    proposal(json!({"action": "rewrite", "ref": number, "text": text}))
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
        delete(5),
        rewrite(5, "Deploy each friday"),
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
    let refused = |all: &[Memory], hold: Hold, operation: Proposal| {
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
        assert_eq!(refused(&all, hold, delete(1)), why);
        assert_eq!(refused(&all, hold, merge(&[2, 1], text)), why);
    }
    let same = rewrite(1, "the API listens on port 8080.");
    assert_eq!(refused(&all, Hold::Free, same), "nothing_new");
    for (form, why) in [
        (json!({}), "invalid_proposal"),
        (json!({"action": "add", "text": "T"}), "invalid_proposal"),
        (json!({"action": "reinforce", "ref": 1}), "empty"),
        (json!({"action": "merge", "refs": [1, 2]}), "empty"),
        (json!({"action": "flag", "a": 1, "b": 2, "why": ""}), "empty"),
        (
            json!({"action": "flag", "a": 1, "why": "x"}),
            "invalid_memory_ref",
        ),
        (json!({"action": "delete"}), "invalid_memory_ref"),
    ] {
        assert_eq!(refused(&all, Hold::Free, proposal(form.clone())), why, "{form}");
    }
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
        delete(5),
        delete(6),
        delete(1),
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
    let flag = |a, b| proposal(json!({"action": "flag", "a": a, "b": b, "why": "yes\nand no"}));
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

#[test]
fn what_has_room_is_one_batch_and_what_is_alike_comes_together() {
    let texts: Vec<String> = (0..40)
        .map(|n| match n % 20 {
            7 => format!("staging database resets on sundays {n}"),
            other => format!("module{other} has owner{other}{}", n / 20),
        })
        .collect();
    let memories: Vec<(&str, usize)> = texts.iter().map(|text| (text.as_str(), 10)).collect();
    assert_eq!(batches(&memories, 400), [(0..40).collect::<Vec<_>>()]);
    let parted = batches(&memories, 100);
    assert_eq!(parted.len(), 4);
    for n in 0..20 {
        let with = |at: usize| parted.iter().position(|batch| batch.contains(&at));
        assert_eq!(with(n), with(n + 20), "{n}");
    }
    assert_eq!(batches(&[("a", 5), ("b", 50), ("c", 5)], 9), [vec![0], vec![2]]);
    assert_eq!(batches(&[("b", 50)], 9), [[0; 0]; 0]);
    assert_eq!(batches(&[], 9), [[0; 0]; 0]);
}

#[test]
fn five_thousand_alike_or_not_are_parted_in_time() {
    let same: Vec<String> = (0..5000).map(|n| format!("the fact {}", n % 2)).collect();
    let other: Vec<String> = (0..5000)
        .map(|n| format!("fact {n} of area {} is kept by person {}", n % 70, n % 900))
        .collect();
    for texts in [same, other] {
        let memories: Vec<(&str, usize)> = texts.iter().map(|text| (text.as_str(), 120)).collect();
        let parted = batches(&memories, 60_000);
        assert!((10..=11).contains(&parted.len()), "{}", parted.len());
        assert_eq!(parted.iter().map(Vec::len).sum::<usize>(), 5000);
    }
}

proptest! {
    #[test]
    fn each_is_in_one_batch_and_no_batch_is_over_its_limit(
        memories in proptest::collection::vec(("([a-e]{1,2} ){0,5}", 1_usize..40), 0..40), most in 20_usize..200,
    ) {
        let memories: Vec<(&str, usize)> = memories.iter().map(|(text, size)| (text.as_str(), *size)).collect();
        let parted = batches(&memories, most);
        let mut all: Vec<usize> = parted.concat();
        all.sort_unstable();
        let fitting: Vec<usize> = (0..memories.len()).filter(|at| memories[*at].1 <= most).collect();
        prop_assert_eq!(all, fitting);
        for batch in parted {
            prop_assert!(batch.iter().map(|at| memories[*at].1).sum::<usize>() <= most);
        }
    }
}
