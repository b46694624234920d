//! `mdmem init`

use std::path::Path;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::store_made::creation_line;
use crate::host::cli::ui::{Format, harmless_line};
use crate::service::{self, Created, Creation, InstallFor, InstallState, Installed, Store};

/// Create the store of this workspace, and connect an agent to it
///
/// The store is a folder of its own, outside of the workspace; nothing is written into the workspace
/// unless --with asks for it. A store that is there already stays as it is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem init                       create the store and say where it is
  mdmem init --with opencode       and write the plugin to .opencode/plugin/
  mdmem init --with opencode --user    write it for all workspaces of this user")]
pub(crate) struct InitArgs {
    /// Write the plugin of this agent
    #[arg(long = "with", value_enum, value_name = "AGENT")]
    pub(crate) with: Vec<Agent>,

    /// Write the plugin into the user's config folder, not into the workspace
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
    let Created { store, creation } = service::create(&cx.service)?;
    let whom = if args.user {
        InstallFor::User
    } else {
        InstallFor::Workspace
    };
    let mut installed = Vec::new();
    for agent in &args.with {
        installed.push(match agent {
            Agent::Opencode => service::install_opencode(&cx.service, whom)?,
        });
    }
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&CreatedJson::new(&store, &creation, &installed))?);
    }
    match creation {
        Creation::Existed => {
            let root = harmless_line(&store.root().to_string_lossy());
            cx.ui.line(&format!("the store is there already: {root}"))?;
        }
        _ => cx.ui.line(&creation_line(&store, &creation))?,
    }
    for plugin in &installed {
        cx.ui.line(&plugin_line(plugin))?;
    }
    cx.warn_of_settings(&store)
}

fn plugin_line(plugin: &Installed) -> String {
    let path = harmless_line(&plugin.path.to_string_lossy());
    match &plugin.state {
        InstallState::Written => format!("wrote the plugin {path}"),
        InstallState::Same => format!("the plugin is there already: {path}"),
        InstallState::Updated { kept } => {
            format!(
                "updated the plugin {path}; the one before is {}",
                harmless_line(&kept.to_string_lossy())
            )
        }
    }
}

#[derive(Serialize)]
struct CreatedJson {
    store: String,
    workspace: Option<String>,
    created: bool,
    relinked_from: Option<String>,
    plugins: Vec<String>,
}

impl CreatedJson {
    fn new(store: &Store, creation: &Creation, installed: &[Installed]) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Self {
            store: text(store.root()),
            workspace: store
                .place()
                .workspace
                .as_ref()
                .map(|workspace| text(workspace.root())),
            plugins: installed.iter().map(|plugin| text(&plugin.path)).collect(),
            created: *creation == Creation::Created,
            relinked_from: match creation {
                Creation::Relinked { from } => Some(text(from)),
                Creation::Existed | Creation::Created => None,
            },
        }
    }
}
