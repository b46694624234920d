//! `mdmem diag explain`

use clap::Args;
use serde::Serialize;

use super::event_json::{EventJson, events_json};
use super::event_line::event_line;
use super::rows::row;
use crate::host::cli::commands::why;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, bar, harmless_line, minute};
use crate::host::json::MemoryJson;
use crate::model::Id;
use crate::service::diag::{self, EventType, EventView, ExplainRequest, Explained, Found};
use crate::service::{Explanation, LogEntry};

/// The life of one memory: its file, its place, every decision about it, its commits
///
/// Also of one that is gone. Where no memory has the name, the texts that were heard with these words.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag explain use-npm-cache
  mdmem diag explain waiting for review       why was this not stored?")]
pub(crate) struct ExplainArgs {
    /// Path, slug or start of the id, of a memory that is or was there; or words of a text
    #[arg(value_name = "MEMORY", required = true)]
    pub(crate) memory: Vec<String>,
}

pub(crate) fn run(args: &ExplainArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = ExplainRequest {
        name: args.memory.join(" "),
    };
    let explained = diag::explain(&cx.store()?, &request)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&ExplainedJson::from(&explained))?);
    }
    let color = cx.ui.color();
    for line in lines(&explained, &request.name, color) {
        cx.ui.line(&line)?;
    }
    Ok(())
}

fn lines(explained: &Explained, name: &str, color: Color) -> Vec<String> {
    let mut lines = match &explained.found {
        Found::Present(explanation) => present(explanation, color),
        Found::Gone { id, path } => vec![gone(id.as_ref(), path.as_deref(), color)],
        Found::Text => {
            let heading = format!(
                "no memory is called `{}`; heard with these words:",
                harmless_line(name)
            );
            vec![color.paint(Tone::Heading, &heading)]
        }
    };
    if explained.found != Found::Text {
        lines.push(String::new());
        lines.push(color.paint(
            Tone::Heading,
            if explained.events.is_empty() {
                "no decision about it is on record"
            } else {
                "decisions"
            },
        ));
    }
    lines.extend(decisions(&explained.events, color));
    if !explained.commits.is_empty() {
        lines.push(String::new());
        lines.push(color.paint(Tone::Heading, "commits"));
        // The oldest first, as the decisions are.
        lines.extend(explained.commits.iter().rev().map(|entry| commit(entry, color)));
    }
    lines
}

/// A line for each event. Prompts that followed one another are told together: a memory is in every one.
fn decisions(events: &[EventView], color: Color) -> Vec<String> {
    let is_shown = |view: &EventView| view.event.event_type == EventType::RenderSelected;
    let mut lines = Vec::new();
    for run in events.chunk_by(|a, b| is_shown(a) && is_shown(b)) {
        match run {
            [first, .., last] => {
                let when = format!("{} to {}", minute(first.event.at), minute(last.event.at));
                let when = color.paint(Tone::Faint, &when);
                lines.push(format!("{when}  shown in {} prompts", run.len()));
            }
            run => lines.extend(run.iter().map(|view| event_line(view, color))),
        }
    }
    lines
}

fn present(explanation: &Explanation, color: Color) -> Vec<String> {
    let memory = &explanation.view.memory;
    let created = memory.created.known();
    let created = created.map_or_else(String::new, |created| format!(", created {}", minute(created)));
    let origin = format!("{}, {}{created}", memory.kind, memory.source.as_str());
    vec![
        color.paint(Tone::Heading, &why::verdict(explanation)),
        String::new(),
        row("id", &harmless_line(memory.id.as_str()), color),
        row("origin", &harmless_line(&origin), color),
        row("status", memory.status.as_str(), color),
        row("strength", &bar(explanation.view.strength.value), color),
        row("reinforced", &memory.reinforcement.to_string(), color),
        row("says", &harmless_line(&memory.hook()), color),
    ]
}

fn gone(id: Option<&Id>, path: Option<&std::path::Path>, color: Color) -> String {
    let path = path.map(|path| harmless_line(&path.to_string_lossy()));
    let id = id.map(|id| harmless_line(id.as_str()));
    let text = match (path, id) {
        (Some(path), Some(id)) => format!("{path} ({id}) is no longer there"),
        (Some(name), None) | (None, Some(name)) => format!("{name} is no longer there"),
        (None, None) => "it is no longer there".to_owned(),
    };
    color.paint(Tone::Heading, &text)
}

fn commit(entry: &LogEntry, color: Color) -> String {
    format!(
        "{}  {}  {}",
        color.paint(Tone::Faint, &minute(entry.time)),
        color.paint(Tone::Name, &entry.oid.short()),
        harmless_line(&entry.subject)
    )
}

#[derive(Serialize)]
struct ExplainedJson<'a> {
    /// `present`, `gone` or `text`.
    found: &'static str,
    memory: Option<MemoryJson<'a>>,
    verdict: Option<String>,
    id: Option<&'a str>,
    path: Option<String>,
    events: Vec<EventJson<'a>>,
    commits: Vec<CommitJson<'a>>,
}

#[derive(Serialize)]
struct CommitJson<'a> {
    oid: String,
    time: String,
    subject: &'a str,
}

impl<'a> From<&'a Explained> for ExplainedJson<'a> {
    fn from(explained: &'a Explained) -> Self {
        let commit = |entry: &'a LogEntry| CommitJson {
            oid: entry.oid.to_string(),
            time: entry.time.to_rfc3339(),
            subject: &entry.subject,
        };
        let explanation = match &explained.found {
            Found::Present(explanation) => Some(explanation.as_ref()),
            Found::Gone { .. } | Found::Text => None,
        };
        let memory = explanation.map(|explanation| &explanation.view.memory);
        let (found, id, path) = match &explained.found {
            Found::Present(_) => (
                "present",
                memory.map(|memory| memory.id.as_str()),
                memory.map(|memory| memory.path.to_string()),
            ),
            Found::Gone { id, path } => (
                "gone",
                id.as_ref().map(Id::as_str),
                path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            ),
            Found::Text => ("text", None, None),
        };
        Self {
            found,
            memory: explanation.map(|explanation| MemoryJson::from(&explanation.view)),
            verdict: explanation.map(why::verdict),
            id,
            path,
            events: events_json(&explained.events),
            commits: explained.commits.iter().map(commit).collect(),
        }
    }
}
