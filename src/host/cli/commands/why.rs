//! `mdmem why`

use std::collections::BTreeMap;
use std::io;

use clap::Args;
use serde::Serialize;

use super::list::said;
use super::log::decision_lines;
use super::search::stores;
use crate::host::cli::ui::{Table, Tone, Ui, bar, counted, day, minute, number, shell_word, sparkline};
use crate::host::cli::{CommandError, Context};
use crate::service::{
    self, Decision, Explanation, Fate, Ledger, LogRequest, NameError, ServiceError, holds_for,
};
use crate::sys::TimeZone;

/// Explain why a memory is shown in the prompt, or not
///
/// Without MEMORY: what the prompt shows, with strengths and characters, what comes next, and what each limit
/// leaves out. With one: its rank, its strength, when it will leave the prompt, and the decisions about it. If no
/// memory has this name: texts that agents heard with these words, and why they were not stored.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem why                                     the whole prompt
  mdmem why use-npm-cache
  mdmem why use-npm-cache --at \"in 30 days\"     and in a month?
  mdmem why use-npm-cache --at yesterday        as of yesterday
  mdmem why use-npm-cache --svg > curve.svg     its strength, as a drawing
  mdmem why \"waiting for review\"                why was this not stored?")]
pub(crate) struct WhyArgs {
    /// Path, slug or start of the id; or words of a text
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: Option<String>,

    /// At this time instead of now
    #[arg(long, value_name = "TIME", requires = "memory")]
    pub(crate) at: Option<String>,

    /// Print its strength over the past and the coming year as an SVG drawing
    #[arg(long, requires = "memory", conflicts_with = "at")]
    pub(crate) svg: bool,
}

#[derive(Serialize)]
struct Why {
    #[serde(flatten)]
    explanation: Option<Explanation>,
    decisions: Vec<Decision>,
}

pub(crate) fn run(args: &WhyArgs, cx: &mut Context) -> Result<(), CommandError> {
    let Some(name) = &args.memory else {
        return ledger(cx);
    };
    let at = cx.time(args.at.as_deref())?;
    let store = cx.store()?;
    if args.svg {
        let drawing = service::curve_svg(&store, name)?;
        return Ok(cx.ui.text_of_file(drawing.as_bytes())?);
    }
    let explained = service::why(&cx.service, &store, name, at);
    let memory = explained
        .as_ref()
        .map(|explained| explained.view.memory.path.to_string());
    let about = LogRequest {
        memory: Some(memory.unwrap_or_else(|_| name.clone())),
        ..LogRequest::default()
    };
    let mut decisions = service::decisions(&store, &about).unwrap_or_default();
    // A memory is in every prompt.
    decisions.retain(|decision| decision.event.phase != "render");
    let explanation = match explained {
        // No memory: the texts that were heard with these words.
        Err(ServiceError::Name(NameError::Unknown { .. })) if !decisions.is_empty() => None,
        Err(ServiceError::Name(NameError::Unknown { nearest, .. }))
            if nearest.is_empty() && name.contains(char::is_whitespace) =>
        {
            let what = anyhow::anyhow!("no memory is called `{name}`, and agents heard no such words");
            let hint = "`mdmem search WORDS` finds memories, `mdmem log --decisions` lists what was heard.";
            return Err(CommandError::failed(what).hint(hint));
        }
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
            None => ui.line(&format!(
                "no memory is called `{name}`; agents heard these words:"
            ))?,
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

/// The prompt of the workspace, then that of the global store.
fn ledger(cx: &mut Context) -> Result<(), CommandError> {
    let mut ledgers = Vec::new();
    for (scope, store) in stores(None, cx)? {
        let ledger = service::ledger(&store)?;
        // A global store without memories has no part of the prompt.
        if ledgers.is_empty() || !(ledger.shown.is_empty() && ledger.left_out.is_empty()) {
            ledgers.push((scope.as_str(), ledger));
        }
        cx.page(&store)?;
    }
    let answer: BTreeMap<_, _> = ledgers.iter().map(|(scope, ledger)| (*scope, ledger)).collect();
    cx.answer(&answer, |ui| {
        for (at, (scope, ledger)) in ledgers.iter().enumerate() {
            if at > 0 {
                ui.line("")?;
            }
            tell_ledger(scope, ledger, ui)?;
        }
        ui.hint("`mdmem why MEMORY` explains one of them, `mdmem render` prints the prompt.")
    })
}

fn tell_ledger(scope: &str, ledger: &Ledger, ui: &mut Ui) -> io::Result<()> {
    let shown = counted(ledger.shown.len(), "memory");
    let (chars, most) = (ledger.chars, ledger.max_chars);
    let heading = format!("the {scope} store shows {shown} in {chars} characters (limit {most})");
    let heading = ui.color.paint(Tone::Heading, &heading);
    ui.line(&heading)?;
    let header = ["", "MEMORY", "STRENGTH", "CHARS", "PATH"];
    let mut table = Table::new(&header, ui.out.width())
        .flexible(1)
        .right(2)
        .right(3)
        .spare(&[4])
        .tone(4, Tone::Faint);
    for entry in ledger.shown.iter().chain(&ledger.next) {
        let memory = &entry.view.memory;
        let (mark, what, chars) = match entry.view.fate {
            Fate::Pinned => ("pinned", said(memory), entry.prompt_chars.to_string()),
            Fate::Omitted(_) => (
                "next",
                format!("{} ({})", said(memory), entry.why),
                "-".to_owned(),
            ),
            _ => ("", said(memory), entry.prompt_chars.to_string()),
        };
        let strength = number(entry.view.strength.value);
        table.row(&[mark.to_owned(), what, strength, chars, memory.path.to_string()]);
    }
    if !(ledger.shown.is_empty() && ledger.next.is_empty()) {
        ui.table(&table)?;
    }
    for by in &ledger.left_out {
        ui.line(&format!(
            "not shown: {}, {}",
            counted(by.memories, "memory"),
            by.why
        ))?;
        if let Some((key, value)) = &by.setting {
            let first = shell_word(by.first.as_str());
            ui.hint(&format!(
                "`mdmem pin {first}` brings in the first of them, `mdmem config set {key} {value}` makes room; \
                 archiving a memory that is shown does too."
            ))?;
        }
    }
    Ok(())
}

/// When it leaves the prompt.
fn future(explanation: &Explanation, zone: TimeZone) -> Option<String> {
    if explanation.view.fate != Fate::Ranked {
        return None;
    }
    Some(match &explanation.leaves {
        Some(leaves) => {
            let rank = leaves
                .rank
                .place
                .map(|place| format!(", rank {} then", place.overall));
            let day = day(leaves.at, zone);
            format!(
                "future     drops out about {day}{}, if nothing else changes",
                rank.unwrap_or_default()
            )
        }
        None => "future     stays for a year, if nothing else changes".to_owned(),
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
            ", {} of them dormant, which count {}",
            round(strength.dormant_days),
            round(explanation.dormant_rate)
        )
    } else {
        String::new()
    };
    let cap = explanation.rank.type_cap;
    let cap = cap.map_or("no cap".to_owned(), |cap| cap.to_string());
    let ahead = match explanation.strengths.as_slice() {
        [] => String::new(),
        strengths => format!("  {} in the next 12 months", sparkline(strengths)),
    };
    let lines = [
        format!("strength   {}{ahead}", bar(strength.value)),
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
    ];
    let files = holds_for(memory)
        .map(|files| format!("paths      in {files}: ranked below the memories that hold for all files"));
    let gone = view.gone.iter().map(|gone| format!("stale      {}", gone.told()));
    let lines = lines.into_iter().chain(files).chain(gone);
    lines.chain(future(explanation, zone)).collect()
}

/// Two digits after the point at most, none that are zero.
fn round(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
