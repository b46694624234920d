//! The commands, one file each: a struct of arguments, whose comments are the help, and one function.

mod add;
mod allow;
mod check;
mod complete;
mod completions;
mod config;
mod conflicts;
mod diff;
mod edit;
mod export;
mod forget;
mod hook;
mod import;
mod init;
mod learn;
mod list;
mod log;
mod man;
mod mcp;
mod merge_driver;
mod mv;
mod path;
mod promote;
mod reconcile;
mod render;
mod restore;
mod rm;
mod search;
mod serve;
mod sessions;
mod show;
mod status;
mod stores;
mod suggestions;
mod sweep;
mod sync;
mod sync_consent;
mod undo;
mod watch;
mod why;

use std::process::ExitCode;

use clap::Subcommand;

use super::context::Context;
use super::errors::CommandError;
use super::ui::{Format, Ui, Verbosity};
use crate::service::Level;

/// Every command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::InitArgs),
    #[command(visible_alias = "remember")]
    Add(add::AddArgs),
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    Search(search::SearchArgs),
    #[command(visible_alias = "session")]
    Sessions(sessions::SessionsArgs),
    #[command(visible_alias = "cat")]
    Show(show::ShowArgs),
    Edit(edit::EditArgs),
    #[command(visible_aliases = ["remove", "delete"])]
    Rm(rm::RmArgs),
    Forget(forget::ForgetArgs),
    #[command(visible_aliases = ["rename", "move"])]
    Mv(mv::MvArgs),
    Pin(mv::PinArgs),
    Unpin(mv::UnpinArgs),
    Archive(mv::ArchiveArgs),
    Render(render::RenderArgs),
    Why(why::WhyArgs),
    #[command(visible_alias = "history")]
    Log(log::LogArgs),
    Diff(diff::DiffArgs),
    Restore(restore::RestoreArgs),
    Undo(undo::UndoArgs),
    Status(status::StatusArgs),
    Stores(stores::StoresArgs),
    Check(check::CheckArgs),
    Allow(allow::AllowArgs),
    Learn(learn::LearnArgs),
    Suggestions(suggestions::SuggestionsArgs),
    Reconcile(reconcile::ReconcileArgs),
    Promote(promote::PromoteArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Sync(sync::SyncArgs),
    Conflicts(conflicts::ConflictsArgs),
    Watch(watch::WatchArgs),
    Sweep(sweep::SweepArgs),
    Path(path::PathArgs),
    Config(config::ConfigArgs),
    Serve(serve::ServeArgs),
    Hook(hook::HookArgs),
    Mcp(mcp::McpArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(hide = true)]
    Complete(complete::CompleteArgs),
    #[command(hide = true)]
    MergeDriver(merge_driver::MergeDriverArgs),
}

impl Command {
    /// Says whether the command tells a person first that the workspace has moved. Agents, shells and git have no
    /// person there; `init` tells by itself, and `stores link` decides.
    pub(crate) const fn finds_a_moved_store(&self) -> bool {
        !matches!(
            self,
            Self::Init(_)
                | Self::Serve(_)
                | Self::Hook(_)
                | Self::Mcp(_)
                | Self::Completions(_)
                | Self::Man(_)
                | Self::MergeDriver(_)
        )
    }

    /// True for a command that an agent starts by itself, and not a person: none of them does anything for an agent
    /// that answers a pass.
    pub(crate) const fn is_of_an_agent(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Hook(_) | Self::Mcp(_))
    }

    /// The least of what the engine says that is shown on standard error.
    pub(crate) fn tells(&self, ui: &Ui) -> Level {
        match (ui.verbosity, self) {
            // An agent shows its user what a hook says there: the log has it.
            (Verbosity::Quiet, _)
            | (_, Self::Hook(_) | Self::Complete(_) | Self::Watch(watch::WatchArgs { all: true, .. })) => {
                Level::ERROR
            }
            // It stays, and says how it is doing.
            (_, Self::Watch(_)) if ui.format == Format::Text => Level::INFO,
            _ => Level::WARN,
        }
    }
}

/// Runs a command to its end. The exit code is 1 where `check` found an error, and where a
/// search found nothing.
pub(crate) fn run(command: &Command, cx: &mut Context) -> Result<ExitCode, CommandError> {
    match command {
        Command::Init(args) => init::run(args, cx)?,
        Command::Add(args) => add::run(args, cx)?,
        Command::List(args) => list::run(args, cx)?,
        Command::Search(args) => return search::run(args, cx),
        Command::Sessions(args) => return sessions::run(args, cx),
        Command::Show(args) => show::run(args, cx)?,
        Command::Edit(args) => edit::run(args, cx)?,
        Command::Rm(args) => rm::run(args, cx)?,
        Command::Forget(args) => forget::run(args, cx)?,
        Command::Mv(args) => mv::run(args, cx)?,
        Command::Pin(args) => mv::pin(args, cx)?,
        Command::Unpin(args) => mv::unpin(args, cx)?,
        Command::Archive(args) => mv::archive(args, cx)?,
        Command::Render(args) => render::run(args, cx)?,
        Command::Why(args) => why::run(args, cx)?,
        Command::Log(args) => log::run(args, cx)?,
        Command::Diff(args) => diff::run(args, cx)?,
        Command::Restore(args) => restore::run(args, cx)?,
        Command::Undo(args) => undo::run(args, cx)?,
        Command::Status(args) => status::run(args, cx)?,
        Command::Stores(args) => stores::run(args, cx)?,
        Command::Check(args) => return check::run(args, cx),
        Command::Allow(args) => allow::run(args, cx)?,
        Command::Learn(args) => learn::run(args, cx)?,
        Command::Suggestions(args) => suggestions::run(args, cx)?,
        Command::Reconcile(args) => reconcile::run(args, cx)?,
        Command::Promote(args) => promote::run(args, cx)?,
        Command::Import(args) => import::run(args, cx)?,
        Command::Export(args) => export::run(args, cx)?,
        Command::Sync(args) => sync::run(args, cx)?,
        Command::Conflicts(args) => conflicts::run(args, cx)?,
        Command::Watch(args) => watch::run(args, cx)?,
        Command::Sweep(args) => sweep::run(args, cx)?,
        Command::Path(args) => path::run(args, cx)?,
        Command::Config(args) => config::run(args, cx)?,
        Command::Serve(args) => serve::run(args, cx)?,
        Command::Hook(args) => hook::run(args, cx)?,
        Command::Mcp(args) => mcp::run(args, cx)?,
        Command::Completions(args) => completions::run(args, cx)?,
        Command::Man(args) => man::run(args, cx)?,
        Command::Complete(args) => complete::run(args, cx)?,
        Command::MergeDriver(args) => return merge_driver::run(args, cx),
    }
    Ok(ExitCode::SUCCESS)
}
