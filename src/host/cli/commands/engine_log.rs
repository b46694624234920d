//! `mdmem log --engine`

use std::time::Duration;

use serde_json::{Value, json};

use super::log::LogArgs;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Tone, in_zone, second};
use crate::model::Timestamp;
use crate::service::{EngineLine, EngineLogReader, Level};

/// The pause between two looks for new lines.
const LOOK: Duration = Duration::from_millis(200);
/// The lines that are shown before those that come.
const BEFORE: usize = 10;

/// The store need not be one that can be opened: the log says why it cannot.
pub(super) fn run(args: &LogArgs, cx: &mut Context) -> Result<(), CommandError> {
    let since = cx.time(args.since.as_deref())?;
    let mut log = EngineLogReader::open(&cx.service.place()?.root)?;
    let mut lines = log.next_lines()?;
    lines.retain(|line| since.is_none_or(|since| line.at.is_some_and(|at| at >= since)));
    let limit = args.limit.or(args.follow.then_some(BEFORE));
    let lines = &lines[lines.len().saturating_sub(limit.unwrap_or(usize::MAX))..];
    if cx.ui.format == Format::Json && !args.follow {
        return Ok(cx.ui.json(&lines.iter().map(line_json).collect::<Value>())?);
    }
    if !args.follow {
        cx.page_anywhere()?;
        return show(lines, cx);
    }
    show(lines, cx)?;
    loop {
        cx.ui.flush()?;
        std::thread::sleep(LOOK);
        show(&log.next_lines()?, cx)?;
    }
}

fn show(lines: &[EngineLine], cx: &mut Context) -> Result<(), CommandError> {
    let color = cx.ui.color;
    for line in lines {
        if cx.ui.format == Format::Json {
            cx.ui.json_line(&line_json(line))?;
            continue;
        }
        let tone = match line.level {
            Some(Level::ERROR) => Tone::Bad,
            Some(Level::WARN) => Tone::Warning,
            _ => Tone::Faint,
        };
        let at = line.at.map(|at| second(at, cx.ui.zone) + " ");
        let said_by = line
            .level
            .map(|level| format!("{:<5} {} ", level.as_str(), line.process));
        let before: String = at.into_iter().chain(said_by).collect();
        cx.ui.line(&format!(
            "{}{}",
            color.paint(tone, &before),
            in_zone(&line.text, cx.ui.zone)
        ))?;
    }
    Ok(())
}

/// A line in JSON.
pub(super) fn line_json(line: &EngineLine) -> Value {
    json!({
        "time": line.at.map(Timestamp::to_rfc3339),
        "level": line.level.map(|level| level.as_str().to_ascii_lowercase()),
        "process": line.process,
        "text": line.text,
    })
}
