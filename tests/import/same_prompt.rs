//! Imported memories render as the golden rules render the plugin's own entries, at that instant and at any later one.

use mdmem::model::{Memory, Timestamp};
use mdmem::policy::{Candidates, Dormancy, Entry, Keys, LineNotes, Rules, keys};
use mdmem::render::prompt;
use serde_json::Value;

use super::peer;
use crate::env::TestEnv;
use crate::golden::memory::memory;

#[test]
fn five_hundred_entries_render_as_before() {
    for seed in 1..=3 {
        assert_same_prompt(&peer::generated(500, seed));
    }
}

#[test]
fn the_golden_entries_render_as_before() {
    let entries = peer::golden();
    assert_same_prompt(&entries);
    // Few at a time, so that each has its chance to be shown.
    for few in entries.chunks(40).step_by(9) {
        assert_same_prompt(few);
    }
}

#[track_caller]
fn assert_same_prompt(entries: &[Value]) {
    let env = TestEnv::new();
    peer::write_memory(&env, entries);
    let import = env.mdmem(["import", "--from", "opencode-working-memory", "--json"]);
    let json = import
        .var("MDMEM_NOW", peer::NOW)
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    assert_eq!(json["counts"]["unreadable"], 0);
    let written = ["imported", "superseded"].map(|word| json["counts"][word].as_u64().unwrap());
    assert_eq!(written.iter().sum::<u64>(), entries.len() as u64);
    for instant in [peer::NOW, "2026-06-16T00:00:00Z", "2026-07-20T12:00:00Z"] {
        let render = env.mdmem(["render", "--quiet", "--set", "render.notes=off"]);
        let output = render.var("MDMEM_NOW", instant).any_stdout().run();
        let rendered = String::from_utf8(output.bytes).unwrap();
        let by_the_rules = by_the_rules(entries, instant);
        assert!(
            rendered.contains(&by_the_rules),
            "at {instant}: {rendered}\n{by_the_rules}"
        );
        assert!(rendered.lines().count() > 3, "something is shown: {rendered}");
    }
}

/// The prompt of these entries by the golden rules; the import was the last activity.
fn by_the_rules(entries: &[Value], instant: &str) -> String {
    let (mut rules, now) = (Rules::default(), Timestamp::parse(instant).unwrap());
    rules.render.notes = LineNotes::Off;
    let activity = Timestamp::parse(peer::NOW);
    let dormancy = Dormancy::new(activity.as_slice(), now, &rules.retention);
    let memories: Vec<Memory> = entries.iter().map(memory).collect();
    let keys: Vec<Keys> = memories
        .iter()
        .map(|memory| keys(&memory.kind, &memory.content))
        .collect();
    let entries: Vec<Entry<'_>> = memories
        .iter()
        .zip(&keys)
        .map(|(memory, keys)| Entry::new(memory, keys, &rules))
        .collect();
    let candidates = Candidates {
        entries: &entries,
        dormancy: &dormancy,
        rules: &rules,
    };
    prompt(None, Some(&candidates), now).text
}
