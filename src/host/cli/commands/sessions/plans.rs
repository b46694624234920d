//! `mdmem sessions plans`

use clap::Args;
use serde_json::Value;

use super::{ReachArgs, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Table};
use crate::host::json::plan_json;
use crate::service::Past;

/// List the plans that sessions wrote down, or show one
#[derive(Debug, Args)]
pub(crate) struct PlansArgs {
    /// The name of a plan, to show its text
    #[arg(value_name = "PLAN")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

pub(crate) fn run(args: &PlansArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    if let Some(name) = &args.name {
        let (plan, text) = past.plan(name, args.reach.reach())?;
        if cx.ui.format == Format::Json {
            let mut form = plan_json(&plan);
            form["text"] = text.into();
            return Ok(cx.ui.json(&form)?);
        }
        cx.page_anywhere()?;
        return Ok(cx.ui.out.text(&format!("{}\n", text.trim_end()))?);
    }
    let plans = past.plans(args.reach.reach())?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&plans.iter().map(plan_json).collect::<Value>())?);
    }
    if plans.is_empty() {
        return Ok(cx.ui.notice("no plans")?);
    }
    let mut table = Table::new(&["BYTES", "SESSION", "PLAN"], cx.ui.out.width())
        .right(0)
        .flexible(1);
    for plan in &plans {
        let of = plan.conversation.as_ref().map_or("", title).to_owned();
        table.row(&[plan.size.to_string(), of, plan.name.clone()]);
    }
    Ok(cx.ui.table(&table)?)
}
