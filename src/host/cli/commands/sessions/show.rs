//! `mdmem sessions show`

use clap::Args;

use super::{ReachArgs, cursor, texts, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, minute};
use crate::host::json::page_json;
use crate::service::{Mark, Message, Part, Past, Reading, Texts, Trigger};

/// Show the messages of a session, the newest 20 unless told otherwise
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The session; without it the newest
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// From the beginning on
    #[arg(long, conflicts_with_all = ["before", "after"])]
    pub(crate) first: bool,

    /// The messages before this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor, conflicts_with = "after")]
    pub(crate) before: Option<Mark>,

    /// The messages behind this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    pub(crate) after: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,

    /// Also what tools were given and gave, the model's thoughts, and what the host added
    #[arg(short, long)]
    pub(crate) tools: bool,

    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

/// The characters of a tool's arguments that are shown beside its name.
const MOST_INPUT: usize = 100;

pub(crate) fn run(args: &ShowArgs, past: &Past, cx: &mut Context) -> Result<(), CommandError> {
    let conversation = past.conversation(args.session.as_deref(), args.reach.reach())?;
    let reading = match (&args.after, args.first) {
        (Some(after), _) => Reading::OldestBehind(Some(after.clone())),
        (None, true) => Reading::OldestBehind(None),
        (None, false) => Reading::NewestBefore(args.before.clone()),
    };
    let page = past.page(&conversation, &reading, usize::from(args.limit))?;
    let texts = texts(args.tools);
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&page_json(&conversation, &page, texts))?);
    }
    cx.page_anywhere()?;
    cx.ui
        .line(&cx.ui.color.paint(Tone::Heading, title(&conversation)))?;
    let id = &conversation.id;
    for message in &page.messages {
        show(message, texts, cx)?;
    }
    if let Some(before) = &page.before {
        cx.ui
            .hint(&format!("older: mdmem sessions show {id} --before {before}"))?;
    }
    if let Some(after) = &page.after {
        cx.ui
            .hint(&format!("newer: mdmem sessions show {id} --after {after}"))?;
    }
    Ok(())
}

fn show(message: &Message, texts: Texts, cx: &mut Context) -> Result<(), CommandError> {
    let color = cx.ui.color;
    let time = minute(message.mark.time, cx.ui.zone);
    let model = message
        .model
        .as_deref()
        .map(|model| format!(" ({model})"))
        .unwrap_or_default();
    cx.ui.line("")?;
    cx.ui.line(&format!(
        "{} {}{model}",
        color.paint(Tone::Faint, &time),
        color.paint(Tone::Name, message.role.as_str()),
    ))?;
    for part in &message.parts {
        match part {
            Part::Text(text) => cx.ui.out.text(&ended(text))?,
            Part::Aside(text) if texts == Texts::WithTools => {
                cx.ui.out.text(&color.paint(Tone::Faint, &ended(text)))?;
            }
            Part::Aside(_) => {}
            Part::Call(call) => {
                let input: String = call.input.chars().take(MOST_INPUT).collect();
                let cut = if input.len() < call.input.len() { "…" } else { "" };
                let tool = color.paint(Tone::Hint, &format!("→ {}", call.tool));
                let state = call.state.as_str();
                if texts == Texts::Said {
                    cx.ui.line(&format!("{tool} [{state}] {input}{cut}"))?;
                } else {
                    cx.ui.line(&format!("{tool} [{state}] {}", call.input))?;
                    cx.ui.out.text(&ended(&call.output))?;
                }
            }
            Part::Changed(files) => cx.ui.line(&format!("→ changed {}", files.join(", ")))?,
            Part::Compaction(Trigger::Auto) => {
                cx.ui.line("→ compaction, because the context was nearly full")?;
            }
            Part::Compaction(Trigger::Asked) => cx.ui.line("→ compaction")?,
            Part::Unread => cx.ui.line("→ a part that cannot be read")?,
        }
    }
    if let Some(error) = &message.error {
        cx.ui.line(&color.paint(Tone::Bad, error))?;
    }
    Ok(())
}

/// The text with an end of its last line.
fn ended(text: &str) -> String {
    match text.trim_end() {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}
