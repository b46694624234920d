//! `mdmem sessions stats` and `compare`: the facts about sessions, side by side.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::short;
use crate::host::cli::ui::{Table, Ui, row};
use crate::service::{Conversation, Facts};

/// The facts about a session, or about all of them.
#[derive(Serialize)]
pub(super) struct Side {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<Conversation>,
    #[serde(flatten)]
    pub(super) facts: Facts,
}

/// Tells the facts of each side: the numbers and, where there are two, which file, decision and error is whose.
pub(super) fn tell(sides: &[Side], ui: &mut Ui) -> io::Result<()> {
    let (color, width) = (ui.color, ui.out.width());
    for (label, Side { session, facts }) in ["A", "B"].into_iter().zip(sides) {
        let models: Vec<&str> = facts.models.iter().map(String::as_str).collect();
        let told = match session {
            Some(session) => format!("{}  {}  {}", session.id, session.name(), models.join(", ")),
            None => format!("{} sessions  {}", facts.sessions, models.join(", ")),
        };
        ui.line(&row(label, &told, color))?;
    }
    ui.line("")?;
    let labels = ["", "A", "B"];
    let mut table = Table::new(&labels[..=sides.len()], width).right(1).right(2);
    let counted: Vec<_> = sides.iter().map(|side| counts(&side.facts)).collect();
    for (at, (label, _)) in counted[0].iter().enumerate() {
        let mut cells = vec![(*label).to_owned()];
        cells.extend(counted.iter().map(|side| side[at].1.clone()));
        table.row(&cells);
    }
    ui.table(&table)?;
    for heading in ["TOOL", "FILE", "DECISION", "ERROR"] {
        let mut found: BTreeMap<&String, Vec<String>> = BTreeMap::new();
        for (at, Side { facts, .. }) in sides.iter().enumerate() {
            let mut mark = |item, word: String| {
                let cells = found
                    .entry(item)
                    .or_insert_with(|| vec![String::new(); sides.len()]);
                cells[at] = word;
            };
            let yes = || "x".to_owned();
            match heading {
                "TOOL" => facts.tools.iter().for_each(|(tool, used)| match used.failed {
                    0 => mark(tool, used.calls.to_string()),
                    failed => mark(tool, format!("{} ({failed} failed)", used.calls)),
                }),
                "FILE" => facts.files.iter().for_each(|file| mark(file, yes())),
                "DECISION" => facts.decisions.iter().for_each(|decision| mark(decision, yes())),
                _ => facts.errors.iter().for_each(|error| mark(error, yes())),
            }
        }
        let header: Vec<&str> = labels[1..=sides.len()].iter().copied().chain([heading]).collect();
        let mut table = Table::new(&header, width).flexible(sides.len());
        let is_empty = found.is_empty();
        for (item, mut cells) in found {
            cells.push(item.clone());
            table.row(&cells);
        }
        if !is_empty {
            ui.line("")?;
            ui.table(&table)?;
        }
    }
    Ok(())
}

/// The numbers among the facts, with their labels.
fn counts(facts: &Facts) -> Vec<(&'static str, String)> {
    let calls: usize = facts.tools.values().map(|used| used.calls).sum();
    vec![
        ("asked", facts.asked.to_string()),
        ("answers", facts.answers.to_string()),
        ("tokens", short(facts.tokens.total)),
        ("peak", short(facts.peak)),
        ("compactions", facts.compactions.len().to_string()),
        ("tool calls", calls.to_string()),
        ("files", facts.files.len().to_string()),
        ("decisions", facts.decisions.len().to_string()),
        ("errors", facts.errors.len().to_string()),
    ]
}
