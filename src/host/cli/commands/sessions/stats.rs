//! `mdmem sessions stats`

use clap::Args;

use super::{ChosenArgs, short, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, row};
use crate::host::json::facts_json;
use crate::service::{Facts, Past};

/// Count messages, tokens, tools, files and errors of a session, or of all of them
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// The session; without it all of them together
    #[arg(value_name = "SESSION", conflicts_with = "subagents")]
    pub(crate) session: Option<String>,

    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,
}

pub(crate) fn run(args: &StatsArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let chosen = args.chosen.chosen();
    let of = match &args.session {
        Some(name) => vec![past.conversation(Some(name), chosen.reach)?],
        None => past.conversations(chosen)?,
    };
    let facts = past.facts(&of)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&facts_json(&facts))?);
    }
    let color = cx.ui.color;
    match (args.session.is_some(), of.first()) {
        (true, Some(conversation)) => cx.ui.line(&row("session", title(conversation), color))?,
        _ => cx.ui.line(&row("sessions", &of.len().to_string(), color))?,
    }
    for (label, value) in counts(&facts) {
        cx.ui.line(&row(label, &value, color))?;
    }
    let models: Vec<&str> = facts.models.iter().map(String::as_str).collect();
    cx.ui.line(&row("models", &models.join(", "), color))?;
    if facts.tools.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&["CALLS", "FAILED", "TOOL"], cx.ui.out.width())
        .right(0)
        .right(1);
    for (tool, used) in &facts.tools {
        table.row(&[used.calls.to_string(), used.failed.to_string(), tool.clone()]);
    }
    cx.ui.line("")?;
    Ok(cx.ui.table(&table)?)
}

/// The numbers among the facts, with their labels.
pub(super) fn counts(facts: &Facts) -> Vec<(&'static str, String)> {
    let calls: usize = facts.tools.values().map(|used| used.calls).sum();
    vec![
        ("asked", facts.asked.to_string()),
        ("answers", facts.answers.to_string()),
        ("tokens", short(facts.tokens.total())),
        ("peak", short(facts.peak)),
        ("compactions", facts.compactions.len().to_string()),
        ("tool calls", calls.to_string()),
        ("files", facts.files.len().to_string()),
        ("decisions", facts.decisions.len().to_string()),
        ("errors", facts.errors.len().to_string()),
    ]
}
