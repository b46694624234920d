//! `mdmem learn`

use std::io;
use std::path::PathBuf;

use clap::Args;

use crate::host::cli::ui::{Ui, counted};
use crate::host::cli::{CommandError, Context};
use crate::service::{self, HeardLine, LearnRequest, PassFigures, Run};

/// Ask a model what to remember from a conversation
///
/// The program in `passes.command` gets up to 40 messages that it has not read yet, and the memories most
/// like them. It only proposes: the rules for summaries decide, memories that a person wrote get suggestions
/// only, and all changes are one commit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem learn --transcript chat.txt
  mdmem learn --session 4f1c
  mdmem learn --transcript ~/.claude/projects/-home-me-src-app/0f7a5c1e.jsonl --dry-run")]
pub(crate) struct LearnArgs {
    /// A file: Claude Code's transcript, JSON lines with `role` and `content`, or text with `User:` and
    /// `Assistant:` before each message
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,

    /// A session of OpenCode or Claude Code, as `mdmem sessions list` shows it; with --transcript, its id if
    /// the file has none
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Ask the model, but only show what would be stored
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &LearnArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.transcript.is_none() && args.session.is_none() {
        let hint = "Give `--transcript FILE` or `--session SESSION`; `mdmem sessions list` lists sessions.";
        return Err(CommandError::misused("no conversation to learn from").hint(hint));
    }
    let store = if args.dry_run {
        cx.store()?
    } else {
        cx.store_or_new()?
    };
    let file = args.transcript.as_ref();
    let file = file.map(|file| cx.service.env.current_dir().join(file));
    let request = LearnRequest {
        file: file.as_deref(),
        session: args.session.as_deref(),
        run: Run::dry_if(args.dry_run),
    };
    let learned = service::learn(&cx.service, &store, &request)?;
    cx.answer(&learned, |ui| {
        if learned.messages == 0 {
            return ui.notice("no new messages: the model was not asked");
        }
        let read = format!("{} read", counted(learned.messages, "message"));
        tell_pass(&learned.lines, request.run, &read, &learned.asked, ui)?;
        if learned.is_more {
            ui.hint("There are more messages: run it again for the rest.")?;
        }
        Ok(())
    })
}

/// Tells what became of the proposals of a model, and what it was asked.
pub(super) fn tell_pass(
    lines: &[HeardLine],
    run: Run,
    read: &str,
    asked: &PassFigures,
    ui: &mut Ui,
) -> io::Result<()> {
    for line in lines {
        let would = run.says("", "would be ");
        let outcome = line.outcome.replace('_', " ");
        let why = line.reason.map(|reason| format!(" ({reason})"));
        let place = line.path.as_ref().map(|path| format!(" {path}"));
        let text = Some(&line.text).filter(|text| !text.is_empty());
        let text = text.map(|text| format!(": {text}"));
        let more = [why, place, text].map(Option::unwrap_or_default).concat();
        ui.line(&format!("{would}{outcome}{more}"))?;
    }
    ui.notice(&format!(
        "{read}: sent {} characters to the model, received {}",
        asked.chars_in, asked.chars_out
    ))?;
    if asked.unread > 0 {
        let unread = counted(asked.unread, "proposal");
        ui.notice(&format!("{unread} over the limit not read"))?;
    }
    if run == Run::Real && lines.iter().any(|line| line.outcome == "suggested") {
        ui.hint("`mdmem suggestions` lists the suggestions.")?;
    }
    Ok(())
}
