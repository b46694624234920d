//! The requests of a user's lines: a wish that lasts, a task of the session, talk, a correction, a taking back, a list.
//!
//! Two sets of `wishes.jsonl` were written before the rules that they measured. Of the first, the open half was read while
//! the rules were written and the shut half was measured once when they were done: 25 of 42 wishes heard, 8 of 33 tasks
//! stored, 6 of 25 corrections and takings back right, 3 of 14 lists and lead-ins, no talk of 25 stored. Then its misses
//! were read and their classes mended. Of the second set, `open2` was measured with these rules first (27 of 28 wishes,
//! 2 of 20 tasks stored, 10 of 16 changes right, 4 of 6 lists) and then read; `shut2` was measured once, after the last
//! rule: 27 of 28 wishes heard, none of 20 tasks stored, 13 of 16 corrections and takings back right and none wrong, 6 of
//! 6 lists and lead-ins, no talk of 10 stored; nobody has read its misses. All halves now guard what was reached.
//! Since a memory goes out of force only where nothing else is lost with it, 11 of the 16 changes of `shut2` are right:
//! two more memories stay and are told.
//! `by_itself` says whether one memory `on_file` is clearly meant (`means`), so that it may go out of force without a
//! question.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{RequestPatterns, Requests, replaced, requests};
use mdmem::policy::{NoLonger, corrected};
use serde_json::Value;

use super::{cases, strings};

/// The least that must be right of a half, in percent: wishes heard, lists and lead-ins right, corrections and
/// takings back right, tasks heard as tasks; and the most tasks stored, and the most talk that stores or changes.
struct Level {
    wishes: usize,
    lists: usize,
    changes: usize,
    todos: usize,
    tasks_stored: usize,
    talk: usize,
}

const LEVELS: [(&str, Level); 4] = [
    (
        "open",
        Level {
            wishes: 97,
            lists: 92,
            changes: 84,
            todos: 78,
            tasks_stored: 0,
            talk: 0,
        },
    ),
    (
        "shut",
        Level {
            wishes: 85,
            lists: 78,
            changes: 76,
            todos: 63,
            tasks_stored: 0,
            talk: 0,
        },
    ),
    (
        "open2",
        Level {
            wishes: 100,
            lists: 100,
            changes: 100,
            todos: 95,
            tasks_stored: 0,
            talk: 0,
        },
    ),
    (
        "shut2",
        Level {
            wishes: 96,
            lists: 100,
            changes: 68,
            todos: 90,
            tasks_stored: 0,
            talk: 0,
        },
    ),
];

#[test]
fn wishes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/wishes.jsonl");
    let all = cases(&path);
    let mut told = String::from("\neval, wishes\n");
    let mut are_enough = true;
    for (half, level) in LEVELS {
        let cases: Vec<&Value> = all.iter().filter(|case| case["half"] == half).collect();
        let shows_misses = half.starts_with("open") || std::env::var_os("MDMEM_EVAL_MISSES").is_some();
        let mut share = |name: &str, labels: &[&str], is_hit: fn(&Value, &Requests) -> bool| {
            let chosen: Vec<&&Value> = cases
                .iter()
                .filter(|case| labels.iter().any(|label| case["label"] == *label))
                .collect();
            let (mut hits, mut others) = (0, String::new());
            for case in &chosen {
                let text = case["text"].as_str().expect("a case has a text");
                let found = requests(text, &RequestPatterns::standard());
                let is_hit = is_hit(case, &found);
                hits += usize::from(is_hit);
                // Each line that is counted against the rules is shown.
                if is_hit == name.ends_with("stored") && shows_misses {
                    _ = writeln!(others, "  {} {text:?} gave {found:?}", case["id"]);
                }
            }
            _ = write!(told, "{half}: {name}: {hits} of {}\n{others}", chosen.len());
            100 * hits / chosen.len().max(1)
        };
        are_enough &= share("wishes heard", &["wish"], is_heard) >= level.wishes;
        are_enough &= share("lists and lead-ins right", &["list", "leadin"], is_heard) >= level.lists;
        are_enough &= share(
            "corrections and takings back right",
            &["correction", "takeback"],
            is_changed_right,
        ) >= level.changes;
        are_enough &= share("tasks heard as tasks", &["task"], is_todo) >= level.todos;
        are_enough &=
            share("tasks stored", &["task"], |_, found| !found.memories.is_empty()) <= level.tasks_stored;
        are_enough &= share("talk stored", &["talk"], changes_something) <= level.talk;
        // The share is rounded down, so that each line that changes a wrong memory must be seen itself.
        are_enough &= cases.iter().all(|case| changes_none_wrongly(case));
    }
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(are_enough, "below the level that was reached, see above");
}

/// Exactly the memories that are wanted, compared leniently, and nothing else.
fn is_heard(case: &Value, found: &Requests) -> bool {
    let wanted = strings(&case["memories"]);
    let all = wanted
        .iter()
        .all(|wanted| found.memories.iter().any(|memory| is_alike(wanted, &memory.text)));
    all && found.memories.len() == wanted.len()
}

fn is_todo(case: &Value, found: &Requests) -> bool {
    let wanted = strings(&case["todos"]);
    wanted
        .iter()
        .all(|wanted| found.tasks.iter().any(|task| is_alike(wanted, task)))
}

fn changes_something(_: &Value, found: &Requests) -> bool {
    !found.memories.is_empty() || !found.taken_back.is_empty()
}

/// The new fact is heard, and the memory that goes out of force is the one that is meant, or none where it is not clear.
fn is_changed_right(case: &Value, found: &Requests) -> bool {
    is_heard(case, found) && put_out(case, found) == meant(case)
}

/// No memory goes out of force but the one that is meant.
fn changes_none_wrongly(case: &Value) -> bool {
    let text = case["text"].as_str().expect("a case has a text");
    let found = requests(text, &RequestPatterns::standard());
    let meant = meant(case);
    put_out(case, &found).iter().all(|out| meant.contains(out))
}

/// The places in `on_file` of the memories that go out of force.
fn put_out(case: &Value, found: &Requests) -> Vec<usize> {
    let on_file = strings(&case["on_file"]);
    let by_text = found.memories.iter().filter_map(|memory| {
        let old = replaced(&memory.text)?;
        let text = memory.text.as_str();
        let how = if old.is_denied {
            NoLonger::Denied(text)
        } else {
            NoLonger::Contrasted(text)
        };
        corrected(&old.object, how, &on_file)
    });
    let by_word = found
        .taken_back
        .iter()
        .filter_map(|taken| corrected(&taken.object, NoLonger::TakenBack, &on_file));
    by_text.chain(by_word).collect()
}

/// The place in `on_file` of the memory that may go out of force without a question.
fn meant(case: &Value) -> Vec<usize> {
    let meant = case["means"].as_u64().filter(|_| case["by_itself"] == true);
    meant
        .and_then(|at| usize::try_from(at).ok())
        .into_iter()
        .collect()
}

/// The same letters, but for a part at either end that is shorter than the rest.
fn is_alike(wanted: &str, got: &str) -> bool {
    let letters = |text: &str| {
        text.to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
    };
    let (wanted, got) = (letters(wanted), letters(got));
    let (long, short) = if wanted.len() < got.len() {
        (got, wanted)
    } else {
        (wanted, got)
    };
    !short.is_empty() && long.contains(&short) && 2 * short.len() >= long.len()
}
