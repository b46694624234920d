//! `mdmem render`, a process each, with the store's cache and without; git's part is `git status` in the same store,
//! which looks at the same files.

use std::time::Duration;

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::samples::repeat;
use crate::sandbox::{Sandbox, time};

/// Memories, turns, goal in milliseconds.
const SIZES: [(usize, usize, u64); 3] = [(28, 100, 5), (1_000, 50, 20), (10_000, 25, 120)];

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let mut without_cache = Vec::new();
    for (count, turns, goal) in SIZES {
        let sandbox = Sandbox::with_store(&corpus::files(count));
        let store = sandbox.store();
        let pairs = Pairs::measure(
            turns,
            |_| time(sandbox.mdmem(["render"])),
            |_| time(sandbox.git(&store).args(["status", "--porcelain"])),
        );
        report(Row::time_beside(
            format!("render, {count} memories; `git status`"),
            &pairs,
            Some(Duration::from_millis(goal)),
        ));
        let cache = store.join(".mdmem/cache");
        let first = repeat(5, || {
            std::fs::remove_dir_all(&cache).unwrap();
            time(sandbox.mdmem(["render"]))
        });
        without_cache.push(Row::time(
            format!("first render without a cache, {count} memories"),
            first.median(),
            None,
        ));
    }
    without_cache.into_iter().for_each(report);
}
