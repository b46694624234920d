//! `mdmem sessions list`

use clap::Args;
use serde_json::Value;

use super::{ChosenArgs, short, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, age};
use crate::host::json::conversation_json;
use crate::service::{Past, Reach};

/// List the sessions, the one that changed last first
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,

    /// At most N sessions
    #[arg(short = 'n', long, value_name = "N", default_value = "20")]
    pub(crate) limit: usize,
}

pub(crate) fn run(args: &ListArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let chosen = args.chosen.chosen();
    let all = past.conversations(chosen)?;
    let shown = &all[..all.len().min(args.limit)];
    if cx.ui.format == Format::Json {
        return Ok(cx
            .ui
            .json(&shown.iter().map(conversation_json).collect::<Value>())?);
    }
    if all.is_empty() {
        cx.ui.notice("no sessions")?;
        if chosen.reach == Reach::Workspace {
            cx.ui
                .hint("`mdmem sessions list --all` lists those of every workspace.")?;
        }
        return Ok(());
    }
    let header = ["ID", "AGE", "TOKENS", "TITLE", "WORKSPACE"];
    let mut table = Table::new(&header, cx.ui.out.width())
        .right(1)
        .right(2)
        .flexible(3)
        .spare(&[4, 2]);
    let now = cx.now();
    for conversation in shown {
        let of = if conversation.parent.is_some() { "↳ " } else { "" };
        let folder = match chosen.reach {
            Reach::Workspace => String::new(),
            Reach::Machine => conversation.directory.display().to_string(),
        };
        table.row(&[
            conversation.id.clone(),
            age(conversation.updated, now),
            conversation
                .tokens
                .map_or_else(String::new, |tokens| short(tokens.total())),
            format!("{of}{}", title(conversation)),
            folder,
        ]);
    }
    cx.ui.table(&table)?;
    match all.len() - shown.len() {
        0 => Ok(()),
        more => Ok(cx
            .ui
            .notice(&format!("… and {more} more; `-n {}` lists them", all.len()))?),
    }
}
