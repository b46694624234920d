//! Measures how memories are found to be one, and the plan for their files, over memories that are in the process
//! already.

use std::time::Duration;

use mdmem::document;
use mdmem::model::{Id, Memory, StorePath, Timestamp};
use mdmem::policy::{Entry, Keys, Rules, keys, plan_addition, tidy};

use crate::random::Random;
use crate::row::Row;
use crate::samples::{repeat, timed};
use crate::selection::{SIZES, memories};

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    for (count, turns, goal) in SIZES {
        let memories = memories(count);
        let goal = Some(Duration::from_millis(goal));
        measure_store("memories", &memories, turns, &mut |what, time| {
            report(Row::time(what, time, goal));
        });
        // Half of them say something about one of sixty files, in words that recur: no store of people's, and no
        // promise.
        let mut random = Random::new(11);
        let crowd: Vec<(Memory, Keys)> = (0..count)
            .map(|number| crowd_member(&mut random, number))
            .collect();
        measure_store("crowded memories", &crowd, turns, &mut |what, time| {
            report(Row::time(what, time, None));
        });
    }
}

fn measure_store(
    what: &str,
    memories: &[(Memory, Keys)],
    turns: usize,
    row: &mut dyn FnMut(String, Duration),
) {
    let rules = Rules::default();
    let now = Timestamp::from_seconds(1_795_000_000);
    let count = memories.len();
    let entries: Vec<Entry<'_>> = memories
        .iter()
        .map(|(memory, keys)| Entry::new(memory, keys, &rules))
        .collect();
    let changed = tidy(&entries, now, &rules.reinforce).absorbed.len();
    let times = repeat(turns, || timed(|| tidy(&entries, now, &rules.reinforce)));
    let tidied = format!("consolidation, tidy of {count} {what} ({changed} files)");
    row(tidied, times.median());

    let (new, new_keys) = fact(
        count,
        "Keep error messages in `src/host/serve.rs`, whatever the proxy does",
    );
    let new = Entry::new(&new, &new_keys, &rules);
    let times = repeat(turns, || {
        timed(|| plan_addition(new, &entries, now, None, &rules))
    });
    let added = format!("consolidation, one new memory beside {count} {what}");
    row(added, times.median());
}

fn crowd_member(random: &mut Random, number: usize) -> (Memory, Keys) {
    const SUBJECTS: [&str; 12] = [
        "The parser",
        "The build",
        "Release tooling",
        "The cache layer",
        "The importer",
        "The CLI",
        "設定檔",
        "The scheduler",
        "The test runner",
        "Every service",
        "このプロジェクト",
        "The API gateway",
    ];
    const VERBS: [&str; 8] = [
        "reads",
        "writes",
        "keeps",
        "needs",
        "must use",
        "never touches",
        "prefers",
        "checks",
    ];
    const ENDS: [&str; 9] = [
        "",
        "before merging",
        "for every package",
        "in this workspace",
        "and nothing else",
        "at least 3 times",
        "when the cache is cold",
        "because two teams depend on it",
        "as agreed",
    ];
    let (subject, verb, end) = (random.pick(&SUBJECTS), random.pick(&VERBS), random.pick(&ENDS));
    let object = match number % 2 {
        0 => format!("src/module{}/host/serve.rs", random.below(60)),
        _ => format!("rule {number}"),
    };
    fact(number, &format!("{subject} {verb} {object} {end}"))
}

fn fact(number: usize, text: &str) -> (Memory, Keys) {
    let (path, id) = (
        StorePath::new("project/new.md").unwrap(),
        Id::parse(&format!("mem_{number}")).unwrap(),
    );
    let memory = document::parse(&path, text.as_bytes(), None, || id).memory;
    let keys = keys(&memory.kind, &memory.content);
    (memory, keys)
}
