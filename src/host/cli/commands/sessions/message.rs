//! The messages of sessions as people read them: `mdmem sessions show`, `search` and `export`.

use std::io;

use crate::host::cli::ui::{Tone, Ui, minute};
use crate::service::{ConversationHits, Message, Page, Part};
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

pub(super) fn hits(found: &ConversationHits, words: &[String], ui: &mut Ui) -> io::Result<()> {
    let color = ui.color;
    for hit in &found.hits {
        let time = color.paint(Tone::Faint, &minute(hit.mark.time, ui.zone));
        let id = color.paint(Tone::Name, &hit.session);
        let (snippet, word) = (&hit.snippet, color.paint(Tone::Good, &hit.snippet.hit));
        ui.line(&format!("{time}  {:<9}  {id}", hit.role.as_str()))?;
        ui.line(&format!("  {}", hit.title))?;
        ui.line(&format!("  {}{word}{}", snippet.before, snippet.behind))?;
    }
    if found.hits.is_empty() {
        ui.notice("nothing found")?;
    }
    if let Some(before) = &found.before {
        let words: Vec<String> = words.iter().map(shell_word).collect();
        let words = words.join(" ");
        ui.hint(&format!("more: mdmem sessions search {words} --before {before}"))?;
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
