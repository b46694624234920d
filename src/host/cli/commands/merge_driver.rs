//! `mdmem merge-driver`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::service::{self, FileMerge, MERGE_CONFLICT, MergeFiles, MergeRule};

/// Merge one file for git
///
/// git runs this for a file that both sides changed (`merge=mdmem` in the attributes of the store). Each key is merged by
/// its own rule, the text line by line; the result takes the place of OURS. Where both sides changed the same lines, the
/// later text stays in a `git merge` or `git pull`, and the next command that writes keeps the other one beside it
/// (`mdmem conflicts`). In a rebase or a cherry-pick both stand between git's markers, and the exit code is 3. After any
/// other failure OURS is as it was.
#[derive(Debug, Args)]
pub(crate) struct MergeDriverArgs {
    /// Merge the list of what was forgotten (`merge=mdmem-forgotten`): a set of lines
    #[arg(long)]
    pub(crate) forgotten: bool,
    /// The version that both sides began with (%O)
    pub(crate) base: PathBuf,
    /// Our version, and the result (%A)
    pub(crate) ours: PathBuf,
    /// Their version (%B)
    pub(crate) theirs: PathBuf,
    /// The path of the file in the store (%P)
    pub(crate) path: PathBuf,
}

pub(crate) fn run(args: &MergeDriverArgs, cx: &mut Context) -> Result<(), CommandError> {
    let files = MergeFiles {
        base: args.base.clone(),
        ours: args.ours.clone(),
        theirs: args.theirs.clone(),
        path: args.path.clone(),
        rule: if args.forgotten {
            MergeRule::Forgotten
        } else {
            MergeRule::Memory
        },
    };
    if service::merge_file(&cx.service, &files)? == FileMerge::Conflict {
        cx.exit = ExitCode::from(MERGE_CONFLICT);
    }
    Ok(())
}
