//! The commands, one file each: a struct of arguments, whose comments are the help, and one function.

mod add;
mod check;
mod completions;
mod config;
mod diff;
mod edit;
mod init;
mod list;
mod log;
mod man;
mod mv;
mod path;
mod render;
mod restore;
mod rm;
mod serve;
mod show;
mod status;
mod sweep;
mod tidy;
mod undo;
mod watch;
mod why;

use clap::Subcommand;

use super::context::Context;
use super::errors::CommandError;

/// How a command that ran to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well: exit code 0.
    Done,
    /// It found what it looked for, and that is not well (`check`): exit code 1.
    Found,
}

/// Every command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::InitArgs),
    Add(add::AddArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Edit(edit::EditArgs),
    Rm(rm::RmArgs),
    Mv(mv::MvArgs),
    Render(render::RenderArgs),
    Why(why::WhyArgs),
    Log(log::LogArgs),
    Diff(diff::DiffArgs),
    Restore(restore::RestoreArgs),
    Undo(undo::UndoArgs),
    Status(status::StatusArgs),
    Check(check::CheckArgs),
    Tidy(tidy::TidyArgs),
    Watch(watch::WatchArgs),
    Sweep(sweep::SweepArgs),
    Path(path::PathArgs),
    Config(config::ConfigArgs),
    Serve(serve::ServeArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Runs a command.
pub(crate) fn run(command: &Command, cx: &mut Context) -> Result<Outcome, CommandError> {
    match command {
        Command::Completions(args) => completions::run(args, cx)?,
        Command::Man(args) => man::run(args, cx)?,
        _ => {
            return Err(CommandError::failed(anyhow::anyhow!(
                "this command is not built yet"
            )));
        }
    }
    Ok(Outcome::Done)
}
