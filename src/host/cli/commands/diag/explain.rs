//! `mdmem diag explain`

use clap::Args;
use serde_json::{Value, json};

use super::event_view::{event_line, events_json};
use crate::host::cli::commands::why;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, minute, row};
use crate::model::{Id, StorePath};
use crate::service::diag::{self, EventType, Explained, Found, Places, RecordedEvent};
use crate::service::{Explanation, Step};
use crate::sys::TimeZone;

/// The life of one memory: its file, its place, every decision about it, its commits
///
/// Also of one that is gone. If no memory has the name: the texts that were heard with these words. Without MEMORY:
/// everything that is on file and not in the prompt, why, and what would bring it in; and what was stored and is gone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag explain                          what is missing from the prompt?
  mdmem diag explain use-npm-cache
  mdmem diag explain waiting for review       why was this not stored?")]
pub(crate) struct ExplainArgs {
    /// Path, slug or start of the id, of a memory that is or was there; or words of a text
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Vec<String>,
}

pub(crate) fn run(args: &ExplainArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (store, name) = (cx.store()?, args.memory.join(" "));
    let explained = if name.is_empty() {
        diag::missing(&store)?
    } else {
        diag::explain(&store, &name)?
    };
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json(&explained))?);
    }
    cx.page(&store)?;
    let lines = lines(&explained, &name, cx.ui.color, cx.ui.zone);
    if lines.is_empty() {
        return Ok(cx.ui.notice("nothing is missing")?);
    }
    Ok(cx.ui.lines(&lines)?)
}

fn lines(explained: &Explained, name: &str, color: Color, zone: TimeZone) -> Vec<String> {
    let heading = |text: &str| color.paint(Tone::Heading, text);
    let mut lines = match &explained.found {
        Found::Present(explanation) => {
            let memory = &explanation.view.memory;
            let mut lines = why::lines(explanation, color, zone);
            lines.push(row("id", memory.id.as_str(), color));
            lines.push(row("says", &memory.hook(), color));
            lines
        }
        Found::Gone { id, path } => {
            let (id, path) = (id.as_ref().map(Id::as_str), path.as_ref().map(StorePath::as_str));
            let name = path.or(id).unwrap_or("it");
            let mut gone = vec![heading(&format!("{name} is no longer there"))];
            gone.extend(id.map(|id| row("id", id, color)));
            gone
        }
        Found::Missing(memories) => memories.iter().map(|memory| memory.verdict.clone()).collect(),
        Found::Text => {
            vec![heading(&format!(
                "no memory is called `{name}`; heard with these words:"
            ))]
        }
    };
    let is_empty = explained.events.is_empty();
    match &explained.found {
        Found::Missing(_) if is_empty => {}
        Found::Missing(_) => lines.push(heading("stored once, and no longer there:")),
        Found::Text => {}
        _ if is_empty => lines.extend([String::new(), heading("no decision about it is on record")]),
        _ => lines.extend([String::new(), heading("decisions")]),
    }
    lines.extend(decisions(&explained.events, &explained.places, color, zone));
    if !explained.commits.is_empty() {
        lines.extend([String::new(), heading("commits")]);
        // The oldest first, as the decisions are.
        lines.extend(
            explained
                .commits
                .iter()
                .rev()
                .map(|step| commit_line(step, color, zone)),
        );
    }
    lines
}

/// A line for each event. Prompts that followed one another are told together: a memory is in every one.
fn decisions(events: &[RecordedEvent], places: &Places, color: Color, zone: TimeZone) -> Vec<String> {
    let is_shown = |event: &RecordedEvent| event.event_type == EventType::RenderSelected;
    let mut lines = Vec::new();
    for run in events.chunk_by(|a, b| is_shown(a) && is_shown(b)) {
        match run {
            [first, .., last] => {
                let when = format!("{} to {}", minute(first.at, zone), minute(last.at, zone));
                let when = color.paint(Tone::Faint, &when);
                lines.push(format!("{when}  shown in {} prompts", run.len()));
            }
            run => lines.extend(run.iter().map(|event| event_line(event, places, color, zone))),
        }
    }
    lines
}

fn commit_line(Step { commit, .. }: &Step, color: Color, zone: TimeZone) -> String {
    format!(
        "{}  {}  {}",
        color.paint(Tone::Faint, &minute(commit.time, zone)),
        color.paint(Tone::Name, &commit.oid.short()),
        commit.message.subject
    )
}

fn json(explained: &Explained) -> Value {
    let mut memories: &[Explanation] = &[];
    let (found, id, path) = match &explained.found {
        Found::Present(explanation) => {
            memories = std::slice::from_ref(explanation);
            let memory = &explanation.view.memory;
            ("present", Some(&memory.id), Some(&memory.path))
        }
        Found::Gone { id, path } => ("gone", id.as_ref(), path.as_ref()),
        Found::Text => ("text", None, None),
        Found::Missing(missing) => {
            memories = missing;
            ("missing", None, None)
        }
    };
    let commit = |Step { commit, .. }: &Step| json!({"oid": commit.oid.to_string(), "time": commit.time.to_rfc3339(), "subject": commit.message.subject});
    json!({
        "found": found,
        "id": id.map(Id::as_str),
        "path": path.map(StorePath::as_str),
        "memories": memories,
        "events": events_json(&explained.events, &explained.places),
        "commits": explained.commits.iter().map(commit).collect::<Vec<_>>(),
    })
}
