//! `mdmem completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::host::cli::args::Cli;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(mdmem completions bash)
  mdmem completions zsh > ~/.zfunc/_mdmem
  mdmem completions fish > ~/.config/fish/completions/mdmem.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mdmem", &mut script);
    Ok(cx.ui.out.bytes(&script)?)
}
