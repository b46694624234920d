//! The command line: arguments in, tables or JSON out. It decides nothing: each command calls one function of
//! [`crate::service`] with a request, and prints the response.
//!
//! `args` what every command takes · `commands/<verb>` one command each · `ui` how things look · `report` how an error
//! is printed, and the exit code · `engine_events` where the engine's log comes from · `when` times as people type
//! them · `change_report` what several commands print.

mod args;
mod change_report;
mod commands;
mod context;
mod engine_events;
mod report;
mod topics;
mod ui;
mod when;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches as _};

use args::GlobalArgs;
use commands::{Verb, verbs};
use context::Context;
use report::CommandError;
use ui::{Format, Ui, Verbosity};

use crate::host::hook_event::{HookEvent, HookHost};
use crate::service::{self, EngineLog, Level};
use crate::sys::Env;

/// The hosts that are verbs of the command line, which knows nothing else of them.
#[derive(Clone, Copy)]
pub(crate) struct Hosts {
    /// Serves an agent's plugin on standard input and output until it ends.
    pub(crate) serve: fn(&service::Context, &EngineLog) -> anyhow::Result<()>,
    /// Answers the event of a host's hook, which is on standard input.
    pub(crate) hook: fn(&service::Context, &EngineLog, HookHost, HookEvent) -> Option<String>,
    /// Serves a client of the Model Context Protocol on standard input and output until it ends, in this workspace
    /// where one is named.
    pub(crate) mcp: fn(&service::Context, &Arc<EngineLog>, Option<&Path>) -> anyhow::Result<()>,
    /// The same over HTTP at this address, for who knows this token; the URL is told once it listens.
    pub(crate) mcp_http: ServesMcp,
    /// Serves the pages for a browser at this port until Ctrl-C; the address is told once it listens.
    pub(crate) view: fn(&service::Context, u16, Told<'_>) -> anyhow::Result<()>,
}

/// Serves clients of the Model Context Protocol at an address, for who knows a token.
type ServesMcp =
    fn(&service::Context, &Arc<EngineLog>, Option<&Path>, SocketAddr, &str, Told<'_>) -> anyhow::Result<()>;

/// Hears the address at which a server listens.
type Told<'a> = &'a mut dyn FnMut(&str) -> anyhow::Result<()>;

/// Runs the program and returns its exit code: 0, 1 (failed) or 2 (usage); 0 for every hook.
pub(crate) fn main(hosts: Hosts) -> ExitCode {
    let args = args::with_counts(std::env::args_os().collect());
    let code = start(&args, hosts);
    // An agent takes the exit code 2 of a hook for an order: what the user has just typed is thrown away.
    if args::verb(&args).as_deref() == Some("hook") {
        ExitCode::SUCCESS
    } else {
        code
    }
}

fn start(args: &[OsString], hosts: Hosts) -> ExitCode {
    let env = match Env::real() {
        Ok(env) => env,
        Err(error) => return CommandError::failed(error).report(&mut context::early_ui(args, None)),
    };
    if let Some(text) = topics::asked(args) {
        let ui = &mut context::early_ui(args, Some(&env));
        return match ui.out.text(text).and_then(|()| ui.flush()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => CommandError::from(error).report(ui),
        };
    }
    let parsed = args::command().try_get_matches_from(args).and_then(|matches| {
        let global = GlobalArgs::from_arg_matches(&matches)?;
        Ok((matches, global))
    });
    match parsed {
        Ok((matches, global)) => run(args, &matches, &global, env, hosts),
        Err(refusal) => answer(&refusal, args, &mut context::early_ui(args, Some(&env))),
    }
}

fn run(args: &[OsString], matches: &ArgMatches, global: &GlobalArgs, env: Env, hosts: Hosts) -> ExitCode {
    let (name, matches) = matches.subcommand().expect("because clap asks for one");
    let mut verbs = verbs().into_iter().flat_map(|(_, verbs)| verbs);
    let verb = verbs.find(|verb| verb.command.get_name() == name);
    let verb = verb.expect("because clap knows no other command");
    if verb.is_of_agents && service::answers_a_pass(&env) {
        return ExitCode::SUCCESS;
    }
    let mut ui = context::ui(global, &env);
    if ui.shows_progress() && !ui.err.symbols.is_dumb && !verb.is_of_agents {
        ui::show_work();
    }
    let agents_shell = env.agents_shell();
    let log = Arc::new(EngineLog::new(name));
    engine_events::install(
        Arc::clone(&log),
        tells(name, matches, &ui),
        global.verbose,
        env.var("MDMEM_LOG").as_deref(),
        ui.err_color,
    );
    ui.zone = context::zone(global, &env);
    let service = match context::service(global, env) {
        Ok(service) => service,
        Err(error) => return error.report(&mut ui),
    };
    if let Some(variable) = agents_shell {
        let is_global = || service.place().is_ok_and(|place| place.is_global());
        if (verb.needs_person)(matches) || (verb.changes_memories)(matches) && is_global() {
            let refusal = if (verb.needs_person)(matches) {
                format!("`mdmem {name}` is for a person, not for an agent's shell ({variable} is set)")
            } else {
                format!("an agent's shell ({variable} is set) does not change the global store")
            };
            let refusal = CommandError::failed(anyhow::anyhow!(refusal));
            return refusal
                .hint("Ask the user to run it in their own terminal.")
                .report(&mut ui);
        }
    }
    log.follow(&service);
    let mut cx = Context {
        ui,
        service,
        hosts,
        log,
        exit: ExitCode::SUCCESS,
    };
    let told = if verb.tells_move { cx.tell_move() } else { Ok(()) };
    let ended = told.and_then(|()| (verb.run)(matches, &mut cx));
    let ended = with_picked(ended, args, &verb, &mut cx);
    let ended = ended.and_then(|()| Ok(cx.ui.flush()?));
    let code = match ended {
        Ok(()) => cx.exit,
        Err(error) => error.report(&mut cx.ui),
    };
    let _ = cx.ui.flush();
    cx.ui.end_page();
    code
}

/// Runs a command again, whose arguments have a name that no memory or several have, with the memory that the person picks in
/// its place.
fn with_picked(
    mut ended: Result<(), CommandError>,
    args: &[OsString],
    verb: &Verb,
    cx: &mut Context,
) -> Result<(), CommandError> {
    let mut args = args.to_vec();
    loop {
        let unclear = ended.as_ref().err().and_then(CommandError::unclear_name);
        let place = unclear.and_then(|name| Some((name, args.iter().rposition(|arg| arg == name)?)));
        let Some((name, place)) = place else { return ended };
        let store = cx.open()?;
        let Some(picked) = cx.picked(&store, Some(name), None)? else {
            return ended;
        };
        args[place] = picked.into();
        let matches = args::command().try_get_matches_from(&args);
        let matches = matches.map_err(|refusal| CommandError::refused(&refusal, None))?;
        let (_, matches) = matches.subcommand().expect("because it had one");
        ended = (verb.run)(matches, cx);
    }
}

/// The least of what the engine says that is shown on standard error.
fn tells(name: &str, matches: &ArgMatches, ui: &Ui) -> Level {
    match name {
        _ if ui.verbosity == Verbosity::Quiet => Level::ERROR,
        // An agent shows its user what a hook says there: the log has it. Of a pass the error says the same.
        "hook" | "complete" | "learn" | "reconcile" => Level::ERROR,
        "watch" if matches.get_flag("all") => Level::ERROR,
        // It stays, and says how it is doing.
        "watch" if ui.format == Format::Text => Level::INFO,
        _ => Level::WARN,
    }
}

/// Prints what clap has to say: help and version are answers, the rest are errors of usage.
fn answer(refusal: &clap::Error, args: &[OsString], ui: &mut Ui) -> ExitCode {
    match refusal.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let help = ui.color.adopt(&refusal.render());
            match ui.out.text(&help).and_then(|()| ui.flush()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => CommandError::from(error).report(ui),
            }
        }
        // Nothing was asked: the help is not an error, but neither is it what a script wanted.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = ui.err.text(&ui.err_color.adopt(&refusal.render()));
            ExitCode::from(2)
        }
        _ => CommandError::refused(refusal, args::verb(args).as_deref()).report(ui),
    }
}
