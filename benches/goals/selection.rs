//! The rules alone: duplicates hidden, strengths, order, caps and budget, of memories that are in the process already.

use std::time::Duration;

use mdmem::document;
use mdmem::model::{Id, Memory, StorePath, Timestamp};
use mdmem::policy::{Candidates, Dormancy, Entry, Keys, Rules, duplicates, keys};
use mdmem::render;

use crate::corpus;
use crate::row::Row;
use crate::samples::{repeat, timed};

/// Memories, turns, goal in milliseconds.
pub(crate) const SIZES: [(usize, usize, u64); 3] = [(1_000, 100, 2), (10_000, 30, 20), (100_000, 7, 250)];

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let rules = Rules::default();
    let now = Timestamp::from_seconds(1_795_000_000);
    let dormancy = Dormancy::new(&[now], now, &rules.retention);
    let mut alone = Vec::new();
    for (count, turns, goal) in SIZES {
        let memories = memories(count);
        let entries = || -> Vec<Entry<'_>> {
            let memories = memories.iter();
            memories
                .map(|(memory, keys)| Entry::new(memory, keys, &rules))
                .collect()
        };
        let prompt = || {
            let candidates = Candidates {
                entries: &entries(),
                dormancy: &dormancy,
                rules: &rules,
            };
            render::prompt(None, Some(&candidates), now)
        };
        let selected = repeat(turns, || timed(prompt));
        let entries = entries();
        report(Row::time(
            format!("consolidation and selection, {count} memories"),
            selected.median(),
            Some(Duration::from_millis(goal)),
        ));
        let hidden = repeat(turns, || timed(|| duplicates(&entries)));
        let found = duplicates(&entries).len();
        alone.push(Row::time(
            format!("duplicates alone, {count} memories ({found} hidden)"),
            hidden.median(),
            None,
        ));
    }
    alone.into_iter().for_each(report);
}

/// So many memories, with their keys.
pub(crate) fn memories(count: usize) -> Vec<(Memory, Keys)> {
    let unstated = || Id::parse("unstated").unwrap();
    let memories = corpus::files(count).into_iter().map(|file| {
        let path = StorePath::new(&file.path).unwrap();
        let memory = document::parse(&path, file.text.as_bytes(), None, unstated).memory;
        let keys = keys(&memory.kind, &memory.content);
        (memory, keys)
    });
    memories.collect()
}
