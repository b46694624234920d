//! The passages of a text that answer a question.

use std::ops::Range;

use super::rank::Hit;

/// The most lines of a passage, and the most passages of a text.
const MOST_LINES: usize = 6;
const MOST_PASSAGES: usize = 3;
/// A passage with less than this part of the best one's weight is left out.
const LEAST_OF_BEST: f64 = 0.6;

/// A part of a text: lines without an empty one between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The bytes of the text.
    pub bytes: Range<usize>,
    /// Its first line, counted from 0.
    pub line: usize,
    /// The bytes of the words that were asked for, from the beginning of the passage.
    pub marks: Vec<Range<usize>>,
    /// The hits in it.
    pub(super) hits: Range<usize>,
}

impl Passage {
    /// A passage without a word that was asked for.
    pub(super) const fn whole(bytes: Range<usize>, line: usize) -> Self {
        Self {
            bytes,
            line,
            marks: Vec::new(),
            hits: 0..0,
        }
    }
}

/// The best passages, the best one first; a text without a hit has none. `hits` are those of the text, in order.
pub(super) fn passages(text: &str, hits: &[Hit], weights: &[f64]) -> Vec<Passage> {
    let mut found: Vec<(f64, Passage)> = Vec::new();
    let mut next = 0;
    for (bytes, line) in blocks(text) {
        let first = next;
        next += hits[next..].partition_point(|hit| hit.at.start < bytes.end);
        let here = &hits[first..next];
        if here.is_empty() {
            continue;
        }
        let mut has = vec![false; weights.len()];
        for hit in here {
            has[hit.word] = true;
        }
        let weight = (0..weights.len())
            .filter(|word| has[*word])
            .map(|word| weights[word])
            .sum();
        let marks = marks(here, bytes.start);
        found.push((
            weight,
            Passage {
                bytes,
                line,
                marks,
                hits: first..next,
            },
        ));
    }
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let least = found.first().map_or(0.0, |(best, _)| best * LEAST_OF_BEST);
    found.retain(|(weight, _)| *weight >= least);
    found.truncate(MOST_PASSAGES);
    found.into_iter().map(|(_, passage)| passage).collect()
}

/// The hits as ranges that do not overlap.
fn marks(hits: &[Hit], start: usize) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        let at = hit.at.start - start..hit.at.end - start;
        match marks.last_mut() {
            Some(last) if at.start <= last.end => last.end = last.end.max(at.end),
            _ => marks.push(at),
        }
    }
    marks
}

/// The blocks of lines, with the number of the first line of each.
pub(super) fn blocks(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut blocks: Vec<(Range<usize>, usize)> = Vec::new();
    let mut open: Option<(Range<usize>, usize)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let content = line.trim_end();
        let end = at + content.len();
        let is_full = open
            .as_ref()
            .is_some_and(|(_, first)| number - first == MOST_LINES);
        if content.is_empty() || is_full {
            blocks.extend(open.take());
        }
        if !content.is_empty() {
            let (block, _) = open.get_or_insert((at..end, number));
            block.end = end;
        }
        at += line.len();
    }
    blocks.extend(open);
    blocks
}
