//! `mdmem why`

use clap::Args;
use serde_json::{Value, json};

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, bar, minute};
use crate::host::json::{memory_json, merged};
use crate::service::{self, Explanation, Fate, Reason};
use crate::sys::TimeZone;

/// Explain a memory's rank in the prompt, or its absence, in numbers
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem why use-npm-cache
  mdmem why use-npm-cache --at \"in 30 days\"     and in a month?
  mdmem why use-npm-cache --at yesterday        by the files and the history of then")]
pub(crate) struct WhyArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// At this time instead of now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
}

pub(crate) fn run(args: &WhyArgs, cx: &mut Context) -> Result<(), CommandError> {
    let at = cx.time(args.at.as_deref())?;
    let explanation = service::why(&cx.store()?, &args.memory, at)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&explanation_json(&explanation))?);
    }
    Ok(cx.ui.lines(&lines(&explanation, cx.ui.color, cx.ui.zone))?)
}

/// The fate of a memory, and the numbers.
pub(crate) fn lines(explanation: &Explanation, color: Color, zone: TimeZone) -> Vec<String> {
    let mut lines = vec![color.paint(Tone::Heading, &verdict(explanation)), String::new()];
    lines.extend(numbers(explanation, zone));
    lines
}

/// The settings that limit how much the prompt shows.
const BUDGETS: &str = "`render.max_chars` and `render.total_chars`";

/// The fate of a memory, in a sentence; where it is not shown, with what would bring it in.
pub(crate) fn verdict(explanation: &Explanation) -> String {
    let view = &explanation.view;
    let rank = &explanation.rank;
    let path = view.memory.path.as_str();
    let kind = &view.memory.kind;
    let instead = || view.instead.as_ref().map_or("another one", |path| path.as_str());
    match view.fate {
        Fate::Pinned => format!("{path} is pinned: its whole body is in every prompt"),
        Fate::Cold => format!("{path} is in no type's folder: it is listed in the tree, and read on demand"),
        Fate::Ranked => match rank.place {
            Some(place) => format!(
                "{path} is shown: {} of {} memories, {} of {} of type {kind}",
                place.overall, place.of, place.in_type, place.of_type
            ),
            None => format!("{path} is shown"),
        },
        Fate::Omitted(reason) => {
            let because = match reason {
                Reason::Superseded => format!(
                    "superseded by {}; without `status` and `superseded_by` in its file (`mdmem edit`) it is in force again",
                    instead()
                ),
                Reason::Conflict => format!(
                    "contradicts {}, and a merge set it aside; without `conflict_of` in its file (`mdmem edit`) it is in force",
                    instead()
                ),
                Reason::Archived => format!("archived: `mdmem mv {path} {kind}/` brings it back"),
                Reason::Duplicate { .. } => {
                    format!(
                        "{} says the same and stays; `mdmem tidy` settles the two",
                        instead()
                    )
                }
                Reason::TypeCap => cap_sentence(
                    rank.place.map(|p| (p.in_type, p.of_type)),
                    rank.type_cap,
                    kind.as_str(),
                    &format!("type.{kind}.cap"),
                    &explanation.hot_dir,
                ),
                Reason::GlobalCap => cap_sentence(
                    rank.place.map(|p| (p.overall, p.of)),
                    Some(rank.max_entries),
                    "memory",
                    "render.max_entries",
                    &explanation.hot_dir,
                ),
                Reason::CharBudget => format!(
                    "its line does not fit into what the stronger ones leave of {} characters; shorten it, or raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::EmptyRenderBudget => format!(
                    "a budget of {} characters is too small for anything; raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::Unreadable => {
                    "its file cannot be read: `mdmem check` names the line and the mend".to_owned()
                }
                Reason::Redacted => {
                    "without the credential in it nothing is left to say; write where it is kept instead"
                        .to_owned()
                }
            };
            format!("{path} is not shown ({}): {because}", reason.as_str())
        }
    }
}

/// Says how a cap leaves a memory out, and what would bring it in.
fn cap_sentence(
    place: Option<(usize, usize)>,
    cap: Option<usize>,
    what: &str,
    setting: &str,
    hot_dir: &str,
) -> String {
    let cap = cap.map_or("none".to_owned(), |cap| cap.to_string());
    let why = match place {
        Some((place, of)) => format!("it is {place} of {of} of {what}, and only {cap} are shown"),
        None => format!("only {cap} of {what} are shown"),
    };
    format!("{why}; raise `{setting}`, set `importance: high` in it, or pin it: `mdmem mv` it to {hot_dir}/")
}

/// Lists the factors of the strength.
fn numbers(explanation: &Explanation, zone: TimeZone) -> Vec<String> {
    let view = &explanation.view;
    let (memory, strength) = (&view.memory, &view.strength);
    let computed = strength.type_factor * strength.source_factor * strength.importance_factor;
    let factors = format!(
        "{} {} × {} {} × {} {}",
        memory.kind,
        round(strength.type_factor),
        memory.source.as_str(),
        round(strength.source_factor),
        memory.importance.as_str(),
        round(strength.importance_factor)
    );
    let initial = if strength.initial_stated && (computed - strength.initial).abs() > 1e-9 {
        format!("as the file states; {factors} would be {}", round(computed))
    } else if strength.initial_stated {
        format!("as the file states: {factors}")
    } else {
        factors
    };
    let (days, factor) = explanation.half_life;
    let (clock, since) = explanation.clock;
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
            times(memory.reinforcement)
        ),
        format!(
            "age        {} days ({} days since `{clock}`, {}{dormant})",
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

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Two digits after the point at most, none that are zero.
fn round(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The same in JSON: the memory, and the numbers.
pub(crate) fn explanation_json(explanation: &Explanation) -> Value {
    let (strength, rank) = (&explanation.view.strength, &explanation.rank);
    let place = rank.place.as_ref();
    let numbers = json!({
        "at": explanation.at.to_rfc3339(),
        "initial_stated": strength.initial_stated,
        "type_factor": strength.type_factor,
        "source_factor": strength.source_factor,
        "importance_factor": strength.importance_factor,
        "wall_days": strength.wall_days,
        "dormant_days": strength.dormant_days,
        "dormant_rate": explanation.dormant_rate,
        "clock_key": explanation.clock.0,
        "clock_start": explanation.clock.1.to_rfc3339(),
        "rank": place.map(|place| place.overall),
        "ranked_of": place.map(|place| place.of),
        "rank_in_type": place.map(|place| place.in_type),
        "ranked_of_type": place.map(|place| place.of_type),
        "type_cap": rank.type_cap,
        "max_entries": rank.max_entries,
        "max_chars": rank.max_chars,
        "verdict": verdict(explanation),
    });
    merged(memory_json(&explanation.view), numbers)
}
