//! `mdmem why`

use clap::Args;
use serde::Serialize;

use super::log::decision_lines;
use crate::host::cli::context::Context;
use crate::host::cli::report::CommandError;
use crate::host::cli::ui::{Tone, bar, counted, minute};
use crate::service::{self, Decision, Explanation, LogRequest, NameError, ServiceError};
use crate::sys::TimeZone;

/// Explain why a memory is shown in the prompt, or not
///
/// Shows the memory's rank, its strength, and the decisions about it. If no memory has this name: texts that
/// agents heard with these words, and why they were not stored.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem why use-npm-cache
  mdmem why use-npm-cache --at \"in 30 days\"     and in a month?
  mdmem why use-npm-cache --at yesterday        as of yesterday
  mdmem why \"waiting for review\"                why was this not stored?")]
pub(crate) struct WhyArgs {
    /// Path, slug or start of the id; or words of a text
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// At this time instead of now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
}

#[derive(Serialize)]
struct Why {
    #[serde(flatten)]
    explanation: Option<Explanation>,
    decisions: Vec<Decision>,
}

pub(crate) fn run(args: &WhyArgs, cx: &mut Context) -> Result<(), CommandError> {
    let at = cx.time(args.at.as_deref())?;
    let store = cx.store()?;
    let explained = service::why(&store, &args.memory, at);
    let memory = explained
        .as_ref()
        .map(|explained| explained.view.memory.path.to_string());
    let about = LogRequest {
        memory: Some(memory.unwrap_or_else(|_| args.memory.clone())),
        ..LogRequest::default()
    };
    let mut decisions = service::decisions(&store, &about).unwrap_or_default();
    // A memory is in every prompt.
    decisions.retain(|decision| decision.event.phase != "render");
    let explanation = match explained {
        // No memory: the texts that were heard with these words.
        Err(ServiceError::Name(NameError::Unknown { .. })) if !decisions.is_empty() => None,
        explained => Some(explained?),
    };
    let why = Why {
        explanation,
        decisions,
    };
    cx.answer(&why, |ui| {
        match &why.explanation {
            Some(explanation) => {
                let verdict = ui.color.paint(Tone::Heading, &explanation.verdict);
                ui.line(&verdict)?;
                ui.line("")?;
                ui.lines(&numbers(explanation, ui.zone))?;
            }
            None => ui.line(&format!("no memory is called `{}`", args.memory))?,
        }
        if !why.decisions.is_empty() {
            ui.line("")?;
            let heading = ui.color.paint(Tone::Heading, "decisions");
            ui.line(&heading)?;
            ui.lines(&decision_lines(&why.decisions, ui.color, ui.zone))?;
        }
        Ok(())
    })
}
/// Lists the factors of the strength.
fn numbers(explanation: &Explanation, zone: TimeZone) -> Vec<String> {
    let view = &explanation.view;
    let (memory, strength) = (&view.memory, &view.strength);
    let computed = strength.type_factor * strength.source_factor * strength.importance_factor;
    let (kind, source) = (&memory.kind, memory.source.as_str());
    let factors = format!(
        "{kind} {} × {source} {} × {} {}",
        round(strength.type_factor),
        round(strength.source_factor),
        memory.importance.as_str(),
        round(strength.importance_factor)
    );
    let initial = match strength.initial_stated {
        true if (computed - strength.initial).abs() > 1e-9 => {
            format!("set in the file; {factors} would be {}", round(computed))
        }
        true => format!("set in the file: {factors}"),
        false => factors,
    };
    let (days, factor) = explanation.half_life;
    let (clock, since) = (explanation.clock_key, explanation.clock_start);
    let dormant = if strength.dormant_days > 0.0 {
        format!(
            ", of them {} dormant, counted at {}",
            round(strength.dormant_days),
            round(explanation.dormant_rate)
        )
    } else {
        String::new()
    };
    let cap = explanation.rank.type_cap;
    let cap = cap.map_or("no cap".to_owned(), |cap| cap.to_string());
    vec![
        format!("strength   {}", bar(strength.value)),
        format!(
            "           {:.4} = {} · 2^(−{} / {})",
            strength.value,
            round(strength.initial),
            round(strength.age_days),
            round(strength.half_life_days)
        ),
        format!("initial    {} ({initial})", round(strength.initial)),
        format!(
            "half-life  {} days ({} / {}^{}; reinforced {})",
            round(strength.half_life_days),
            round(days),
            round(factor),
            memory.reinforcement.min(explanation.reinforcement_max),
            counted(
                usize::try_from(memory.reinforcement).unwrap_or(usize::MAX),
                "time"
            )
        ),
        format!(
            "decay      {} days ({} days since `{clock}`, {}{dormant})",
            round(strength.age_days),
            round(strength.wall_days),
            minute(since, zone)
        ),
        format!(
            "caps       {cap} of type {}, {} memories, {} characters",
            memory.kind, explanation.rank.max_entries, explanation.rank.max_chars
        ),
    ]
}

/// Two digits after the point at most, none that are zero.
fn round(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
