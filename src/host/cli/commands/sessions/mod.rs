//! `mdmem sessions`: the conversations that the hosts of this machine keep, read only.

mod context;
mod message;

use std::io;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use crate::host::cli::ui::{Format, Table, Tone, Ui, age, minute};
use crate::host::cli::{CommandError, Context};
use crate::service::{
    Chosen, Compaction, ConversationSearch, HitOrder, KeptConversations, Mark, Reading, hand_over,
};

/// Read the conversations that agents keep on this machine
///
/// Conversations of OpenCode and Claude Code in this workspace, or everywhere with --all. They are only read,
/// and suspected secrets are redacted. Name a session by its id, or the start or end of it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sessions
  mdmem sessions show                 the newest messages of the newest session
  mdmem sessions show 4f1c --first    from the beginning
  mdmem sessions search plugin cache
  mdmem sessions compactions --json
  mdmem sessions stats 4f1c
  mdmem sessions compare 4f1c 77ab
  mdmem sessions export 4f1c >conversation.md
  mdmem sessions plans
  mdmem sessions context              how full the contexts are
  mdmem sessions handover 4f1c        start the next session with this one's work")]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    question: Option<Question>,

    /// Sessions of every workspace
    #[arg(short, long, global = true)]
    all: bool,

    /// Also sessions of sub-agents
    #[arg(long, global = true)]
    subagents: bool,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// List the sessions, most recent first
    #[command(visible_alias = "ls")]
    List {
        /// At most N sessions
        #[arg(short = 'n', long, value_name = "N", default_value = "20")]
        limit: usize,
    },
    /// Show the messages of a session, by default the newest 20
    Show(ShowArgs),
    /// Find messages by words
    ///
    /// Case is ignored, and parts of words match. What is said around a message counts too: the best first, or
    /// with `--sort time` the newest of those with every word. The exit code is 1 if nothing is found.
    Search(SearchArgs),
    /// Show the summaries of compacted sessions, newest first
    Compactions {
        /// Show the full summaries of this session; without it, one line for each of all
        #[arg(value_name = "SESSION")]
        session: Option<String>,

        /// At most N compactions
        #[arg(short = 'n', long, value_name = "N", default_value = "20")]
        limit: usize,
    },
    /// List the plans that sessions wrote, or show one
    Plans {
        /// The plan to show
        #[arg(value_name = "PLAN")]
        name: Option<String>,
    },
    /// Count messages, tokens, tools, files and errors
    Stats {
        /// The session [default: all of them together]
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
    /// Print a whole session as markdown or JSON
    Export {
        /// The session
        #[arg(value_name = "SESSION")]
        session: String,

        /// The format
        #[arg(long, value_name = "FORM", default_value = "markdown")]
        to: Form,

        /// Also the input and output of tools
        #[arg(short, long)]
        tools: bool,
    },
    Context(context::ContextArgs),
    /// Start the next session with the work of this one
    ///
    /// The next new session begins with this one's todos, goal, open errors, decisions and files, instead of
    /// the last session's: at most 300 characters, which are printed.
    Handover {
        /// The session's id, or the start of the hash that `mdmem sessions context` shows
        #[arg(value_name = "ID")]
        session: String,
    },
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// The session [default: the newest]
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// From the beginning
    #[arg(long, conflicts_with_all = ["before", "after"])]
    first: bool,

    /// Messages before this cursor
    #[arg(long, value_name = "CURSOR", value_parser = cursor, conflicts_with = "after")]
    before: Option<Mark>,

    /// Messages after this cursor
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    after: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,

    /// Also the input and output of tools, the model's thoughts, and what the agent program added
    #[arg(short, long)]
    tools: bool,
}

#[derive(Debug, Args)]
struct SearchArgs {
    /// The words to look for
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,

    /// Only in this session
    #[arg(short, long, value_name = "SESSION")]
    session: Option<String>,

    /// Also search the input and output of tools
    #[arg(short, long)]
    tools: bool,

    /// The order
    #[arg(long, value_name = "ORDER", default_value = "relevance")]
    sort: HitOrder,

    /// Continue from this cursor, or search only messages before it
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    before: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A text to read
    Markdown,
    /// As `sessions show --json` prints it
    Json,
}

pub(crate) fn run(args: &SessionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let newest = Question::List { limit: 20 };
    let question = args.question.as_ref().unwrap_or(&newest);
    match question {
        Question::Handover { session } => return handover(session, cx),
        Question::Context(args) => return context::run(args, cx),
        _ => {}
    }
    let kept = KeptConversations::open(&cx.service)?;
    for notice in &kept.notices {
        cx.ui.warning(notice)?;
    }
    let (all, subagents) = (args.all, args.subagents);
    let chosen = Chosen { all, subagents };
    match question {
        Question::List { limit } => list(&kept, *limit, chosen, cx),
        Question::Show(args) => {
            let session = kept.conversation(args.session.as_deref(), chosen)?;
            let reading = match (&args.after, args.first) {
                (None, false) => Reading::NewestBefore(args.before.clone()),
                (after, _) => Reading::OldestBehind(after.clone()),
            };
            let page = kept.page(session, &reading, usize::from(args.limit), args.tools)?;
            if cx.ui.format == Format::Text {
                cx.page(None)?;
            }
            cx.answer(&page, |ui| message::show(&page, args.tools, ui))
        }
        Question::Search(args) => {
            let found = kept.search(&ConversationSearch {
                words: args.words.join(" "),
                order: args.sort,
                chosen,
                session: args.session.clone(),
                tools: args.tools,
                before: args.before.clone(),
                most: usize::from(args.limit),
            })?;
            if found.hits.is_empty() {
                cx.exit = ExitCode::FAILURE;
            }
            cx.answer(&found, |ui| message::hits(&found, args, ui))
        }
        Question::Compactions { session, limit } => {
            let of = kept.named(session.as_deref(), chosen)?;
            let found = kept.compactions(&of, *limit)?;
            cx.answer(&found, |ui| compactions(&found, session.is_some(), ui))
        }
        Question::Plans { name: Some(name) } => {
            let plan = kept.plan(name, chosen)?;
            if cx.ui.format == Format::Text {
                cx.page(None)?;
            }
            let text = plan.text.as_deref().unwrap_or_default().trim_end();
            cx.answer(&plan, |ui| ui.out.text(&format!("{text}\n")))
        }
        Question::Plans { name: None } => {
            let plans = kept.plans(chosen)?;
            cx.answer(&plans, |ui| {
                let mut table = Table::new(&["BYTES", "SESSION", "PLAN"], ui.out.width());
                for plan in &plans {
                    let title = plan.title.as_ref().filter(|title| !title.is_empty());
                    let of = title.or(plan.session.as_ref()).cloned().unwrap_or_default();
                    table.row(&[plan.size.to_string(), of, plan.name.clone()]);
                }
                if plans.is_empty() {
                    return ui.notice("no plans");
                }
                ui.table(&table.right(0).flexible(1))
            })
        }
        Question::Stats { session } => {
            let of = kept.named(session.as_deref(), chosen)?;
            let facts = kept.facts(&of)?;
            let session = of.into_iter().next().filter(|_| session.is_some());
            let side = message::Side { session, facts };
            cx.answer(&side, |ui| message::facts(std::slice::from_ref(&side), ui))
        }
        Question::Compare { a, b } => {
            let side = |name: &str| {
                let session = kept.conversation(Some(name), chosen)?;
                let facts = kept.facts(std::slice::from_ref(&session))?;
                let session = Some(session);
                Ok::<_, CommandError>(message::Side { session, facts })
            };
            let sides = [side(a)?, side(b)?];
            cx.answer(&sides, |ui| message::facts(&sides, ui))
        }
        Question::Export { session, to, tools } => {
            let session = kept.conversation(Some(session), chosen)?;
            let whole = kept.page(session, &Reading::OldestBehind(None), usize::MAX, *tools)?;
            match to {
                Form::Json => Ok(cx.ui.json(&whole)?),
                Form::Markdown => cx.answer(&whole, |ui| message::export(&whole, *tools, ui)),
            }
        }
        Question::Handover { .. } | Question::Context(_) => Ok(()),
    }
}

/// Reads a place that an earlier answer named.
fn cursor(text: &str) -> Result<Mark, String> {
    Mark::parse(text)
        .ok_or_else(|| "not a cursor: take one from `cursor` in the output of `--json`".to_owned())
}

/// A count of tokens in a few characters: `950`, `12k`, `3.4M`.
fn short(count: u64) -> String {
    match count {
        ..1_000 => count.to_string(),
        1_000..999_500 => format!("{}k", (count + 500) / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

fn list(
    kept: &KeptConversations,
    limit: usize,
    chosen: Chosen,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let (all, now) = (kept.conversations(chosen)?, cx.now());
    let shown = &all[..all.len().min(limit)];
    cx.answer(&shown, |ui| {
        if all.is_empty() {
            ui.notice("no sessions")?;
            if !chosen.all {
                ui.hint("`mdmem sessions list --all` lists those of every workspace.")?;
            }
            return Ok(());
        }
        let mut table = Table::new(&["ID", "AGE", "TOKENS", "TITLE", "WORKSPACE"], ui.out.width());
        for session in shown {
            let of = if session.parent.is_some() { "↳ " } else { "" };
            let tokens = session.tokens.map(|tokens| short(tokens.total));
            let folder = Some(session.directory.display().to_string()).filter(|_| chosen.all);
            table.row(&[
                session.id.clone(),
                age(session.updated, now),
                tokens.unwrap_or_default(),
                format!("{of}{}", session.name()),
                folder.unwrap_or_default(),
            ]);
        }
        ui.table(&table.right(1).right(2).flexible(3).spare(&[4, 2]))?;
        match all.len() - shown.len() {
            0 => Ok(()),
            more => ui.notice(&format!("… and {more} more; `-n {}` lists them", all.len())),
        }
    })
}

fn compactions(found: &[Compaction], is_whole: bool, ui: &mut Ui) -> io::Result<()> {
    if found.is_empty() {
        return ui.notice("no compactions");
    }
    let mut table = Table::new(&["TIME", "BY", "TOKENS", "SUMMARY", "SESSION"], ui.out.width());
    for compaction in found {
        let time = minute(compaction.mark.time, ui.zone);
        let by = compaction.trigger.unwrap_or("-");
        let before = compaction.tokens_before.map_or_else(|| "-".to_owned(), short);
        let summary = compaction.summary.trim_end();
        if is_whole {
            let head = format!("{time}  {by}, at {before} tokens");
            ui.line(&ui.color.paint(Tone::Heading, &head))?;
            ui.out.text(&format!("{summary}\n\n"))?;
            continue;
        }
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let first = summary.lines().find(is_said).unwrap_or_default().to_owned();
        table.row(&[time, by.to_owned(), before, first, compaction.session.clone()]);
    }
    if is_whole {
        return Ok(());
    }
    ui.table(&table.right(2).flexible(3).spare(&[1]))
}

fn handover(session: &str, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let handed = hand_over(&cx.service, &store, session)?;
    cx.answer(&handed, |ui| {
        ui.notice("the next session of this workspace starts with:")?;
        handed.text.lines().try_for_each(|line| ui.line(line))
    })
}
