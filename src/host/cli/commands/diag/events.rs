//! `mdmem diag events`

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};

use super::event_view::{event_line, events_json};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, minute, row};
use crate::model::Timestamp;
use crate::service::diag::{self, COMMAND, EventFilter, EventType, Events};
use crate::sys::TimeZone;

/// The number of events that are told where neither a limit nor a session is given.
const LIMIT: usize = 20;

/// The events in their order: heard, stored, refused, reinforced, replaced, shown or failed
///
/// No count can show whether a memory helped, or is true; whether something worth remembering was never proposed;
/// whether a refusal was right. A summary that proposed nothing leaves no event.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  mdmem diag events --type rejected               what was refused, and why
  mdmem diag events --type command                what became of REINFORCE and REPLACE
  mdmem diag events --session last                what happened in the latest session
  mdmem diag events --count --since \"2 weeks ago\"
  mdmem diag events --json | jq '.reasons, .events[].preview'")]
pub(crate) struct EventsArgs {
    /// Only these types, phases or outcomes, such as `memory_reinforced`, `promotion` or `rejected`; or `command`, for
    /// those of numbered memories
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = kinds(), hide_possible_values = true)]
    pub(crate) kinds: Vec<String>,

    /// Only for this reason, such as `progress_snapshot`
    #[arg(short, long, value_name = "REASON")]
    pub(crate) reason: Option<String>,

    /// Only of this session: its hash or the start of it, the host's own name for it, or `last`
    #[arg(short, long, value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Only since this time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// At most N, the newest [default: 20; of one session, all]
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Count them instead: by type, outcome, reason, source of the memory, and session
    #[arg(long)]
    pub(crate) count: bool,
}

/// The words that `--type` takes.
fn kinds() -> PossibleValuesParser {
    let words: BTreeSet<&str> = EventType::all().flat_map(EventType::words).collect();
    PossibleValuesParser::new(words.into_iter().chain([COMMAND]))
}

pub(crate) fn run(args: &EventsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let limit = match (args.count, args.limit, &args.session) {
        (true, ..) => Some(0),
        (false, None, None) => Some(LIMIT),
        (false, limit, _) => limit,
    };
    let filter = EventFilter {
        kinds: args.kinds.clone(),
        reason: args.reason.clone(),
        session: args.session.clone(),
        since: cx.time(args.since.as_deref())?,
        limit,
    };
    let store = cx.store()?;
    let found = diag::events(&store, &filter)?;
    cx.page(&store)?;
    let color = cx.ui.color;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&json(&found))?);
    }
    let Some(span) = found.span else {
        cx.ui.notice("no such events are on record")?;
        return Ok(cx.ui.hint("`mdmem diag events --count` says which there are.")?);
    };
    if args.count {
        return Ok(cx.ui.lines(&counts(&found, span, color, cx.ui.zone))?);
    }
    for event in &found.events {
        cx.ui.line(&event_line(event, &found.places, color, cx.ui.zone))?;
    }
    let older = found.total - found.events.len();
    if older > 0 {
        cx.ui.notice(&format!("{older} older with a greater --limit"))?;
    }
    Ok(())
}

fn counts(
    found: &Events,
    (first, last): (Timestamp, Timestamp),
    color: Color,
    zone: TimeZone,
) -> Vec<String> {
    let (named, present) = found.memories;
    let events = format!(
        "{}, {} to {}",
        found.total,
        minute(first, zone),
        minute(last, zone)
    );
    let memories = format!("{named}, of them {present} still there");
    let mut lines = vec![row("events", &events, color), row("memories", &memories, color)];
    for (name, counts) in &found.counts {
        let word = |(word, count): &(String, usize)| format!("{word} {count}");
        let words: Vec<String> = counts.iter().map(word).collect();
        let words = if words.is_empty() {
            "none".to_owned()
        } else {
            words.join(", ")
        };
        lines.push(row(name, &words, color));
    }
    lines
}

fn json(found: &Events) -> Value {
    let (named, present) = found.memories;
    let mut json = json!({
        "total": found.total,
        "first": found.span.map(|(first, _)| first.to_rfc3339()),
        "last": found.span.map(|(_, last)| last.to_rfc3339()),
        "memories": {"total": named, "present": present},
        "events": events_json(&found.events, &found.places),
    });
    for (name, counts) in &found.counts {
        json[*name] = json!(counts.iter().cloned().collect::<BTreeMap<_, _>>());
    }
    json
}
