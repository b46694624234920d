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
mod watch;
mod why;

use clap::{ArgMatches, Args, Command};

use super::context::Context;
use super::report::CommandError;

/// The group of the commands that are named and not explained.
pub(crate) const RARE: &str = "For rare cases and programs";

/// A command: its arguments, and what it does.
pub(crate) struct Verb {
    pub(crate) command: Command,
    pub(crate) run: Run,
}

type Run = Box<dyn Fn(&ArgMatches, &mut Context) -> Result<(), CommandError>>;

/// Every command, in the groups by which people look for it.
pub(crate) fn verbs() -> [(&'static str, Vec<Verb>); 6] {
    [
        (
            "Every day",
            vec![
                verb("add", add::run).also(&["remember"]),
                verb("list", list::run).also(&["ls"]),
                verb("search", search::run),
                verb("show", show::run).also(&["cat"]),
                verb("edit", edit::run),
                verb("pin", mv::pin),
                verb("archive", mv::archive),
                verb("mv", mv::run).also(&["rename", "move"]),
                verb("rm", rm::run).also(&["remove", "delete"]),
                verb("forget", rm::forget),
            ],
        ),
        (
            "History",
            vec![
                verb("log", log::run).also(&["history"]),
                verb("diff", log::diff),
                verb("undo", restore::undo),
                verb("restore", restore::run),
                verb("why", why::run),
            ],
        ),
        (
            "Agents",
            vec![
                verb("init", init::run),
                verb("render", render::run),
                verb("sessions", sessions::run).also(&["session"]),
                verb("promote", promote::run),
            ],
        ),
        (
            "Machines and files",
            vec![
                verb("sync", sync::run),
                verb("conflicts", conflicts::run),
                verb("stores", stores::run),
                verb("watch", watch::run),
                verb("import", import::run),
                verb("export", export::run),
            ],
        ),
        (
            "When something is wrong",
            vec![
                verb("status", status::run),
                verb("check", check::run),
                verb("config", config::run),
            ],
        ),
        (
            RARE,
            vec![
                verb("unpin", mv::unpin),
                verb("allow", allow::run),
                verb("learn", learn::run),
                verb("suggestions", suggestions::run),
                verb("reconcile", reconcile::run),
                verb("sweep", sweep::run),
                verb("path", show::path),
                verb("serve", serve::run),
                verb("hook", serve::hook),
                verb("mcp", serve::mcp),
                verb("completions", complete::script),
                verb("man", man::run),
                verb("complete", complete::run).hidden(),
                verb("merge-driver", serve::merge_driver).hidden(),
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
            run(&args.map_err(|refusal| CommandError::refused(&refusal))?, cx)
        }),
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
}
