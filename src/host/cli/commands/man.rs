//! `mdmem man`

use clap::{Args, CommandFactory};

use crate::host::cli::args::Cli;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem man | man -l -
  mdmem man add | man -l -
  mdmem man > ~/.local/share/man/man1/mdmem.1")]
pub(crate) struct ManArgs {
    /// The page of this command instead
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(args: &ManArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut whole = Cli::command();
    whole.build();
    let page = match &args.command {
        None => whole,
        Some(name) => whole.find_subcommand(name).cloned().ok_or_else(|| {
            CommandError::misused(format!("there is no command `{name}`"))
                .hint("`mdmem --help` lists the commands.")
        })?,
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    Ok(cx.ui.bytes(&roff)?)
}
