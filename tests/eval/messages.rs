//! Whole messages: lasting wishes, tasks, talk, and text that the user only shows (mail, tickets, documents, chats, answers
//! of models, fixtures, pages). At most one in fifty of what is shown may be stored, and no task.
//!
//! The messages were written before the rules, by their author, and parted by lot. The half `unseen` was measured, and its
//! misses not read. Of the second set the half `unseen2` was measured when the rules were done (23 of 26 wishes, 1 of 30
//! others); then its misses were read, and their classes mended. The third set was measured before its rules (of each half
//! 18 wishes and 18 others: 6 and 4 heard, 4 and 8 stored) and when they were done; nobody has read the misses of `unseen3`.
//! The fourth set (30 wishes, 30 texts that are shown, in four languages) was written after the rules, without a look at
//! them: 30 heard and 1 stored at first, which was read.
//! Of the fifth set (62 wishes, 64 others) nobody has read the misses of `unseen5`: 9 of 30 wishes were heard and 2 of 30
//! others stored before the rules, 25 and 1 when they were done. `stranger` is half of a set by somebody who knew no rule (16
//! of 25 wishes heard, 3 of 35 others stored before); it was read.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{Rejection, RequestPatterns, requests};
use serde_json::Value;

use super::cases;

/// The least of the wishes that must be heard, and nothing beside them, of a half, in percent; and the most messages that
/// store something else.
const LEVELS: [(&str, usize, usize); 11] = [
    ("seen", 95, 0),
    ("unseen", 83, 1),
    ("seen2", 92, 0),
    ("unseen2", 96, 0),
    ("seen3", 83, 0),
    ("unseen3", 77, 1),
    ("seen4", 100, 0),
    ("unseen4", 100, 0),
    ("seen5", 81, 0),
    ("unseen5", 83, 1),
    ("stranger", 88, 0),
];

#[test]
fn only_the_users_own_words_are_wishes() {
    let all = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/messages.jsonl"));
    let mut told = String::from("\neval, messages\n");
    let mut is_enough = true;
    for (half, least, most) in LEVELS {
        let cases: Vec<&Value> = all.iter().filter(|case| case["half"] == half).collect();
        let (wishes, others): (Vec<&Value>, Vec<&Value>) =
            cases.into_iter().partition(|case| case["want"] == "store");
        let missed: Vec<&&Value> = wishes.iter().filter(|case| !is_heard(case)).collect();
        let stored: Vec<&&Value> = others.iter().filter(|case| !stored(case).is_empty()).collect();
        let heard = wishes.len() - missed.len();
        _ = writeln!(
            told,
            "{half}: {heard} of {} wishes heard, {} of {} other messages stored",
            wishes.len(),
            stored.len(),
            others.len()
        );
        if !half.starts_with("unseen") || std::env::var_os("MDMEM_EVAL_MISSES").is_some() {
            for case in missed.iter().chain(&stored) {
                _ = writeln!(told, "  {} gave {:?}", case["message"], self::stored(case));
            }
        }
        is_enough &= 100 * heard >= least * wishes.len() && stored.len() <= most;
    }
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(is_enough, "below the level that was reached, see above");
}

/// Words by which a person declines that something is remembered, and the same verbs about files and programs. The lines were
/// written and parted before the rules: none and 1 of 20 and 19 were heard; the misses of `unseen` were not read.
#[test]
fn what_is_not_to_be_remembered_is_heard() {
    let all = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/declined.jsonl"));
    for (half, least, most) in [("seen", 18, 1), ("unseen", 17, 0)] {
        let cases = all.iter().filter(|case| case["half"] == half);
        let (declined, others): (Vec<&Value>, Vec<&Value>) =
            cases.partition(|case| case["want"] == "declined");
        let is_heard = |case: &&Value| {
            let message = case["message"].as_str().expect("a case has a message");
            let found = requests(message, &RequestPatterns::standard());
            let mut reasons = found.refused.iter().map(|refused| refused.reason);
            reasons.any(|reason| reason == Rejection::NegatedRequest) && found.memories.is_empty()
        };
        let heard = declined.into_iter().filter(is_heard).count();
        let wrong = others.into_iter().filter(is_heard).count();
        assert!(
            heard >= least && wrong <= most,
            "{half}: {heard} heard, {wrong} wrongly"
        );
    }
}

fn stored(case: &Value) -> Vec<String> {
    let message = case["message"].as_str().expect("a case has a message");
    let found = requests(message, &RequestPatterns::standard());
    found.memories.into_iter().map(|memory| memory.text).collect()
}

/// Each wish is stored, and nothing else.
fn is_heard(case: &Value) -> bool {
    let wanted = super::strings(&case["stores"]);
    let stored = stored(case);
    let holds = |text: &String| wanted.iter().any(|wanted| text.contains(wanted));
    stored.len() == wanted.len() && stored.iter().all(holds)
}
