//! The messages of sessions as people read them: `mdmem sessions show`, `search` and `export`.

use std::process::ExitCode;

use serde_json::json;

use super::{SearchArgs, ShowArgs};
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, Tone, minute};
use crate::service::{Chosen, Conversation, Mark, Message, Page, Part, Past, PastSearch, Reading};
use crate::sys::shell_word;

pub(super) fn show(
    args: &ShowArgs,
    past: &Past,
    chosen: Chosen,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let session = past.conversation(args.session.as_deref(), chosen)?;
    let reading = match (&args.after, args.first) {
        (None, false) => Reading::NewestBefore(args.before.clone()),
        (after, _) => Reading::OldestBehind(after.clone()),
    };
    let page = past.page(session, &reading, usize::from(args.limit), args.tools)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&page)?);
    }
    cx.page_anywhere()?;
    let color = cx.ui.color;
    cx.ui.line(&color.paint(Tone::Heading, page.session.name()))?;
    for message in &page.messages {
        let time = minute(message.mark.time, cx.ui.zone);
        let model = message.model.as_ref().map(|model| format!(" ({model})"));
        cx.ui.line("")?;
        cx.ui.line(&format!(
            "{} {}{}",
            color.paint(Tone::Faint, &time),
            color.paint(Tone::Name, message.role.as_str()),
            model.unwrap_or_default(),
        ))?;
        for block in blocks(message, args.tools) {
            cx.ui.out.text(&format!("{block}\n"))?;
        }
    }
    let id = &page.session.id;
    if let Some(before) = &page.before {
        cx.ui
            .hint(&format!("older: mdmem sessions show {id} --before {before}"))?;
    }
    if let Some(after) = &page.after {
        cx.ui
            .hint(&format!("newer: mdmem sessions show {id} --after {after}"))?;
    }
    Ok(())
}

pub(super) fn search(
    args: &SearchArgs,
    past: &Past,
    chosen: Chosen,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let mut hits = past.search(&PastSearch {
        words: args.words.join(" "),
        chosen,
        session: args.session.clone(),
        tools: args.tools,
        before: args.before.clone(),
    })?;
    let mut found = Vec::new();
    while found.len() < usize::from(args.limit)
        && let Some(hit) = hits.next(usize::MAX)?
    {
        if cx.ui.format == Format::Text {
            let color = cx.ui.color;
            let time = color.paint(Tone::Faint, &minute(hit.mark.time, cx.ui.zone));
            let id = color.paint(Tone::Name, &hit.session);
            let role = hit.role.as_str();
            cx.ui.line(&format!("{time}  {role:<9}  {id}"))?;
            let (snippet, word) = (&hit.snippet, color.paint(Tone::Good, &hit.snippet.hit));
            cx.ui.line(&format!("  {}", hit.title))?;
            cx.ui
                .line_now(&format!("  {}{word}{}", snippet.before, snippet.behind))?;
        }
        found.push(hit);
    }
    let left = hits.left().filter(|_| found.len() == usize::from(args.limit));
    let left = left.map(ToString::to_string);
    if cx.ui.format == Format::Json {
        let query = args.words.join(" ");
        cx.ui
            .json(&json!({"query": query, "hits": found, "before": left}))?;
    } else if found.is_empty() {
        cx.ui.notice("nothing found")?;
    } else if let Some(left) = left {
        let words: Vec<String> = args.words.iter().map(shell_word).collect();
        let words = words.join(" ");
        cx.ui
            .hint(&format!("more: mdmem sessions search {words} --before {left}"))?;
    }
    if found.is_empty() {
        cx.exit = ExitCode::FAILURE;
    }
    Ok(())
}

pub(super) fn export(
    past: &Past,
    session: &Conversation,
    tools: bool,
    is_json: bool,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let mut messages = Vec::new();
    if !is_json {
        cx.ui.out.text(&format!(
            "# {}\n\n- session: {} ({})\n- directory: {}\n- created: {}\n- updated: {}\n",
            session.name(),
            session.id,
            session.host,
            session.directory.display(),
            session.created,
            session.updated,
        ))?;
    }
    let mut behind = None;
    loop {
        let from = Reading::OldestBehind(behind);
        let Page {
            messages: page,
            after,
            ..
        } = past.page(session.clone(), &from, 200, tools)?;
        if is_json {
            messages.extend(page);
        } else {
            for message in &page {
                let blocks = blocks(message, tools);
                if !blocks.is_empty() {
                    let (role, time) = (message.role.as_str(), message.mark.time);
                    let text = blocks.join("\n\n");
                    cx.ui.out.text(&format!("\n## {role}, {time}\n\n{text}\n"))?;
                }
            }
        }
        match after.as_deref().and_then(Mark::parse) {
            Some(after) => behind = Some(after),
            None => break,
        }
    }
    if is_json {
        cx.ui.json(&json!({"session": session, "messages": messages}))?;
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
