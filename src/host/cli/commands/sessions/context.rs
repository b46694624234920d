//! `mdmem sessions context`

use std::time::Duration;

use clap::Args;

use super::short;
use crate::host::cli::ui::{Format, Table, Tone, age, cells};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, SessionContext};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Show how full the contexts of the sessions are
///
/// One line per session of the workspace that reports its token usage, newest first: the level
/// (`context.levels`), the tokens in use, the tokens at which the agent compacts, the tokens per turn, and
/// the turns left at that rate.
#[derive(Debug, Args)]
pub(super) struct ContextArgs {
    /// Keep watching until Ctrl-C; with --json, print a line per change
    #[arg(short, long)]
    watch: bool,
}

pub(super) fn run(args: &ContextArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let mut told = None;
    loop {
        let contexts = service::contexts(&store);
        cx.ui.out.measure();
        let lines = match cx.ui.format {
            Format::Json => Vec::new(),
            Format::Text => lines(&contexts, cx),
        };
        // On a terminal the ages go on, and a window gets another size.
        let now = Some((contexts, lines));
        if told != now
            && let Some((contexts, lines)) = &now
        {
            match cx.ui.format {
                Format::Json if args.watch => cx.ui.json_line(contexts)?,
                Format::Json => cx.ui.json(contexts)?,
                Format::Text if args.watch => cx.ui.out.anew(lines)?,
                Format::Text => lines.iter().try_for_each(|line| cx.ui.out.line(line))?,
            }
        }
        cx.ui.flush()?;
        if !args.watch {
            return Ok(());
        }
        told = now;
        std::thread::sleep(PAUSE);
    }
}

fn lines(contexts: &[SessionContext], cx: &mut Context) -> Vec<String> {
    if contexts.is_empty() {
        return vec!["no session has reported its token usage yet".to_owned()];
    }
    let header = [
        "CONTEXT", "", "LEVEL", "TOKENS", "TURN", "LEFT", "LAST", "SESSION", "MODEL",
    ];
    let mut table = Table::new(&header, cx.ui.out.width())
        .tone(0, Tone::Good)
        .flexible(8)
        .spare(&[6, 4]);
    for right in [1, 3, 4, 5, 6] {
        table = table.right(right);
    }
    let shown = |figure: Option<u64>| figure.map_or_else(String::new, short);
    for context in contexts {
        let percent = context.percent.and_then(|percent| u32::try_from(percent).ok());
        table.row(&[
            cells(percent.map_or(0.0, |percent| f64::from(percent) / 10.0)),
            percent.map_or_else(|| "?".to_owned(), |percent| format!("{percent} %")),
            context.level.unwrap_or_default().to_owned(),
            match context.usable {
                Some(usable) => format!("{}/{}", shown(context.used), short(usable)),
                None => shown(context.used),
            },
            shown(context.per_turn),
            shown(context.turns_left),
            age(context.updated, cx.now()),
            context.session.chars().take(8).collect(),
            context.model.clone(),
        ]);
    }
    cx.ui.table_lines(&table).concat()
}
