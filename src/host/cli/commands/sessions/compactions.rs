//! `mdmem sessions compactions`

use clap::Args;
use serde_json::Value;

use super::{ChosenArgs, short};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, Tone, minute};
use crate::host::json::{compaction_json, trigger_word};
use crate::service::Past;

/// Show the summaries by which sessions were made shorter, the newest first
#[derive(Debug, Args)]
pub(crate) struct CompactionsArgs {
    /// The session, with the whole of its summaries; without it all of them, a line each
    #[arg(value_name = "SESSION", conflicts_with = "subagents")]
    pub(crate) session: Option<String>,

    /// At most N compactions
    #[arg(short = 'n', long, value_name = "N", default_value = "20")]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,
}

pub(crate) fn run(args: &CompactionsArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let chosen = args.chosen.chosen();
    let compactions = past.compactions(args.session.as_deref(), chosen, args.limit, usize::MAX)?;
    let found = compactions.found;
    if cx.ui.format == Format::Json {
        let forms = found
            .iter()
            .map(|(of, compaction)| compaction_json(&of.id, compaction));
        return Ok(cx.ui.json(&forms.collect::<Value>())?);
    }
    if found.is_empty() {
        return Ok(cx.ui.notice("no compaction")?);
    }
    let mut table = Table::new(&["TIME", "BY", "TOKENS", "SUMMARY", "SESSION"], cx.ui.out.width());
    table = table.right(2).flexible(3).spare(&[1]);
    for (conversation, compaction) in &found {
        let time = minute(compaction.mark.time, cx.ui.zone);
        let by = compaction.trigger.map_or("-", trigger_word);
        let before = compaction.before.map_or_else(|| "-".to_owned(), short);
        if args.session.is_some() {
            let head = format!("{time}  {by}, at {before} tokens");
            cx.ui.line(&cx.ui.color.paint(Tone::Heading, &head))?;
            cx.ui
                .out
                .text(&format!("{}\n\n", compaction.summary.trim_end()))?;
            continue;
        }
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let first = compaction.summary.lines().find(is_said).unwrap_or_default();
        table.row(&[
            time,
            by.to_owned(),
            before,
            first.to_owned(),
            conversation.id.clone(),
        ]);
    }
    if args.session.is_none() {
        cx.ui.table(&table)?;
    }
    Ok(())
}
