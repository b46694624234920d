//! The engine's own log, `.mdmem/log` of a store: what it did, what is in its way, what failed. Read by people, also by
//! `mdmem log --engine`.
//!
//! The code says what happens by `tracing`; the program hands each event to [`EngineLog::write`].

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
pub use tracing::Level;

use super::LogRequest;
use crate::model::Timestamp;
use crate::service::{Context, ServiceError};
use crate::store::{LOCAL, Place};
use crate::sys::LineFile;
use crate::text::{Redactor, spelled_out};

/// The log, below a store's root; the one before it is kept beside it as `log.1`.
const FILE: &str = ".mdmem/log";
/// The size in bytes at which it begins anew.
const MOST_BYTES: u64 = 1 << 20;
/// The most characters of a line's text; more are cut off.
const MOST_CHARS: usize = 4_000;
/// The most characters of a text that are searched for credentials. The line ends long before, so that it shows no half of a
/// credential that was cut there.
const MOST_READ: usize = 64 * 1024;
/// After this, a trouble that goes on is told again.
const AGAIN: Duration = Duration::from_hours(1);
/// The most troubles that are remembered.
const MOST_TOLD: usize = 1_000;

/// For how long a trouble is told of, in milliseconds: a day.
const RECENT: i64 = 86_400_000;

/// The log of one process. Writing to it is never an error: a full disk costs the line.
#[derive(Default)]
pub struct EngineLog {
    process: String,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The place in which this process works; lines that name no store go to the store of that place.
    context: Option<Context>,
    root: Option<PathBuf>,
    /// Takes credentials out, by the settings of the person; made for the first line.
    redactor: Option<Redactor>,
    /// The troubles that were told, by the part of the program that told them, and when.
    told: HashMap<(&'static str, String), Instant>,
}

/// An event that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct LogEvent<'a> {
    /// Its importance.
    pub level: Level,
    /// The part of the program that says it.
    pub target: &'static str,
    /// The folder of the store that it is about, where it is not the store of this process.
    pub store: Option<&'a str>,
    /// The event, in words.
    pub text: &'a str,
    /// A sentence that tells a person what to do next.
    pub hint: Option<&'a str>,
}

impl EngineLog {
    /// The log of this process, which runs `command`. Without [`EngineLog::follow`] it has no file.
    pub fn new(command: &str) -> Self {
        Self {
            process: format!("{command}[{}]", std::process::id()),
            inner: Mutex::default(),
        }
    }

    /// From now on lines go to the store of this context, or to the global one where that has none.
    pub fn follow(&self, context: &Context) {
        let mut inner = self.inner();
        inner.redactor = None;
        inner.context = Some(context.clone());
        inner.root = None;
    }

    /// Says whether an event tells anything new: a trouble is told once, until the same part of the program has something
    /// good to say or an hour is over.
    pub fn is_news(&self, event: &LogEvent<'_>) -> bool {
        self.inner().is_news(event, Instant::now())
    }

    /// Adds a line, without what looks like a credential.
    pub fn write(&self, event: &LogEvent<'_>) {
        let mut inner = self.inner();
        let Some(root) = inner.root_for(event.store) else {
            return;
        };
        let Some(context) = inner.context.clone() else {
            return;
        };
        let redactor = inner.redactor.get_or_insert_with(|| redactor_of(&context));
        let hint = event.hint.map(|hint| format!(". {hint}")).unwrap_or_default();
        let text: String = event.text.chars().take(MOST_READ).collect();
        // Characters that a terminal obeys, that end a line, or that nobody sees are spelled out.
        let mut text = redactor.redact(&(spelled_out(&text) + &hint)).into_owned();
        if let Some((end, _)) = text.char_indices().nth(MOST_CHARS) {
            text.replace_range(end.., "…");
        }
        let line = EngineLine {
            at: Some(context.clock.now()),
            level: Some(event.level),
            process: self.process.clone(),
            text: text.replace(['\n', '\r'], " "),
        };
        // Nothing can be done about it here, and nobody told.
        let _ = LineFile::new(&root, FILE).append_below(MOST_BYTES, format!("{line}\n").as_bytes());
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn is_news(&mut self, event: &LogEvent<'_>, now: Instant) -> bool {
        if event.level > Level::WARN {
            // Things went on there: what is told from now on is another trouble.
            self.told
                .retain(|(target, _), _| event.level != Level::INFO || *target != event.target);
            return true;
        }
        self.told
            .retain(|_, at| now.saturating_duration_since(*at) < AGAIN);
        if self.told.len() >= MOST_TOLD {
            self.told.clear();
        }
        let text = format!("{} {}", event.store.unwrap_or_default(), event.text);
        let told = self.told.len();
        self.told.entry((event.target, text)).or_insert(now);
        self.told.len() > told
    }

    /// The store whose log a line goes to, as far as one is there.
    fn root_for(&mut self, named: Option<&str>) -> Option<PathBuf> {
        let named = named.map(PathBuf::from);
        if let Some(root) = named.filter(|root| has_log(root)) {
            return Some(root);
        }
        if !self.root.as_ref().is_some_and(|root| has_log(root)) {
            let context = self.context.as_ref()?;
            let own = context.place().ok().map(|place| place.root);
            let global = context.home().ok().map(|home| Place::global(&home).root);
            self.root = own.into_iter().chain(global).find(|root| has_log(root));
        }
        self.root.clone()
    }
}

/// Settings that cannot be read add no pattern.
fn redactor_of(context: &Context) -> Redactor {
    let settings = context.sources().unwrap_or_default().settings(None);
    Redactor::new(&settings.redact_patterns).unwrap_or_default()
}

/// Says whether a store has a folder for a log. No link is followed.
fn has_log(root: &Path) -> bool {
    root.join(LOCAL)
        .symlink_metadata()
        .is_ok_and(|there| there.is_dir())
}

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
mod tests;
