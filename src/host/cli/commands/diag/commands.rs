//! `mdmem diag commands`

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event_json::EventJson;
use super::rows::{counted, counted_json, row};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, harmless_line, minute};
use crate::model::{Id, StorePath};
use crate::service::diag::{self, CommandOutcomes, CommandsRequest, Resolved};

/// What became of REINFORCE and REPLACE, the commands of summaries
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag commands
  mdmem diag commands --json | jq .counts")]
pub(crate) struct CommandsArgs {
    /// At most N, the newest
    #[arg(short = 'n', long = "limit", value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

pub(crate) fn run(args: &CommandsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let request = CommandsRequest {
        limit: Some(args.limit),
    };
    let outcomes = diag::commands(&cx.store()?, &request)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&CommandsJson::from(&outcomes))?);
    }
    if outcomes.commands.is_empty() {
        return Ok(cx.ui.notice("no commands are on record")?);
    }
    let color = cx.ui.color();
    for (command, counts) in &outcomes.counts {
        cx.ui.line(&row(command.as_str(), &counted(counts), color))?;
    }
    cx.ui.line("")?;
    let header = ["WHEN", "COMMAND", "REF", "OUTCOME", "MEMORY", "TEXT"];
    let mut table = Table::new(&header, cx.ui.width()).flexible(5);
    for resolved in &outcomes.commands {
        table.row(cells(resolved));
    }
    cx.ui.table(&mut table)?;
    if outcomes.total > outcomes.commands.len() {
        let older = outcomes.total - outcomes.commands.len();
        cx.ui.notice(&format!("{older} older with a greater --limit"))?;
    }
    Ok(())
}

fn cells(resolved: &Resolved) -> Vec<String> {
    let view = &resolved.event;
    let memory = view.place.as_ref().map(StorePath::as_str).or_else(|| {
        let memory = view.event.memory.as_ref()?;
        memory.id.as_ref().map(Id::as_str)
    });
    vec![
        minute(view.event.at),
        resolved.command.as_str().to_owned(),
        harmless_line(resolved.number.as_deref().unwrap_or("-")),
        harmless_line(&resolved.outcome),
        harmless_line(memory.unwrap_or("-")),
        harmless_line(view.event.preview.as_deref().unwrap_or("-")),
    ]
}

#[derive(Serialize)]
struct CommandsJson<'a> {
    total: usize,
    counts: Map<String, Value>,
    commands: Vec<ResolvedJson<'a>>,
}

#[derive(Serialize)]
struct ResolvedJson<'a> {
    command: &'static str,
    #[serde(rename = "ref")]
    number: Option<&'a str>,
    outcome: &'a str,
    event: EventJson<'a>,
}

impl<'a> From<&'a CommandOutcomes> for CommandsJson<'a> {
    fn from(outcomes: &'a CommandOutcomes) -> Self {
        let resolved = |resolved: &'a Resolved| ResolvedJson {
            command: resolved.command.as_str(),
            number: resolved.number.as_deref(),
            outcome: &resolved.outcome,
            event: EventJson::from(&resolved.event),
        };
        let counts = outcomes.counts.iter();
        Self {
            total: outcomes.total,
            counts: counts
                .map(|(command, counts)| (command.as_str().to_owned(), counted_json(counts).into()))
                .collect(),
            commands: outcomes.commands.iter().map(resolved).collect(),
        }
    }
}
