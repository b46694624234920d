//! `mdmem sessions compare`

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::stats::counts;
use super::{ReachArgs, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table, row};
use crate::host::json::{conversation_json, facts_json};
use crate::service::{Facts, Past};

/// Show files, tokens, compactions, decisions and errors of two sessions side by side
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// One session
    #[arg(value_name = "SESSION")]
    pub(crate) a: String,

    /// The other one
    #[arg(value_name = "SESSION")]
    pub(crate) b: String,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

/// Gives one of the lists among the facts.
type List = fn(&Facts) -> Vec<&String>;

pub(crate) fn run(args: &CompareArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let read = |name: &str| {
        let conversation = past.conversation(Some(name), args.reach.reach())?;
        let facts = past.facts(std::slice::from_ref(&conversation))?;
        Ok::<_, CommandError>((conversation, facts))
    };
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    if cx.ui.format == Format::Json {
        let sides = [&a, &b].map(|(conversation, facts)| {
            let mut form = facts_json(facts);
            form["session"] = conversation_json(conversation);
            form
        });
        return Ok(cx.ui.json(&json!(sides))?);
    }
    let color = cx.ui.color;
    cx.ui
        .line(&row("A", &format!("{}  {}", a.0.id, title(&a.0)), color))?;
    cx.ui
        .line(&row("B", &format!("{}  {}", b.0.id, title(&b.0)), color))?;
    cx.ui.line("")?;
    let mut table = Table::new(&["", "A", "B"], cx.ui.out.width()).right(1).right(2);
    for ((label, of_a), (_, of_b)) in counts(&a.1).into_iter().zip(counts(&b.1)) {
        table.row(&[label.to_owned(), of_a, of_b]);
    }
    cx.ui.table(&table)?;
    let lists: [(&str, List); 3] = [
        ("FILE", |facts| facts.files.iter().collect()),
        ("DECISION", |facts| facts.decisions.iter().collect()),
        ("ERROR", |facts| facts.errors.iter().collect()),
    ];
    for (heading, list) in lists {
        let mut sides: BTreeMap<&String, [&str; 2]> = BTreeMap::new();
        for (side, facts) in [&a.1, &b.1].into_iter().enumerate() {
            for item in list(facts) {
                sides.entry(item).or_default()[side] = "x";
            }
        }
        let mut table = Table::new(&["A", "B", heading], cx.ui.out.width()).flexible(2);
        for (item, [of_a, of_b]) in &sides {
            table.row(&[(*of_a).to_owned(), (*of_b).to_owned(), (*item).clone()]);
        }
        if !sides.is_empty() {
            cx.ui.line("")?;
            cx.ui.table(&table)?;
        }
    }
    Ok(())
}
