//! `mdmem log`

use clap::Args;
use serde_json::{Value, json};

use super::diff::print_differences;
use super::engine_log;
use crate::host::cli::change_report::changed_line;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, minute};
use crate::service::{self, ChangedFile, LogRequest, Step};

/// Show the history of the store, or of one memory through its renames; or what the engine did
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that is there or not"
)]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem log -n 5
  mdmem log use-npm-cache
  mdmem log -p --grep \"npm cache\"
  mdmem log --engine -f           what the engine says, as it says it
  mdmem log --since \"2 weeks ago\" --json")]
pub(crate) struct LogArgs {
    /// Path, slug or start of the id, of a memory that is there or was; or a folder that ends in `/`
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// At most N commits (with --engine: the last N lines)
    #[arg(short = 'n', long = "limit", value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Only what is since this time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Only what is until this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// Only commits whose message has this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,

    /// Show what each commit changed, line by line
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) patch: bool,

    /// Name the files that each commit changed
    #[arg(long)]
    pub(crate) stat: bool,

    /// Show the engine's own log: what failed, what is in the way of commits, what was decided about prompts
    #[arg(long, conflicts_with_all = ["memory", "stat", "patch", "grep", "until"])]
    pub(crate) engine: bool,

    /// With --engine: stay, and show what comes
    #[arg(short, long, requires = "engine")]
    pub(crate) follow: bool,
}

pub(crate) fn run(args: &LogArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.engine {
        return engine_log::run(args, cx);
    }
    let request = LogRequest {
        memory: args.memory.clone(),
        limit: args.limit,
        since: cx.time(args.since.as_deref())?,
        until: cx.time(args.until.as_deref())?,
        message: args.grep.clone(),
    };
    let store = cx.store()?;
    let steps = service::log(&store, &request)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&steps.iter().map(step_json).collect::<Value>())?);
    }
    cx.page(&store)?;
    let color = cx.ui.color;
    for step in &steps {
        let Step { commit, changes } = step;
        let oid = color.paint(Tone::Name, &commit.oid.short());
        let when = color.paint(Tone::Faint, &minute(commit.time, cx.ui.zone));
        let subject = &commit.message.subject;
        cx.ui.line(&format!("{oid}  {when}  {subject}"))?;
        if args.stat {
            for file in changes.iter().map(ChangedFile::from) {
                cx.ui.line(&format!("         {}", changed_line(&file, color)))?;
            }
        }
        if args.patch {
            print_differences(&service::diff_of_step(&store, step)?, &mut cx.ui)?;
            cx.ui.line("")?;
        }
    }
    Ok(())
}

fn step_json(Step { commit, changes }: &Step) -> Value {
    let trailers = commit.message.trailers.iter();
    let trailers = trailers.map(|(key, value)| (key.as_str(), value.as_str()));
    json!({
        "oid": commit.oid.to_string(),
        "time": commit.time.to_rfc3339(),
        "author": commit.author,
        "subject": commit.message.subject,
        "body": commit.message.body,
        "trailers": trailers.collect::<Value>(),
        "files": changes.iter().map(ChangedFile::from).collect::<Vec<_>>(),
    })
}
