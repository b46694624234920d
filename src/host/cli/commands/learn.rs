//! `mdmem learn`

use std::path::PathBuf;

use clap::Args;

use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Format, counted};
use crate::service::{self, HeardLine, LearnRequest, Learned, Run, Transcript};

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
        run: if args.dry_run { Run::Dry } else { Run::Real },
    };
    let learned = service::learn(&cx.service, &store, &request)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&learned)?);
    }
    for line in &learned.lines {
        cx.ui.line(&shown(line, args.dry_run))?;
    }
    tell(&learned, cx)
}

fn tell(learned: &Learned, cx: &mut Context) -> Result<(), CommandError> {
    if learned.messages == 0 {
        return Ok(cx.ui.notice("no message is new: nobody was asked")?);
    }
    let read = counted(learned.messages, "message");
    cx.ui.notice(&format!(
        "{read} read: {} characters to the model, {} from it",
        learned.chars_in, learned.chars_out
    ))?;
    if learned.unread > 0 {
        let unread = counted(learned.unread, "proposal");
        cx.ui.notice(&format!("{unread} behind the first 40 not read"))?;
    }
    if learned.is_more {
        cx.ui
            .hint("The conversation goes on: run it again for what follows.")?;
    }
    if learned.lines.iter().any(|line| line.outcome == "suggested") {
        cx.ui.hint("`mdmem suggestions` shows what is suggested.")?;
    }
    Ok(())
}

fn shown(line: &HeardLine, is_dry: bool) -> String {
    let would = if is_dry { "would be " } else { "" };
    let outcome = line.outcome.replace('_', " ");
    let why = line
        .reason
        .map_or_else(String::new, |reason| format!(" ({reason})"));
    let place = line
        .path
        .as_ref()
        .map_or_else(String::new, |path| format!(" {path}"));
    format!("{would}{outcome}{why}{place}: {}", line.text)
}
