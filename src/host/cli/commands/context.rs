//! `mdmem context`

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Screen, Table, age, cells};
use crate::model::Timestamp;
use crate::service::{self, SessionContext};

/// The pause between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Show how full the contexts of the conversations are
///
/// A line for each session of the workspace whose host tells the tokens of its answers, the newest first: the level
/// (`context.levels`), the tokens in use and those at which the host compacts, the tokens that a turn adds, and the
/// turns that are left at that pace.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem context
  mdmem context --json | jq '.[].percent'")]
pub(crate) struct ContextArgs {
    /// Show it again whenever it changes, until Ctrl-C; with --json one line each time
    #[arg(short, long)]
    watch: bool,
}

pub(crate) fn run(args: &ContextArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let (mut screen, mut told) = (Screen::default(), None);
    loop {
        let contexts = service::contexts(&store);
        cx.ui.out.measure();
        let is_new = told.as_ref() != Some(&contexts);
        match cx.ui.format {
            Format::Json if args.watch && is_new => cx.ui.json_line(&json(&contexts))?,
            Format::Json if is_new => cx.ui.json(&json(&contexts))?,
            // On a terminal the ages go on, and a window gets another size.
            Format::Text if args.watch && (is_new || cx.ui.out.width().is_some()) => {
                let lines = lines(&contexts, cx);
                screen.show(&mut cx.ui.out, lines)?;
            }
            Format::Text if is_new => {
                let lines = lines(&contexts, cx);
                lines.iter().try_for_each(|line| cx.ui.out.line(line))?;
            }
            _ => {}
        }
        cx.ui.flush()?;
        if !args.watch {
            return Ok(());
        }
        told = Some(contexts);
        std::thread::sleep(PAUSE);
    }
}

fn lines(contexts: &[SessionContext], cx: &mut Context) -> Vec<String> {
    if contexts.is_empty() {
        return vec!["no session has told the tokens of an answer".to_owned()];
    }
    let table = table(contexts, cx.now(), cx.ui.out.width());
    cx.ui.table_lines(&table)
}

fn table(contexts: &[SessionContext], now: Timestamp, width: Option<u16>) -> Table {
    let header = [
        "CONTEXT", "", "LEVEL", "TOKENS", "TURN", "LEFT", "LAST", "SESSION", "MODEL",
    ];
    let mut table = Table::new(&header, width).flexible(8);
    for right in [1, 3, 4, 5, 6] {
        table = table.right(right);
    }
    for context in contexts {
        let (figures, used) = (context.figures, context.used);
        let shown = |figure: Option<u64>| figure.map_or_else(String::new, short);
        let percent = figures.map(|figures| figures.percent());
        let tenths = percent.map_or(0.0, |percent| {
            f64::from(u32::try_from(percent).unwrap_or(u32::MAX)) / 10.0
        });
        table.row(&[
            cells(tenths),
            percent.map_or_else(|| "?".to_owned(), |percent| format!("{percent} %")),
            figures.map_or_else(String::new, |figures| figures.level.as_str().to_owned()),
            match figures {
                Some(figures) => format!("{}/{}", short(figures.used), short(figures.usable)),
                None => shown(used),
            },
            shown(figures.and_then(|figures| figures.per_turn)),
            shown(figures.and_then(|figures| figures.turns_left)),
            age(context.updated, now),
            context.session.chars().take(8).collect(),
            context.model.clone(),
        ]);
    }
    table
}

/// A number in a few characters: `950`, `85k`, `1.2M`.
fn short(number: u64) -> String {
    match number {
        ..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

fn json(contexts: &[SessionContext]) -> Value {
    let form = |context: &SessionContext| {
        let figures = context.figures;
        json!({
            "session": context.session,
            "updated": context.updated.to_rfc3339(),
            "model": context.model,
            "used": context.used,
            "usable": figures.map(|figures| figures.usable),
            "percent": figures.map(|figures| figures.percent()),
            "level": figures.map(|figures| figures.level.as_str()),
            "perTurn": figures.and_then(|figures| figures.per_turn),
            "turnsLeft": figures.and_then(|figures| figures.turns_left),
        })
    };
    contexts.iter().map(form).collect()
}
