//! Is everything in order, and if not, what is to be done?

use super::SessionFiles;
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::model::{Severity, Timestamp};
use crate::service::{ServiceError, StoreStatus, status};
use crate::store::{MassDeletion, Store, StoreError};
use crate::sys::shown_path;

/// For how long a failure is told of, in milliseconds: a day.
const RECENT: i64 = 86_400_000;

/// What was looked at, and how it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    /// What was looked at: `store`, `files`, `git`, `watcher`, `evidence`, `sessions`, `log`.
    pub name: &'static str,
    /// `None`: in order. A note is nothing to act on.
    pub severity: Option<Severity>,
    /// How it is.
    pub what: String,
    /// What to do, as a sentence.
    pub mend: Option<String>,
}

impl HealthCheck {
    fn well(name: &'static str, what: impl Into<String>) -> Self {
        Self {
            name,
            severity: None,
            what: what.into(),
            mend: None,
        }
    }

    fn found(name: &'static str, severity: Severity, what: String, mend: &str) -> Self {
        Self {
            name,
            severity: Some(severity),
            what,
            mend: Some(mend.to_owned()),
        }
    }

    /// Whether somebody has to do something.
    pub fn is_trouble(&self) -> bool {
        self.severity.is_some_and(|severity| severity > Severity::Note)
    }
}

/// Looks at everything that mdmem keeps for a store, without changing anything.
pub fn health(store: &Store) -> Result<Vec<HealthCheck>, ServiceError> {
    let known = status(store)?;
    let mut checks = settings(store, &known);
    checks.extend(files(&known));
    checks.extend(git(store)?);
    checks.push(watcher(&known));
    let events = match Evidence::read(store.root()) {
        Ok(evidence) => {
            checks.extend(evidence_log(&evidence));
            evidence.events
        }
        Err(error) => {
            let mend = "Nothing is recorded until that is mended; the memories themselves are not concerned.";
            checks.push(HealthCheck::found(
                "evidence",
                Severity::Warning,
                error.to_string(),
                mend,
            ));
            Vec::new()
        }
    };
    checks.extend(sessions(store));
    checks.push(log(&known));
    checks.extend(failures(&events, store.now()));
    Ok(checks)
}

fn settings(store: &Store, known: &StoreStatus) -> Vec<HealthCheck> {
    let mut checks = vec![HealthCheck::well(
        "store",
        format!(
            "{} in {}",
            number(known.counts.total, "memory", "memories"),
            shown_path(&known.root)
        ),
    )];
    let problems = store.settings().problems().iter();
    checks.extend(problems.map(|problem| {
        let mend = "`mdmem config` shows every setting and where it comes from.";
        HealthCheck::found("store", problem.severity(), problem.to_string(), mend)
    }));
    checks
}

fn files(known: &StoreStatus) -> Vec<HealthCheck> {
    let of = |severity| {
        known
            .diagnostics
            .iter()
            .filter(move |found| found.severity == severity)
            .count()
    };
    let mend = "`mdmem check` names each with its line and its mend.";
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let mut checks = Vec::new();
    if errors > 0 {
        let what = number(
            errors,
            "finding keeps a file out of the prompt, or makes it read-only",
            "findings keep files out of the prompt, or make them read-only",
        );
        checks.push(HealthCheck::found("files", Severity::Error, what, mend));
    }
    if warnings > 0 {
        let what = number(warnings, "finding is worth a look", "findings are worth a look");
        checks.push(HealthCheck::found("files", Severity::Note, what, mend));
    }
    if checks.is_empty() {
        checks.push(HealthCheck::well("files", "every file can be read"));
    }
    checks
}

fn git(store: &Store) -> Result<Vec<HealthCheck>, ServiceError> {
    let mut checks = Vec::new();
    if let Some(obstacle) = store.repo().obstacle(store.now()).map_err(StoreError::from)? {
        let severity = if obstacle.is_momentary() {
            Severity::Note
        } else {
            Severity::Error
        };
        let hint = obstacle
            .hint()
            .unwrap_or_else(|| "It passes by itself.".to_owned());
        checks.push(HealthCheck::found("git", severity, obstacle.to_string(), &hint));
    }
    let pending = store.pending(MassDeletion::Ask)?;
    if !pending.withheld.is_empty() {
        let what = format!(
            "{} files are missing, more than half of the store",
            pending.withheld.len()
        );
        let mend =
            "If they are meant to be gone: `mdmem sweep --yes`. Else `mdmem restore HEAD` brings them back.";
        checks.push(HealthCheck::found("git", Severity::Warning, what, mend));
    }
    if !pending.staged.is_empty() {
        let what = number(
            pending.staged.len(),
            "file is staged by hand",
            "files are staged by hand",
        );
        let mend = "Commit them with git; after ten minutes mdmem does.";
        checks.push(HealthCheck::found("git", Severity::Note, what, mend));
    }
    if !pending.changes.is_empty() {
        let what = number(
            pending.changes.len(),
            "saved file is not committed yet",
            "saved files are not committed yet",
        );
        checks.push(HealthCheck::found(
            "git",
            Severity::Note,
            what,
            "`mdmem sweep` commits them.",
        ));
    }
    for held in &pending.held {
        let path = shown_path(&held.path);
        let what = format!(
            "{path} is not committed: it holds what looks like a credential: {}",
            held.describe()
        );
        let mend = format!("Take it out of the file, or `mdmem allow {path}` if it is none.");
        checks.push(HealthCheck::found("git", Severity::Warning, what, &mend));
    }
    if checks.is_empty() {
        checks.push(HealthCheck::well("git", "nothing is in the way of a commit"));
    }
    Ok(checks)
}

fn watcher(known: &StoreStatus) -> HealthCheck {
    match &known.watcher {
        Some(holder) => HealthCheck::well("watcher", holder.clone()),
        None => HealthCheck::found(
            "watcher",
            Severity::Note,
            "nobody watches".to_owned(),
            "Saves are committed by the next command; `mdmem watch` does it as they happen.",
        ),
    }
}

fn evidence_log(evidence: &Evidence) -> Vec<HealthCheck> {
    let mut checks = vec![HealthCheck::well(
        "evidence",
        format!(
            "{} in {} bytes",
            number(evidence.events.len(), "event", "events"),
            evidence.bytes
        ),
    )];
    if evidence.unreadable > 0 {
        let what = number(evidence.unreadable, "line is no event", "lines are no events");
        let mend = "A process was killed while it wrote, or somebody edited the file; `mdmem sweep` puts them aside in evidence-unreadable.jsonl.";
        checks.push(HealthCheck::found("evidence", Severity::Warning, what, mend));
    }
    if evidence.newer > 0 {
        let what = number(
            evidence.newer,
            "event was recorded by a newer mdmem",
            "events were recorded by a newer mdmem",
        );
        let mend = "They are kept and passed over; a newer mdmem tells them.";
        checks.push(HealthCheck::found("evidence", Severity::Note, what, mend));
    }
    checks
}

fn sessions(store: &Store) -> Vec<HealthCheck> {
    let folders = SessionFiles::all(store.root());
    let mut checks = vec![HealthCheck::well(
        "sessions",
        number(
            folders.iter().filter(|folder| folder.has_state).count(),
            "has a state",
            "have a state",
        ),
    )];
    for folder in &folders {
        for path in &folder.quarantined {
            let what = format!("the state of session {} could not be read", folder.hash);
            let mend = format!(
                "It was put aside and begun anew; look at {}, then delete it.",
                shown_path(&store.root().join(path))
            );
            checks.push(HealthCheck::found("sessions", Severity::Warning, what, &mend));
        }
        if folder.waiting > 0 {
            let what = number(
                folder.waiting,
                &format!("write of session {} waits", folder.hash),
                &format!("writes of session {} wait", folder.hash),
            );
            let mend = "They are tried again at the next event of that session; what is in the way of a write stands above, or in `mdmem status`.";
            checks.push(HealthCheck::found("sessions", Severity::Warning, what, mend));
        }
    }
    checks
}

/// What the engine says of trouble that is not over.
fn log(known: &StoreStatus) -> HealthCheck {
    let Some(last) = known.troubles.last() else {
        return HealthCheck::well("log", "no failures");
    };
    let what = format!(
        "{} within a day, the last one: {}",
        number(known.troubles.len(), "failure", "failures"),
        last.text
    );
    let mend = "`mdmem log --engine` shows what came before.";
    HealthCheck::found("log", Severity::Warning, what, mend)
}

/// What failed within a day, by the evidence.
fn failures(events: &[RecordedEvent], now: Timestamp) -> Vec<HealthCheck> {
    let kinds = [
        (
            EventType::HookFailed,
            "call of a host failed",
            "calls of a host failed",
        ),
        (
            EventType::StorageLockTimeout,
            "wait for a lock was in vain",
            "waits for a lock were in vain",
        ),
        (
            EventType::PromotionRetryExhausted,
            "memory could not be written and was given up",
            "memories could not be written and were given up",
        ),
    ];
    let recent = |event: &&RecordedEvent| now.millis_since(event.at) <= RECENT;
    let found = kinds.into_iter().filter_map(|(event_type, one, many)| {
        let of_type = |event: &&RecordedEvent| event.event_type == event_type;
        let failed: Vec<&RecordedEvent> = events.iter().filter(of_type).filter(recent).collect();
        let last = failed.last()?;
        let said = last.text("reason").or(last.preview.as_deref());
        let said = said.map_or_else(String::new, |said| format!(", the last one: {said}"));
        let what = format!("{} within a day{said}", number(failed.len(), one, many));
        let mend = match &last.session {
            Some(session) => format!("`mdmem diag trace {session}` shows what happened around it."),
            None => "`mdmem diag trace -n 50` shows what happened around it.".to_owned(),
        };
        Some(HealthCheck::found("events", Severity::Warning, what, &mend))
    });
    found.collect()
}

fn number(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
