//! `mdmem export`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::service::{self, ExportForm, ExportRequest, Exported, FileState, Run, ServiceError};

/// Write the memories for other tools
///
/// Nothing in the store changes. A file that holds what looks like a credential stays behind, and is named. A file that is
/// there and says something else stays, unless --overwrite is given; beside the block in AGENTS.md every byte stays.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem export --to json memories.json        everything, for another store
  mdmem export --to markdown > memory.md      one file for people
  mdmem export --to basic-memory ~/notes/mdmem
  mdmem export --to agents                    a block in the workspace's AGENTS.md
  mdmem export --to agents CLAUDE.md --dry-run")]
pub(crate) struct ExportArgs {
    /// The form
    #[arg(long, value_name = "FORM")]
    pub(crate) to: ExportForm,

    /// The file or folder [default: standard output, as for `-`; for agents AGENTS.md in the workspace]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// Write over a file, or a block, that says something else
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Say what would be written, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ExportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let request = ExportRequest {
        form: args.to,
        path: args.path.clone(),
        overwrite: args.overwrite,
        run: if args.dry_run { Run::Dry } else { Run::Real },
    };
    let done = service::export(&cx.service, &store, &request)?;
    if cx.ui.format == Format::Json {
        let mut form = json!(done);
        form["dry_run"] = args.dry_run.into();
        cx.ui.json(&form)?;
    } else {
        tell(&done, args, cx)?;
    }
    match count(&done, FileState::Kept) {
        0 => Ok(()),
        kept => {
            let kept = counted(kept, "file");
            let what = format!("not written: {kept} (`--overwrite` writes over what is there)");
            Err(ServiceError::said(what, "Name another file.").into())
        }
    }
}

fn count(done: &Exported, state: FileState) -> usize {
    done.files.iter().filter(|file| file.outcome == state).count()
}

fn tell(done: &Exported, args: &ExportArgs, cx: &mut Context) -> Result<(), CommandError> {
    if let Some(text) = done.text.as_ref().filter(|_| !args.dry_run) {
        cx.ui.text_of_file(text.as_bytes())?;
    }
    for left in &done.left_behind {
        cx.ui
            .warning(&format!("{} stays behind: {}", left.path, left.reason))?;
    }
    for file in done.files.iter().filter(|file| file.outcome == FileState::Kept) {
        cx.ui.warning(&format!(
            "{} is there already, and says something else: it stays",
            file.path
        ))?;
    }
    let verb = if args.dry_run { "would export" } else { "exported" };
    let memories = if done.memories == 1 { "memory" } else { "memories" };
    let told = |state, words: &dyn Fn(String) -> String| match count(done, state) {
        0 => String::new(),
        files => words(counted(files, "file")),
    };
    let written = told(FileState::Written, &|files| format!(" into {files}"));
    let unchanged = told(FileState::Unchanged, &|files| format!("; {files} unchanged"));
    Ok(cx.ui.notice(&format!(
        "{verb} {} {memories}{written}{unchanged}",
        done.memories
    ))?)
}
