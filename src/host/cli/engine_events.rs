//! Sends the engine's events to its log, and the important events to standard error too. Installed once, for every thread.

use std::cell::Cell;
use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber, span};

use super::ui::{Color, Door, Tone};
use crate::service::{EngineLog, Level, LogEvent};

/// Sends the events of the whole process to `log` and to standard error, and a panic of any thread with them. `by_default` is
/// told on standard error; `-v` or `MDMEM_LOG=info` tells more there, `-vv` or `MDMEM_LOG=debug` everything, in the log too.
pub(crate) fn install(
    log: Arc<EngineLog>,
    by_default: Level,
    verbose: u8,
    variable: Option<&str>,
    color: Color,
) {
    let least = least(by_default, verbose, variable);
    // Refused only where a test has one already.
    let _ = tracing::subscriber::set_global_default(EngineEvents {
        log,
        on_stderr: by_default.max(least),
        in_log: Level::INFO.max(least),
        color,
    });
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("a panic");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(
            hint = "This is a bug in mdmem: please report it.",
            "internal error at {place}: {what}"
        );
    }));
}

/// The least important event that the flag and the variable ask for.
fn least(by_default: Level, verbose: u8, variable: Option<&str>) -> Level {
    let asked = match variable.map(str::to_ascii_lowercase).as_deref() {
        Some("debug" | "trace") => 2,
        Some("info") => 1,
        _ => 0,
    };
    match verbose.max(asked) {
        0 => by_default,
        1 => Level::INFO,
        _ => Level::DEBUG,
    }
}

struct EngineEvents {
    log: Arc<EngineLog>,
    /// The least important events that are told on standard error, and in the log.
    on_stderr: Level,
    in_log: Level,
    color: Color,
}

thread_local! {
    /// True while this thread tells of an event: an event that comes of the telling is dropped.
    static IS_TELLING: Cell<bool> = const { Cell::new(false) };
}

/// The engine has no spans. Libraries are not heard: their events may hold what the engine would redact.
impl Subscriber for EngineEvents {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let is_ours = metadata.is_event() && metadata.target().starts_with(env!("CARGO_CRATE_NAME"));
        is_ours && *metadata.level() <= self.on_stderr.max(self.in_log)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.on_stderr.max(self.in_log).into())
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        if IS_TELLING.replace(true) {
            return;
        }
        self.tell(event);
        IS_TELLING.set(false);
    }
}

impl EngineEvents {
    fn tell(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        let text = words.text();
        let event = LogEvent {
            level: *event.metadata().level(),
            target: event.metadata().target(),
            store: words.store.as_deref(),
            text: &text,
            hint: words.hint.as_deref(),
        };
        if !words.is_news && !self.log.is_news(&event) {
            return;
        }
        if event.level <= self.in_log {
            self.log.write(&event);
        }
        if event.level <= self.on_stderr && !words.is_printed {
            // Nobody may listen any more.
            let _ = self.show(&event);
        }
    }

    /// As a warning of a command looks.
    fn show(&self, event: &LogEvent<'_>) -> std::io::Result<()> {
        let label = match event.level {
            Level::ERROR => self.color.paint(Tone::Bad, "error:") + " ",
            Level::WARN => self.color.paint(Tone::Warning, "warning:") + " ",
            Level::INFO => String::new(),
            _ => self.color.paint(Tone::Faint, "debug:") + " ",
        };
        let mut stderr = Door::stderr();
        stderr.line(&format!("{label}{}", event.text))?;
        match event.hint {
            Some(hint) => stderr.line(&format!("{} {hint}", self.color.paint(Tone::Hint, "hint:"))),
            None => Ok(()),
        }
    }
}

/// The words of an event.
#[derive(Default)]
struct Words {
    message: String,
    /// The reason of a failure.
    error: Option<String>,
    hint: Option<String>,
    store: Option<String>,
    /// The code that tells the event knows that it was not told before.
    is_news: bool,
    /// It is in what the command prints.
    is_printed: bool,
    /// The rest, as `path a.md`.
    facts: Vec<String>,
}

impl Words {
    fn text(&self) -> String {
        let mut text = self.message.clone();
        if !self.facts.is_empty() {
            let _ = write!(text, " ({})", self.facts.join(", "));
        }
        if let Some(error) = &self.error {
            let _ = write!(text, ": {error}");
        }
        text
    }
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        match field.name() {
            "message" => self.message = value,
            "error" => self.error = Some(value),
            "hint" => self.hint = Some(value),
            "store" => self.store = Some(value),
            "is_news" => self.is_news = true,
            "is_printed" => self.is_printed = true,
            name => self.facts.push(format!("{name} {value}")),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_and_the_variable_tell_more() {
        for (verbose, variable, level) in [
            (0, None, Level::WARN),
            (0, Some("nonsense"), Level::WARN),
            (1, None, Level::INFO),
            (0, Some("INFO"), Level::INFO),
            (2, Some("info"), Level::DEBUG),
            (0, Some("debug"), Level::DEBUG),
        ] {
            assert_eq!(
                least(Level::WARN, verbose, variable),
                level,
                "{verbose} {variable:?}"
            );
        }
    }

    #[test]
    fn an_event_becomes_plain_words() {
        #[derive(Clone, Default)]
        struct Catch(Arc<std::sync::Mutex<Vec<String>>>);
        impl Subscriber for Catch {
            fn enabled(&self, _: &Metadata<'_>) -> bool {
                true
            }
            fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
                span::Id::from_u64(1)
            }
            fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
            fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
            fn enter(&self, _: &span::Id) {}
            fn exit(&self, _: &span::Id) {}
            fn event(&self, event: &Event<'_>) {
                let mut words = Words::default();
                event.record(&mut words);
                let said = format!("{}|{:?}|{:?}", words.text(), words.hint, words.store);
                self.0.lock().unwrap().push(said);
            }
        }
        let catch = Catch::default();
        tracing::subscriber::with_default(catch.clone(), || {
            let error = std::io::Error::other("no luck");
            tracing::warn!(path = %"a.md", tries = 3, %error, "{} could not be read", "it");
            let hint: Option<&str> = None;
            tracing::info!(store = %"/s", hint, "all is well");
            tracing::info!(hint = "Do it.", "do it");
        });
        assert_eq!(
            *catch.0.lock().unwrap(),
            [
                "it could not be read (path a.md, tries 3): no luck|None|None",
                "all is well|None|Some(\"/s\")",
                "do it|Some(\"Do it.\")|None",
            ]
        );
    }
}
