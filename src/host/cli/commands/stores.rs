//! `mdmem stores`

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Table, ago, shell_word};
use crate::service::{self, Linked, PRESENT, Run, Scope};

/// List the stores of this machine, or link this workspace to one of them
///
/// The workspace of a store may be present, away (perhaps on a disk that is not mounted) or gone; a store may be missing
/// from its place. By its name a store is reached from anywhere: `mdmem --store NAME`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem stores
  mdmem --store app list        what is in one of them
  mdmem stores link notes       this workspace has the store `notes` from now on
  mdmem stores link --new       this workspace, or this very folder, begins an empty one")]
pub(crate) struct StoresArgs {
    #[command(subcommand)]
    pub(crate) action: Option<StoresAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoresAction {
    /// List the stores, the last used first
    List,
    /// Give this workspace another store, or an empty one
    ///
    /// A repository that was moved finds its store by itself. A folder without one cannot be known again, and a copy begins
    /// with an empty store: for these, name the store that they shall have. The store that the workspace had until then keeps
    /// its memories and its name.
    Link(LinkArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    /// The name of a store, as `mdmem stores` shows it, its key, or the workspace that it had
    #[arg(value_name = "STORE", required_unless_present = "new")]
    name: Option<String>,

    /// Begin an empty store; in a folder of no repository, for this very folder
    #[arg(long, conflicts_with = "name")]
    new: bool,

    /// Say what would be done, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(args: &StoresArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.action {
        None | Some(StoresAction::List) => list(cx),
        Some(StoresAction::Link(args)) => link(args, cx),
    }
}

fn list(cx: &mut Context) -> Result<(), CommandError> {
    let stores = service::stores(&cx.service)?;
    let now = cx.now();
    cx.answer(&stores, |ui| {
        if stores.is_empty() {
            return ui.notice("no stores");
        }
        let mut table = Table::new(&["NAME", "STATE", "ACTIVITY", "WORKSPACE"], None);
        for store in &stores {
            let last = store.last_activity;
            // Of the global store a word for all workspaces.
            let nowhere = if store.state == PRESENT {
                "every workspace"
            } else {
                "-"
            };
            let workspace = store.workspace.as_ref();
            table.row(&[
                store.name.clone(),
                store.state.to_owned(),
                last.map_or_else(|| "-".to_owned(), |last| ago(last, now)),
                workspace.map_or_else(|| nowhere.to_owned(), |folder| folder.display().to_string()),
            ]);
        }
        ui.table(&table)
    })
}

#[derive(Serialize)]
struct Link<'a> {
    #[serde(flatten)]
    linked: &'a Linked,
    done: bool,
}

fn link(args: &LinkArgs, cx: &mut Context) -> Result<(), CommandError> {
    if cx.service.store.is_some() || cx.service.scope == Scope::Global {
        return Err(CommandError::misused(
            "a link is between the present workspace and a store, so neither --store nor --global can be given",
        ));
    }
    let run = Run::dry_if(args.dry_run);
    let linked = match &args.name {
        Some(name) => service::link(&cx.service, name, run)?,
        None => service::link_new(&cx.service, run)?,
    };
    let done = run == Run::Real;
    cx.answer(
        &Link {
            linked: &linked,
            done,
        },
        |ui| {
            let Linked {
                workspace,
                name,
                store,
                before,
            } = &linked;
            let (workspace, store) = (workspace.display(), store.display());
            let has = run.says("has", "would have");
            ui.line(&format!("{workspace} {has} the store `{name}` in {store}"))?;
            if let Some(before) = before {
                ui.notice(&format!(
                    "the store `{before}`, which it had, has no workspace then"
                ))?;
                let before = shell_word(before);
                ui.hint(&format!(
                    "`mdmem stores link {before}` gives it back; `mdmem --store {before} list` shows what is in it."
                ))?;
            }
            Ok(())
        },
    )
}
