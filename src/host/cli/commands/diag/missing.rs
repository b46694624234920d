//! `mdmem diag missing`

use clap::Args;
use serde::Serialize;

use super::event_json::EventJson;
use super::event_line::event_line;
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, harmless_line, shortened};
use crate::host::json::MemoryJson;
use crate::model::StorePath;
use crate::service::diag::{self, GoneMemory, Missing, MissingMemory};

/// The most characters of a text that are shown.
const TEXT: usize = 70;

/// What is on file and not in the prompt now, why, and what would bring it in
///
/// Also what was stored by the evidence and is no longer there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag missing
  mdmem diag missing --json | jq -r '.memories[].path'")]
pub(crate) struct MissingArgs {}

pub(crate) fn run(_args: &MissingArgs, cx: &mut Context) -> Result<(), CommandError> {
    let missing = diag::missing(&cx.store()?)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&MissingJson::from(&missing))?);
    }
    let color = cx.ui.color();
    for memory in &missing.memories {
        for line in lines(memory, color) {
            cx.ui.line(&line)?;
        }
    }
    if !missing.gone.is_empty() {
        let heading = color.paint(Tone::Heading, "stored once, and no longer there:");
        cx.ui.line(&heading)?;
    }
    for gone in &missing.gone {
        for line in gone_lines(gone, color) {
            cx.ui.line(&line)?;
        }
    }
    if missing.memories.is_empty() && missing.gone.is_empty() {
        cx.ui.notice("nothing is missing")?;
    }
    Ok(())
}

fn lines(missing: &MissingMemory, color: Color) -> [String; 2] {
    let memory = &missing.view.memory;
    let said = shortened(&harmless_line(&memory.hook()), TEXT);
    let path = color.paint(Tone::Name, &harmless_line(memory.path.as_str()));
    [
        format!("{path} [{}] {said}", missing.reason),
        format!("  {}", harmless_line(&missing.mend)),
    ]
}

fn gone_lines(gone: &GoneMemory, color: Color) -> Vec<String> {
    let mut lines = vec![format!("  {}", event_line(&gone.stored, color))];
    if gone.last != gone.stored {
        lines.push(format!("  {}", event_line(&gone.last, color)));
    }
    lines.push(format!("    {}", gone_mend(gone)));
    lines
}

fn gone_mend(gone: &GoneMemory) -> String {
    match &gone.instead {
        Some(instead) => format!("{} says it now.", harmless_line(instead.as_str())),
        None => format!(
            "`mdmem log {}` shows what happened to its file, if it had one.",
            harmless_line(gone.id.as_str())
        ),
    }
}

#[derive(Serialize)]
struct MissingJson<'a> {
    memories: Vec<MissingMemoryJson<'a>>,
    gone: Vec<GoneJson<'a>>,
}

#[derive(Serialize)]
struct MissingMemoryJson<'a> {
    #[serde(flatten)]
    memory: MemoryJson<'a>,
    mend: &'a str,
}

#[derive(Serialize)]
struct GoneJson<'a> {
    id: &'a str,
    instead: Option<&'a str>,
    mend: String,
    stored: EventJson<'a>,
    last: EventJson<'a>,
}

impl<'a> From<&'a Missing> for MissingJson<'a> {
    fn from(missing: &'a Missing) -> Self {
        let memory = |missing: &'a MissingMemory| MissingMemoryJson {
            memory: MemoryJson::from(&missing.view),
            mend: &missing.mend,
        };
        let gone = |gone: &'a GoneMemory| GoneJson {
            id: gone.id.as_str(),
            instead: gone.instead.as_ref().map(StorePath::as_str),
            mend: gone_mend(gone),
            stored: EventJson::from(&gone.stored),
            last: EventJson::from(&gone.last),
        };
        Self {
            memories: missing.memories.iter().map(memory).collect(),
            gone: missing.gone.iter().map(gone).collect(),
        }
    }
}
