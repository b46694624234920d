//! Making the log shorter: rarely, whole or not at all, and without losing what another process adds meanwhile.

use std::path::Path;

use super::limits::{EVENTS, Limits, MOST_READ, UNREADABLE_BYTES};
use super::line::{self, Line};
use super::{FILE, UNREADABLE};
use crate::model::Timestamp;
use crate::sys::{LineFile, SysError};

const DAY: i64 = 86_400_000;
/// How much of a limit is used after the log was made shorter, in percent: the rest is room until the next time.
const FILLED_PERCENT: u8 = 90;

/// A log that is over its limits, in two: what it keeps, and what is put aside.
#[derive(Debug, PartialEq, Eq)]
struct Split {
    kept: Vec<u8>,
    aside: Vec<u8>,
}

/// What a log is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// For its limits alone, without reading every line: on the way of something else.
    Quick,
    /// For whatever does not belong there.
    Thorough,
}

/// Makes the log of the store at `root` shorter where it is over one of its limits (90 days, 5,000 events, 2 MiB): the
/// oldest lines go first. Lines that are no events are put aside in `evidence-unreadable.jsonl`.
pub fn prune(root: &Path, now: Timestamp) -> Result<(), SysError> {
    prune_after(root, now, Look::Thorough)
}

/// The same after a look.
pub(super) fn prune_after(root: &Path, now: Timestamp, look: Look) -> Result<(), SysError> {
    LineFile::new(root, FILE).rewrite(MOST_READ, |bytes| {
        if look == Look::Quick && !is_over(bytes, now, EVENTS) {
            return Ok(None);
        }
        let split = split(bytes, now, EVENTS);
        if split.kept == bytes {
            return Ok(None);
        }
        // First: a kill in between leaves them in both places rather than in none.
        put_aside(root, &split.aside)?;
        Ok(Some(split.kept))
    })?;
    Ok(())
}

/// Whether a log is over a limit. The first event is the oldest one, but for clocks that were set.
fn is_over(bytes: &[u8], now: Timestamp, limits: Limits) -> bool {
    if bytes.len() as u64 > limits.bytes {
        return true;
    }
    let is_break = |byte: &&u8| **byte == b'\n';
    if bytes.iter().filter(is_break).count() > limits.lines {
        return true;
    }
    let first = bytes
        .split(|byte| *byte == b'\n')
        .find_map(|text| time_of(&line::read(text)));
    first.is_some_and(|at| is_old(at, now, limits))
}

fn split(bytes: &[u8], now: Timestamp, limits: Limits) -> Split {
    let mut aside = Vec::new();
    let mut young: Vec<&[u8]> = Vec::new();
    for text in bytes.split_inclusive(|byte| *byte == b'\n') {
        let line = line::read(text);
        match line {
            Line::Blank => {}
            Line::Unreadable => add_line(&mut aside, text),
            Line::Event(_) | Line::Newer(_) => {
                if !time_of(&line).is_some_and(|at| is_old(at, now, limits)) {
                    young.push(text);
                }
            }
        }
    }
    let mut kept = Vec::new();
    for text in newest(&young, limits) {
        add_line(&mut kept, text);
    }
    Split { kept, aside }
}

/// The newest lines that leave some room under the limits; all of them where none is passed.
fn newest<'a, 'b>(lines: &'b [&'a [u8]], limits: Limits) -> &'b [&'a [u8]] {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if bytes as u64 <= limits.bytes && lines.len() <= limits.lines {
        return lines;
    }
    let filled = |limit: u64| limit * u64::from(FILLED_PERCENT) / 100;
    let mut room = filled(limits.bytes);
    let most = usize::try_from(filled(limits.lines as u64)).unwrap_or(usize::MAX);
    let fits = |line: &&&[u8]| {
        let left = room.checked_sub(line.len() as u64);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let count = lines.iter().rev().take(most).take_while(fits).count();
    &lines[lines.len() - count..]
}

/// Adds to `evidence-unreadable.jsonl`, which keeps its newest lines.
fn put_aside(root: &Path, lines: &[u8]) -> Result<(), SysError> {
    if lines.is_empty() {
        return Ok(());
    }
    let file = LineFile::new(root, UNREADABLE);
    let end = end_within(lines, UNREADABLE_BYTES);
    if file.append(end)? > UNREADABLE_BYTES as u64 {
        file.rewrite(MOST_READ, |bytes| {
            Ok(Some(end_within(bytes, UNREADABLE_BYTES).to_vec()))
        })?;
    }
    Ok(())
}

/// The last whole lines that fit; the end of the last one where it alone is too long.
fn end_within(lines: &[u8], most: usize) -> &[u8] {
    if lines.len() <= most {
        return lines;
    }
    let end = &lines[lines.len() - most..];
    let whole = end
        .iter()
        .position(|byte| *byte == b'\n')
        .map(|at| &end[at + 1..]);
    whole.filter(|lines| !lines.is_empty()).unwrap_or(end)
}

fn add_line(lines: &mut Vec<u8>, text: &[u8]) {
    lines.extend_from_slice(text);
    if !text.ends_with(b"\n") {
        lines.push(b'\n');
    }
}

fn time_of(line: &Line) -> Option<Timestamp> {
    match line {
        Line::Event(event) => Some(event.at),
        Line::Newer(at) => *at,
        Line::Blank | Line::Unreadable => None,
    }
}

const fn is_old(at: Timestamp, now: Timestamp, limits: Limits) -> bool {
    now.millis_since(at) > limits.days * DAY
}
