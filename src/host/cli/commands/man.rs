//! `mdmem man`

use std::io;

use clap::{Args, Command};
use clap_mangen::roff::{Roff, roman};

use crate::host::cli::args::command;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem man | man -l -
  mdmem man stores link | man -l -
  mdmem man > ~/.local/share/man/man1/mdmem.1")]
pub(crate) struct ManArgs {
    /// The page of this command instead, such as `stores link`
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: &ManArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut whole = command();
    whole.build();
    let mut page = &whole;
    // A page names the others as man does, `mdmem-diag-revert`.
    for name in args.command.iter().flat_map(|words| parts(&whole, words)) {
        page = page.find_subcommand(name).ok_or_else(|| {
            CommandError::misused(format!("there is no command `{}`", args.command.join(" ")))
                .hint("`mdmem --help` lists the commands.")
        })?;
    }
    let after = page.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (examples, rest) = parted(&after);
    let mut roff = Vec::new();
    clap_mangen::Man::new(page.clone().after_help(rest.to_owned()))
        .source(concat!("mdmem ", env!("CARGO_PKG_VERSION")))
        .render(&mut roff)?;
    write_examples(examples, &mut roff)?;
    Ok(cx.ui.out.bytes(&roff)?)
}

/// The examples at the end of a help, and the paragraphs after them.
fn parted(after: &str) -> (&str, &str) {
    let (examples, rest) = after.split_once("\n\n").unwrap_or((after, ""));
    examples
        .strip_prefix("Examples:\n")
        .map_or(("", after), |examples| (examples, rest))
}

/// Lines that are not filled: each example stays as it would be typed.
fn write_examples(examples: &str, to: &mut Vec<u8>) -> io::Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in examples.lines() {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section.to_writer(to)
}

/// A command by the name of its page, in words; anything else as it is.
fn parts<'a>(whole: &Command, name: &'a str) -> Vec<&'a str> {
    let name = name.strip_prefix("mdmem-").unwrap_or(name);
    match name.split_once('-') {
        Some((first, rest)) if whole.find_subcommand(first).is_some() => vec![first, rest],
        _ => vec![name],
    }
}
