//! The engine's own log, `.mdmem/log` of a store: what it did, what is in its way, what failed. Read by people.
//!
//! The code says what happens by `tracing`; the program hands each event to [`EngineLog::write`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use tracing::Level;

use super::EngineLine;
use crate::service::Context;
use crate::store::{LOCAL, Place};
use crate::sys::LineFile;
use crate::text::{Redactor, spelled_out};

/// The log, below a store's root; the one before it is kept beside it as `log.1`.
pub(super) const FILE: &str = ".mdmem/log";
/// The size in bytes at which it begins anew.
pub(super) const MOST_BYTES: u64 = 1 << 20;
/// The most characters of a line's text; more are cut off.
const MOST_CHARS: usize = 4_000;
/// The most characters of a text that are searched for credentials. The line ends long before, so that it shows no half of a
/// credential that was cut there.
const MOST_READ: usize = 64 * 1024;
/// After this, a trouble that goes on is told again.
const AGAIN: Duration = Duration::from_hours(1);
/// The most troubles that are remembered.
const MOST_TOLD: usize = 1_000;

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

#[cfg(test)]
mod tests;
