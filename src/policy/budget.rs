//! Fills the budget of a prompt: whole pinned files, then whole lines; never a part of either.

use std::cmp::Reverse;

use super::Entry;
use super::line::{Line, LineNotes, said_of};
use super::newer::{Said, newer};
use super::order;
use super::selection::{Candidates, Omitted, Reason};
use crate::model::{Kind, Memory, Timestamp};

/// The costs of the parts of a prompt, in characters with the line breaks that they bring. `render` knows its
/// templates.
pub trait Layout {
    /// A budget of fewer characters than this renders no line at all.
    fn least(&self) -> usize;
    /// The first line of the ranked block.
    fn heading(&self) -> usize;
    /// The heading of a section.
    fn section(&self, kind: &Kind) -> usize;
    /// The line of a memory, which is the block's so-manyth line, counted from 1.
    fn line(&self, line: &Line, number: usize) -> usize;
    /// The first line of the pinned block.
    fn pinned_heading(&self) -> usize;
    /// A pinned file, with its path.
    fn pinned_file(&self, entry: &Entry<'_>) -> usize;
    /// The line that names the pinned files that do not fit.
    fn pinned_left_out(&self, files: &[&Memory]) -> usize;
    /// The break between two blocks.
    fn block_break(&self) -> usize;
}

/// A section of the ranked block: a type, and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The type.
    pub kind: Kind,
    /// Its memories, the strongest first.
    pub lines: Vec<Shown>,
}

/// A memory with a line in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its place among the candidates.
    pub entry: usize,
    /// The content.
    pub line: Line,
}

/// Pinned files in a budget.
#[derive(Debug, Default)]
pub struct FittedPinned {
    /// Those that have room.
    pub shown: Vec<usize>,
    /// The others.
    pub left_out: Vec<usize>,
    /// Characters of all.
    pub chars: usize,
}

/// Takes the pinned files in their order, each whole or not at all; when some do not fit, the line that says so does.
pub fn fit_pinned(
    pinned: &[usize],
    candidates: &Candidates<'_>,
    budget: usize,
    layout: &impl Layout,
) -> FittedPinned {
    let costs: Vec<usize> = pinned
        .iter()
        .map(|entry| layout.pinned_file(&candidates.entries[*entry]))
        .collect();
    let mut fitted = FittedPinned::default();
    if pinned.is_empty() {
        return fitted;
    }
    let all = layout.pinned_heading() + costs.iter().sum::<usize>();
    if all <= budget {
        pinned.clone_into(&mut fitted.shown);
        fitted.chars = all;
        return fitted;
    }
    // Those with the longest names. The line about one file may be longer than that about several ("file does", "files do").
    let memories = |entries: &[usize]| -> Vec<&Memory> {
        entries.iter().map(|entry| candidates.memory(*entry)).collect()
    };
    let mut longest = memories(pinned);
    longest.sort_by_cached_key(|memory| Reverse(layout.pinned_left_out(&[memory])));
    let reserved = layout
        .pinned_left_out(&longest)
        .max(layout.pinned_left_out(&longest[..1]));
    let mut used = layout.pinned_heading() + reserved;
    for (entry, cost) in pinned.iter().zip(costs) {
        if used + cost <= budget {
            used += cost;
            fitted.shown.push(*entry);
        } else {
            fitted.left_out.push(*entry);
        }
    }
    if used <= budget {
        fitted.chars = used - reserved + layout.pinned_left_out(&memories(&fitted.left_out));
    }
    fitted
}

/// The most lines that are compared with each other.
const MOST_COMPARED: usize = 100;

/// The line of each memory, with what it cites and is gone, and with the newer one that may have made it outdated.
fn lines(entries: &[usize], candidates: &Candidates<'_>, now: Timestamp) -> Vec<Line> {
    let line = |entry: &usize| Line {
        gone: said_of(candidates.entries[*entry].gone),
        ..Line::new(candidates.memory(*entry), now, candidates.rules)
    };
    let mut lines: Vec<Line> = entries.iter().map(line).collect();
    if candidates.rules.render.notes == LineNotes::Off {
        return lines;
    }
    let said = entries.iter().zip(&lines).take(MOST_COMPARED);
    let said: Vec<Said<'_>> = said
        .map(|(entry, line)| Said::of(candidates.memory(*entry), &line.text))
        .collect();
    let newer = |at| newer(&said, at).map(|place| lines[place].name());
    let newer: Vec<Option<String>> = (0..said.len()).map(newer).collect();
    for (line, newer) in lines.iter_mut().zip(newer) {
        line.newer = newer;
    }
    lines
}

#[derive(Default)]
pub(super) struct FittedLines {
    pub(super) sections: Vec<Section>,
    pub(super) omitted: Vec<Omitted>,
    pub(super) chars: usize,
}

/// Fills the ranked block section by section. A line that would pass the budget is skipped and the next is tried; a
/// heading without a line is not printed. `ranked` are in the order of strength.
pub(super) fn fit_lines(
    ranked: &[usize],
    candidates: &Candidates<'_>,
    now: Timestamp,
    budget: usize,
    layout: &impl Layout,
) -> FittedLines {
    let mut fitted = FittedLines::default();
    if budget < layout.least() {
        let left_out = |entry: &usize| Omitted {
            entry: *entry,
            reason: Reason::EmptyRenderBudget,
        };
        fitted.omitted = ranked.iter().map(left_out).collect();
        return fitted;
    }
    let kind = |entry: usize| &candidates.memory(entry).kind;
    let mut printed = ranked.to_vec();
    printed.sort_by(|a, b| order::by_section(kind(*a), kind(*b), candidates.rules));
    let lines = lines(&printed, candidates, now);
    let mut used = layout.heading();
    let mut number = 1;
    for (entry, mut line) in printed.into_iter().zip(lines) {
        let kind = kind(entry);
        let open = fitted.sections.last_mut().filter(|section| section.kind == *kind);
        let heading = if open.is_some() { 0 } else { layout.section(kind) };
        let mut cost = heading + layout.line(&line, number);
        if used + cost > budget && line.newer.take().is_some() {
            cost = heading + layout.line(&line, number);
        }
        if used + cost > budget {
            let reason = Reason::CharBudget;
            fitted.omitted.push(Omitted { entry, reason });
            continue;
        }
        used += cost;
        number += 1;
        let shown = Shown { entry, line };
        match open {
            Some(section) => section.lines.push(shown),
            None => fitted.sections.push(Section {
                kind: kind.clone(),
                lines: vec![shown],
            }),
        }
    }
    if !fitted.sections.is_empty() {
        fitted.chars = used;
    }
    fitted
}
