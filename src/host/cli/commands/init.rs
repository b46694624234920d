//! `mdmem init`

use clap::{Args, ValueEnum};

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
