//! `mdmem config`

use clap::{Args, Subcommand};

/// Show every setting with its value and where it comes from, or change one
///
/// From weak to strong: the default, the user's file, the store's mdmem.toml, the environment, --set.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem config
  mdmem config get render.max_chars
  mdmem config set render.max_chars 5000
  mdmem config set --user editor \"code --wait\"
  MDMEM_RENDER__MAX_CHARS=2000 mdmem render")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Show every setting with its value and where it comes from
    List,
    /// Print the value of one setting
    Get {
        /// The setting, such as render.max_chars
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Set a value in the store's mdmem.toml, or in the user's file
    Set {
        /// The setting, such as render.max_chars
        #[arg(value_name = "KEY")]
        key: String,
        /// The value, as in TOML; a text needs no quotes
        #[arg(value_name = "VALUE")]
        value: String,
        /// In the user's file
        #[arg(long, conflicts_with = "store")]
        user: bool,
        /// In the store's mdmem.toml, which travels with the store [default]
        #[arg(long)]
        store: bool,
    },
}
