//! `mdmem sessions export`

use clap::Args;
use serde_json::{Value, json};

use super::{ReachArgs, texts, title};
use crate::host::cli::args::one_of;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::Format;
use crate::host::json::{conversation_json, message_json};
use crate::service::{Conversation, Message, Part, Past, Texts};

/// Print a whole session as markdown or JSON, for a file
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The session
    #[arg(value_name = "SESSION")]
    pub(crate) session: String,

    /// The form
    #[arg(long, value_parser = one_of(FORMS), value_name = "FORM", default_value = "markdown")]
    pub(crate) to: Form,

    /// Also what tools were given and gave
    #[arg(short, long)]
    pub(crate) tools: bool,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Markdown,
    Json,
}

const FORMS: &[(&str, &str, Form)] = &[
    ("markdown", "A text for people", Form::Markdown),
    ("json", "As `sessions show --json` has it", Form::Json),
];

pub(crate) fn run(args: &ExportArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let conversation = past.conversation(Some(&args.session), args.reach.reach())?;
    let texts = texts(args.tools);
    if args.to == Form::Json || cx.ui.format == Format::Json {
        let mut messages = Vec::new();
        past.each_message::<CommandError>(&conversation, |message| {
            messages.push(message_json(&message, texts));
            Ok(())
        })?;
        return Ok(cx.ui.json(&json!({
            "session": conversation_json(&conversation),
            "messages": Value::Array(messages),
        }))?);
    }
    cx.ui.out.text(&head(&conversation))?;
    past.each_message::<CommandError>(&conversation, |message| {
        Ok(cx.ui.out.text(&markdown(&message, texts))?)
    })
}

fn head(conversation: &Conversation) -> String {
    format!(
        "# {}\n\n- session: {} ({})\n- directory: {}\n- created: {}\n- updated: {}\n",
        title(conversation),
        conversation.id,
        conversation.host,
        conversation.directory.display(),
        conversation.created,
        conversation.updated,
    )
}

fn markdown(message: &Message, texts: Texts) -> String {
    let mut blocks = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text(text) => blocks.push(text.trim_end().to_owned()),
            Part::Call(call) => {
                blocks.push(format!("Tool `{}` ({})", call.tool, call.state.as_str()));
                if texts == Texts::WithTools {
                    blocks.push(fenced("json", &call.input));
                    blocks.push(fenced("text", &call.output));
                }
            }
            Part::Changed(files) => blocks.push(format!("Changed: {}", files.join(", "))),
            Part::Compaction(_) => blocks.push("(compaction)".to_owned()),
            Part::Unread => blocks.push("(a part that cannot be read)".to_owned()),
            Part::Aside(_) => {}
        }
    }
    blocks.extend(message.error.as_ref().map(|error| format!("Error: {error}")));
    blocks.retain(|block| !block.is_empty());
    if blocks.is_empty() {
        return String::new();
    }
    format!(
        "\n## {}, {}\n\n{}\n",
        message.role.as_str(),
        message.mark.time,
        blocks.join("\n\n")
    )
}

/// A text in a fence that none of its lines ends.
fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}
