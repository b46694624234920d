//! `mdmem sessions`: the conversations that the hosts of this machine keep, read only; a file for each question.

mod compactions;
mod compare;
mod export;
mod handover;
mod list;
mod plans;
mod search;
mod show;
mod stats;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::service::{Chosen, Conversation, Mark, Past, Reach, SubAgents, Texts};

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
  mdmem sessions handover 4f1c        what the next new session begins with")]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) question: Question,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    Show(show::ShowArgs),
    Search(search::SearchArgs),
    Compactions(compactions::CompactionsArgs),
    Plans(plans::PlansArgs),
    Stats(stats::StatsArgs),
    Compare(compare::CompareArgs),
    Export(export::ExportArgs),
    Handover(handover::HandoverArgs),
}

/// The sessions that are meant.
#[derive(Debug, Args)]
pub(crate) struct ChosenArgs {
    #[command(flatten)]
    pub(crate) reach: ReachArgs,

    /// Also those that worked for another one
    #[arg(long)]
    pub(crate) subagents: bool,
}

/// The workspaces whose sessions are meant.
#[derive(Debug, Args)]
pub(crate) struct ReachArgs {
    /// Those of every workspace
    #[arg(short, long)]
    pub(crate) all: bool,
}

impl ReachArgs {
    const fn reach(&self) -> Reach {
        if self.all {
            Reach::Machine
        } else {
            Reach::Workspace
        }
    }
}

impl ChosenArgs {
    const fn chosen(&self) -> Chosen {
        Chosen {
            reach: self.reach.reach(),
            subagents: if self.subagents {
                SubAgents::With
            } else {
                SubAgents::Without
            },
        }
    }
}

pub(crate) fn run(args: &SessionsArgs, cx: &mut Context) -> Result<ExitCode, CommandError> {
    if let Question::Handover(args) = &args.question {
        handover::run(args, cx)?;
        return Ok(ExitCode::SUCCESS);
    }
    let past = Past::open(&cx.service)?;
    for notice in past.notices() {
        cx.ui.warning(notice)?;
    }
    match &args.question {
        Question::List(args) => list::run(args, &past, cx)?,
        Question::Show(args) => show::run(args, &past, cx)?,
        Question::Search(args) => return search::run(args, &past, cx),
        Question::Compactions(args) => compactions::run(args, &past, cx)?,
        Question::Plans(args) => plans::run(args, &past, cx)?,
        Question::Stats(args) => stats::run(args, &past, cx)?,
        Question::Compare(args) => compare::run(args, &past, cx)?,
        Question::Export(args) => export::run(args, &past, cx)?,
        Question::Handover(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a place that an earlier answer named.
fn cursor(text: &str) -> Result<Mark, String> {
    Mark::parse(text)
        .ok_or_else(|| "it is no place that an answer named: `--json` has them as `cursor`".to_owned())
}

/// The texts that are shown or looked at.
const fn texts(with_tools: bool) -> Texts {
    if with_tools { Texts::WithTools } else { Texts::Said }
}

/// The session's title; for a session without one its id.
fn title(conversation: &Conversation) -> &str {
    match conversation.title.trim() {
        "" => &conversation.id,
        title => title,
    }
}

/// A count of tokens in a few characters: `950`, `12k`, `3.4M`.
fn short(count: u64) -> String {
    match count {
        ..1_000 => count.to_string(),
        1_000..999_500 => format!("{}k", (count + 500) / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_count_is_short() {
        let counts = [0, 999, 1_000, 12_400, 999_499, 999_500, 3_450_000];
        assert_eq!(
            counts.map(short),
            ["0", "999", "1k", "12k", "999k", "0.9M", "3.4M"]
        );
    }
}
