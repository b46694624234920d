//! `mdmem init`

use std::io;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::host::cli::change_report::{creation_line, tell_akin, tell_rest};
use crate::host::cli::ui::Ui;
use crate::host::cli::{CommandError, Context};
use crate::service::{
    self, AGENTS, Agent, Beginning, Creation, Done, FoundBy, Installed, OwnMemory, Run, ServiceError, Setup,
    Starter, Store, StoreError,
};
use crate::sys::shown_path;

/// Create the store of this workspace, and connect agents to it
///
/// The store is a folder of its own, outside the workspace; nothing is written into the workspace without
/// --with. An existing store is left as it is. If the store is unavailable, such as on an unmounted disk,
/// only --new replaces it.
///
/// --with adds mdmem to an agent's configuration, and shows the change. Everything else in its files stays,
/// and so does an entry for mdmem that somebody else wrote.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[command(after_help = "\
Examples:
  mdmem init                                  create the store and say where it is
  mdmem init --starter                        also create two notes about you and your agent
  mdmem init --with opencode --user           also connect OpenCode, in all workspaces of this user
  mdmem init --with claude-code --with zed    also connect two agents, in this workspace only
  mdmem init --with codex --dry-run           show what would be written
  mdmem init --with codex --undo              remove what was added
  mdmem init --with claude-code --own-memory off  and switch off Claude Code's own memory

Other clients are connected by hand: docs/agents.md")]
pub(crate) struct InitArgs {
    /// Connect this agent: write its plugin, or add mdmem to its configuration
    #[arg(long = "with", value_parser = agent(), value_name = "AGENT")]
    pub(crate) with: Vec<&'static Agent>,

    /// Create an empty store in place of one that is lost
    #[arg(long)]
    pub(crate) new: bool,

    /// Create two notes to fill in: system/persona.md and system/human.md
    ///
    /// Both are pinned: their whole text is in every prompt. They go into the folder of pinned notes
    /// (`hot_dir`). Existing memories stay as they are.
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    pub(crate) starter: bool,

    /// Connect it in the user's own files, for all workspaces
    #[arg(long, requires = "with")]
    pub(crate) user: bool,

    /// Keep Claude Code's own memory of this workspace in the store, or switch it off
    ///
    /// Without this it stays beside mdmem's: in ~/.claude, for Claude Code alone. The choice is written to
    /// .claude/settings.local.json, which is yours alone: keep it out of git.
    #[arg(long, requires = "with", conflicts_with = "undo", value_name = "WHERE")]
    pub(crate) own_memory: Option<OwnMemory>,

    /// Remove what --with added, unless it was edited; the store stays
    #[arg(long, requires = "with", conflicts_with = "new")]
    pub(crate) undo: bool,

    /// Only show what --with would change
    #[arg(short = 'n', long, requires = "with", conflicts_with = "new")]
    pub(crate) dry_run: bool,
}

fn agent() -> impl TypedValueParser<Value = &'static Agent> {
    let known = AGENTS
        .iter()
        .map(|agent| PossibleValue::new(agent.name).help(agent.title));
    PossibleValuesParser::new(known).map(|given| {
        let found = AGENTS.iter().find(|agent| agent.name == given);
        found.expect("because clap lets no other name through")
    })
}

/// What was made, and what was connected.
#[derive(Serialize)]
struct Initialized<'a> {
    store: Option<String>,
    name: Option<&'a str>,
    workspace: Option<String>,
    files: Vec<Installed>,
    next: Vec<&'static str>,
    starter: Option<&'a Starter>,
    created: bool,
    relinked_from: Option<String>,
}

pub(crate) fn run(args: &InitArgs, cx: &mut Context) -> Result<(), CommandError> {
    let setup = if args.undo {
        Setup::TakeBack
    } else {
        Setup::Connect
    };
    // An agent that cannot be connected is refused before a store is made for it.
    let set_up =
        |cx: &Context, run| service::set_up(&cx.service, &args.with, args.user, args.own_memory, setup, run);
    let planned = set_up(cx, Run::Dry)?;
    let made = if args.undo || args.dry_run {
        None
    } else {
        create(args, cx)?
    };
    let files = if args.dry_run {
        planned
    } else {
        set_up(cx, Run::Real)?
    };
    let is_changed = |agent: &&&Agent| {
        let mut of_it = files.iter().filter(|file| file.agent == agent.name);
        !args.undo && of_it.any(|file| file.change != "same")
    };
    let next = args
        .with
        .iter()
        .filter(is_changed)
        .map(|agent| agent.next)
        .collect();
    let starter = match &made {
        Some((store, _)) if args.starter => Some(service::write_starter(store, Run::Real)?),
        _ => None,
    };
    let place = made.as_ref().map(|(store, _)| store.place());
    let workspace = place.and_then(|place| place.workspace.as_ref());
    let answer = Initialized {
        store: place.map(|place| shown_path(&place.root)),
        name: place.map(|place| place.name.as_str()),
        workspace: workspace.map(|workspace| shown_path(workspace.root())),
        files,
        next,
        starter: starter.as_ref().map(|done| &done.answer),
        created: matches!(made, Some((_, Creation::Created))),
        relinked_from: match &made {
            Some((_, Creation::Relinked { from })) => Some(shown_path(from)),
            _ => None,
        },
    };
    cx.answer(&answer, |ui| {
        match &made {
            None if args.undo || args.dry_run => {}
            None => ui.line("not a workspace: the global memory is used here")?,
            Some((store, Creation::Existed)) => {
                let root = store.root().display();
                ui.line(&format!("the store already exists: {root}"))?;
                if let (FoundBy::Above { .. }, Some(workspace)) = (&store.place().found, &answer.workspace) {
                    ui.notice(&format!("it is the store of {workspace}"))?;
                    ui.hint("`mdmem stores link --new` creates one for this folder.")?;
                }
            }
            Some((store, creation)) => {
                ui.line(&creation_line(store, creation))?;
                tell_akin(store, creation, ui)?;
            }
        }
        if let Some(Done { answer, changed, .. }) = &starter {
            for path in &answer.written {
                ui.line(&format!("created {path}: fill it in with `mdmem edit {path}`"))?;
            }
            for path in &answer.kept {
                ui.line(&format!("{path} already exists"))?;
            }
            tell_rest(changed, ui)?;
        }
        answer.files.iter().try_for_each(|file| tell(file, args, ui))?;
        let is_news = |file: &Installed| file.agent == "claude-code" && file.change != "same";
        if args.own_memory.is_none() && !args.undo && answer.files.iter().any(is_news) {
            ui.hint(
                "Claude Code also keeps a memory of its own: `--own-memory store` puts it into this store, \
                 `--own-memory off` switches it off.",
            )?;
        }
        let next = answer.next.iter().filter(|_| !args.dry_run);
        next.into_iter()
            .try_for_each(|next| ui.line(&format!("next: {next}")))
    })?;
    made.map_or(Ok(()), |(store, _)| cx.warn_of_settings(&store))
}

fn create(args: &InitArgs, cx: &Context) -> Result<Option<(Store, Creation)>, CommandError> {
    let beginning = if args.new {
        Beginning::Anew
    } else {
        Beginning::Asked
    };
    match service::create(&cx.service, beginning) {
        // The user's own files need no workspace here.
        Err(ServiceError::Store(StoreError::NotAWorkspace { .. })) if args.user => Ok(None),
        created => Ok(Some(created?)),
    }
}

/// One line of what became of a file, and the change of one that has other things in it.
fn tell(file: &Installed, args: &InitArgs, ui: &mut Ui) -> io::Result<()> {
    let path = shown_path(&file.path);
    let run = Run::dry_if(args.dry_run);
    let verb = match file.change {
        "same" => "up to date:",
        "added" => run.says("wrote", "would write"),
        "removed" => run.says("removed", "would remove"),
        _ => run.says("changed", "would change"),
    };
    if file.change != "same" || file.left.is_empty() {
        ui.line(&format!("{verb} {path}"))?;
    }
    for kept in &file.kept {
        ui.line(&format!("the previous file was moved to {}", shown_path(kept)))?;
    }
    ui.diff(file.diff.as_deref().unwrap_or_default(), "")?;
    for left in &file.left {
        ui.line(&format!(
            "left {left} in {path} as it is: mdmem did not write it, or it was edited"
        ))?;
    }
    Ok(())
}
