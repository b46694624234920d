//! `mdmem undo`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::change_report::{print_files, tell_rest, tell_unchanged};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::json::{with_commit, with_left_out};
use crate::service::{self, ChangedFile, LeftLines, Run, UndoneChange};

/// Take back the last change, or an older one
///
/// A change is taken back line by line: what was changed again since stays, and is named. Without a revision, again goes
/// one further; a change of which nothing can be taken back is stepped past and named. An undo is itself a commit, so
/// that `mdmem undo REV` of it brings everything back. What was saved and not committed yet is committed first; it is
/// then the last change, but new files stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem undo
  mdmem undo --dry-run
  mdmem undo 3f2a91c            take back that change alone; of an undo, bring it back
  mdmem undo --past 3f2a91c     leave that change, and take back the one before it")]
pub(crate) struct UndoArgs {
    /// The revision of a change, as `mdmem log` shows it [default: the last change]
    #[arg(value_name = "REV", conflicts_with = "past")]
    pub(crate) revision: Option<String>,

    /// Step past a commit and all that came after it
    #[arg(long, value_name = "REV")]
    pub(crate) past: Option<String>,

    /// Say what would be taken back, and change nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &UndoArgs, cx: &mut Context) -> Result<(), CommandError> {
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let past = args.past.as_ref().map(|past| cx.point(past));
    let change = match (&args.revision, &past) {
        (Some(revision), _) => UndoneChange::Named(revision),
        (None, Some(past)) => UndoneChange::Before(past),
        (None, None) => UndoneChange::Last,
    };
    let store = cx.store()?;
    let (undone, changed) = service::undo(&cx.service, &store, change, run)?;
    let files: Vec<ChangedFile> = undone.changes.iter().map(ChangedFile::from).collect();
    if cx.ui.format == Format::Json {
        let left = undone.left.iter().map(|path| path.to_string_lossy());
        let form = json!({
            "undone": undone.commit.map(|commit| commit.to_string()),
            "subject": undone.subject,
            "files": files,
            "left": left.collect::<Vec<_>>(),
            "left_lines": undone.left_lines.iter().map(lines_json).collect::<Value>(),
            "stepped_past": undone.stepped_past.iter().map(stepped_json).collect::<Value>(),
        });
        let form = with_left_out(form, &undone.left_out);
        return Ok(cx.ui.json(&with_commit(form, changed.as_ref()))?);
    }
    print_files(&files, &mut cx.ui)?;
    if let Some(past) = &past {
        cx.ui
            .notice(&format!("stepped past {}, which stays as it is", past.text))?;
    }
    for (subject, why) in &undone.stepped_past {
        cx.ui.warning(&format!(
            "stepped past {subject}, of which nothing can be taken back: {why}"
        ))?;
    }
    let word = if args.dry_run { "would undo" } else { "undid" };
    let subject = &undone.subject;
    cx.ui.notice(&match undone.commit {
        Some(commit) => format!("{word} {} {subject}", commit.short()),
        None => format!("{word} what is not committed yet, after committing it: {subject}"),
    })?;
    for why in &undone.why_left {
        cx.ui.warning(&format!("{why}: left as it is"))?;
    }
    tell_unchanged(&undone.left_out, &mut cx.ui)?;
    if let Some(changed) = &changed {
        tell_rest(changed, &mut cx.ui)?;
        if let Some(commit) = changed.outcome.oid() {
            cx.ui
                .hint(&format!("`mdmem undo {}` brings it back.", commit.short()))?;
        }
    }
    Ok(())
}

fn lines_json(LeftLines { path, lines }: &LeftLines) -> Value {
    let lines: Vec<[usize; 2]> = lines.iter().map(|lines| [*lines.start(), *lines.end()]).collect();
    json!({ "path": path.to_string_lossy(), "lines": lines })
}

fn stepped_json((subject, why): &(String, String)) -> Value {
    json!({ "subject": subject, "why": why })
}
