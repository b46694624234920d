//! Use case: write the plugin of a host (`mdmem init --with opencode`).

use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::sys::{self, Replaced, SysError};

use super::{Context, ServiceError};

/// The plugin, as it is written: one self-contained file.
pub(super) const OPENCODE_PLUGIN: &str = include_str!("../../templates/opencode-plugin.ts");
const FILE: &str = "mdmem.ts";

/// For whom a plugin is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallFor {
    /// For the workspace: `.opencode/plugin/` at its root.
    Workspace,
    /// For all workspaces of this user: the user's config folder.
    User,
}

/// A host's plugin that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The file.
    pub path: PathBuf,
    /// Its state: new, changed, or the same already.
    pub state: InstallState,
}

/// The state of an installed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallState {
    /// It was written for the first time.
    Written,
    /// Another text was there, and is kept beside it.
    Updated {
        /// The file that holds the other text now.
        kept: PathBuf,
    },
    /// It is as it was.
    Same,
}

/// Writes the plugin of OpenCode.
pub fn install_opencode(context: &Context, whom: InstallFor) -> Result<Installed, ServiceError> {
    let folder = plugin_folder(context, whom)?;
    std::fs::create_dir_all(&folder).map_err(|error| SysError::io("create the folder", &folder, error))?;
    let path = folder.join(FILE);
    let before = std::fs::read(&path).ok();
    let kept = match &before {
        Some(before) if before != OPENCODE_PLUGIN.as_bytes() => {
            // A name that no host loads, so that what somebody changed in the plugin is not lost.
            let kept = path.with_extension("ts.old");
            sys::write_durable(&kept, before)?;
            Some(kept)
        }
        _ => None,
    };
    let state = match (sys::write_durable(&path, OPENCODE_PLUGIN.as_bytes())?, kept) {
        (Replaced::Same, _) => InstallState::Same,
        (Replaced::Written, Some(kept)) => InstallState::Updated { kept },
        (Replaced::Written, None) => InstallState::Written,
    };
    Ok(Installed { path, state })
}

fn plugin_folder(context: &Context, whom: InstallFor) -> Result<PathBuf, ServiceError> {
    match whom {
        InstallFor::Workspace => match context.place()?.workspace {
            Some(workspace) => Ok(workspace.root().join(".opencode/plugin")),
            None => Err(StoreError::NotAWorkspace {
                path: context.env.current_dir().to_owned(),
            }
            .into()),
        },
        InstallFor::User => Ok(user_folder(context)?.join("plugin")),
    }
}

/// The user's folder of OpenCode's configuration.
pub(super) fn user_folder(context: &Context) -> Result<PathBuf, ServiceError> {
    let file = context.env.config_file()?;
    let config = file.ancestors().nth(2).map(Path::to_owned).unwrap_or_default();
    Ok(config.join("opencode"))
}
