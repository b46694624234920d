//! `mdmem learn`

use std::io;
use std::path::PathBuf;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Ui, counted};
use crate::service::{self, HeardLine, LearnRequest, PassFigures, Run, Transcript};

/// Ask a model what should be remembered of a conversation
///
/// The program of `passes.command` gets the messages that it has not read yet, up to 40 of them, and the memories
/// that are most like them. It only proposes: the rules for summaries decide, what a person wrote is at most
/// suggested, and all of it is one commit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem learn --transcript chat.txt
  mdmem learn --session 4f1c
  mdmem learn --transcript ~/.claude/projects/-home-me-src-app/0f7a5c1e.jsonl --dry-run")]
pub(crate) struct LearnArgs {
    /// The conversation: Claude Code's transcript, JSON lines with `role` and `content`, or a text whose messages
    /// begin with `User:` and `Assistant:`
    #[arg(long, value_name = "FILE", required_unless_present = "session")]
    pub(crate) transcript: Option<PathBuf>,

    /// The conversation that OpenCode or Claude Code keeps under this name, or a part of it, as `mdmem sessions list`
    /// shows it; with --transcript, the agent's name for that one, where the file does not say
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Ask, say what would be stored, and store nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn run(args: &LearnArgs, cx: &mut Context) -> Result<(), CommandError> {
    let store = if args.dry_run {
        cx.store()?
    } else {
        cx.store_or_new()?
    };
    let file = args.transcript.as_ref();
    let file = file.map(|file| cx.service.env.current_dir().join(file));
    let session = args.session.as_deref();
    let request = LearnRequest {
        transcript: match &file {
            Some(file) => Transcript::File(file),
            None => Transcript::Kept(session.unwrap_or_default()),
        },
        session: session.filter(|_| file.is_some()),
        run: Run::dry_if(args.dry_run),
    };
    let learned = service::learn(&cx.service, &store, &request)?;
    cx.answer(&learned, |ui| {
        if learned.messages == 0 {
            return ui.notice("no message is new: nobody was asked");
        }
        let read = format!("{} read", counted(learned.messages, "message"));
        tell_pass(&learned.lines, request.run, &read, &learned.asked, ui)?;
        if learned.is_more {
            ui.hint("The conversation goes on: run it again for what follows.")?;
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
        "{read}: {} characters to the model, {} from it",
        asked.chars_in, asked.chars_out
    ))?;
    if asked.unread > 0 {
        let unread = counted(asked.unread, "proposal");
        ui.notice(&format!("{unread} behind those that count not read"))?;
    }
    if run == Run::Real && lines.iter().any(|line| line.outcome == "suggested") {
        ui.hint("`mdmem suggestions` shows what is suggested.")?;
    }
    Ok(())
}
