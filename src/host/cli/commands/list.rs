//! `mdmem list`

use clap::{Args, ValueEnum};

/// List the memories, strongest first
///
/// Without filters: all active memories, pinned ones first. Nothing is ever cut: what does not win a place in the
/// prompt is listed too, and `mdmem why` says why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem list --type decision
  mdmem list --all --sort created
  mdmem list --json | jq -r '.[].text'
  mdmem list --paths -0 | xargs -0 grep -l npm")]
pub(crate) struct ListArgs {
    /// Only these types
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kinds: Vec<String>,

    /// Only these zones
    #[arg(long = "zone", value_enum, value_name = "ZONE")]
    pub(crate) zones: Vec<ZoneArg>,

    /// Only memories in this status
    #[arg(long, value_enum, value_name = "STATUS")]
    pub(crate) status: Option<StatusArg>,

    /// Also superseded and archived memories
    #[arg(short, long)]
    pub(crate) all: bool,

    /// What comes first
    #[arg(short, long, value_enum, value_name = "ORDER", default_value_t)]
    pub(crate) sort: SortArg,

    /// Print paths alone, one a line
    #[arg(short = 'p', long, conflicts_with = "json")]
    pub(crate) paths: bool,

    /// End each path with a NUL byte instead of a line feed
    #[arg(short = '0', long = "null", requires = "paths")]
    pub(crate) null: bool,
}

/// How a memory is shown, by its first folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ZoneArg {
    /// system/: the whole body is in the prompt
    Pinned,
    /// A type's folder: one line each, by strength
    Ranked,
    /// Any other folder: listed in the tree
    Cold,
    /// archive/: kept, never rendered
    Archive,
}

/// `status:` of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusArg {
    Active,
    Superseded,
}

/// An order of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SortArg {
    /// The strongest first
    #[default]
    Strength,
    /// The newest first
    Created,
    /// The last changed first
    Updated,
    /// By path
    Path,
}
