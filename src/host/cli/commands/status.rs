//! `mdmem status`

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::engine_log::line_json;
use super::sync::{remote_json, remote_line};
use crate::host::cli::change_report::{changed_line, held_line};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, Ui, ago, counted, in_zone, minute, row};
use crate::host::errors::held_hint;
use crate::host::json::merged;
use crate::model::{Diagnostic, Severity, Timestamp};
use crate::service::{self, Failing, HealthCheck, RemoteState, StoreStatus, Waits, WatchReport};

/// Show the store: where it is, what is not committed, what needs attention
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem status
  mdmem status --json | jq .uncommitted")]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_args: &StatusArgs, cx: &mut Context) -> Result<(), CommandError> {
    let waiting = service::waiting(&cx.service)?;
    let store = cx.store();
    if store.is_err() {
        for waits in &waiting {
            cx.ui.warning(&waits.to_string())?;
        }
    }
    let store = store?;
    let status = service::status(&store)?;
    let remote = service::remote(&cx.service, &store)?;
    if cx.ui.format == Format::Json {
        let remote = json!({ "remote": remote.as_ref().map(remote_json) });
        return Ok(cx.ui.json(&merged(json(&status, &waiting), remote))?);
    }
    let rows = rows(&status, remote.as_ref(), cx.now(), cx.ui.color);
    cx.ui.lines(&rows)?;
    let color = cx.ui.color;
    let changed = |file| format!("  {}", changed_line(file, color));
    let changed: Vec<String> = status.uncommitted.iter().map(changed).collect();
    cx.ui.some_lines(&changed, MOST_FILES)?;
    let troubles = troubles(&status, &waiting, remote.as_ref(), cx.now(), &cx.ui);
    cx.ui.some_lines(&troubles, MOST_TROUBLES)?;
    let attention = need_attention(&status.diagnostics);
    if attention > 0 {
        let need = if attention == 1 { "needs" } else { "need" };
        let files = counted(attention, "file");
        cx.ui.line(&format!("{files} {need} attention: mdmem check"))?;
    }
    Ok(())
}

/// The most changed files and troubles that a terminal shows.
const MOST_FILES: usize = 10;
const MOST_TROUBLES: usize = 10;

fn rows(status: &StoreStatus, remote: Option<&RemoteState>, now: Timestamp, color: Color) -> Vec<String> {
    let workspace = status.workspace.as_deref();
    let history = status
        .head
        .map(|(oid, time)| format!("{} ({})", oid.short(), ago(time, now)));
    let watcher = status.watcher.clone();
    let uncommitted = status.uncommitted.len();
    let shown = |path: &Path| path.display().to_string();
    let no_workspace = if status.name == "global" {
        "every one (the global store)"
    } else {
        "none (`mdmem stores link NAME` in a workspace gives it that)"
    };
    let rows = [
        ("store", Some(shown(&status.root)), ""),
        ("name", Some(status.name.clone()), ""),
        ("workspace", workspace.map(shown), no_workspace),
        ("history", history, "no commit yet"),
        ("memories", Some(counts(status)), ""),
        (
            "remote",
            remote.map(|remote| remote_line(remote, now)),
            "none (`mdmem sync URL`)",
        ),
        ("watched", watcher, "no (`mdmem watch` does)"),
        (
            "uncommitted",
            (uncommitted > 0).then(|| counted(uncommitted, "file")),
            "nothing",
        ),
    ];
    let labelled = |(label, text, unknown): &(&str, Option<String>, &str)| {
        row(label, text.as_deref().unwrap_or(unknown), color)
    };
    rows.iter().map(labelled).collect()
}

/// Everything that is not as it should be, each with the way to mend it on a line of its own.
fn troubles(
    status: &StoreStatus,
    waiting: &[Waits],
    remote: Option<&RemoteState>,
    now: Timestamp,
    ui: &Ui,
) -> Vec<String> {
    let (color, zone) = (ui.color, ui.zone);
    let mut lines = Vec::new();
    let mut trouble = |label: &str, what: &str, mend: &str| {
        lines.push(format!("{} {what}", color.paint(Tone::Warning, label)));
        if !mend.is_empty() {
            lines.push(format!("  {mend}"));
        }
    };
    for HealthCheck { what, mend, .. } in &status.obstacles {
        let mend = mend.as_deref().unwrap_or_default();
        trouble("in the way:", &in_zone(what, zone), mend);
    }
    if let Some(failing) = remote.and_then(|remote| remote.state.failing.as_ref()) {
        let Failing { since, cause } = failing;
        let what = format!("since {} ({}): {cause}", minute(*since, zone), ago(*since, now));
        let mend = WatchReport::NotExchanged(failing.clone())
            .hint()
            .unwrap_or_default();
        trouble("not exchanged:", &what, &mend);
    }
    for waits in waiting {
        let mend = "They are tried again when an agent begins or goes on, and by `mdmem sweep`.";
        trouble("waiting:", &waits.to_string(), mend);
    }
    for held in &status.held {
        trouble("held:", &held_line(held), &held_hint(held));
    }
    for file in &status.uncommittable {
        let mend = file.mend.as_deref().unwrap_or_default();
        trouble("neither committed nor sent:", &file.message, mend);
    }
    for draft in &status.drafts {
        let what = format!("{} is a text of `mdmem edit` that is not saved", draft.display());
        trouble(
            "kept:",
            &what,
            "`mdmem edit --resume MEMORY` goes on with it; without need of it, remove the file.",
        );
    }
    if let Some(last) = status.troubles.last() {
        let when = last
            .at
            .map_or_else(String::new, |at| format!(" ({})", ago(at, now)));
        let what = format!("{}{when}", in_zone(&last.text, zone));
        let warnings = counted(status.troubles.len(), "warning");
        let mend = format!("{warnings} within a day: mdmem log --engine");
        trouble("warned:", &what, &mend);
    }
    lines
}

fn counts(status: &StoreStatus) -> String {
    let parts: Vec<String> = status
        .counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{count} {}", if *word == "omitted" { "not shown" } else { word }))
        .collect();
    let counted = if parts.is_empty() {
        "none".to_owned()
    } else {
        format!("{} ({})", status.total, parts.join(", "))
    };
    match status.excluded {
        0 => counted,
        excluded => format!("{counted}; left out by `exclude.folders`: {excluded}"),
    }
}

/// The number of files that have a finding that is more than a note.
fn need_attention(diagnostics: &[Diagnostic]) -> usize {
    let serious = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity > Severity::Note);
    serious
        .map(|diagnostic| diagnostic.path.as_str())
        .collect::<BTreeSet<_>>()
        .len()
}

fn json(status: &StoreStatus, waiting: &[Waits]) -> Value {
    let mut memories: BTreeMap<&str, usize> = status.counts.into();
    memories.insert("total", status.total);
    memories.insert("excluded", status.excluded);
    let obstacle = |check: &HealthCheck| json!({ "what": check.what, "mend": check.mend });
    let waits = |waits: &Waits| {
        json!({
            "journal": waits.journal.to_string_lossy(),
            "count": waits.count,
            "since": waits.since.map(Timestamp::to_rfc3339),
            "cause": waits.cause,
        })
    };
    json!({
        "store": status.root.to_string_lossy(),
        "name": status.name,
        "workspace": status.workspace.as_deref().map(Path::to_string_lossy),
        "head": status.head.map(|(oid, _)| oid.to_string()),
        "head_time": status.head.map(|(_, time)| time.to_rfc3339()),
        "memories": memories,
        "watcher": status.watcher,
        "uncommitted": status.uncommitted,
        "held": status.held,
        "drafts": status.drafts.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "unfinished": status.unfinished,
        "obstacles": status.obstacles.iter().map(obstacle).collect::<Value>(),
        "waiting": waiting.iter().map(waits).collect::<Value>(),
        "troubles": status.troubles.iter().map(line_json).collect::<Value>(),
        "need_attention": need_attention(&status.diagnostics),
        "diagnostics": status.diagnostics,
    })
}
