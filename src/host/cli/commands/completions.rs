//! `mdmem completions`

use clap::Args;
use clap_complete::Shell;

use crate::host::cli::args::command;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;

/// Print the completions of a shell
///
/// In bash, zsh and fish also the names of memories, types, settings, revisions and stores.
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
    let script = match args.shell {
        Shell::Bash => include_bytes!("../../../../templates/completions/mdmem.bash").to_vec(),
        Shell::Zsh => include_bytes!("../../../../templates/completions/_mdmem").to_vec(),
        Shell::Fish => include_bytes!("../../../../templates/completions/mdmem.fish").to_vec(),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut command(), "mdmem", &mut script);
            script
        }
    };
    Ok(cx.ui.out.bytes(&script)?)
}
