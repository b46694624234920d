//! `mdmem diag status`

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event_json::EventJson;
use super::event_line::event_line;
use super::rows::{counted, counted_json, row};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::held::{HeldJson, held_json, held_line};
use crate::host::cli::ui::{Color, Format, ago, counted as number_of, harmless_line, minute};
use crate::model::Timestamp;
use crate::service::EngineLine;
use crate::service::diag::{self, DiagStatus, EvidenceFacts, SessionFiles};

/// How much is remembered, shown, recorded, and waiting
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag status
  mdmem diag status --json | jq .memories.omitted")]
pub(crate) struct StatusArgs {}

/// How many sessions are named.
const SESSIONS: usize = 8;

pub(crate) fn run(_args: &StatusArgs, cx: &mut Context) -> Result<(), CommandError> {
    let status = diag::status(&cx.store()?)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&StatusJson::from(&status))?);
    }
    let (now, color) = (cx.now(), cx.ui.color());
    for line in lines(&status, now, color) {
        cx.ui.line(&line)?;
    }
    Ok(())
}

fn lines(status: &DiagStatus, now: Timestamp, color: Color) -> Vec<String> {
    let counts = status.counts;
    let shown = format!(
        "{} in full, {} by a line, {} in the tree",
        counts.pinned, counts.ranked, counts.cold
    );
    let mut lines = vec![
        row("store", &harmless_line(&status.root.to_string_lossy()), color),
        row("memories", &counts.total.to_string(), color),
        row("  by type", &counted(&status.by_type), color),
        row("  by source", &counted(&status.by_source), color),
        row("  by status", &counted(&status.by_status), color),
        row("shown", &shown, color),
        row("not shown", &counted(&status.omitted), color),
    ];
    lines.extend(evidence(&status.evidence, now, color));
    lines.push(row("sessions", &sessions(&status.sessions), color));
    let mut by_last: Vec<&SessionFiles> = status.sessions.iter().collect();
    by_last.sort_by_key(|session| std::cmp::Reverse(session.last_seen()));
    lines.extend(
        by_last
            .iter()
            .take(SESSIONS)
            .map(|session| format!("  {}", session_line(session, now))),
    );
    lines.push(row("waiting", &waiting(status), color));
    lines.extend(
        status
            .held
            .iter()
            .map(|held| row("held", &held_line(held), color)),
    );
    lines.push(row(
        "epochs",
        if status.epochs.is_empty() {
            "no decision yet"
        } else {
            "the last decisions:"
        },
        color,
    ));
    lines.extend(status.epochs.iter().map(|line| format!("  {}", epoch(line))));
    lines
}

fn evidence(evidence: &EvidenceFacts, now: Timestamp, color: Color) -> Vec<String> {
    let Some((first, last)) = evidence.first.zip(evidence.last.as_ref()) else {
        return vec![row("evidence", &format!("no events{}", unread(evidence)), color)];
    };
    let text = format!(
        "{} in {} bytes, since {}{}",
        number_of(evidence.events, "event"),
        evidence.bytes,
        ago(first, now),
        unread(evidence)
    );
    vec![
        row("evidence", &text, color),
        row("  the last", &event_line(last, color), color),
    ]
}

fn unread(evidence: &EvidenceFacts) -> String {
    let part = |lines: usize, what: &str| (lines > 0).then(|| format!("; {} {what}", is_or_are(lines)));
    let parts = [
        part(evidence.unreadable, "no event"),
        part(evidence.newer, "of a newer mdmem"),
    ];
    parts.into_iter().flatten().collect()
}

fn is_or_are(lines: usize) -> String {
    let verb = if lines == 1 { "is" } else { "are" };
    format!("{} {verb}", number_of(lines, "line"))
}

fn sessions(sessions: &[SessionFiles]) -> String {
    let aside: usize = sessions.iter().map(|session| session.quarantined.len()).sum();
    let aside = if aside > 0 {
        format!(
            ", {} put aside because it could not be read",
            number_of(aside, "state")
        )
    } else {
        String::new()
    };
    format!("{}{aside}", sessions.len())
}

fn session_line(session: &SessionFiles, now: Timestamp) -> String {
    let last = session.last_seen().map_or_else(
        || "no prompt yet".to_owned(),
        |last| format!("last heard of {}", ago(last, now)),
    );
    let waiting = if session.waiting > 0 {
        format!(", {} waiting", number_of(session.waiting, "write"))
    } else {
        String::new()
    };
    format!("{}  {last}{waiting}", harmless_line(&session.hash))
}

fn waiting(status: &DiagStatus) -> String {
    let journaled: usize = status.sessions.iter().map(|session| session.waiting).sum();
    match (journaled, status.uncommitted) {
        (0, 0) => "nothing".to_owned(),
        (0, files) => format!("{} not committed yet", number_of(files, "file")),
        (writes, 0) => format!("{} of sessions", number_of(writes, "write")),
        (writes, files) => format!(
            "{} of sessions, {} not committed yet",
            number_of(writes, "write"),
            number_of(files, "file")
        ),
    }
}

fn epoch(line: &EngineLine) -> String {
    let text = harmless_line(&line.text);
    match line.at {
        Some(at) => format!("{}  {text}", minute(at)),
        None => text,
    }
}

#[derive(Serialize)]
struct StatusJson<'a> {
    store: String,
    memories: MemoriesJson,
    evidence: EvidenceJson<'a>,
    sessions: Vec<SessionJson<'a>>,
    waiting: WaitingJson,
    epochs: Vec<EpochJson<'a>>,
}

#[derive(Serialize)]
struct MemoriesJson {
    total: usize,
    by_type: Map<String, Value>,
    by_source: Map<String, Value>,
    by_status: Map<String, Value>,
    pinned: usize,
    ranked: usize,
    cold: usize,
    omitted: Map<String, Value>,
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    events: usize,
    unreadable: usize,
    newer: usize,
    bytes: u64,
    first: Option<String>,
    last: Option<EventJson<'a>>,
}

#[derive(Serialize)]
struct SessionJson<'a> {
    session: &'a str,
    frozen: Option<String>,
    last_response: Option<String>,
    has_state: bool,
    waiting: usize,
    quarantined: Vec<String>,
}

#[derive(Serialize)]
struct WaitingJson {
    writes: usize,
    uncommitted: usize,
    held: Vec<HeldJson>,
}

#[derive(Serialize)]
struct EpochJson<'a> {
    time: Option<String>,
    text: &'a str,
}

impl<'a> From<&'a DiagStatus> for StatusJson<'a> {
    fn from(status: &'a DiagStatus) -> Self {
        let (counts, evidence) = (status.counts, &status.evidence);
        let epoch = |line: &'a EngineLine| EpochJson {
            time: line.at.map(Timestamp::to_rfc3339),
            text: &line.text,
        };
        Self {
            store: status.root.to_string_lossy().into_owned(),
            memories: MemoriesJson {
                total: counts.total,
                by_type: counted_json(&status.by_type),
                by_source: counted_json(&status.by_source),
                by_status: counted_json(&status.by_status),
                pinned: counts.pinned,
                ranked: counts.ranked,
                cold: counts.cold,
                omitted: counted_json(&status.omitted),
            },
            evidence: EvidenceJson {
                events: evidence.events,
                unreadable: evidence.unreadable,
                newer: evidence.newer,
                bytes: evidence.bytes,
                first: evidence.first.map(Timestamp::to_rfc3339),
                last: evidence.last.as_ref().map(EventJson::from),
            },
            sessions: status.sessions.iter().map(SessionJson::from).collect(),
            waiting: WaitingJson {
                writes: status.sessions.iter().map(|session| session.waiting).sum(),
                uncommitted: status.uncommitted,
                held: held_json(&status.held),
            },
            epochs: status.epochs.iter().map(epoch).collect(),
        }
    }
}

impl<'a> From<&'a SessionFiles> for SessionJson<'a> {
    fn from(session: &'a SessionFiles) -> Self {
        let shown = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        Self {
            session: &session.hash,
            frozen: session.frozen_at.map(Timestamp::to_rfc3339),
            last_response: session.last_response.map(Timestamp::to_rfc3339),
            has_state: session.has_state,
            waiting: session.waiting,
            quarantined: session.quarantined.iter().map(shown).collect(),
        }
    }
}
