//! `mdmem man`

use clap::Args;
use clap_mangen::roff::{Roff, roman};

use crate::host::cli::args::command;
use crate::host::cli::{CommandError, Context};

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem man | man -l -
  mdmem man stores link | man -l -
  mdmem man > ~/.local/share/man/man1/mdmem.1")]
pub(crate) struct ManArgs {
    /// The page of this command, such as `stores link`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &ManArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut whole = command();
    whole.build();
    let mut page = &whole;
    // A page names the others as man does, `mdmem-stores-link`.
    let names = args.command.iter().flat_map(|words| words.split(['-', ' ']));
    for name in names.filter(|name| *name != "mdmem") {
        page = page.find_subcommand(name).ok_or_else(|| {
            CommandError::misused(format!("unknown command `{}`", args.command.join(" ")))
                .hint("`mdmem --help` lists the commands and topics.")
        })?;
    }
    let after = page.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, rest) = after.split_once("\n\n").unwrap_or((&after, ""));
    let mut bytes = Vec::new();
    clap_mangen::Man::new(page.clone().after_help(rest.to_owned()))
        .source(concat!("mdmem ", env!("CARGO_PKG_VERSION")))
        .render(&mut bytes)?;
    // Each example stays as it would be typed.
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in examples.lines().skip(1) {
        roff.text([roman(line)]);
    }
    roff.control("fi", []).to_writer(&mut bytes)?;
    Ok(cx.ui.out.bytes(&bytes)?)
}
