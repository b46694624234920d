//! `mdmem man`

use clap::{Args, Command, CommandFactory};

use crate::host::cli::args::Cli;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem man | man -l -
  mdmem man diag revert | man -l -
  mdmem man > ~/.local/share/man/man1/mdmem.1")]
pub(crate) struct ManArgs {
    /// The page of this command instead, such as `diag revert`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &ManArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut whole = Cli::command();
    whole.build();
    let mut page = &whole;
    // A page names the others as man does, `mdmem-diag-revert`.
    for name in args.command.iter().flat_map(|words| parts(&whole, words)) {
        page = page.find_subcommand(name).ok_or_else(|| {
            CommandError::misused(format!("there is no command `{}`", args.command.join(" ")))
                .hint("`mdmem --help` lists the commands.")
        })?;
    }
    let mut roff = Vec::new();
    clap_mangen::Man::new(page.clone())
        .source(concat!("mdmem ", env!("CARGO_PKG_VERSION")))
        .render(&mut roff)?;
    Ok(cx.ui.out.bytes(&roff)?)
}

/// A command by the name of its page, in words; anything else as it is.
fn parts<'a>(whole: &Command, name: &'a str) -> Vec<&'a str> {
    let name = name.strip_prefix("mdmem-").unwrap_or(name);
    match name.split_once('-') {
        Some((first, rest)) if whole.find_subcommand(first).is_some() => vec![first, rest],
        _ => vec![name],
    }
}
