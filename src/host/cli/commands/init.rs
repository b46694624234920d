//! `mdmem init`

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::host::cli::change_report::{creation_line, tell_rest};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::model::StorePath;
use crate::service::{
    self, Beginning, Creation, InstallFor, InstallState, Installed, Run, ServiceError, Store, StoreError,
};

/// Create the store of this workspace, and connect an agent to it
///
/// The store is a folder of its own, outside of the workspace; nothing is written into the workspace
/// unless --with asks for it. A store that is there already stays as it is; the place of one that is gone, such as on a
/// disk that is not mounted, is taken by a new one only with --new.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem init --starter                 and begin with two notes about you and your agent
  mdmem init                           create the store and say where it is
  mdmem init --with opencode --user    and write the plugin for all workspaces of this user
  mdmem init --with opencode           and write it for this workspace alone")]
pub(crate) struct InitArgs {
    /// Write the plugin of this agent
    #[arg(long = "with", value_enum, value_name = "AGENT")]
    pub(crate) with: Vec<Agent>,

    /// Begin an empty store in the place of one that is gone and will not come back
    #[arg(long)]
    pub(crate) new: bool,

    /// Begin with two notes to fill in: system/persona.md and system/human.md
    ///
    /// Both are pinned: their whole text is in every prompt. A memory that is there already stays as it is.
    #[arg(long)]
    pub(crate) starter: bool,

    /// Write the plugin into the user's config folder, for all workspaces and for the home folder
    #[arg(long, requires = "with")]
    pub(crate) user: bool,
}

/// An agent that has a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// OpenCode
    Opencode,
}

pub(crate) fn run(args: &InitArgs, cx: &mut Context) -> Result<(), CommandError> {
    let beginning = if args.new {
        Beginning::Anew
    } else {
        Beginning::Asked
    };
    let created = match service::create(&cx.service, beginning) {
        // The plugin of all workspaces needs no workspace here.
        Err(ServiceError::Store(StoreError::NotAWorkspace { .. })) if args.user => None,
        created => Some(created?),
    };
    let whom = if args.user {
        InstallFor::User
    } else {
        InstallFor::Workspace
    };
    let starter = match &created {
        Some((store, _)) if args.starter => Some(service::write_starter(store, Run::Real)?),
        _ => None,
    };
    let mut installed = Vec::new();
    for agent in &args.with {
        installed.push(match agent {
            Agent::Opencode => service::install_opencode(&cx.service, whom)?,
        });
    }
    if cx.ui.format == Format::Json {
        let (store, creation) = created.unzip();
        let place = store.as_ref().map(Store::place);
        let workspace = place.and_then(|place| place.workspace.as_ref());
        return Ok(cx.ui.json(&json!({
            "store": store.as_ref().map(|store| store.root().to_string_lossy()),
            "workspace": workspace.map(|workspace| workspace.root().to_string_lossy()),
            "plugins": installed.iter().map(|plugin| plugin.path.to_string_lossy()).collect::<Vec<_>>(),
            "starter": starter.as_ref().map(|(starter, _)| json!({
                "written": starter.written.iter().map(StorePath::as_str).collect::<Vec<_>>(),
                "kept": starter.kept.iter().map(StorePath::as_str).collect::<Vec<_>>(),
            })),
            "created": creation == Some(Creation::Created),
            "relinked_from": match &creation {
                Some(Creation::Relinked { from }) => Some(from.to_string_lossy()),
                _ => None,
            },
        }))?);
    }
    match &created {
        None => cx
            .ui
            .line("this folder is no workspace: the global memory is served here")?,
        Some((store, Creation::Existed)) => {
            let root = store.root().display();
            cx.ui.line(&format!("the store is there already: {root}"))?;
        }
        Some((store, creation)) => cx.ui.line(&creation_line(store, creation))?,
    }
    if let Some((starter, changed)) = &starter {
        for path in &starter.written {
            cx.ui
                .line(&format!("wrote {path}: fill it in with `mdmem edit {path}`"))?;
        }
        for path in &starter.kept {
            cx.ui.line(&format!("{path} is there already, and stays"))?;
        }
        changed
            .as_ref()
            .map_or(Ok(()), |changed| tell_rest(changed, &mut cx.ui))?;
    }
    for plugin in &installed {
        cx.ui.line(&plugin_line(plugin))?;
    }
    created.map_or(Ok(()), |(store, _)| cx.warn_of_settings(&store))
}

fn plugin_line(plugin: &Installed) -> String {
    let path = plugin.path.display();
    match &plugin.state {
        InstallState::Written => format!("wrote the plugin {path}"),
        InstallState::Same => format!("the plugin is there already: {path}"),
        InstallState::Updated { kept } => {
            format!("updated the plugin {path}; the one before is {}", kept.display())
        }
    }
}
