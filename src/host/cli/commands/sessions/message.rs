//! Sessions as people read them: their messages (`mdmem sessions show`, `search` and `export`), and the facts about them
//! side by side (`stats` and `compare`).

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::{SearchArgs, short};
use crate::host::cli::ui::{Table, Tone, Ui, minute, row};
use crate::service::{Conversation, ConversationHits, Facts, HitOrder, Message, Page, Part};
use crate::sys::shell_word;

pub(super) fn show(page: &Page, tools: bool, ui: &mut Ui) -> io::Result<()> {
    let (color, id) = (ui.color, &page.session.id);
    ui.line(&color.paint(Tone::Heading, page.session.name()))?;
    for message in &page.messages {
        let time = color.paint(Tone::Faint, &minute(message.mark.time, ui.zone));
        let role = color.paint(Tone::Name, message.role.as_str());
        let model = message.model.as_ref().map(|model| format!(" ({model})"));
        ui.line("")?;
        ui.line(&format!("{time} {role}{}", model.unwrap_or_default()))?;
        for block in blocks(message, tools) {
            ui.out.text(&format!("{block}\n"))?;
        }
    }
    for (word, option, cursor) in [("older", "before", &page.before), ("newer", "after", &page.after)] {
        if let Some(cursor) = cursor {
            ui.hint(&format!("{word}: mdmem sessions show {id} --{option} {cursor}"))?;
        }
    }
    Ok(())
}

/// The characters of a title that a hit shows: the first prompt of a session without a title may be a whole page.
const MOST_TITLE: usize = 100;

pub(super) fn hits(found: &ConversationHits, args: &SearchArgs, ui: &mut Ui) -> io::Result<()> {
    let color = ui.color;
    for hit in &found.hits {
        let time = color.paint(Tone::Faint, &minute(hit.mark.time, ui.zone));
        let id = color.paint(Tone::Name, &hit.session);
        let (snippet, word) = (&hit.snippet, color.paint(Tone::Good, &hit.snippet.hit));
        ui.line(&format!("{time}  {:<9}  {id}", hit.role.as_str()))?;
        match hit.title.char_indices().nth(MOST_TITLE) {
            Some((end, _)) => ui.line(&format!("  {}…", &hit.title[..end]))?,
            None => ui.line(&format!("  {}", hit.title))?,
        }
        ui.line(&format!("  {}{word}{}", snippet.before, snippet.behind))?;
    }
    if found.hits.is_empty() {
        ui.notice("nothing found")?;
    }
    if let Some(before) = &found.before {
        let words: Vec<String> = args.words.iter().map(shell_word).collect();
        let words = words.join(" ");
        let sort = if args.sort == HitOrder::Time {
            " --sort time"
        } else {
            ""
        };
        ui.hint(&format!(
            "more: mdmem sessions search {words}{sort} --before {before}"
        ))?;
    }
    Ok(())
}

pub(super) fn export(whole: &Page, tools: bool, ui: &mut Ui) -> io::Result<()> {
    let session = &whole.session;
    ui.out.text(&format!(
        "# {}\n\n- session: {} ({})\n- directory: {}\n- created: {}\n- updated: {}\n",
        session.name(),
        session.id,
        session.host,
        session.directory.display(),
        session.created,
        session.updated,
    ))?;
    for message in &whole.messages {
        let text = blocks(message, tools).join("\n\n");
        if !text.is_empty() {
            let (role, time) = (message.role.as_str(), message.mark.time);
            ui.out.text(&format!("\n## {role}, {time}\n\n{text}\n"))?;
        }
    }
    Ok(())
}

/// What is said in a message, as blocks of markdown; with `tools`, what these were given and gave.
fn blocks(message: &Message, tools: bool) -> Vec<String> {
    let mut blocks = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } | Part::Aside { text } => blocks.push(text.trim_end().to_owned()),
            Part::Tool(call) if tools => {
                blocks.push(format!("Tool `{}` ({})", call.tool, call.state));
                blocks.push(fenced("json", &call.input));
                blocks.push(fenced("text", &call.output));
            }
            Part::Tool(call) => blocks.push(format!("Tool `{}` ({}) {}", call.tool, call.state, call.input)),
            Part::Files { files } => blocks.push(format!("Changed: {}", files.join(", "))),
            Part::Compaction { trigger } => blocks.push(format!("(compaction: {trigger})")),
            Part::Unread => blocks.push("(a part that cannot be read)".to_owned()),
        }
    }
    blocks.extend(message.error.as_ref().map(|error| format!("Error: {error}")));
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A text in a fence that none of its lines ends.
fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

/// The facts about a session, or about all of them.
#[derive(Serialize)]
pub(super) struct Side {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<Conversation>,
    #[serde(flatten)]
    pub(super) facts: Facts,
}

/// Tells the facts of each side: the numbers and, where there are two, which file, decision and error is whose.
pub(super) fn facts(sides: &[Side], ui: &mut Ui) -> io::Result<()> {
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
