//! Judgements on single texts: of which type a memory is, whether a text orders its reader about or installs from
//! elsewhere, and whether a new text
//! puts an old one out of force.
//!
//! Each set was written before the rules that it measures, and parted by turns. The half `unseen` was measured when the
//! rules were done: types 46 of 52, orders 80 of 82, outdated 38 of 40; then its misses were read. Of `planted_more` 8 of 64
//! planted ones were refused before its rules, 19 of 32 of the half `unseen` after them; of those of the kind `classes` 13 of
//! 30 with the next rules, of those of `later` 25 of 30 with the third, and 44 of 50 honest ones let through. Then their misses were read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{Rejection, is_planted, memory_type, quality};
use mdmem::model::Kind;
use mdmem::policy::outdated;
use serde_json::Value;

use super::cases;

/// The least of a half that must be right, in percent, seen and unseen.
struct Set {
    name: &'static str,
    /// The field by whose values the figures are told apart.
    by: &'static str,
    is_right: fn(&Value) -> bool,
    least: [usize; 2],
}

const SETS: [Set; 5] = [
    Set {
        name: "types",
        by: "type",
        is_right: |case| case["type"] == memory_type(text(case, "text")).as_str(),
        least: [98, 88],
    },
    Set {
        name: "orders",
        by: "kind",
        is_right: |case| {
            let judged = quality(&Kind::default(), text(case, "text"));
            case["order"] == (judged == Some(Rejection::PromptInjection))
        },
        least: [97, 97],
    },
    Set {
        name: "planted",
        by: "kind",
        is_right: |case| case["order"] == is_planted(text(case, "text")),
        least: [97, 97],
    },
    Set {
        name: "planted_more",
        by: "kind",
        is_right: |case| case["order"] == is_planted(text(case, "text")),
        least: [96, 93],
    },
    Set {
        name: "outdated",
        by: "out",
        is_right: |case| case["out"] == outdated(text(case, "new"), &[text(case, "old")]).is_some(),
        least: [95, 95],
    },
];

#[test]
fn single_texts_are_judged_right() {
    let mut told = String::from("\neval, single texts\n");
    let mut is_enough = true;
    for set in SETS {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval");
        let all = cases(&own.join(format!("{}.jsonl", set.name)));
        for (half, least) in ["seen", "unseen"].into_iter().zip(set.least) {
            let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
            let mut misses = String::new();
            for case in all.iter().filter(|case| case["half"] == half) {
                let is_right = (set.is_right)(case);
                let (right, of) = kinds.entry(case[set.by].to_string()).or_default();
                (*right, *of) = (*right + usize::from(is_right), *of + 1);
                if !is_right && (half == "seen" || std::env::var_os("MDMEM_EVAL_MISSES").is_some()) {
                    _ = writeln!(misses, "  {case}");
                }
            }
            let (right, of) = kinds
                .values()
                .fold((0, 0), |(right, of), kind| (right + kind.0, of + kind.1));
            let figures: Vec<String> = kinds
                .iter()
                .map(|(kind, (right, of))| format!("{kind} {right}/{of}"))
                .collect();
            _ = writeln!(
                told,
                "{}, {half}: {right} of {of}: {}\n{misses}",
                set.name,
                figures.join(", ")
            );
            is_enough &= 100 * right >= least * of;
        }
    }
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(is_enough, "below the level that was reached, see above");
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().expect("a case has a text")
}
