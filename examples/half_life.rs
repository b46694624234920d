//! The arithmetic of retention, without a store: how strong a decision is as the days go by.
//!
//! `cargo run --example half_life`

#![allow(clippy::print_stdout, reason = "an example is a program of its own")]

use mdmem::document;
use mdmem::model::{Id, Moment, StorePath, Timestamp};
use mdmem::policy::{Dormancy, Rules, strength};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = StorePath::new("decision/use-pnpm.md")?;
    let file = b"---\ntype: decision\nsource: explicit\n---\nUse pnpm, not npm.\n";
    let id = Id::parse("mem_example")?;
    let mut memory = document::parse(&path, file, None, || id).memory;
    let start = Timestamp::parse("2026-11-20").ok_or("not a date")?;
    memory.created = Moment::At(start);

    let rules = Rules::default();
    for days in [0, 15, 45, 90, 180] {
        let now = Timestamp::from_millis(start.as_millis() + days * 24 * 60 * 60 * 1000);
        // Somebody works every day, so that no time is dormant.
        let dormancy = Dormancy::new(&[now], now, &rules.retention);
        println!(
            "day {days:>3}: {:.3}",
            strength(&memory, &dormancy, now, &rules).value
        );
    }
    Ok(())
}
