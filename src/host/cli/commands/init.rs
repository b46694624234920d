//! `mdmem init`

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};

use crate::host::cli::change_report::{creation_line, tell_akin, tell_rest};
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::Format;
use crate::service::{
    self, AGENTS, Agent, Beginning, Creation, Done, FileDifference, FoundBy, InstallFor, Installed, Run,
    ServiceError, Setup, Store, StoreError,
};
use crate::sys::shown_path;

/// Create the store of this workspace, and connect agents to it
///
/// The store is a folder of its own, outside of the workspace; nothing is written into the workspace
/// unless --with asks for it. A store that is there already stays as it is; the place of one that is gone, such as on a
/// disk that is not mounted, is taken by a new one only with --new.
///
/// --with adds mdmem to the configuration of an agent, and shows the change. Everything else in its files stays as it
/// is, and so does an entry of mdmem's that somebody wrote otherwise.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[command(after_help = "\
Examples:
  mdmem init                                  create the store and say where it is
  mdmem init --starter                        and begin with two notes about you and your agent
  mdmem init --with opencode --user           and connect OpenCode, for all workspaces of this user
  mdmem init --with claude-code --with zed    and connect two agents, for this workspace alone
  mdmem init --with codex --dry-run           show what would be written
  mdmem init --with codex --undo              take out what was added")]
pub(crate) struct InitArgs {
    /// Connect this agent: write its plugin, or add mdmem to its configuration
    #[arg(long = "with", value_parser = agent(), value_name = "AGENT")]
    pub(crate) with: Vec<&'static Agent>,

    /// Begin an empty store in the place of one that is gone and will not come back
    #[arg(long)]
    pub(crate) new: bool,

    /// Begin with two notes to fill in: system/persona.md and system/human.md
    ///
    /// Both are pinned: their whole text is in every prompt. They go where the store has its pinned notes (`hot_dir`). A memory that is there already stays as it is.
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    pub(crate) starter: bool,

    /// Connect it in the user's own files, for all workspaces and for the home folder
    #[arg(long, requires = "with")]
    pub(crate) user: bool,

    /// Take out what --with added, as far as it is as mdmem wrote it; the store stays
    #[arg(long, requires = "with", conflicts_with = "new")]
    pub(crate) undo: bool,

    /// Show what --with would change, and change nothing
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

pub(crate) fn run(args: &InitArgs, cx: &mut Context) -> Result<(), CommandError> {
    let whom = if args.user {
        InstallFor::User
    } else {
        InstallFor::Workspace
    };
    let setup = if args.undo {
        Setup::TakeBack
    } else {
        Setup::Connect
    };
    // An agent that cannot be connected is refused before a store is made for it.
    let planned = service::set_up(&cx.service, &args.with, whom, setup, Run::Dry)?;
    let created = if args.undo || args.dry_run {
        None
    } else {
        create(args, cx)?
    };
    let installed = if args.dry_run {
        planned
    } else {
        service::set_up(&cx.service, &args.with, whom, setup, Run::Real)?
    };
    let next = |agent: &&&Agent| {
        let is_changed = |file: &Installed| file.agent == agent.name && file.change() != "same";
        setup == Setup::Connect && installed.iter().any(is_changed)
    };
    let next: Vec<&str> = args.with.iter().filter(next).map(|agent| agent.next).collect();
    let starter = match &created {
        Some((store, _)) if args.starter => Some(service::write_starter(store, Run::Real)?),
        _ => None,
    };
    if cx.ui.format == Format::Json {
        let (store, creation) = created.unzip();
        let place = store.as_ref().map(Store::place);
        let workspace = place.and_then(|place| place.workspace.as_ref());
        return Ok(cx.ui.json(&json!({
            "store": store.as_ref().map(|store| store.root().to_string_lossy()),
            "name": place.map(|place| place.name.as_str()),
            "workspace": workspace.map(|workspace| workspace.root().to_string_lossy()),
            "files": installed.iter().map(file_json).collect::<Vec<_>>(),
            "next": next,
            "starter": starter.as_ref().map(|done| &done.answer),
            "created": creation == Some(Creation::Created),
            "relinked_from": match &creation {
                Some(Creation::Relinked { from }) => Some(from.to_string_lossy()),
                _ => None,
            },
        }))?);
    }
    match &created {
        None if args.undo || args.dry_run => {}
        None => cx
            .ui
            .line("this folder is no workspace: the global memory is served here")?,
        Some((store, Creation::Existed)) => {
            let root = store.root().display();
            cx.ui.line(&format!("the store is there already: {root}"))?;
            if let (FoundBy::Above { .. }, Some(workspace)) = (&store.place().found, &store.place().workspace)
            {
                let workspace = workspace.root().display();
                cx.ui.notice(&format!("it is the store of {workspace}"))?;
                cx.ui
                    .hint("`mdmem stores link --new` gives this folder one of its own.")?;
            }
        }
        Some((store, creation)) => {
            cx.ui.line(&creation_line(store, creation))?;
            tell_akin(store, creation, &mut cx.ui)?;
        }
    }
    if let Some(Done {
        answer: starter,
        changed,
        ..
    }) = &starter
    {
        for path in &starter.written {
            cx.ui
                .line(&format!("wrote {path}: fill it in with `mdmem edit {path}`"))?;
        }
        for path in &starter.kept {
            cx.ui.line(&format!("{path} is there already, and stays"))?;
        }
        tell_rest(changed, &mut cx.ui)?;
    }
    for file in &installed {
        tell(file, args, cx)?;
    }
    if !args.dry_run {
        next.iter()
            .try_for_each(|next| cx.ui.line(&format!("next: {next}")))?;
    }
    created.map_or(Ok(()), |(store, _)| cx.warn_of_settings(&store))
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
fn tell(file: &Installed, args: &InitArgs, cx: &mut Context) -> Result<(), CommandError> {
    let path = shown_path(&file.path);
    let what = if file.is_whole { "the plugin " } else { "" };
    let would = if args.dry_run { "would " } else { "" };
    let verb = |done, to_do| if args.dry_run { to_do } else { done };
    let line = match (file.change(), file.kept.first()) {
        ("same", _) if !file.left.is_empty() => None,
        ("same", _) if args.undo => Some(format!("nothing of mdmem's is in {path}")),
        ("same", _) if file.is_whole => Some(format!("the plugin is there already: {path}")),
        ("same", _) => Some(format!("nothing to change in {path}")),
        ("added", _) => Some(format!("{would}{} {what}{path}", verb("wrote", "write"))),
        ("removed", _) => Some(format!("{would}{} {what}{path}", verb("removed", "remove"))),
        (_, Some(kept)) => Some(format!(
            "{would}{} {what}{path}; the one before is {}",
            verb("updated", "update"),
            shown_path(kept)
        )),
        _ => Some(format!("{would}{} {path}", verb("changed", "change"))),
    };
    if let Some(line) = line {
        cx.ui.line(&line)?;
    }
    for kept in file.kept.iter().filter(|_| args.undo) {
        let kept = shown_path(kept);
        cx.ui
            .line(&format!("what was in its place before is in {kept}"))?;
    }
    if !file.is_whole {
        cx.ui.diff(&diff(file), "")?;
    }
    for left in &file.left {
        cx.ui.line(&format!(
            "left {left} as it is, because mdmem did not write it so: {path}"
        ))?;
    }
    Ok(())
}

fn diff(file: &Installed) -> String {
    let path = shown_path(&file.path).trim_start_matches('/').to_owned();
    let side = |bytes: &Option<Vec<u8>>| Some((path.clone(), bytes.clone()?));
    FileDifference::of(side(&file.before), side(&file.after)).diff
}

fn file_json(file: &Installed) -> Value {
    json!({
        "agent": file.agent,
        "path": file.path.to_string_lossy(),
        "change": file.change(),
        "diff": if file.is_whole { None } else { Some(diff(file)) },
        "left": file.left,
        "kept": file.kept.iter().map(|kept| kept.to_string_lossy()).collect::<Vec<_>>(),
    })
}
