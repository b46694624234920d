//! `mdmem sessions search`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{ChosenArgs, cursor, texts, title};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, minute};
use crate::host::json::past_hit_json;
use crate::host::words::shell_word;
use crate::service::{Mark, Past, PastSearch};

/// Find messages that have every one of these words
///
/// Case does not matter, and a word may be a part of a longer one. The newest come first, each as soon as it is found.
/// Finds nothing: exit code 1.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The words to look for
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) words: Vec<String>,

    /// Only this session
    #[arg(short, long, value_name = "SESSION")]
    pub(crate) session: Option<String>,

    /// Also in what tools were given and gave
    #[arg(short, long)]
    pub(crate) tools: bool,

    /// Only messages before this place
    #[arg(long, value_name = "CURSOR", value_parser = cursor)]
    pub(crate) before: Option<Mark>,

    /// At most N messages
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,

    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,
}

pub(crate) fn run(args: &SearchArgs, past: &Past, cx: &mut Context) -> Result<ExitCode, CommandError> {
    let mut hits = past.search(&PastSearch {
        words: args.words.join(" "),
        chosen: args.chosen.chosen(),
        conversation: args.session.clone(),
        texts: texts(args.tools),
        before: args.before.clone(),
    })?;
    let mut found = Vec::new();
    while found.len() < usize::from(args.limit)
        && let Some(hit) = hits.next(usize::MAX)?
    {
        if cx.ui.format == Format::Text {
            let color = cx.ui.color;
            let time = color.paint(Tone::Faint, &minute(hit.mark.time, cx.ui.zone));
            let id = color.paint(Tone::Name, &hit.conversation.id);
            let role = hit.role.as_str();
            cx.ui.line(&format!("{time}  {role:<9}  {id}"))?;
            let (snippet, word) = (&hit.snippet, color.paint(Tone::Good, &hit.snippet.hit));
            cx.ui.line(&format!("  {}", title(&hit.conversation)))?;
            cx.ui
                .line_now(&format!("  {}{word}{}", snippet.before, snippet.behind))?;
        }
        found.push(hit);
    }
    let left = hits.left().filter(|_| found.len() == usize::from(args.limit));
    if cx.ui.format == Format::Json {
        cx.ui.json(&json!({
            "query": args.words.join(" "),
            "hits": found.iter().map(past_hit_json).collect::<Value>(),
            "before": left.map(ToString::to_string),
        }))?;
    } else if found.is_empty() {
        cx.ui.notice("nothing found")?;
    } else if let Some(left) = left {
        let words: Vec<String> = args.words.iter().map(|word| shell_word(word)).collect();
        let words = words.join(" ");
        cx.ui
            .hint(&format!("more: mdmem sessions search {words} --before {left}"))?;
    }
    Ok(if found.is_empty() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
