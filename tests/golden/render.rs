//! `render.jsonl`: what the prompt shows, and why it leaves out the rest.

use std::collections::BTreeMap;

use mdmem::model::{Memory, Timestamp};
use mdmem::policy::{Candidates, Dormancy, Entry, Keys, LineNotes, Omitted, Reason, Rules, keys};
use mdmem::render::prompt;
use serde_json::Value;

use super::memory::{memory, now};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let (input, output) = (&case["input"], &case["output"]);
    with_store(input, |candidates, now| {
        let prompt = prompt(None, Some(candidates), now);
        let selection = prompt.workspace.unwrap_or_default();
        let id = |entry: usize| candidates.entries[entry].memory.id.as_str();

        let mut differences = Vec::new();
        if output["prompt"] != prompt.text.as_str() {
            differences.push(format!(
                "the prompt is {:?}, not {}",
                prompt.text, output["prompt"]
            ));
        }
        let rendered: Value = selection.ranked().map(id).collect();
        if output["rendered"] != rendered {
            differences.push(format!("rendered are {rendered}, not {}", output["rendered"]));
        }
        differences.extend(omitted_difference(candidates, &selection.omitted, output));
        if differences.is_empty() {
            Ok(())
        } else {
            Err(differences.join("; "))
        }
    })
}

/// Gives the memories of a case's store, with its limits, to `look`, and the time of the case.
pub(super) fn with_store(
    input: &Value,
    look: impl FnOnce(&Candidates<'_>, Timestamp) -> Result<(), String>,
) -> Result<(), String> {
    let store = &input["store"];
    let rules = rules(&store["limits"]);
    let now = now(input);
    let activity = store["lastActivityAt"].as_str().and_then(Timestamp::parse);
    let dormancy = Dormancy::new(activity.as_slice(), now, &rules.retention);
    let stored = store["entries"].as_array().ok_or("a case has entries")?;
    let memories: Vec<Memory> = stored.iter().map(memory).collect();
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
    look(&candidates, now)
}

/// Gives the difference between the omissions of a case and ours. Duplicates are not listed in the cases.
fn omitted_difference(candidates: &Candidates<'_>, omitted: &[Omitted], output: &Value) -> Option<String> {
    let ours = omitted
        .iter()
        .filter(|omitted| !matches!(omitted.reason, Reason::Duplicate { .. }))
        .map(|omitted| {
            (
                candidates.entries[omitted.entry].memory.id.as_str(),
                omitted.reason.as_str(),
            )
        });
    let ours: BTreeMap<&str, &str> = ours.collect();
    let listed = output["omitted"].as_array().expect("a case says what is omitted");
    let theirs = listed
        .iter()
        .filter_map(|omitted| Some((omitted["id"].as_str()?, omitted["reason"].as_str()?)));
    let theirs: BTreeMap<&str, &str> = theirs.collect();
    (ours != theirs).then(|| format!("omitted are {ours:?}, not {theirs:?}"))
}

/// The limits of a case only lower the defaults. The cases know no notes.
fn rules(limits: &Value) -> Rules {
    let mut rules = Rules::default();
    rules.render.notes = LineNotes::Off;
    let lower = |limit: &mut usize, name: &str| {
        let stated = limits[name]
            .as_u64()
            .and_then(|stated| usize::try_from(stated).ok());
        *limit = stated.map_or(*limit, |stated| stated.min(*limit));
    };
    lower(&mut rules.render.max_chars, "maxRenderedChars");
    lower(&mut rules.render.max_entries, "maxEntries");
    rules
}
