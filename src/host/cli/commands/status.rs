//! `mdmem status`

use clap::Args;

use crate::host::cli::change_report::{changed_line, finding_lines};
use crate::host::cli::ui::{Color, ago, counted, row};
use crate::host::cli::{CommandError, Context};
use crate::model::Timestamp;
use crate::service::{self, Counts, RemoteState, StoreStatus};

/// Show the state of the store, and what needs attention
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem status
  mdmem status --json | jq .uncommitted")]
pub(crate) struct StatusArgs {}

/// The most changed files, and lines of findings, that a terminal shows.
const MOST_LINES: usize = 10;

pub(crate) fn run(_args: &StatusArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store();
    if store.is_err() {
        // What waits is told also of a store that is away.
        for waits in service::waiting(&cx.service)? {
            cx.ui.warning(&waits.to_string())?;
        }
    }
    let status = service::status(&cx.service, &store?)?;
    let now = cx.now();
    cx.answer(&status, |ui| {
        let (color, zone) = (ui.color, ui.zone);
        ui.lines(&rows(&status, now, color))?;
        let changed = |file| format!("  {}", changed_line(file, color));
        let changed: Vec<String> = status.uncommitted.iter().map(changed).collect();
        ui.some_lines(&changed, MOST_LINES)?;
        let findings = status.findings.iter();
        let findings: Vec<String> = findings
            .flat_map(|found| finding_lines(found, color, zone))
            .collect();
        ui.some_lines(&findings, MOST_LINES)?;
        match status.need_attention {
            0 => Ok(()),
            1 => ui.line("1 file needs attention: mdmem check"),
            files => ui.line(&format!("{files} files need attention: mdmem check")),
        }
    })
}
fn rows(status: &StoreStatus, now: Timestamp, color: Color) -> Vec<String> {
    let head = status.head.zip(status.head_time);
    let history = head.map(|(oid, time)| format!("{} ({})", oid.short(), ago(time, now)));
    let uncommitted = status.uncommitted.len();
    let no_workspace = if status.name == "global" {
        "all (the global store)"
    } else {
        "none (`mdmem stores link NAME` in a workspace links it)"
    };
    let rows = [
        ("store", Some(status.store.clone()), ""),
        ("name", Some(status.name.clone()), ""),
        ("workspace", status.workspace.clone(), no_workspace),
        ("history", history, "no commit yet"),
        ("memories", Some(counts(&status.memories)), ""),
        (
            "remote",
            status.remote.as_ref().map(|remote| remote_line(remote, now)),
            "none (`mdmem sync URL`)",
        ),
        ("watched", status.watcher.clone(), "no (`mdmem watch` does)"),
        (
            "uncommitted",
            (uncommitted > 0).then(|| counted(uncommitted, "file")),
            "nothing",
        ),
    ];
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(label, text, unknown)| row(label, text.as_deref().unwrap_or(unknown), color))
        .collect();
    lines.extend(
        status
            .connected
            .as_ref()
            .map(|last| row("connected", last, color)),
    );
    if status.conflicts > 0 {
        let text = format!("{} to resolve (`mdmem conflicts`)", status.conflicts);
        lines.push(row("conflicts", &text, color));
    }
    let outputs = &status.outputs;
    if outputs.calls > 0 {
        let text = format!(
            "{} shortened, from {} characters to {}; read in full later: {}",
            outputs.calls, outputs.chars_in, outputs.chars_out, outputs.fetched
        );
        lines.push(row("outputs", &text, color));
    }
    lines
}

/// The remote and how the two sides stand, in one line.
fn remote_line(remote: &RemoteState, now: Timestamp) -> String {
    let (ahead, behind) = (counted(remote.ahead, "commit"), counted(remote.behind, "commit"));
    let state = match (remote.ahead, remote.behind) {
        _ if !remote.exchanged => "not synced yet".to_owned(),
        (0, 0) => "up to date at the last contact".to_owned(),
        (_, 0) => format!("{ahead} to send"),
        (0, _) => format!("{behind} to merge"),
        _ => format!("{ahead} to send, {behind} to merge"),
    };
    let (url, branch) = (&remote.url, &remote.branch);
    let last = remote
        .state
        .last
        .map(|last| format!("; synced {}", ago(last, now)));
    let failing = remote.state.failing_since;
    let failing = failing.map(|since| format!(", failing since {}", ago(since, now)));
    let (last, failing) = (last.unwrap_or_default(), failing.unwrap_or_default());
    format!("{url} ({branch}): {state}{last}{failing}")
}

fn counts(memories: &Counts) -> String {
    let parts = [
        (memories.pinned, "pinned"),
        (memories.ranked, "ranked"),
        (memories.cold, "read on demand"),
        (memories.omitted, "not shown"),
        (memories.superseded, "superseded"),
        (memories.archived, "archived"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    let counted = if parts.is_empty() {
        "none".to_owned()
    } else {
        format!("{} ({})", memories.total, parts.join(", "))
    };
    match memories.excluded {
        0 => counted,
        excluded => format!("{counted}; excluded by `exclude.folders`: {excluded}"),
    }
}
