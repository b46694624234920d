//! Use case: connect an agent with mdmem, or take that back (`mdmem init --with AGENT`).

mod agents;
mod edit;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::store::StoreError;

use super::{Context, Run, ServiceError};
use agents::{ConfigFile, UserFolder};
use file::ConfigPath;

pub(super) use agents::OPENCODE_PLUGIN;
pub use agents::{AGENTS, Agent};
pub use edit::{EditError, Setup};

/// For whom an agent is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallFor {
    /// For the workspace: files at its root.
    Workspace,
    /// For all workspaces of this user: the user's own files.
    User,
}

/// A file of an agent's configuration, before and after a set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The name of the agent.
    pub agent: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Its content before; `None` where there was no file.
    pub before: Option<Vec<u8>>,
    /// Its content now; `None` where there is no file.
    pub after: Option<Vec<u8>>,
    /// True for a file that is mdmem's as a whole, such as a plugin.
    pub is_whole: bool,
    /// The files beside it that keep what was in the place of mdmem's own: the new one, or, where that is taken back, all.
    pub kept: Vec<PathBuf>,
    /// The entries that somebody wrote otherwise, and that stay as they are.
    pub left: Vec<String>,
}

impl Installed {
    /// The effect on the file, as one word.
    pub fn change(&self) -> &'static str {
        match (&self.before, &self.after) {
            (before, after) if before == after => "same",
            (None, _) => "added",
            (_, None) => "removed",
            (Some(_), Some(_)) => "edited",
        }
    }
}

/// Connects agents, or takes that back; `Run::Dry` says what would be done. Nothing is written where one of the files
/// cannot be edited.
pub fn set_up(
    context: &Context,
    agents: &[&'static Agent],
    whom: InstallFor,
    setup: Setup,
    run: Run,
) -> Result<Vec<Installed>, ServiceError> {
    let mut plans = Vec::new();
    for agent in agents {
        for file in agent.files {
            let path = place(context, file, whom)?;
            let plan = path.plan(agent.name, file.entries, setup)?;
            plans.push((path, file.entries, plan));
        }
    }
    let carry_out = |(path, entries, plan): (ConfigPath, _, Installed)| match run {
        Run::Dry => Ok(plan),
        Run::Real => path.write(plan, entries, setup),
    };
    plans.into_iter().map(carry_out).collect()
}

fn place(context: &Context, file: &ConfigFile, whom: InstallFor) -> Result<ConfigPath, ServiceError> {
    match whom {
        InstallFor::Workspace => match context.place()?.workspace {
            Some(workspace) => ConfigPath::in_workspace(workspace.root(), Path::new(file.in_workspace)),
            None => Err(StoreError::NotAWorkspace {
                path: context.env.current_dir().to_owned(),
            }
            .into()),
        },
        InstallFor::User => {
            let (folder, below) = user_file(context, file)?;
            ConfigPath::of_user(&folder, &below)
        }
    }
}

/// The folder of the user's that a file belongs to, and the file's path in it.
fn user_file(context: &Context, file: &ConfigFile) -> Result<(PathBuf, PathBuf), ServiceError> {
    let (env, (folder, path)) = (&context.env, file.of_user);
    Ok(match folder {
        UserFolder::Home => (env.home()?, path.into()),
        UserFolder::Config => (env.config_home()?, path.into()),
        UserFolder::Named(variable, otherwise) => match env.var_os(variable) {
            Some(named) if !named.is_empty() => (env.current_dir().join(named), path.into()),
            _ => (env.home()?, Path::new(otherwise).join(path)),
        },
    })
}

/// The user's folder of OpenCode's configuration.
pub(super) fn opencode_folder(context: &Context) -> Result<PathBuf, ServiceError> {
    Ok(context.env.config_home()?.join("opencode"))
}
