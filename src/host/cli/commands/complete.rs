//! `mdmem complete`

use std::path::{Path, PathBuf};

use clap::{Args, Command, FromArgMatches};
use clap_complete::Shell;

use crate::host::cli::args::{GlobalArgs, command};
use crate::host::cli::complete::{Typed, candidates, lines};
use crate::host::cli::context::{self, Context};
use crate::host::cli::report::CommandError;
use crate::service;

/// Say what may come next in a command line
///
/// Asked by the scripts of `mdmem completions`, not by people.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The shell that asks
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,

    /// The line up to the cursor
    #[arg(value_name = "LINE", allow_hyphen_values = true)]
    line: String,

    /// The signs that part words for the shell's completion alone
    #[arg(value_name = "BREAKS", allow_hyphen_values = true, default_value = "")]
    breaks: String,
}

pub(crate) fn run(args: &CompleteArgs, cx: &mut Context) -> Result<(), CommandError> {
    let typed = Typed::read(&args.line, &args.breaks);
    let mut program = command();
    program.build();
    let meant = meant(&program, &typed, &cx.service);
    let found = candidates(&program, &typed, meant.as_ref().unwrap_or(&cx.service));
    for line in lines(args.shell, found, &typed) {
        cx.ui.out.text(&(line + "\n"))?;
    }
    Ok(())
}

/// The context that the line asks for, by `-C` and `--global`; `None` where it cannot be told.
fn meant(program: &Command, typed: &Typed, given: &service::Context) -> Option<service::Context> {
    let program = program.clone().ignore_errors(true);
    let matches = program.try_get_matches_from(&typed.before).ok()?;
    let mut global = GlobalArgs::from_arg_matches(&matches).ok()?;
    global.directory = global.directory.map(|folder| without_tilde(&folder, given));
    context::service(&global, given.env.clone()).ok()
}

/// A shell that completes has not yet put the home in the place of `~`.
fn without_tilde(folder: &Path, context: &service::Context) -> PathBuf {
    match (folder.strip_prefix("~"), context.env.home()) {
        (Ok(below), Ok(home)) => home.join(below),
        _ => folder.to_owned(),
    }
}
