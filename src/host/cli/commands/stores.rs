//! `mdmem stores`

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::host::cli::ui::{Table, ago, shell_word};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, Linked, PRESENT, Run, Scope};

/// List the stores of this machine, or link this workspace to one
///
/// The list says if a workspace or a store is unavailable, perhaps on an unmounted disk. `mdmem --store NAME`
/// works on any of them from anywhere.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem stores
  mdmem --store app list        what is in one of them
  mdmem stores link notes       use the store `notes` for this workspace
  mdmem stores link --new       create an empty store for this workspace or folder")]
pub(crate) struct StoresArgs {
    #[command(subcommand)]
    pub(crate) action: Option<StoresAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoresAction {
    /// List the stores, most recently used first
    List,
    /// Link this workspace to another store, or to an empty one
    ///
    /// A git repository that was moved finds its store. A moved folder without a repository does
    /// not, and a clone starts with an empty store: link these by hand. Clones of one repository can
    /// share a store. The workspace's previous store keeps its memories and its name.
    Link(LinkArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LinkArgs {
    /// The name of a store, as `mdmem stores` shows it, its key, or its previous workspace
    #[arg(value_name = "STORE", required_unless_present = "new")]
    name: Option<String>,

    /// Create an empty store; outside a repository, for this folder
    #[arg(long, conflicts_with = "name")]
    new: bool,

    /// Only show what would be done
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
            for clone in &store.clones {
                let empty = String::new;
                table.row(&[empty(), empty(), empty(), clone.display().to_string()]);
            }
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
            "`stores link` links the current workspace: it takes neither --store nor --global",
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
                shared_with,
                before_of,
            } = &linked;
            let (workspace, store) = (workspace.display(), store.display());
            let has = run.says("has", "would have");
            ui.line(&format!("{workspace} {has} the store `{name}` in {store}"))?;
            for other in shared_with {
                ui.line(&format!("shared with {}", other.display()))?;
            }
            if let Some(before) = before {
                ui.notice(&match before_of.first() {
                    Some(other) => {
                        let other = other.display();
                        format!("its previous store `{before}` stays the store of {other}")
                    }
                    None => format!("its previous store `{before}` has no workspace now"),
                })?;
                let before = shell_word(before);
                ui.hint(&format!(
                    "`mdmem stores link {before}` links it again; `mdmem --store {before} list` shows \
                     what is in it."
                ))?;
            }
            Ok(())
        },
    )
}
