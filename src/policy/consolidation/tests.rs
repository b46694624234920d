//! Duplicates and tidying, over small stores.

use proptest::prelude::*;

use super::*;
use crate::model::{Content, Id, Importance, Kind, Memory, Moment, Source, Timestamp};
use crate::policy::fixture::{NOW, are_one, days_ago, decision};
use crate::policy::{Entry, Keys, Likeness, Rules, keys};

/// A memory of a test: its number is its id and its day of creation.
fn memory(number: u32, kind: &str, source: Source, content: Content) -> Memory {
    let day = Timestamp::from_seconds(1_700_000_000 + i64::from(number) * 86_400);
    Memory {
        id: Id::parse(&format!("m{number:06}")).expect("a word"),
        kind: Kind::new(kind),
        source,
        content,
        created: Moment::At(day),
        ..decision()
    }
}

fn fact(number: u32, kind: &str, text: &str) -> Memory {
    sourced(number, kind, Source::Manual, text)
}

fn sourced(number: u32, kind: &str, source: Source, text: &str) -> Memory {
    let text = text.to_owned();
    memory(
        number,
        kind,
        source,
        Content::Fact {
            text,
            rationale: None,
        },
    )
}

fn note(number: u32, body: &str) -> Memory {
    let body = body.to_owned();
    memory(number, "project", Source::Manual, Content::Note { body })
}

fn keyed(memories: &[Memory]) -> Vec<Keys> {
    let keys = memories.iter().map(|memory| keys(&memory.kind, &memory.content));
    keys.collect()
}

fn entries<'a>(memories: &'a [Memory], keys: &'a [Keys]) -> Vec<Entry<'a>> {
    let pairs = memories.iter().zip(keys);
    pairs
        .map(|(memory, keys)| Entry::new(memory, keys, &Rules::default()))
        .collect()
}

/// The pairs of a hidden memory and the one that hides it.
fn hidden(memories: &[Memory]) -> Vec<(usize, usize)> {
    let found = duplicates(&entries(memories, &keyed(memories)));
    found.iter().map(|it| (it.hidden, it.kept)).collect()
}

#[test]
fn memories_without_a_text_are_no_duplicates() {
    let memories = [
        note(1, ""),
        note(2, " "),
        fact(3, "project", ""),
        note(4, "a\n\nb"),
        note(5, "a\n\nb"),
    ];
    assert_eq!(hidden(&memories), [(3, 4)]);
}

#[test]
fn the_same_words_are_hidden_by_the_newest_of_the_strongest() {
    let store = [
        sourced(1, "feedback", Source::Explicit, "Use npm cache"),
        sourced(2, "feedback", Source::Compaction, "use npm cache!"),
        sourced(3, "feedback", Source::Explicit, "USE NPM CACHE"),
        fact(4, "decision", "Use npm cache"),
        fact(5, "feedback", "Use npm"),
    ];
    assert_eq!(hidden(&store), [(0, 2), (1, 2)]);
}

#[test]
fn the_longer_stays_by_more_than_ten_characters_else_the_newer() {
    let base = "Docs at https://x.example/v2";
    let by_nine = format!("the a an {base}");
    let by_ten = format!("the a the {base}");
    assert_eq!((by_nine.len() - base.len(), by_ten.len() - base.len()), (9, 10));
    let longer = format!("{base} in this repo");
    for (old, stays) in [(&by_nine, 1), (&by_ten, 1), (&longer, 0)] {
        let store = [fact(1, "reference", old), fact(2, "reference", base)];
        assert_eq!(hidden(&store), [(1 - stays, stays)], "{old}");
    }
}

#[test]
fn of_decisions_the_newer_stays() {
    let store = [
        fact(1, "decision", "Use it  --  always  and  everywhere"),
        fact(2, "decision", "Use it always and everywhere"),
    ];
    assert_eq!(hidden(&store), [(0, 1)]);
}

#[test]
fn what_hides_is_never_hidden_and_says_the_same() {
    // The second is one with both others; the third outranks it, and does not say what the first says.
    let store = [
        fact(1, "project", "Runbook: https://x.example/ops#deploy"),
        fact(2, "project", "Runbook: https://x.example/ops"),
        sourced(
            3,
            "project",
            Source::Explicit,
            "Runbook: https://x.example/ops#rollback",
        ),
    ];
    assert_eq!(hidden(&store), [(1, 2)]);
}

#[test]
fn a_circle_of_preferences_has_one_answer() {
    // Newer by days, shorter by eight characters each: the first is too long for the last to win.
    let text = |words: usize| format!("src/a/b.rs{}", " the the".repeat(words));
    let store = [
        fact(1, "project", &text(3)),
        fact(2, "project", &text(2)),
        fact(3, "project", &text(1)),
    ];
    assert!(
        prevails(&store[2], &store[1]) && prevails(&store[1], &store[0]) && prevails(&store[0], &store[2])
    );
    assert_eq!(hidden(&store), [(0, 1), (2, 1)]);
}

#[test]
fn two_files_whose_names_differ_in_case_are_two() {
    let store = [
        fact(1, "project", "See README.md"),
        fact(2, "project", "see readme.md"),
        fact(3, "decision", "See README.md"),
        fact(4, "decision", "see readme.md"),
    ];
    assert_eq!(hidden(&store), [(2, 3)]);
}

#[test]
fn notes_are_hidden_in_the_same_words_and_settled_on_request_alone() {
    let store = [
        note(1, "Docs\n\nin a/b.md"),
        note(2, "docs\n\nin a/b.md."),
        note(3, "The docs\n\nin a/b.md"),
    ];
    assert_eq!(hidden(&store), [(0, 1)]);
    let keys = keyed(&store);
    let entries = entries(&store, &keys);
    let rules = Rules::default().reinforce;
    assert_eq!(
        FileFate::new(&store[0], &store[1], Likeness::Exact),
        FileFate::Hidden
    );
    assert_eq!(
        fates(&tidy(&entries, NOW, &rules)),
        [(0, 1, FileFate::Superseded)]
    );
}

#[test]
fn three_times_the_same_two_paragraphs_are_one() {
    let store = [1, 2, 3].map(|number| note(number, "Deploy on Mondays.\n\nNever on Fridays."));
    let keys = keyed(&store);
    let plan = tidy(&entries(&store, &keys), NOW, &Rules::default().reinforce);
    assert_eq!(
        fates(&plan),
        [(0, 2, FileFate::Removed), (1, 2, FileFate::Removed)]
    );
}

#[test]
fn a_protected_file_stays_and_the_other_one_goes() {
    let mut first = fact(1, "user", "Likes tea");
    first.readonly = true;
    let store = [first, fact(2, "user", "Likes tea."), fact(3, "user", "likes tea")];
    let keys = keyed(&store);
    let plan = tidy(&entries(&store, &keys), NOW, &Rules::default().reinforce);
    assert_eq!(
        fates(&plan),
        [(1, 0, FileFate::Removed), (2, 0, FileFate::Removed)]
    );
    assert_eq!(plan.standings[0], Standing::of(&store[0]));
}

fn fates(plan: &Consolidation) -> Vec<(usize, usize, FileFate)> {
    let fate = |it: &Absorption| (it.absorbed, it.kept, it.file);
    plan.absorbed.iter().map(fate).collect()
}

#[test]
fn related_memories_are_about_one_thing_and_say_different_things() {
    let store = [
        fact(1, "project", "src/gen/api.ts is generated"),
        fact(2, "project", "Never edit src/gen/api.ts by hand"),
        fact(3, "project", "never edit src/gen/api.ts by hand"),
        fact(4, "project", "src/other/api.ts is generated"),
        fact(5, "feedback", "src/gen/api.ts is generated"),
    ];
    let keys = keyed(&store);
    assert_eq!(related(&entries(&store, &keys)), [vec![0, 2]]);
}

#[test]
fn tidying_removes_the_same_words_supersedes_others_and_leaves_the_rest() {
    let mut reason = fact(3, "feedback", "Use tabs");
    reason.content = Content::Fact {
        text: "use tabs".to_owned(),
        rationale: Some("readers".to_owned()),
    };
    let mut tagged = fact(5, "user", "Likes tea.");
    tagged.tags = vec!["kitchen".to_owned()];
    let mut locked = fact(7, "user", "Reads books.");
    locked.readonly = true;
    let store = [
        fact(1, "project", "Docs in a/b/c"),
        fact(2, "project", "The docs in a/b/c"),
        reason,
        fact(4, "feedback", "Use tabs."),
        tagged,
        fact(6, "user", "Likes tea"),
        locked,
        fact(8, "user", "Reads books"),
        fact(9, "user", "Well-read indeed"),
        fact(10, "user", "Well read indeed"),
        fact(11, "user", "\"Sleeps late\""),
        fact(12, "user", "sleeps late"),
    ];
    let keys = keyed(&store);
    let plan = tidy(&entries(&store, &keys), NOW, &Rules::default().reinforce);
    let done = [
        (0, 1, FileFate::Superseded),
        (3, 2, FileFate::Superseded),
        (5, 4, FileFate::Removed),
        (7, 6, FileFate::Removed),
        (10, 11, FileFate::Removed),
    ];
    assert_eq!(fates(&plan), done);
    assert_eq!(plan.standings[1].reinforcement, 1);
    assert_eq!(plan.standings[11].reinforced, Moment::At(NOW));
    assert_eq!(
        plan.standings[9],
        Standing::of(&store[9]),
        "what is hidden is no recurrence"
    );
}

#[test]
fn a_reason_a_weight_and_keys_never_go_with_a_duplicate() {
    let heavy = |number, importance| Memory {
        importance,
        ..fact(number, "decision", "The gateway is Envoy")
    };
    let stale = |number, stale_after| Memory {
        stale_after,
        ..fact(number, "decision", "The gateway is Envoy")
    };
    let why = |number, rationale: &str| Memory {
        content: Content::Fact {
            text: "The gateway is Envoy".to_owned(),
            rationale: Some(rationale.to_owned()),
        },
        ..fact(number, "decision", "")
    };
    let compacted = Memory {
        source: Source::Compaction,
        ..heavy(1, Importance::High)
    };
    let gone = |store: [Memory; 2]| {
        let keys = keyed(&store);
        let plan = tidy(&entries(&store, &keys), NOW, &Rules::default().reinforce);
        fates(&plan).first().map(|(gone, ..)| *gone)
    };
    assert_eq!(
        gone([heavy(1, Importance::High), heavy(2, Importance::Normal)]),
        Some(1)
    );
    assert_eq!(
        gone([heavy(1, Importance::Normal), heavy(2, Importance::High)]),
        Some(0)
    );
    assert_eq!(
        gone([heavy(1, Importance::Low), heavy(2, Importance::Normal)]),
        Some(0)
    );
    assert_eq!(gone([stale(1, Some(3)), heavy(2, Importance::Normal)]), Some(1));
    assert_eq!(
        gone([why(1, "Kong leaked"), heavy(2, Importance::Normal)]),
        Some(1)
    );
    assert_eq!(gone([why(1, "Kong leaked"), why(2, "Kong leaked.")]), Some(0));
    assert_eq!(gone([why(1, "Kong leaked"), why(2, "It is fast")]), None);
    assert_eq!(gone([why(1, "Kong leaked"), heavy(2, Importance::High)]), None);
    assert_eq!(
        gone([compacted, heavy(2, Importance::Normal)]),
        None,
        "of another source"
    );
}

#[test]
fn what_stays_takes_the_counts_and_recurs_once_in_a_window() {
    let mut first = fact(1, "decision", "Use tabs");
    first.reinforcement = 4;
    first.reinforced = days_ago(8);
    first.session = Some("old".to_owned());
    let store = [
        first,
        fact(2, "decision", "use tabs"),
        fact(3, "decision", "USE TABS"),
    ];
    let keys = keyed(&store);
    let plan = tidy(&entries(&store, &keys), NOW, &Rules::default().reinforce);
    let absorbed: Vec<_> = plan.absorbed.iter().map(|it| (it.absorbed, it.kept)).collect();
    assert_eq!(absorbed, [(0, 2), (1, 2)]);
    let expected = Standing {
        reinforcement: 5,
        reinforced: Moment::At(NOW),
        session: None,
        clock: Moment::At(NOW),
    };
    assert_eq!(plan.standings[2], expected);
}

#[test]
fn a_crowd_about_one_thing_is_no_square_of_comparisons() {
    // Every second one says the same as the others of its kind, each of the rest something of its own.
    let text = |number: u32| match number % 2 {
        0 => "src/a/b.rs holds one fact".to_owned(),
        _ => format!("src/a/b.rs holds {}", letters(number)),
    };
    let store: Vec<Memory> = (0..2_000)
        .map(|number| fact(number, "project", &text(number)))
        .collect();
    let hidden = hidden(&store);
    assert_eq!(hidden.len(), 999);
    assert!(hidden.iter().all(|(_, kept)| *kept == 1_998));
}

/// A number in letters, because a digit would tell.
fn letters(number: u32) -> String {
    let letter = |digit: char| char::from_u32(u32::from(digit) - u32::from('0') + u32::from('a'));
    number.to_string().chars().filter_map(letter).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_the_entries_does_not_matter(
        store in stores(),
        seed in any::<u64>(),
    ) {
        let by_id = |store: &[Memory]| {
            let id = |index: usize| store[index].id.as_str().to_owned();
            let mut pairs: Vec<_> = hidden(store).into_iter().map(|(a, b)| (id(a), id(b))).collect();
            pairs.sort();
            pairs
        };
        let mut shuffled = store.clone();
        shuffled.sort_by_key(|memory| crate::text::sha256_hex(format!("{seed}{}", memory.id).as_bytes()));
        prop_assert_eq!(by_id(&store), by_id(&shuffled));
    }

    #[test]
    fn nobody_is_hidden_by_a_hidden_one_and_no_two_that_stay_are_one(store in stores()) {
        let pairs = hidden(&store);
        let keys = keyed(&store);
        let are_one = |a: usize, b: usize| {
            are_one((&keys[a], &store[a].content), (&keys[b], &store[b].content))
        };
        let gone: Vec<usize> = pairs.iter().map(|(hidden, _)| *hidden).collect();
        for (hidden, kept) in &pairs {
            prop_assert!(!gone.contains(kept));
            prop_assert!(are_one(*hidden, *kept), "{:?} {:?}", store[*hidden].content, store[*kept].content);
        }
        let stay: Vec<usize> = (0..store.len()).filter(|index| !gone.contains(index)).collect();
        for (at, a) in stay.iter().enumerate() {
            for b in &stay[at + 1..] {
                prop_assert!(!are_one(*a, *b), "{:?} {:?}", store[*a].content, store[*b].content);
            }
        }
    }

    #[test]
    fn after_a_plan_is_carried_out_nothing_is_left_to_do(store in stores(), locked in any::<u16>()) {
        let mut store = store;
        for (at, memory) in store.iter_mut().enumerate() {
            memory.readonly = locked >> at & 1 == 1;
        }
        let rules = Rules::default().reinforce;
        let keys = keyed(&store);
        let done = tidy(&entries(&store, &keys), NOW, &rules);
        let goes = |at: usize| done.absorbed.iter().any(|it| it.absorbed == at);
        for it in &done.absorbed {
            prop_assert!(!goes(it.kept) && !store[it.absorbed].readonly && it.file != FileFate::Hidden);
        }
        let left: Vec<Memory> = (0..store.len()).filter(|at| !goes(*at)).map(|at| store[at].clone()).collect();
        let keys = keyed(&left);
        prop_assert_eq!(fates(&tidy(&entries(&left, &keys), NOW, &rules)), []);
    }

    #[test]
    fn of_two_the_contest_picks_the_one_that_prevails(store in stores()) {
        let keys = keyed(&store);
        let entries = entries(&store, &keys);
        for a in 0..store.len() {
            for b in (0..store.len()).filter(|b| *b != a && store[*b].kind == store[a].kind) {
                let picked = strongest(&entries, &[a, b]);
                let stays = if prevails(&store[a], &store[b]) { a } else { b };
                prop_assert_eq!(picked, Some(stays));
                prop_assert_ne!(prevails(&store[a], &store[b]), prevails(&store[b], &store[a]));
            }
        }
    }
}

/// Small stores in which most memories have to do with one another.
fn stores() -> impl Strategy<Value = Vec<Memory>> {
    let text = "(not |the |The |api docs |8 |-d |-D ){0,3}(src/a/b[.]rs|`src/a/b[.]rs`|x|https://x.y/z(|#q|#r))\
                ( in this repo| at|!|\\.| 設定){0,2}";
    let source = prop_oneof![
        Just(Source::Compaction),
        Just(Source::Manual),
        Just(Source::Explicit)
    ];
    let kind = prop_oneof![Just("project"), Just("decision")];
    prop::collection::vec((text, source, kind, 0_u32..4), 0..12).prop_map(|rows| {
        let number = |at: usize| u32::try_from(at).expect("few");
        let rows = rows.into_iter().enumerate();
        rows.map(|(at, (text, source, kind, day))| {
            let mut memory = sourced(number(at), kind, source, &text);
            memory.created = Moment::At(Timestamp::from_seconds(i64::from(day)));
            memory
        })
        .collect()
    })
}
