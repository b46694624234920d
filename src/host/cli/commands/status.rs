//! `mdmem status`

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::engine_log::LineJson;
use crate::host::cli::changed_file::{ChangedJson, changed_line};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding::FindingJson;
use crate::host::cli::held::{HeldJson, held_hint, held_json, held_line};
use crate::host::cli::ui::{Color, Format, Tone, ago, counted, harmless_line};
use crate::model::{Diagnostic, Severity, Timestamp};
use crate::service::{self, Counts, StoreStatus};

/// Show the store: where it is, what is not committed, what needs attention
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem status
  mdmem status --json | jq .uncommitted")]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_args: &StatusArgs, cx: &mut Context) -> Result<(), CommandError> {
    let status = service::status(&cx.store()?)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&StatusJson::from(&status))?);
    }
    for line in lines(&status, cx.now(), cx.ui.color()) {
        cx.ui.line(&line)?;
    }
    Ok(())
}

fn lines(status: &StoreStatus, now: Timestamp, color: Color) -> Vec<String> {
    let mut lines = Vec::new();
    let mut row = |label: &str, text: String| {
        lines.push(format!(
            "{} {text}",
            color.paint(Tone::Heading, &format!("{label:<12}"))
        ));
    };
    row("store", shown(&status.root));
    row(
        "workspace",
        status
            .workspace
            .as_deref()
            .map_or("every one (the global store)".to_owned(), shown),
    );
    row(
        "history",
        match status.head {
            Some((oid, time)) => format!("{} ({})", oid.short(), ago(time, now)),
            None => "no commit yet".to_owned(),
        },
    );
    row("memories", counts(status.counts));
    row(
        "watched",
        status
            .watcher
            .clone()
            .unwrap_or_else(|| "no (`mdmem watch` does)".to_owned()),
    );
    if status.uncommitted.is_empty() {
        row("uncommitted", "nothing".to_owned());
    } else {
        row("uncommitted", files(status.uncommitted.len()));
        lines.extend(
            status
                .uncommitted
                .iter()
                .map(|file| format!("  {}", changed_line(file, color))),
        );
    }
    for obstacle in &status.obstacles {
        lines.push(format!(
            "{} {}",
            color.paint(Tone::Warning, "in the way:"),
            harmless_line(&obstacle.what)
        ));
        lines.push(format!("  {}", harmless_line(&obstacle.mend)));
    }
    for held in &status.held {
        lines.push(format!(
            "{} {}",
            color.paint(Tone::Warning, "held:"),
            held_line(held)
        ));
        lines.push(format!("  {}", held_hint(held)));
    }
    if let Some(last) = status.troubles.last() {
        let when = last
            .at
            .map_or_else(String::new, |at| format!(" ({})", ago(at, now)));
        lines.push(format!(
            "{} {}{when}",
            color.paint(Tone::Warning, "warned:"),
            harmless_line(&last.text)
        ));
        lines.push(format!(
            "  {} within a day: mdmem log --engine",
            counted(status.troubles.len(), "warning")
        ));
    }
    let attention = need_attention(&status.diagnostics);
    if attention > 0 {
        let need = if attention == 1 { "needs" } else { "need" };
        lines.push(format!("{} {need} attention: mdmem check", files(attention)));
    }
    lines
}

fn counts(counts: Counts) -> String {
    let parts = [
        (counts.pinned, "pinned"),
        (counts.ranked, "ranked"),
        (counts.cold, "cold"),
        (counts.omitted, "not shown"),
        (counts.superseded, "superseded"),
        (counts.archived, "archived"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        format!("{} ({})", counts.total, parts.join(", "))
    }
}

fn files(count: usize) -> String {
    if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    }
}

/// How many files have a finding that is more than a note.
fn need_attention(diagnostics: &[Diagnostic]) -> usize {
    let serious = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity > Severity::Note);
    serious
        .map(|diagnostic| diagnostic.path.as_str())
        .collect::<BTreeSet<_>>()
        .len()
}

fn shown(path: &Path) -> String {
    harmless_line(&path.to_string_lossy())
}

#[derive(Serialize)]
struct StatusJson<'a> {
    store: String,
    workspace: Option<String>,
    head: Option<String>,
    head_time: Option<String>,
    memories: CountsJson,
    watcher: Option<&'a str>,
    uncommitted: Vec<ChangedJson<'a>>,
    held: Vec<HeldJson>,
    obstacles: Vec<ObstacleJson<'a>>,
    troubles: Vec<LineJson<'a>>,
    need_attention: usize,
    diagnostics: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
struct CountsJson {
    total: usize,
    pinned: usize,
    ranked: usize,
    cold: usize,
    omitted: usize,
    superseded: usize,
    archived: usize,
}

#[derive(Serialize)]
struct ObstacleJson<'a> {
    what: &'a str,
    mend: &'a str,
}

impl<'a> From<&'a StoreStatus> for StatusJson<'a> {
    fn from(status: &'a StoreStatus) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let counts = status.counts;
        Self {
            store: text(&status.root),
            workspace: status.workspace.as_deref().map(text),
            head: status.head.map(|(oid, _)| oid.to_string()),
            head_time: status.head.map(|(_, time)| time.to_rfc3339()),
            memories: CountsJson {
                total: counts.total,
                pinned: counts.pinned,
                ranked: counts.ranked,
                cold: counts.cold,
                omitted: counts.omitted,
                superseded: counts.superseded,
                archived: counts.archived,
            },
            watcher: status.watcher.as_deref(),
            uncommitted: status.uncommitted.iter().map(ChangedJson::from).collect(),
            held: held_json(&status.held),
            obstacles: status
                .obstacles
                .iter()
                .map(|o| ObstacleJson {
                    what: &o.what,
                    mend: &o.mend,
                })
                .collect(),
            troubles: status.troubles.iter().map(LineJson::from).collect(),
            need_attention: need_attention(&status.diagnostics),
            diagnostics: status.diagnostics.iter().map(FindingJson::from).collect(),
        }
    }
}
