//! Which memories are one, and what becomes of their files, of memories that are in the process already.

use std::time::Duration;

use mdmem::model::{Content, Id, Kind, Memory, Moment, Status, StorePath, Timestamp};
use mdmem::policy::{Arrival, Entry, Keys, Rules, consolidate, keys, plan_addition, tidy};

use crate::row::Row;
use crate::samples::{repeat, timed};
use crate::selection::{SIZES, memories};

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let rules = Rules::default();
    let now = Timestamp::from_seconds(1_795_000_000);
    for (count, turns, goal) in SIZES {
        let memories = memories(count);
        let entries: Vec<Entry<'_>> = memories
            .iter()
            .map(|(memory, keys)| Entry { memory, keys })
            .collect();
        let arrivals: Vec<Arrival<'_>> = entries
            .iter()
            .map(|entry| Arrival {
                entry: *entry,
                session: None,
            })
            .collect();
        let mut row = |what: String, time: Duration| {
            report(Row::time(what, time, Some(Duration::from_millis(goal))));
        };

        let absorbed = consolidate(&arrivals, None, now, &rules.reinforce).absorbed.len();
        let consolidated = repeat(turns, || {
            timed(|| consolidate(&arrivals, None, now, &rules.reinforce))
        });
        let what = format!("consolidation, {count} memories that arrive ({absorbed} absorbed)");
        row(what, consolidated.median());

        let changed = tidy(&entries, now, &rules.reinforce).absorbed.len();
        let tidied = repeat(turns, || timed(|| tidy(&entries, now, &rules.reinforce)));
        let what = format!("consolidation, tidy of {count} memories ({changed} files)");
        row(what, tidied.median());

        let (new, new_keys) = addition();
        let new = Entry {
            memory: &new,
            keys: &new_keys,
        };
        let planned = repeat(turns, || {
            timed(|| plan_addition(new, &entries, now, None, &rules))
        });
        row(
            format!("consolidation, one new memory beside {count}"),
            planned.median(),
        );
    }
}

/// A fact about a file that many of the others are about.
fn addition() -> (Memory, Keys) {
    let text = "Keep error messages in `src/host/serve.rs`, whatever the proxy does";
    let (path, id) = (
        StorePath::new("project/new.md").unwrap(),
        Id::parse("mem_new").unwrap(),
    );
    let mut memory = mdmem::document::parse(&path, text.as_bytes(), None, || id).memory;
    memory.kind = Kind::new("project");
    memory.status = Status::Active;
    memory.created = Moment::Unset;
    assert!(matches!(memory.content, Content::Fact { .. }));
    let keys = keys(&memory.kind, &memory.content);
    (memory, keys)
}
