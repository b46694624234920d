//! Use case: connect an agent with mdmem, or take that back (`mdmem init --with AGENT`).

mod agents;
mod edit;
mod file;
mod own_memory;
mod record;
#[cfg(test)]
mod tests;
mod yaml;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::store::{INDEX, StoreError};
use crate::sys::{lossy, lossy_all, shown_path};

use super::{Context, Run, ServiceError};
use agents::{ConfigFile, INDEX_LINE, UserFolder};
use edit::Entry;
use file::ConfigPath;
use record::Record;

pub(super) use agents::OPENCODE_PLUGIN;
pub use agents::{AGENTS, Agent};
pub use edit::{EditError, Setup};
pub use own_memory::OwnMemory;

/// A file of an agent's configuration, before and after a set-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// The name of the agent.
    pub agent: &'static str,
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// The effect on the file: `same`, `added`, `removed` or `edited`.
    pub change: &'static str,
    /// The change line by line; `None` for a file that is mdmem's as a whole, such as a plugin.
    pub diff: Option<String>,
    /// The entries that somebody wrote otherwise, and that stay as they are.
    pub left: Vec<String>,
    /// The files beside it that keep what was in the place of mdmem's own: the new one, or, where that is taken back, all.
    #[serde(serialize_with = "lossy_all")]
    pub kept: Vec<PathBuf>,
    /// Its content before; `None` where there was no file.
    #[serde(skip)]
    before: Option<Vec<u8>>,
    /// The same without what an earlier set-up did to it, as far as that is known.
    #[serde(skip)]
    base: Option<Vec<u8>>,
    /// Its content now; `None` where there is no file.
    #[serde(skip)]
    after: Option<Vec<u8>>,
}

/// A file, and what mdmem puts into it.
type Place = (ConfigPath, Cow<'static, [Entry]>);

/// Connects agents in this workspace, or for all workspaces of the user, or takes that back; `Run::Dry` says what would
/// be done. Nothing is written where one of the files cannot be edited. `own_memory` is for Claude Code alone, and for
/// this workspace.
pub fn set_up(
    context: &Context,
    agents: &[&'static Agent],
    for_user: bool,
    own_memory: Option<OwnMemory>,
    setup: Setup,
    run: Run,
) -> Result<Vec<Installed>, ServiceError> {
    let is_claude_code = |agent: &&Agent| agent.name == own_memory::AGENT;
    if own_memory.is_some() && !agents.iter().copied().any(|agent| is_claude_code(&agent)) {
        return Err(ServiceError::said(
            "only Claude Code has a memory of its own to set",
            "Add `--with claude-code`.",
        ));
    }
    let mut plans = Vec::new();
    for agent in agents {
        let mut places = Vec::new();
        for file in agent.files {
            let path = place(context, file, for_user)?.map(|path| recorded(context, agent, path));
            if let Some(path) = path {
                places.push((path, entries(context, file)?));
            }
        }
        if places.is_empty() {
            return Err(only_elsewhere(agent, for_user));
        }
        if is_claude_code(agent) {
            places.extend(place_of_own_memory(context, agent, own_memory, setup)?);
        }
        for (path, entries) in places {
            let plan = path.plan(agent.name, &entries, setup)?;
            plans.push(((path, entries), plan));
        }
    }
    let carry_out = |((path, entries), plan): (Place, Installed)| match run {
        Run::Dry => Ok(plan),
        Run::Real => path.write(plan, &entries, setup),
    };
    plans.into_iter().map(carry_out).collect()
}

/// The entries of a file, with the path of this workspace's index.
fn entries(context: &Context, file: &ConfigFile) -> Result<Cow<'static, [Entry]>, ServiceError> {
    let [Entry::Below(key, lines)] = file.entries else {
        return Ok(Cow::Borrowed(file.entries));
    };
    if *lines != INDEX_LINE {
        return Ok(Cow::Borrowed(file.entries));
    }
    let index = context.place()?.root.join(INDEX);
    let line = format!("- {}", json!(index.to_string_lossy()));
    Ok(Cow::Owned(vec![Entry::Below(key, Cow::Owned(line))]))
}

/// The file for Claude Code's own memory and its entries, where something is chosen or to be taken back.
fn place_of_own_memory(
    context: &Context,
    agent: &Agent,
    choice: Option<OwnMemory>,
    setup: Setup,
) -> Result<Option<Place>, ServiceError> {
    let place = match (choice, setup) {
        (None, Setup::Connect) => return Ok(None),
        (None, Setup::TakeBack) => context.place().ok(),
        (Some(_), _) => Some(context.place()?),
    };
    let Some((root, workspace)) = place.and_then(|place| Some((place.root, place.workspace?))) else {
        return choice.map_or(Ok(None), |_| Err(not_a_workspace(context)));
    };
    let path = ConfigPath::in_workspace(workspace.root(), own_memory::FILE.as_ref())?;
    let path = recorded(context, agent, path);
    if choice.is_none() && !path.has_record() {
        return Ok(None);
    }
    let entries = own_memory::entries(choice, &root, setup).ok_or_else(|| {
        let path = shown_path(&root);
        ServiceError::said(
            format!("{path}: the path is not UTF-8, so Claude Code cannot be told it"),
            "Move the store, or use `--own-memory off`.",
        )
    })?;
    Ok(Some((path, Cow::Owned(entries))))
}

fn recorded(context: &Context, agent: &Agent, path: ConfigPath) -> ConfigPath {
    let state = context.env.state_home().ok();
    let record = state.map(|state| Record::of(&state, agent.name, path.real()));
    path.with_record(record)
}

fn not_a_workspace(context: &Context) -> ServiceError {
    let path = context.env.current_dir().to_owned();
    StoreError::NotAWorkspace { path }.into()
}

fn only_elsewhere(agent: &Agent, for_user: bool) -> ServiceError {
    let (title, name) = (agent.title, agent.name);
    if for_user {
        ServiceError::said(
            format!("{title} has no file for all workspaces"),
            format!("Run `mdmem init --with {name}` in a workspace."),
        )
    } else {
        ServiceError::said(
            format!("{title} has no file for one workspace"),
            format!("Run `mdmem init --with {name} --user`."),
        )
    }
}

/// The place of a file; `None` for one that is not there for the user, or not for a workspace.
fn place(context: &Context, file: &ConfigFile, for_user: bool) -> Result<Option<ConfigPath>, ServiceError> {
    let env = &context.env;
    if !for_user {
        let Some(path) = file.in_workspace.map(Path::new) else {
            return Ok(None);
        };
        return match context.place()?.workspace {
            Some(workspace) => ConfigPath::in_workspace(workspace.root(), path).map(Some),
            None => Err(not_a_workspace(context)),
        };
    }
    let Some((folder, path)) = file.of_user else {
        return Ok(None);
    };
    let found = match folder {
        UserFolder::Home => ConfigPath::of_user(&env.home()?, path.as_ref()),
        UserFolder::Config => ConfigPath::of_user(&env.config_home()?, path.as_ref()),
        UserFolder::Named(variable, otherwise) => match env.var_os(variable) {
            Some(named) if !named.is_empty() => {
                ConfigPath::of_user(&env.current_dir().join(named), path.as_ref())
            }
            _ => ConfigPath::of_user(&env.home()?, &Path::new(otherwise).join(path)),
        },
    };
    found.map(Some)
}

/// The places of OpenCode's plugin: the user's, and the workspace's, where this is one.
pub(super) fn opencode_plugins(context: &Context) -> Vec<PathBuf> {
    let [file] = AGENTS[0].files else {
        return Vec::new();
    };
    let user = context
        .env
        .config_home()
        .ok()
        .zip(file.of_user)
        .map(|(folder, (_, path))| folder.join(path));
    let workspace = context.place().ok().and_then(|place| place.workspace);
    let workspace = workspace.zip(file.in_workspace);
    let workspace = workspace.map(|(workspace, path)| workspace.root().join(path));
    user.into_iter().chain(workspace).collect()
}
