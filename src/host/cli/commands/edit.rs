//! `mdmem edit`

use clap::Args;

/// Edit a memory in your editor
///
/// The editor is the setting `editor`, else $VISUAL, else $EDITOR, else vi. It gets a copy, which is checked when it
/// returns: what cannot be read as it stands is shown with line and mend, and can be edited again. If somebody saved
/// the memory meanwhile, nothing is overwritten: your text stays in the copy, and is named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem edit use-npm-cache
  EDITOR='code --wait' mdmem edit system/human.md")]
pub(crate) struct EditArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,
}
