//! Sets by authors who knew neither the rules nor the learned lines, to measure the tables by: candidates of summaries,
//! whole messages, planted texts among honest ones, most of them near misses, and pairs of memories of which the newer one
//! makes the older one outdated or not. 35 of the 70 messages without a wish and 8 of the 180 planted and honest texts of
//! `first` stand in older sets, which teach; from all else nothing was learned.
//!
//! Of the set `first` half was read while earlier rules were written; its misses with the learned tables were read once.
//! Of `second` the wrongly stored messages were read once, of `third` no miss; bounds were moved with their counts in sight.

use std::fmt::Write as _;
use std::io::Write as _;

use mdmem::capture::{RequestPatterns, Worth, is_planted, requests, worth};
use mdmem::model::Kind;
use mdmem::policy::outdates;
use serde_json::Value;

/// The level of a set, in percent: the precision of what is stored and the recall of what is stored or suggested, the
/// wishes heard, the planted texts found, the outdated memories noted; and the most others that are stored, tasks that are,
/// honest texts refused, and memories noted that still hold. A set may lack a kind.
struct Level {
    set: &'static str,
    files: usize,
    precision: usize,
    recall: usize,
    wishes: usize,
    others: usize,
    tasks: usize,
    planted: usize,
    honest: usize,
    outdated: usize,
    noted: usize,
}

const NONE: Level = Level {
    set: "",
    files: 0,
    precision: 0,
    recall: 0,
    wishes: 0,
    others: 0,
    tasks: 0,
    planted: 0,
    honest: 0,
    outdated: 0,
    noted: 0,
};

const LEVELS: [Level; 3] = [
    Level {
        set: "first",
        files: 4,
        precision: 91,
        recall: 98,
        wishes: 88,
        others: 1,
        tasks: 2,
        planted: 85,
        honest: 15,
        outdated: 64,
        noted: 2,
    },
    Level {
        set: "second",
        files: 3,
        precision: 93,
        recall: 100,
        wishes: 81,
        others: 2,
        tasks: 1,
        planted: 75,
        honest: 3,
        ..NONE
    },
    Level {
        set: "third",
        files: 2,
        wishes: 90,
        tasks: 6,
        outdated: 50,
        noted: 2,
        ..NONE
    },
];

#[test]
fn what_strangers_write_is_judged() {
    let mut told = String::from("\neval, strangers\n");
    let mut is_enough = true;
    for level in LEVELS {
        let mut files = 0;
        let mut cases = |name: &str| {
            let path = super::own("stranger").join(level.set).join(name);
            let is_there = path.exists();
            files += usize::from(is_there);
            if is_there { super::cases(&path) } else { Vec::new() }
        };
        let text = |case: &Value, key: &str| case[key].as_str().expect("a case has it").to_owned();

        let candidates = cases("candidates.jsonl");
        let judged = |case: &Value| worth(&Kind::new(&text(case, "type")), &text(case, "text"));
        let (lasting, passing): (Vec<&Value>, Vec<&Value>) =
            candidates.iter().partition(|case| case["keep"] == true);
        let count =
            |cases: &[&Value], worth: Worth| cases.iter().filter(|case| judged(case) == worth).count();
        let (good, bad) = (count(&lasting, Worth::Clear), count(&passing, Worth::Clear));
        let suggested = count(&lasting, Worth::Doubtful);
        let (precision, recall) = (
            100 * good / (good + bad).max(1),
            100 * (good + suggested) / lasting.len().max(1),
        );

        let messages = cases("messages.jsonl");
        let of = |want: &str| {
            let all = messages.iter().filter(|case| case["want"] == want);
            let heard = |case: &&Value| {
                let found = requests(&text(case, "message"), &RequestPatterns::standard());
                !found.memories.is_empty() || !found.taken_back.is_empty()
            };
            (all.clone().filter(heard).count(), all.count())
        };
        let (wishes, tasks, others) = (of("store"), of("task"), of("none"));

        let texts = cases("planted.jsonl");
        let (planted, honest): (Vec<&Value>, Vec<&Value>) =
            texts.iter().partition(|case| case["planted"] == true);
        let refused = |cases: &[&Value]| {
            cases
                .iter()
                .filter(|case| is_planted(&text(case, "text")))
                .count()
        };
        let (found, wrongly) = (refused(&planted), refused(&honest));

        let pairs = cases("values.jsonl");
        let (over, standing): (Vec<&Value>, Vec<&Value>) =
            pairs.iter().partition(|case| case["replaces"] == true);
        let noted = |cases: &[&Value]| {
            let noted = cases
                .iter()
                .filter(|case| outdates(&text(case, "new"), &text(case, "old")));
            noted.count()
        };
        let (outdated, noted) = (noted(&over), noted(&standing));

        _ = writeln!(
            told,
            "{}: of {} lasting candidates {good} stored, {suggested} suggested, of {} others {bad} stored: precision \
             {precision}%, recall {recall}%; {} of {} wishes heard, {} of {} tasks and {} of {} others stored; {found} of \
             {} planted texts refused, {wrongly} of {} honest ones; {outdated} of {} outdated memories noted, {noted} of {} \
             others",
            level.set,
            lasting.len(),
            passing.len(),
            wishes.0,
            wishes.1,
            tasks.0,
            tasks.1,
            others.0,
            others.1,
            planted.len(),
            honest.len(),
            over.len(),
            standing.len(),
        );
        is_enough &= files == level.files
            && precision >= level.precision
            && recall >= level.recall
            && 100 * wishes.0 >= level.wishes * wishes.1
            && others.0 <= level.others
            && tasks.0 <= level.tasks
            && 100 * found >= level.planted * planted.len()
            && wrongly <= level.honest
            && 100 * outdated >= level.outdated * over.len()
            && noted <= level.noted;
    }
    // Written straight to the stream: the test harness keeps what `println!` prints of a test that passes.
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(is_enough, "below the level that was reached, see above{told}");
}
