//! `mdmem sessions`: the conversations that the hosts of this machine keep, read only.

mod context;
mod facts;
mod message;

use clap::{Args, Subcommand, ValueEnum};

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, Table, Tone, age, minute};
use crate::service::{Chosen, Conversation, Mark, Past, hand_over};

/// Read the conversations that agents keep on this machine
///
/// OpenCode's and Claude Code's, those of this workspace unless --all is given; nothing is written there, and credentials
/// are taken out. A session is named by its id, or by the beginning or the end of it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sessions list
  mdmem sessions show                 the newest messages of the newest session
  mdmem sessions show 4f1c --first    its beginning
  mdmem sessions search plugin cache
  mdmem sessions compactions --json
  mdmem sessions stats 4f1c
  mdmem sessions compare 4f1c 77ab
  mdmem sessions export 4f1c >conversation.md
  mdmem sessions plans
  mdmem sessions context              how full the contexts are
  mdmem sessions handover 4f1c        what the next new session begins with")]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    question: Question,

    /// Sessions of every workspace
    #[arg(short, long, global = true)]
    all: bool,

    /// Also those that worked for another one
    #[arg(long, global = true)]
    subagents: bool,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// List the sessions, the one that changed last first
    #[command(visible_alias = "ls")]
    List {
        /// At most N sessions
        #[arg(short = 'n', long, value_name = "N", default_value = "20")]
        limit: usize,
    },
    /// Show the messages of a session, the newest 20 unless told otherwise
    Show(ShowArgs),
    /// Find messages that have every one of these words
    ///
    /// Case does not matter, and a word may be a part of a longer one. The newest come first, each as soon as it is found.
    /// Finds nothing: exit code 1.
    Search(SearchArgs),
    /// Show the summaries by which sessions were made shorter, the newest first
    Compactions {
        /// The session, with the whole of its summaries; without it all of them, a line each
        #[arg(value_name = "SESSION")]
        session: Option<String>,

        /// At most N compactions
        #[arg(short = 'n', long, value_name = "N", default_value = "20")]
        limit: usize,
    },
    /// List the plans that sessions wrote down, or show one
    Plans {
        /// The name of a plan, to show its text
        #[arg(value_name = "PLAN")]
        name: Option<String>,
    },
    /// Count messages, tokens, tools, files and errors of a session, or of all of them
    Stats {
        /// The session; without it all of them together
        #[arg(value_name = "SESSION")]
        session: Option<String>,
    },
    /// Show files, tokens, compactions, decisions and errors of two sessions side by side
    Compare {
        /// One session
        #[arg(value_name = "SESSION")]
        a: String,

        /// The other one
        #[arg(value_name = "SESSION")]
        b: String,
    },
    /// Print a whole session as markdown or JSON, for a file
    Export {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,

        /// The form
        #[arg(long, value_name = "FORM", default_value = "markdown")]
        to: Form,

        /// Also what tools were given and gave
        #[arg(short, long)]
        tools: bool,
    },
    Context(context::ContextArgs),
    /// Have the next new session begin with the work of this one
    ///
    /// In the place of the last session's, however long ago that was: todos, goal, open errors, decisions and files, in at
    /// most 300 characters. Prints them.
    Handover {
        /// The host's id of the session, or the beginning of the hash that `mdmem sessions context` shows
        #[arg(value_name = "ID")]
        session: String,
    },
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// The session; without it the newest
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// From the beginning on
    #[arg(long, conflicts_with_all = ["before", "after"])]
    first: bool,

    /// The messages before this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor, conflicts_with = "after")]
    before: Option<Mark>,

    /// The messages behind this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    after: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,

    /// Also what tools were given and gave, the model's thoughts, and what the host added
    #[arg(short, long)]
    tools: bool,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// The words to look for
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,

    /// Only this session
    #[arg(short, long, value_name = "SESSION")]
    session: Option<String>,

    /// Also in what tools were given and gave
    #[arg(short, long)]
    tools: bool,

    /// Only messages before this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    before: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A text for people
    Markdown,
    /// As `sessions show --json` has it
    Json,
}

pub(crate) fn run(args: &SessionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.question {
        Question::Handover { session } => return handover(session, cx),
        Question::Context(args) => return context::run(args, cx),
        _ => {}
    }
    let past = Past::open(&cx.service)?;
    for notice in &past.notices {
        cx.ui.warning(notice)?;
    }
    let chosen = Chosen {
        all: args.all,
        subagents: args.subagents,
    };
    match &args.question {
        Question::List { limit } => list(&past.conversations(chosen)?, *limit, chosen, cx)?,
        Question::Show(args) => message::show(args, &past, chosen, cx)?,
        Question::Search(args) => return message::search(args, &past, chosen, cx),
        Question::Compactions { session, limit } => {
            let of = past.named(session.as_deref(), chosen)?;
            compactions(&past, &of, *limit, session.is_some(), cx)?;
        }
        Question::Plans { name: Some(name) } => {
            let plan = past.plan(name, chosen)?;
            if cx.ui.format == Format::Json {
                cx.ui.json(&plan)?;
            } else {
                cx.page_anywhere()?;
                let text = plan.text.unwrap_or_default();
                cx.ui.out.text(&format!("{}\n", text.trim_end()))?;
            }
        }
        Question::Plans { name: None } => plans(&past, chosen, cx)?,
        Question::Stats { session } => {
            let of = past.named(session.as_deref(), chosen)?;
            let facts = past.facts(&of)?;
            let session = of.into_iter().next().filter(|_| session.is_some());
            facts::tell(&[facts::Side { session, facts }], cx)?;
        }
        Question::Compare { a, b } => {
            let side = |name: &str| {
                let session = past.conversation(Some(name), chosen)?;
                let facts = past.facts(std::slice::from_ref(&session))?;
                let session = Some(session);
                Ok::<_, CommandError>(facts::Side { session, facts })
            };
            facts::tell(&[side(a)?, side(b)?], cx)?;
        }
        Question::Export { session, to, tools } => {
            let session = past.conversation(Some(session), chosen)?;
            let is_json = *to == Form::Json || cx.ui.format == Format::Json;
            message::export(&past, &session, *tools, is_json, cx)?;
        }
        Question::Handover { .. } | Question::Context(_) => {}
    }
    Ok(())
}

/// Reads a place that an earlier answer named.
fn cursor(text: &str) -> Result<Mark, String> {
    Mark::parse(text)
        .ok_or_else(|| "not a place that an answer named: `--json` has them as `cursor`".to_owned())
}

/// A count of tokens in a few characters: `950`, `12k`, `3.4M`.
fn short(count: u64) -> String {
    match count {
        ..1_000 => count.to_string(),
        1_000..999_500 => format!("{}k", (count + 500) / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

fn list(all: &[Conversation], limit: usize, chosen: Chosen, cx: &mut Context) -> Result<(), CommandError> {
    let shown = &all[..all.len().min(limit)];
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&shown)?);
    }
    if all.is_empty() {
        cx.ui.notice("no sessions")?;
        if !chosen.all {
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
    for session in shown {
        let of = if session.parent.is_some() { "↳ " } else { "" };
        let folder = session.directory.display().to_string();
        table.row(&[
            session.id.clone(),
            age(session.updated, cx.now()),
            session
                .tokens
                .map_or_else(String::new, |tokens| short(tokens.total)),
            format!("{of}{}", session.name()),
            if chosen.all { folder } else { String::new() },
        ]);
    }
    cx.ui.table(&table)?;
    if all.len() > shown.len() {
        let more = all.len() - shown.len();
        cx.ui
            .notice(&format!("… and {more} more; `-n {}` lists them", all.len()))?;
    }
    Ok(())
}

fn compactions(
    past: &Past,
    of: &[Conversation],
    limit: usize,
    is_whole: bool,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let found = past.compactions(of, limit)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&found)?);
    }
    if found.is_empty() {
        return Ok(cx.ui.notice("no compaction")?);
    }
    let mut table = Table::new(&["TIME", "BY", "TOKENS", "SUMMARY", "SESSION"], cx.ui.out.width());
    table = table.right(2).flexible(3).spare(&[1]);
    for compaction in found {
        let time = minute(compaction.mark.time, cx.ui.zone);
        let by = compaction.trigger.unwrap_or("-");
        let before = compaction.tokens_before.map_or_else(|| "-".to_owned(), short);
        let summary = compaction.summary.trim_end();
        if is_whole {
            let head = format!("{time}  {by}, at {before} tokens");
            cx.ui.line(&cx.ui.color.paint(Tone::Heading, &head))?;
            cx.ui.out.text(&format!("{summary}\n\n"))?;
            continue;
        }
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let first = summary.lines().find(is_said).unwrap_or_default().to_owned();
        table.row(&[time, by.to_owned(), before, first, compaction.session]);
    }
    if !is_whole {
        cx.ui.table(&table)?;
    }
    Ok(())
}

fn plans(past: &Past, chosen: Chosen, cx: &mut Context) -> Result<(), CommandError> {
    let plans = past.plans(chosen)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&plans)?);
    }
    if plans.is_empty() {
        return Ok(cx.ui.notice("no plans")?);
    }
    let mut table = Table::new(&["BYTES", "SESSION", "PLAN"], cx.ui.out.width())
        .right(0)
        .flexible(1);
    for plan in plans {
        let of = plan.title.filter(|title| !title.is_empty()).or(plan.session);
        table.row(&[plan.size.to_string(), of.unwrap_or_default(), plan.name]);
    }
    Ok(cx.ui.table(&table)?)
}

fn handover(session: &str, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let handed = hand_over(&cx.service, &store, session)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&handed)?);
    }
    cx.ui
        .notice("the next new session of this workspace begins with:")?;
    Ok(handed.text.lines().try_for_each(|line| cx.ui.line(line))?)
}
