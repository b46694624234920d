//! Takings back, each beside the one memory on file: it goes out of force, or it stays and is only told.
//!
//! The pairs of `takebacks.jsonl` were written by the author of the rule before the rule, and the halves parted by lot.
//! The first rule put 27 of 28 of each half out of force, none of 56 wrongly of the `seen` half and 2 of 55 of the
//! `unseen` one; nobody read which. One mend (the language Go is no word without meaning) brought that to none. `late` was
//! written after that rule and before its mend, and measured once: 14 of 14, and 3 of 36 wrongly; nobody read which.
//! A memory that goes out of force wrongly is lost; one that stays is told to the model and to the person.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{RequestPatterns, UserCommand, commanded, requests};
use mdmem::policy::{NoLonger, corrected};
use serde_json::Value;

use super::cases;

/// The least of the pairs of each set that must go out of force, and the most that may do so wrongly.
const SETS: [(&str, usize, usize); 3] = [("seen", 27, 0), ("unseen", 27, 0), ("late", 14, 3)];

#[test]
fn no_memory_goes_out_of_force_that_says_something_else() {
    let all = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/takebacks.jsonl"));
    let mut told = String::from("\neval, takebacks\n");
    let mut is_enough = true;
    for (half, least, most) in SETS {
        let cases: Vec<&Value> = all.iter().filter(|case| case["half"] == half).collect();
        let (back, stays): (Vec<&Value>, Vec<&Value>) =
            cases.into_iter().partition(|case| case["back"] == true);
        let found = back.iter().filter(|case| goes(case)).count();
        let wrong: Vec<_> = stays.iter().filter(|case| goes(case)).collect();
        _ = writeln!(
            told,
            "{half}: {found} of {} go out of force, of {} wrongly {}",
            back.len(),
            stays.len(),
            wrong.len()
        );
        if half == "seen" {
            let missed = back.iter().filter(|case| !goes(case));
            _ = writeln!(
                told,
                "  missed {:#?}\n  wrong {wrong:#?}",
                missed.collect::<Vec<_>>()
            );
        }
        is_enough &= found >= least && wrong.len() <= most;
    }
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(is_enough, "below the level that was reached, see above");
}

fn goes(case: &Value) -> bool {
    let text = |key: &str| case[key].as_str();
    let said = match text("forget") {
        Some(object) => commanded(UserCommand::Forget, object),
        None => requests(
            text("say").expect("a case has words"),
            &RequestPatterns::standard(),
        ),
    };
    let memory = [text("memory").expect("a case has a memory")];
    let mut objects = said.taken_back.iter().map(|taken| taken.object.as_str());
    objects.any(|object| corrected(object, NoLonger::TakenBack, &memory).is_some())
}
