//! The engine's own log, `.mdmem/log` of a store: what it did, what is in its way, what failed. Read by people.
//!
//! The code says what happens by `tracing`; the program hands each event to [`EngineLog::write`]. `line` holds the form of
//! a line, `news` tells a trouble once, `read` gives the lines back, `troubles` gives those of trouble back.

mod line;
mod news;
mod read;
mod troubles;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub use line::EngineLine;
pub use read::EngineLogReader;
pub use tracing::Level;
pub use troubles::engine_troubles;

use crate::store::{LOCAL, Place};
use crate::sys;
use crate::text::Redactor;

use super::Context;
use news::News;

/// The name of the log in a store's local folder.
const NAME: &str = "log";

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
    news: News,
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
        self.inner().news.is_news(event, Instant::now())
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
        let hint = event.hint.map(|hint| format!(". {hint}"));
        let text = line::readable(event.text) + &hint.unwrap_or_default();
        let line = EngineLine {
            at: Some(context.clock.now()),
            level: Some(event.level),
            process: self.process.clone(),
            text: line::shortened(&redactor.redact(&text)),
        };
        // Nothing can be done about it here, and nobody told.
        let _ = sys::append_line(&root.join(LOCAL).join(NAME), &line.to_string());
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
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
