//! `mdmem export`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::host::cli::args::one_of;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::service::{
    self, ExportError, ExportForm, ExportRequest, Exported, FileState, Overwrite, Run, ServiceError,
};

/// Write the memories for other tools
///
/// Nothing in the store changes. A file that holds what looks like a credential stays behind, and is named. A file that is
/// no export of mdmem's is never written over, but for the block in AGENTS.md, beside which every byte stays.
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
    #[arg(long, value_parser = one_of(FORMS), value_name = "FORM")]
    pub(crate) to: ExportForm,

    /// The file or folder [default: standard output, as for `-`; for agents AGENTS.md in the workspace]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,

    /// Write over an export that was edited since
    #[arg(long)]
    pub(crate) overwrite_edited: bool,

    /// Say what would be written, and write nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

const FORMS: &[(&str, &str, ExportForm)] = &[
    (
        "json",
        "mdmem's own form, complete: import reads it",
        ExportForm::Json,
    ),
    ("markdown", "One file for people", ExportForm::Markdown),
    (
        "basic-memory",
        "A folder for basic-memory",
        ExportForm::BasicMemory,
    ),
    ("agents", "A block in AGENTS.md", ExportForm::Agents),
];

pub(crate) fn run(args: &ExportArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let request = ExportRequest {
        form: args.to,
        path: args.path.clone(),
        overwrite: if args.overwrite_edited {
            Overwrite::Edited
        } else {
            Overwrite::Never
        },
        run: if args.dry_run { Run::Dry } else { Run::Real },
    };
    let done = service::export(&cx.service, &store, &request)?;
    if cx.ui.format == Format::Json {
        cx.ui.json(&json!({
            "dry_run": args.dry_run,
            "memories": done.memories,
            "files": done.files.iter().map(|file| json!({
                "path": file.path.to_string_lossy(),
                "outcome": file.state.as_str(),
            })).collect::<Vec<_>>(),
            "left_behind": done.behind.iter().map(|left| json!({
                "path": left.path.as_str(),
                "reason": left.reason,
            })).collect::<Vec<_>>(),
            "text": done.text,
        }))?;
    } else {
        tell(&done, args, cx)?;
    }
    match count(&done, FileState::Kept) {
        0 => Ok(()),
        kept => Err(ServiceError::from(ExportError::Kept(kept)).into()),
    }
}

fn count(done: &Exported, state: FileState) -> usize {
    done.files.iter().filter(|file| file.state == state).count()
}

fn tell(done: &Exported, args: &ExportArgs, cx: &mut Context) -> Result<(), CommandError> {
    if let Some(text) = done.text.as_ref().filter(|_| !args.dry_run) {
        cx.ui.text_of_file(text.as_bytes())?;
    }
    for left in &done.behind {
        cx.ui
            .warning(&format!("{} stays behind: {}", left.path.as_str(), left.reason))?;
    }
    for file in done.files.iter().filter(|file| file.state == FileState::Kept) {
        cx.ui.warning(&format!(
            "{} was edited since, or is no export: it stays",
            file.path.display()
        ))?;
    }
    let verb = if args.dry_run { "would export" } else { "exported" };
    let memories = if done.memories == 1 { "memory" } else { "memories" };
    let same = count(done, FileState::Same);
    let unchanged = if same == 0 {
        String::new()
    } else {
        format!("; {} unchanged", counted(same, "file"))
    };
    let written = match count(done, FileState::Written) {
        0 => String::new(),
        written => format!(" into {}", counted(written, "file")),
    };
    Ok(cx.ui.notice(&format!(
        "{verb} {} {memories}{written}{unchanged}",
        done.memories
    ))?)
}
