//! `mdmem diag quality`

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use super::rows::{counted, counted_json, row};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Color, Format, Tone, minute};
use crate::service::diag::{self, CANNOT_SHOW, Quality};

/// What the log shows about how memories are made, and what it cannot show
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem diag quality
  mdmem diag quality --json | jq .candidates")]
pub(crate) struct QualityArgs {}

pub(crate) fn run(_args: &QualityArgs, cx: &mut Context) -> Result<(), CommandError> {
    let quality = diag::quality(&cx.store()?)?;
    if cx.ui.format() == Format::Json {
        return Ok(cx.ui.json(&QualityJson::from(&quality))?);
    }
    let color = cx.ui.color();
    for line in lines(&quality, color) {
        cx.ui.line(&line)?;
    }
    Ok(())
}

fn lines(quality: &Quality, color: Color) -> Vec<String> {
    let span = quality.span.map_or_else(
        || "no events yet".to_owned(),
        |(first, last)| format!("{} to {}", minute(first), minute(last)),
    );
    let (accepted, refused) = quality.candidates;
    let (heard, ignored) = quality.requests;
    let (stored, present, visible) = quality.stored;
    let (counted_once, too_early) = quality.reinforced;
    let (replaced, reverted) = quality.replaced;
    let mut lines = vec![
        color.paint(Tone::Heading, "what the log shows"),
        row("on record", &span, color),
        row("compactions", &compactions(quality), color),
        row("candidates", &rate(accepted, refused, "accepted"), color),
        row("  refused", &counted(&quality.candidates_refused), color),
        row("requests", &rate(heard, ignored, "stored"), color),
        row("  ignored", &counted(&quality.requests_refused), color),
        row("outcomes", &counted(&quality.outcomes), color),
        row("stored from", &counted(&quality.sources), color),
        row(
            "stored",
            &format!("{stored}, of them {present} still there, {visible} shown now"),
            color,
        ),
        row(
            "reinforced",
            &format!("{counted_once}, and {too_early} too early to count"),
            color,
        ),
        row(
            "replaced",
            &format!("{replaced}, of them {reverted} taken back"),
            color,
        ),
        row("failures", &counted(&quality.failures), color),
        String::new(),
        color.paint(Tone::Heading, "what it cannot show"),
    ];
    lines.extend(CANNOT_SHOW.map(|limit| format!("- {limit}")));
    lines
}

fn compactions(quality: &Quality) -> String {
    let (accepted, refused) = quality.candidates;
    match each(accepted + refused, quality.compactions) {
        Some(each) => format!(
            "{} that proposed something, {each:.1} candidates each",
            quality.compactions
        ),
        None => "none that proposed something".to_owned(),
    }
}

fn rate(yes: usize, no: usize, word: &str) -> String {
    match percent(yes, yes + no) {
        Some(percent) => format!("{} of {} {word} ({percent:.0} %)", yes, yes + no),
        None => "none".to_owned(),
    }
}

fn each(count: usize, of: usize) -> Option<f64> {
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    (of > 0).then(|| number(count) / number(of))
}

fn percent(count: usize, of: usize) -> Option<f64> {
    each(count, of).map(|part| part * 100.0)
}

#[derive(Serialize)]
struct QualityJson {
    first: Option<String>,
    last: Option<String>,
    compactions: usize,
    candidates_per_compaction: Option<f64>,
    candidates: RateJson,
    requests: RateJson,
    outcomes: Map<String, Value>,
    duplicates_absorbed: usize,
    sources: Map<String, Value>,
    stored: StoredJson,
    reinforced: usize,
    reinforced_too_early: usize,
    replaced: usize,
    reverted: usize,
    failures: Map<String, Value>,
    cannot_show: [&'static str; CANNOT_SHOW.len()],
}

#[derive(Serialize)]
struct RateJson {
    accepted: usize,
    rejected: usize,
    acceptance_rate: Option<f64>,
    rejected_by_reason: Map<String, Value>,
}

#[derive(Serialize)]
struct StoredJson {
    total: usize,
    present: usize,
    shown: usize,
}

impl From<&Quality> for QualityJson {
    fn from(quality: &Quality) -> Self {
        let rate = |(accepted, rejected): (usize, usize), reasons: &[(String, usize)]| RateJson {
            accepted,
            rejected,
            acceptance_rate: each(accepted, accepted + rejected),
            rejected_by_reason: counted_json(reasons),
        };
        let (total, present, shown) = quality.stored;
        let absorbed = quality
            .outcomes
            .iter()
            .filter(|(word, _)| word.contains("absorbed"));
        Self {
            first: quality.span.map(|(first, _)| first.to_rfc3339()),
            last: quality.span.map(|(_, last)| last.to_rfc3339()),
            compactions: quality.compactions,
            candidates_per_compaction: each(quality.candidates.0 + quality.candidates.1, quality.compactions),
            candidates: rate(quality.candidates, &quality.candidates_refused),
            requests: rate(quality.requests, &quality.requests_refused),
            outcomes: counted_json(&quality.outcomes),
            duplicates_absorbed: absorbed.map(|(_, count)| count).sum(),
            sources: counted_json(&quality.sources),
            stored: StoredJson {
                total,
                present,
                shown,
            },
            reinforced: quality.reinforced.0,
            reinforced_too_early: quality.reinforced.1,
            replaced: quality.replaced.0,
            reverted: quality.replaced.1,
            failures: counted_json(&quality.failures),
            cannot_show: CANNOT_SHOW,
        }
    }
}
