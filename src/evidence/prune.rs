//! Making the log shorter: rarely, whole or not at all, and without losing what another process adds meanwhile.

use std::path::Path;

use super::limits::{AGE, BYTES, LINES, MOST_READ, UNREADABLE_BYTES};
use super::line::{self, Line};
use super::{FILE, UNREADABLE};
use crate::model::Timestamp;
use crate::sys::{LineFile, SysError};

/// The purpose of a look at a log.
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
        if look == Look::Quick && !is_over(bytes, now) {
            return Ok(None);
        }
        let (kept, aside) = split(bytes, now);
        if kept == bytes {
            return Ok(None);
        }
        // First: a kill in between leaves them in both places rather than in none.
        put_aside(root, &aside)?;
        Ok(Some(kept))
    })?;
    Ok(())
}

/// Says whether a log is over a limit. The first event is the oldest one, but for clocks that were set.
fn is_over(bytes: &[u8], now: Timestamp) -> bool {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let is_event = |line: &Line| matches!(line, Line::Event(_) | Line::Newer(_));
    bytes.len() > BYTES
        || lines().count() > LINES + 1
        || lines()
            .map(line::read)
            .find(is_event)
            .is_some_and(|first| is_old(&first, now))
}

/// The lines that a log keeps, and those that are put aside.
fn split(bytes: &[u8], now: Timestamp) -> (Vec<u8>, Vec<u8>) {
    let mut aside = Vec::new();
    let mut young: Vec<&[u8]> = Vec::new();
    for text in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line::read(text) {
            Line::Blank => {}
            Line::Unreadable => add_line(&mut aside, text),
            line if is_old(&line, now) => {}
            Line::Event(_) | Line::Newer(_) => young.push(text),
        }
    }
    let mut kept = Vec::new();
    for text in newest(&young) {
        add_line(&mut kept, text);
    }
    (kept, aside)
}

/// The newest lines that leave a tenth of room under the limits; all of them where no limit is passed.
fn newest<'a, 'b>(lines: &'b [&'a [u8]]) -> &'b [&'a [u8]] {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    if bytes <= BYTES && lines.len() <= LINES {
        return lines;
    }
    let mut used = 0;
    let fits = |line: &&&[u8]| {
        used += line.len();
        used <= BYTES / 10 * 9
    };
    let count = lines.iter().rev().take(LINES / 10 * 9).take_while(fits).count();
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

/// Says whether a line is older than the log keeps any. A line without a time is not.
fn is_old(line: &Line, now: Timestamp) -> bool {
    let at = match line {
        Line::Event(event) => Some(event.at),
        Line::Newer(at) => *at,
        Line::Blank | Line::Unreadable => None,
    };
    at.is_some_and(|at| now.millis_since(at) > AGE)
}
