//! The statements of a host's summary about memories (docs/capture.md): the last section that lists
//! candidates, line by line, and the commands on numbered memories. [`super::quality`] tells whether a text is worth a
//! memory; the service decides what becomes of it.

mod candidate;
mod command;
mod resolve;
mod section;
mod snapshot;
mod visible;

pub use command::Command;
pub use resolve::resolve;

use std::borrow::Cow;

use candidate::{Candidate, Refused};

use super::{Rejection, Worth, quality, worth};
use crate::model::Kind;

/// The most lines of a section that are read. A summary is written for a reader, and most should name no candidate
/// at all: one with more lines than this is no list of memories.
const MOST_LINES: usize = 200;

/// The statements of a summary about memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SummaryReading {
    /// The snapshot id that the summary carries.
    pub snapshot: Option<String>,
    /// The lines of its last section, in order.
    pub lines: Vec<SummaryLine>,
    /// The number of further lines of the section, which were not read.
    pub unread: usize,
    /// A line that looks as if it began a section, in a summary without a section.
    pub near: Option<String>,
}

/// A line of the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummaryLine {
    /// A memory that the quality gate lets pass.
    Candidate {
        /// Its type, one of those that are known.
        kind: Kind,
        /// The text of the line, before redaction.
        text: String,
        /// True where the gate cannot tell whether it lasts: a person decides.
        is_doubtful: bool,
    },
    /// A command that reads well. [`resolve()`] says whether it applies.
    Command(Command),
    /// A line that is refused.
    Rejected {
        /// The candidate's text; of a command that cannot be read, the line as it stands.
        text: String,
        /// The reason.
        reason: Rejection,
    },
}

/// Reads a summary. `known_kinds` are the types of the store; a line of any other type is refused.
///
/// The work is linear in the summary's length.
pub fn read_summary(summary: &str, known_kinds: &[Kind]) -> SummaryReading {
    let visible = visible::lines(summary);
    let section = section::last(&visible);
    let entries = candidate::entries(&section.lines);
    let near = section::near(&visible).filter(|_| section.lines.is_empty());
    let read = entries.iter().take(MOST_LINES);
    SummaryReading {
        snapshot: snapshot::id(&visible),
        lines: read.map(|entry| line(entry, known_kinds)).collect(),
        unread: entries.len().saturating_sub(MOST_LINES),
        near: near.map(str::to_owned),
    }
}

/// The summary without its last section of candidates and without the snapshot id, which are for mdmem and not for
/// whoever goes on from the summary. A fence, a quote or a paragraph ends what is taken out: nobody asked for one there. As it is where
/// nothing else would be left.
pub fn without_candidates(summary: &str) -> Cow<'_, str> {
    let visible = visible::lines(summary);
    let section = section::last(&visible);
    let section = section.places.start..section::end_of_entries(&visible, &section);
    let lines: Vec<&str> = summary.split('\n').collect();
    let is_hidden = |at: &usize| visible[*at].is_empty() && !lines[*at].trim().is_empty();
    let end = section.clone().find(is_hidden).unwrap_or(section.end);
    let is_taken = |at: usize| (section.start..end).contains(&at) || snapshot::is_stated(visible[at]);
    if !(0..lines.len()).any(is_taken) {
        return Cow::Borrowed(summary);
    }
    let left: Vec<&str> = (0..lines.len())
        .filter(|at| !is_taken(*at))
        .map(|at| lines[at])
        .collect();
    let left = left.join("\n");
    match left.trim() {
        "" => Cow::Borrowed(summary),
        left => Cow::Owned(left.to_owned()),
    }
}

/// Gives the meaning of one entry of the section.
fn line(entry: &candidate::Entry<'_>, known_kinds: &[Kind]) -> SummaryLine {
    let rejected = |text: &str, reason| SummaryLine::Rejected {
        text: text.to_owned(),
        reason,
    };
    if let Some(command) = command::read(entry, known_kinds) {
        let command = match command {
            Ok(command) => command,
            Err(reason) => return rejected(entry.raw, reason),
        };
        let refused = command
            .replacement()
            .and_then(|(kind, text)| Some((text, quality(kind, text)?)));
        return match refused {
            Some((text, reason)) => rejected(text, reason),
            None => SummaryLine::Command(command),
        };
    }
    match Candidate::read(&entry.text, known_kinds) {
        Err(Refused { text }) => rejected(text, Rejection::InvalidMemoryType),
        Ok(Candidate { kind, text }) => match worth(&kind, text) {
            Worth::No(reason) => rejected(text, reason),
            worth => SummaryLine::Candidate {
                kind,
                text: text.to_owned(),
                is_doubtful: worth == Worth::Doubtful,
            },
        },
    }
}

#[cfg(test)]
mod tests;
