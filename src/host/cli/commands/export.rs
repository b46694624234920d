//! `mdmem export`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::host::cli::ui::{Format, counted};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, ExportForm, ExportRequest, Exported, FileState, Run, ServiceError};

/// Export memories for other tools
///
/// The store is not changed. Files with a suspected secret are left out, and named. An existing file is not
/// overwritten without --overwrite; in AGENTS.md only mdmem's own block changes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem export --to json memories.json        everything, for another store
  mdmem export --to markdown > memory.md      one file for people
  mdmem export --to basic-memory ~/notes/mdmem
  mdmem export --to agents                    a block in the workspace's AGENTS.md
  mdmem export --to agents CLAUDE.md --dry-run")]
pub(crate) struct ExportArgs {
    /// The format
    #[arg(long, value_name = "FORM")]
    pub(crate) to: ExportForm,

    /// The file or folder [default: standard output, as for `-`; for agents AGENTS.md in the workspace]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// With `--to agents`: also memories of the type `user`, which say who you are
    #[arg(long)]
    pub(crate) with_user: bool,

    /// Overwrite files and blocks with other content
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Only show what would be written
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &ExportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let request = ExportRequest {
        form: args.to,
        path: args.path.clone(),
        with_user: args.with_user,
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
            let what = format!("not written: {kept} (already there; `--overwrite` replaces it)");
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
            .warning(&format!("not exported: {}: {}", left.path, left.reason))?;
    }
    for file in done.files.iter().filter(|file| file.outcome == FileState::Kept) {
        cx.ui.warning(&format!(
            "not overwritten: {} exists, with other content",
            file.path
        ))?;
    }
    if count(done, FileState::Kept) == done.files.len() && !done.files.is_empty() {
        return Ok(());
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
