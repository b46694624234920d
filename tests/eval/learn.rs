//! The tables below `src/capture/learned` and `src/policy/newer`, learned from the labelled lines of `tests/eval/learned`.
//!
//! `MDMEM_LEARN=1 cargo test --locked --test main -- eval::learn --nocapture` makes the tables again (a name of [`TABLES`]
//! in the place of `1`: one of them), and prints for each author how well tables judge that author's lines that were
//! learned from all others' alone. The lines of each author were written without a look at the rules or at another
//! author's lines. A line that is judged wrongly is added to a file here, never to a table.
//!
//! The weights are those of a support vector machine with squared hinge loss and an L2 penalty, by dual coordinate
//! descent (Hsieh et al., A dual coordinate descent method for large-scale linear SVM, 2008), first over all signs that
//! two lines have, then over those of most weight.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use mdmem::capture::{plant_signs, weighed_sentences, worth_signs};
use mdmem::model::Kind;
use mdmem::policy::pair_signs;
use serde_json::Value;

/// How much a line that is judged wrongly costs, against the size of the weights: one of an author, and one of the
/// project's own, which were written as examples of what must be right.
const COST: f64 = 0.03;
const OWN_COST: f64 = 0.1;
const OWN: &str = "own";
/// The rounds over all lines.
const ROUNDS: usize = 60;
/// The most rows of a table.
const MOST_ROWS: usize = 12_000;
/// What a weight of one is in a table.
const SCALE: f64 = 1_000.0;
/// For each pair of memories so many that are about other things.
const BESIDE: usize = 3;

/// A labelled text: its author, or [`OWN`], its signs, and whether the judgement is yes.
struct Line {
    by: String,
    signs: Vec<String>,
    is_so: bool,
}

type Lines = fn() -> Vec<Line>;

/// The tables, below `src`, and the lines that teach them.
const TABLES: [(&str, Lines); 4] = [
    ("capture/learned/planted", planted),
    ("capture/learned/worth", worth),
    ("capture/learned/wishes", wishes),
    ("policy/newer/newer", newer),
];

#[test]
fn tables_are_sorted_and_made_of_signs_with_weights() {
    if std::env::var_os("MDMEM_LEARN").is_some() {
        let asked = std::env::var("MDMEM_LEARN").unwrap_or_default();
        let is_known = asked == "1" || TABLES.iter().any(|(name, _)| asked == *name);
        assert!(is_known, "MDMEM_LEARN is `1` or the name of a table");
        for (name, lines) in TABLES.iter().filter(|(name, _)| asked == "1" || asked == *name) {
            let lines = lines();
            measure(name, &lines);
            let all: Vec<&Line> = lines.iter().collect();
            fs::write(table(name), print(&learn(&all))).expect("a table can be written");
        }
    }
    for (name, _) in TABLES {
        let text = fs::read_to_string(table(name)).expect("the table is there");
        let rows: Vec<&str> = text.lines().collect();
        let signs = rows.iter().map(|row| {
            let (sign, weight) = row.split_once('\t').expect("a row has a tab");
            assert!(
                weight.parse::<i32>().is_ok_and(|weight| weight != 0),
                "{name}: {row}"
            );
            sign
        });
        assert!(signs.is_sorted_by(|one, next| one < next), "{name} is not sorted");
        assert!(rows.len() > 1_000, "{name} is too short");
    }
}

fn table(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{name}.tsv"))
}

fn cases(name: &str) -> Vec<Value> {
    super::cases(&super::own("learned").join(format!("{name}.jsonl")))
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key]
        .as_str()
        .unwrap_or_else(|| panic!("{case} has no {key}"))
}

fn line(case: &Value, signs: BTreeSet<String>, is_so: bool) -> Line {
    let by = case["by"].as_str().unwrap_or(OWN).to_owned();
    Line {
        by,
        signs: signs.into_iter().collect(),
        is_so,
    }
}

/// The texts of the memories in a case.
fn texts_in(case: &Value) -> Vec<String> {
    match case {
        Value::Array(list) => list.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => {
            let inner = fields.values().flat_map(texts_in);
            let own = fields.get("text").and_then(Value::as_str).map(str::to_owned);
            inner.chain(own).collect()
        }
        _ => Vec::new(),
    }
}

/// The cases of the sets of the project's own that may teach: not the halves that nobody has read.
fn own(names: &[&str]) -> Vec<Value> {
    let unread = ["second", "held", "away", "shut2"];
    let cases = names
        .iter()
        .flat_map(|name| super::cases(&super::own(&format!("{name}.jsonl"))));
    let teaches = |case: &Value| {
        let half = case["half"].as_str().unwrap_or_default();
        !unread.contains(&half) && !half.starts_with("unseen")
    };
    cases.filter(teaches).collect()
}

/// What people ask to be kept, and what summaries propose, is not planted.
fn planted() -> Vec<Line> {
    let mut lines = Vec::new();
    // Of these all misses were read, in both halves.
    for name in ["planted", "planted_more", "orders"] {
        for case in super::cases(&super::own(&format!("{name}.jsonl"))) {
            lines.push(line(
                &case,
                plant_signs(text(&case, "text")),
                case["order"] == true,
            ));
        }
    }
    for case in cases("planted") {
        lines.push(line(
            &case,
            plant_signs(text(&case, "text")),
            case["planted"] == true,
        ));
    }
    for (case, candidate, _) in candidates() {
        lines.push(line(&case, plant_signs(&candidate), false));
    }
    for name in ["dedupe", "hot", "render"] {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.jsonl"));
        let texts: BTreeSet<String> = super::cases(&golden).iter().flat_map(texts_in).collect();
        let by = serde_json::json!({"by": "golden"});
        lines.extend(texts.iter().map(|text| line(&by, plant_signs(text), false)));
    }
    for (case, _, kept) in messages() {
        lines.extend(kept.iter().map(|kept| line(&case, plant_signs(kept), false)));
    }
    lines
}

fn worth() -> Vec<Line> {
    let signs = |case: &Value, candidate: &str| {
        let kind = Kind::new(case["type"].as_str().unwrap_or("project"));
        worth_signs(&kind, candidate)
    };
    let lines = candidates().into_iter();
    lines
        .map(|(case, candidate, is_kept)| line(&case, signs(&case, &candidate), is_kept))
        .collect()
}

/// The candidates of all sets: the case, the text, and whether it lasts.
fn candidates() -> Vec<(Value, String, bool)> {
    let mut found = Vec::new();
    let judged = own(&["worth", "quality_own", "quality", "second/quality"]).into_iter();
    // The weights before these were counted over both halves of `real`, too.
    for case in judged.chain(super::cases(&super::own("real.jsonl"))) {
        if case["clear"] != false && case["reason"] != "prompt_injection" {
            found.push((
                case.clone(),
                text(&case, "text").to_owned(),
                case["accept"] == true,
            ));
        }
    }
    for summary in own(&["candidates", "second/candidates"]) {
        let all = |key: &str| summary[key].as_array().cloned().unwrap_or_default();
        found.extend(all("entries").into_iter().map(|case| {
            let candidate = text(&case, "text").to_owned();
            (case, candidate, true)
        }));
        let rejected = all("rejected").into_iter().filter(|case| {
            let reasons = [
                "progress_snapshot",
                "temporary_status",
                "transient_bug_state",
                "bad_decision",
            ];
            reasons.iter().any(|reason| case["reason"] == *reason)
        });
        found.extend(rejected.map(|case| {
            let candidate = text(&case, "text").to_owned();
            (case, candidate, false)
        }));
    }
    let learned = cases("worth").into_iter();
    found.extend(learned.map(|case| {
        let candidate = text(&case, "text").to_owned();
        let is_kept = case["keep"] == true;
        (case, candidate, is_kept)
    }));
    found
}

/// The messages of all sets: the case, the message, and what of it is to be kept.
fn messages() -> Vec<(Value, String, Vec<String>)> {
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.map(|text| {
            text["text"]
                .as_str()
                .or(text.as_str())
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
    };
    let mut found = Vec::new();
    for case in own(&["wishes"]) {
        found.push((
            case.clone(),
            text(&case, "text").to_owned(),
            texts(&case["memories"]),
        ));
    }
    for case in own(&["explicit", "second/explicit", "explicit_own"]) {
        found.push((
            case.clone(),
            text(&case, "message").to_owned(),
            texts(&case["expect"]),
        ));
    }
    for case in own(&["messages", "declined"]) {
        let message = text(&case, "message").to_owned();
        let kept = match weighed_sentences(&message).as_slice() {
            _ if case["want"] != "store" => Vec::new(),
            // Its wishes are measured in `stranger/first`.
            _ if case["half"] == "stranger" => continue,
            [(sentence, _)] => vec![sentence.clone()],
            // Which of them is kept is not labelled.
            _ => continue,
        };
        found.push((case, message, kept));
    }
    for case in cases("wishes") {
        found.push((
            case.clone(),
            text(&case, "message").to_owned(),
            texts(&case["keep"]),
        ));
    }
    found
}

/// A line for each sentence of each message: a wish where most of its words are to be kept.
fn wishes() -> Vec<Line> {
    let mut lines = Vec::new();
    for (case, message, kept) in messages() {
        for (sentence, signs) in weighed_sentences(&message) {
            let is_kept = kept.iter().any(|kept| is_part(&sentence, kept));
            lines.push(line(&case, signs, is_kept));
        }
    }
    lines
}

/// Pairs of memories of which the newer one makes the older one outdated, or not; and pairs of each author that are about
/// other things and share a word, as most memories of a store are.
fn newer() -> Vec<Line> {
    let pair = |case: &Value, old: &str, is_so: bool| line(case, pair_signs(old, text(case, "new")), is_so);
    let own = own(&["outdated"]);
    let mut lines: Vec<Line> = own
        .iter()
        .map(|case| pair(case, text(case, "old"), case["out"] == true))
        .collect();
    let cases = cases("newer");
    for (at, case) in cases.iter().enumerate() {
        let old = text(case, "old");
        lines.push(pair(case, old, case["replaces"] == true));
        let later = cases[at + 1..]
            .iter()
            .filter(|other| other["by"] == case["by"] && text(other, "old") != old);
        let others = later.map(|other| pair(other, old, false));
        let shares = |line: &Line| !line.signs.iter().any(|sign| sign == "shared 0");
        lines.extend(others.filter(shares).take(BESIDE));
    }
    lines
}

fn is_part(sentence: &str, kept: &str) -> bool {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let own = words(sentence);
    let shared = own.intersection(&words(kept)).count();
    kept.contains(sentence) || sentence.contains(kept) || shared > 0 && shared * 10 >= own.len() * 7
}

/// Prints how well the lines of each author are judged by what the others' lines teach.
fn measure(name: &str, lines: &[Line]) {
    let authors: BTreeSet<&str> = lines.iter().map(|line| line.by.as_str()).collect();
    for author in authors {
        let (own, others): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.by == author);
        let weights = learn(&others);
        let mut counts = [[0; 2]; 2];
        for line in own {
            let sum: i32 = line.signs.iter().filter_map(|sign| weights.get(sign)).sum();
            counts[usize::from(line.is_so)][usize::from(sum > 0)] += 1;
        }
        let [[right, wrong], [missed, found]] = counts;
        eprintln!(
            "{name}, lines of {author}: {found} of {} found, {wrong} of {} wrongly",
            found + missed,
            right + wrong
        );
    }
}

/// The weights of the signs, by what these lines teach.
fn learn(lines: &[&Line]) -> BTreeMap<String, i32> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for sign in lines.iter().flat_map(|line| &line.signs) {
        *counts.entry(sign).or_default() += 1;
    }
    counts.retain(|_, count| *count > 1);
    let all = weigh(lines, &counts.keys().copied().collect());
    let mut strongest: Vec<(&str, f64)> = all.into_iter().collect();
    let strength = |(sign, weight): &(&str, f64)| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "there are no more than some thousand lines"
        )]
        let count = counts[sign] as f64;
        weight.abs() * count.sqrt()
    };
    strongest.sort_by(|one, other| strength(other).total_cmp(&strength(one)).then(one.0.cmp(other.0)));
    let kept = strongest.iter().take(MOST_ROWS).map(|(sign, _)| *sign).collect();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a weight is some thousands at most"
    )]
    let rounded = weigh(lines, &kept)
        .into_iter()
        .map(|(sign, weight)| (sign.to_owned(), (weight * SCALE).round() as i32));
    rounded.filter(|(_, weight)| *weight != 0).collect()
}

fn weigh<'l>(lines: &[&'l Line], kept: &HashSet<&'l str>) -> HashMap<&'l str, f64> {
    let mut names: Vec<&str> = kept.iter().copied().collect();
    names.sort_unstable();
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let rows: Vec<Vec<usize>> = lines
        .iter()
        .map(|line| {
            line.signs
                .iter()
                .filter_map(|sign| places.get(sign.as_str()).copied())
                .collect()
        })
        .collect();
    let mut weights = vec![0.0; names.len()];
    let mut shares = vec![0.0; rows.len()];
    let penalty = |line: &Line| 0.5 / if line.by == OWN { OWN_COST } else { COST };
    let penalties: Vec<f64> = lines.iter().map(|line| penalty(line)).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut dice = 1_u64;
    for _ in 0..ROUNDS {
        // A shuffle that is the same in each run.
        for at in (1..order.len()).rev() {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, usize::try_from(dice >> 33).unwrap_or(0) % (at + 1));
        }
        for &at in &order {
            let row = &rows[at];
            let side = if lines[at].is_so { 1.0 } else { -1.0 };
            let sum: f64 = row.iter().map(|sign| weights[*sign]).sum();
            let slope = side * sum - 1.0 + shares[at] * penalties[at];
            #[expect(clippy::cast_precision_loss, reason = "a line has some thousand signs")]
            let share = (shares[at] - slope / (row.len() as f64 + penalties[at])).max(0.0_f64);
            let change = (share - shares[at]) * side;
            shares[at] = share;
            for sign in row {
                weights[*sign] += change;
            }
        }
    }
    names.into_iter().zip(weights).collect()
}

fn print(weights: &BTreeMap<String, i32>) -> String {
    let mut table = String::new();
    for (sign, weight) in weights {
        _ = writeln!(table, "{sign}\t{weight}");
    }
    table
}
