//! The commands, one file each: a struct of arguments, whose comments are the help, and one function.

mod add;
mod allow;
mod check;
mod complete;
mod config;
mod conflicts;
mod edit;
mod export;
mod import;
mod init;
mod learn;
mod list;
mod log;
mod man;
mod mv;
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
mod view;
mod watch;
mod why;

use clap::{ArgMatches, Args, Command};

use super::context::Context;
use super::report::CommandError;

/// The group of the commands that are named and not explained.
pub(crate) const RARE: &str = "More commands";

/// A command: its arguments, and what it does.
pub(crate) struct Verb {
    pub(crate) command: Command,
    pub(crate) run: Run,
    /// True for arguments with which an agent may not run it: they lift a protection, or change every workspace.
    pub(crate) needs_person: fn(&ArgMatches) -> bool,
    /// True for arguments with which it changes memories: those of the global store only where a person asks.
    pub(crate) changes_memories: fn(&ArgMatches) -> bool,
    /// An agent starts it: it does nothing for an agent that answers a pass.
    pub(crate) is_of_agents: bool,
    /// It first says that the workspace has moved.
    pub(crate) tells_move: bool,
}

type Run = Box<dyn Fn(&ArgMatches, &mut Context) -> Result<(), CommandError>>;

/// Every command, in the groups by which people look for it.
pub(crate) fn verbs() -> [(&'static str, Vec<Verb>); 5] {
    [
        (
            "Every day",
            vec![
                verb("add", add::run).also(&["remember"]).changes(),
                verb("list", list::run).also(&["ls"]),
                verb("search", search::run),
                verb("show", show::run).also(&["cat"]),
                verb("edit", edit::run).changes(),
            ],
        ),
        (
            "Change and undo",
            vec![
                verb("mv", mv::run).also(&["rename", "move"]).changes(),
                verb("rm", rm::run).also(&["remove", "delete"]).changes(),
                verb("pin", mv::pin).changes(),
                verb("archive", mv::archive).changes(),
                verb("undo", restore::undo).changes(),
                verb("restore", restore::run).changes(),
                verb("log", log::run).also(&["history"]),
                verb("why", why::run),
            ],
        ),
        (
            "Agents and machines",
            vec![
                verb("init", init::run).changes().unmoved(),
                verb("sessions", sessions::run).also(&["session"]),
                verb("sync", sync::run).changes().for_person(|args| {
                    let lifts = ["accept_remote", "allow_secrets", "rewrite_unpushed"];
                    args.contains_id("url") || lifts.iter().any(|flag| args.get_flag(flag))
                }),
                verb("watch", watch::run),
            ],
        ),
        (
            "When something is wrong",
            vec![
                verb("status", status::run),
                verb("check", check::run).changes_if(|args| args.get_flag("fix")),
            ],
        ),
        (
            RARE,
            vec![
                verb("forget", rm::forget).for_person(|_| true),
                verb("unpin", mv::unpin).changes(),
                verb("verify", mv::verify).changes(),
                verb("allow", allow::run).for_person(|_| true),
                verb("diff", log::diff),
                verb("render", render::run),
                verb("promote", promote::run).for_person(|_| true),
                verb("conflicts", conflicts::run).changes_if(|args| args.contains_id("memory")),
                verb("stores", stores::run).for_person(|args| args.subcommand_name() == Some("link")),
                verb("import", import::run).for_person(|_| true),
                verb("export", export::run),
                verb("view", view::run),
                verb("config", config::run)
                    .for_person(|args| matches!(args.subcommand_name(), Some("set" | "unset"))),
                verb("learn", learn::run).changes(),
                verb("suggestions", suggestions::run)
                    .for_person(|args| args.subcommand_name().is_some_and(|name| name != "list")),
                verb("reconcile", reconcile::run).changes(),
                verb("sweep", sweep::run),
                verb("path", show::path),
                verb("serve", serve::run).of_agents(),
                verb("hook", serve::hook).of_agents(),
                verb("mcp", serve::mcp).of_agents(),
                verb("completions", complete::script).unmoved(),
                verb("man", man::run).unmoved(),
                verb("complete", complete::run).hidden(),
                verb("merge-driver", serve::merge_driver).unmoved().hidden(),
            ],
        ),
    ]
}

fn verb<A: Args + 'static>(
    name: &'static str,
    run: fn(&A, &mut Context) -> Result<(), CommandError>,
) -> Verb {
    Verb {
        command: A::augment_args(Command::new(name)),
        run: Box::new(move |matches, cx| {
            let args = A::from_arg_matches(matches);
            run(
                &args.map_err(|refusal| CommandError::refused(&refusal, Some(name)))?,
                cx,
            )
        }),
        needs_person: |_| false,
        changes_memories: |_| false,
        is_of_agents: false,
        tells_move: true,
    }
}

impl Verb {
    fn also(self, names: &[&'static str]) -> Self {
        let command = self.command.visible_aliases(names.iter().copied());
        Self { command, ..self }
    }

    fn hidden(self) -> Self {
        let command = self.command.hide(true);
        Self { command, ..self }
    }

    /// A command that changes memories with all arguments.
    fn changes(self) -> Self {
        self.changes_if(|_| true)
    }

    fn changes_if(self, changes_memories: fn(&ArgMatches) -> bool) -> Self {
        Self {
            changes_memories,
            ..self
        }
    }

    fn for_person(self, needs_person: fn(&ArgMatches) -> bool) -> Self {
        Self { needs_person, ..self }
    }

    fn of_agents(self) -> Self {
        Self {
            is_of_agents: true,
            tells_move: false,
            ..self
        }
    }

    /// A command without a person, or one that tells of a moved workspace itself.
    fn unmoved(self) -> Self {
        Self {
            tells_move: false,
            ..self
        }
    }
}
