//! The engine's own log, as it is read back (`mdmem log --engine`).

use std::fmt;
use std::path::Path;
use std::str::FromStr as _;

use serde::{Serialize, Serializer};
use tracing::Level;

use super::LogRequest;
use super::engine::{FILE, MOST_BYTES};
use crate::model::Timestamp;
use crate::service::ServiceError;
use crate::sys::LineFile;

/// For how long a trouble is told of, in milliseconds: a day.
const RECENT: i64 = 86_400_000;

/// One line of the log. A line that somebody else wrote has a text alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineLine {
    /// The time at which it was written.
    #[serde(rename = "time")]
    pub at: Option<Timestamp>,
    /// Its importance.
    #[serde(serialize_with = "word")]
    pub level: Option<Level>,
    /// The process that wrote it: `serve[4711]`.
    pub process: String,
    /// The event, in words.
    pub text: String,
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it so"
)]
fn word<S: Serializer>(level: &Option<Level>, serializer: S) -> Result<S::Ok, S::Error> {
    level
        .map(|level| level.as_str().to_ascii_lowercase())
        .serialize(serializer)
}

/// The lines of the log of the store `root`, which need not be one that can be opened, the oldest first.
pub fn engine_log(root: &Path, request: &LogRequest) -> Result<Vec<EngineLine>, ServiceError> {
    let mut lines = Vec::new();
    for name in [&format!("{FILE}.1"), FILE] {
        let bytes = LineFile::new(root, name).read(16 * MOST_BYTES)?;
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        let said = text.lines().filter(|line| !line.trim().is_empty());
        lines.extend(said.map(EngineLine::parse));
    }
    let is_asked = |line: &EngineLine| match line.at {
        Some(at) => request.is_met(at, || line.text.clone()),
        None => request.since.is_none(),
    };
    lines.retain(is_asked);
    let first = lines.len().saturating_sub(request.limit.unwrap_or(usize::MAX));
    Ok(lines.split_off(first))
}

/// The warnings and errors of a day since the engine last said that things go on, the oldest first. A log that cannot be
/// read tells nothing here.
pub fn engine_troubles(root: &Path, now: Timestamp) -> Vec<EngineLine> {
    let mut lines = engine_log(root, &LogRequest::default()).unwrap_or_default();
    let good = lines.iter().rposition(|line| line.level == Some(Level::INFO));
    lines.drain(..good.map_or(0, |at| at + 1));
    let is_recent = |line: &EngineLine| line.at.is_some_and(|at| now.millis_since(at) <= RECENT);
    lines.retain(|line| is_recent(line) && line.level.is_some_and(|level| level <= Level::WARN));
    lines
}

impl EngineLine {
    fn parse(line: &str) -> Self {
        let stamped = line
            .split_once(' ')
            .and_then(|(at, rest)| Some((Timestamp::parse(at)?, rest)));
        let parts = stamped.and_then(|(_, rest)| {
            let (level, rest) = rest.split_once(' ')?;
            let (process, text) = rest.trim_start().split_once(' ')?;
            let level = Level::from_str(level).ok()?;
            process.ends_with(']').then_some((Some(level), process, text))
        });
        let (level, process, text) = parts.unwrap_or((None, "", stamped.map_or(line, |(_, rest)| rest)));
        Self {
            at: stamped.map(|(at, _)| at),
            level,
            process: process.to_owned(),
            text: text.to_owned(),
        }
    }
}

impl fmt::Display for EngineLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "{at} ")?;
        }
        if let Some(level) = self.level {
            write!(f, "{:<5} {} ", level.as_str(), self.process)?;
        }
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written_and_what_somebody_else_wrote_is_text() {
        let written = "2026-11-22T08:00:00Z WARN  serve[7] commits wait: a rebase is in progress";
        let line = EngineLine::parse(written);
        assert_eq!(
            (line.to_string().as_str(), line.level),
            (written, Some(Level::WARN))
        );
        for text in ["", "hello", "WARN serve[7] x", "2026-13-99T00:00:00Z x", "🦀"] {
            let line = EngineLine::parse(text);
            assert_eq!((line.at, line.level, line.text.as_str()), (None, None, text));
        }
        let torn = EngineLine::parse("2026-11-20T10:00:00Z WARN  serve[7");
        assert_eq!((torn.level, torn.text.as_str()), (None, "WARN  serve[7"));
    }
}
