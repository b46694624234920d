//! Use case: is everything in order, and if not, what is to be done?

use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::git::{GitError, ObjectFault};
use crate::model::Severity;
use crate::service::{
    Context, HealthCheck, RemoteState, ServiceError, StoreStatus, WatchReport, remote, status, waiting,
};
use crate::session::Pruning;
use crate::store::{SessionFiles, Store, StoreError, Waits};
use crate::sys::{self, SysError, shown_path};

use super::plugin::plugin;

/// For how long a failure on record is told of, in milliseconds: a day.
const RECENT: i64 = 86_400_000;
/// The failures that the evidence records, in words.
const FAILURES: [(EventType, &str); 3] = [
    (EventType::HookFailed, "calls of a host that failed"),
    (EventType::StorageLockTimeout, "waits for a lock in vain"),
    (EventType::PromotionRetryExhausted, "memories given up"),
];

/// The things that the sources of checks look at.
struct Subject<'a> {
    store: &'a Store,
    status: StoreStatus,
    evidence: Result<Evidence, SysError>,
    sessions: Vec<SessionFiles>,
    waiting: Vec<Waits>,
    remote: Option<RemoteState>,
    /// The things of the history that mdmem cannot read.
    damage: Vec<String>,
    /// The fault of the objects that git finds.
    fault: Result<Option<ObjectFault>, GitError>,
}

/// The sources, in the order in which a person reads them.
const SOURCES: [fn(&Subject<'_>) -> Vec<HealthCheck>; 11] = [
    settings, files, git, watcher, exchange, evidence, sessions, outputs, requests, log, failures,
];

/// Looks at everything that mdmem keeps for a session in this folder, and at the host's plugin, without changing anything.
pub fn health(context: &Context) -> Result<Vec<HealthCheck>, ServiceError> {
    let (plugin, context) = (plugin(context), context.of_session()?);
    let mut checks = match context.open() {
        // A plugin that does not load is a reason why there is no store.
        Err(error @ ServiceError::Store(StoreError::Absent { .. })) if !plugin.is_empty() => {
            let mend = "The first request to remember makes it; `mdmem init` does too.";
            vec![HealthCheck::note("store", error.to_string(), mend)]
        }
        opened => of_store(&context, &opened?)?,
    };
    let connected = context.last_connection(&context.place()?.root);
    let connected = match connected {
        Some(last) => Some(HealthCheck::well("connected", format!("last by {last}"))),
        None if plugin.is_empty() => None,
        None => {
            let mend = "Start OpenCode in this workspace; its log says what goes wrong.";
            Some(HealthCheck::note("connected", "never, for this workspace", mend))
        }
    };
    checks.extend(plugin.into_iter().chain(connected));
    Ok(checks)
}

fn of_store(context: &Context, store: &Store) -> Result<Vec<HealthCheck>, ServiceError> {
    let again = store.reopened()?;
    std::thread::scope(|scope| {
        // Git reads every object, and so does mdmem meanwhile.
        let fault = scope.spawn(move || again.repo().object_fault());
        let plan = store.repo().plan_repair();
        let subject = Subject {
            store,
            status: status(store)?,
            evidence: Evidence::read(store.root()),
            sessions: SessionFiles::all(store.root()),
            waiting: waiting(context)?,
            remote: remote(context, store)?,
            damage: plan.map_or_else(|_| Vec::new(), |plan| plan.damage),
            fault: fault
                .join()
                .expect("because a look at the objects does not panic"),
        };
        Ok(SOURCES.iter().flat_map(|source| source(&subject)).collect())
    })
}

/// The sums of the pruning of tool outputs over the sessions that are kept; nothing where no output was pruned.
fn outputs(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let sums = subject.sessions.iter().map(|session| session.pruning);
    let sum = sums.fold(Pruning::default(), |sum, more| sum + more);
    let what = format!(
        "tool outputs that were shortened: {}, of {} characters to {}; fetched back: {}",
        sum.calls, sum.chars_in, sum.chars_out, sum.fetched
    );
    let is_any = sum != Pruning::default();
    is_any
        .then(|| HealthCheck::well("outputs", what))
        .into_iter()
        .collect()
}

fn settings(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let status = &subject.status;
    let what = format!("{}, memories: {}", shown_path(&status.root), status.total);
    let mend = "`mdmem config` shows every setting and where it comes from.";
    let problems = subject.store.settings().problems.iter();
    let found =
        problems.map(|problem| HealthCheck::of(problem.severity(), "store", problem.to_string(), mend));
    or_well(found.collect(), "store", &what)
}

fn files(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let diagnostics = &subject.status.diagnostics;
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|found| found.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mend = "`mdmem check` names each with its line and its mend.";
    let mut checks = Vec::new();
    if errors > 0 {
        let what = format!("findings that keep a file out of the prompt, or make it read-only: {errors}");
        checks.push(HealthCheck::of(Severity::Error, "files", what, mend));
    }
    if warnings > 0 {
        let what = format!("findings that are worth a look: {warnings}");
        checks.push(HealthCheck::note("files", what, mend));
    }
    if !subject.status.drafts.is_empty() {
        let what = format!(
            "texts of `mdmem edit` that are not saved: {}",
            subject.status.drafts.len()
        );
        checks.push(HealthCheck::note("files", what, "`mdmem status` names each."));
    }
    let foreign = sys::foreign_displaced(subject.store.root()).unwrap_or_default();
    if !foreign.is_empty() {
        let foreign: Vec<String> = foreign.iter().map(|path| shown_path(path)).collect();
        let what = format!(
            "what mdmem did not put among its displaced files: {}",
            foreign.join(", ")
        );
        let mend = "It is left alone; move it away, or delete it.";
        checks.push(HealthCheck::note("files", what, mend));
    }
    or_well(checks, "files", "every file can be read")
}

fn git(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let status = &subject.status;
    let mut checks = status.obstacles.clone();
    let damage: &[String] = if checks.is_empty() { &subject.damage } else { &[] };
    let mend = "`mdmem repair --dry-run` says how the history comes back; your files are as they are.";
    let told = damage.iter();
    checks.extend(told.map(|what| HealthCheck::of(Severity::Error, "git", what, mend)));
    if !status.uncommitted.is_empty() {
        let what = format!(
            "saved files that are not committed yet: {}",
            status.uncommitted.len()
        );
        checks.push(HealthCheck::note("git", what, "`mdmem sweep` commits them."));
    }
    for held in &status.held {
        let report = WatchReport::Held(held.clone());
        let mend = report.hint().unwrap_or_default();
        checks.push(HealthCheck::warning("git", report.to_string(), mend));
    }
    match &subject.fault {
        Ok(Some(ObjectFault { what, mend })) if damage.is_empty() => {
            checks.push(HealthCheck::of(Severity::Error, "git", what.clone(), mend));
        }
        Ok(_) => {}
        Err(error) => {
            let what = format!("the objects of the history were not looked at: {error}");
            checks.push(HealthCheck::note("git", what, error.hint().unwrap_or_default()));
        }
    }
    or_well(checks, "git", "nothing is in the way of a commit")
}

fn watcher(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let mend = "Saves are committed by the next command; `mdmem watch` does it as they happen.";
    vec![match &subject.status.watcher {
        Some(holder) => HealthCheck::well("watcher", holder),
        None => HealthCheck::note("watcher", "nobody watches", mend),
    }]
}

fn exchange(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let Some(remote) = &subject.remote else {
        return Vec::new();
    };
    if let Some(failing) = &remote.state.failing {
        let report = WatchReport::NotExchanged(failing.clone());
        let mend = report.hint().unwrap_or_default();
        return vec![HealthCheck::warning("remote", report.to_string(), mend)];
    }
    let what = format!("commits to send: {}, to merge: {}", remote.ahead, remote.behind);
    vec![HealthCheck::well("remote", what)]
}

fn evidence(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let evidence = match &subject.evidence {
        Ok(evidence) => evidence,
        Err(error) => {
            let mend = "Nothing is recorded until that is mended; the memories themselves are not concerned.";
            return vec![HealthCheck::warning("evidence", error.to_string(), mend)];
        }
    };
    let what = format!("events: {}, bytes: {}", evidence.events.len(), evidence.bytes);
    let mut checks = vec![HealthCheck::well("evidence", what)];
    if evidence.unreadable > 0 {
        let what = format!("lines that are no event: {}", evidence.unreadable);
        let mend = "A process was killed while it wrote, or somebody edited the file; `mdmem sweep` puts them aside in evidence-unreadable.jsonl.";
        checks.push(HealthCheck::warning("evidence", what, mend));
    }
    if evidence.newer > 0 {
        let what = format!("events that a newer mdmem recorded: {}", evidence.newer);
        let mend = "They are kept and passed over; a newer mdmem tells them.";
        checks.push(HealthCheck::note("evidence", what, mend));
    }
    checks
}

fn sessions(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let sessions = &subject.sessions;
    let last = sessions.iter().filter_map(|session| session.last_seen).max();
    let last = last.map_or_else(String::new, |last| format!(", the last heard of at {last}"));
    let mut checks = vec![HealthCheck::well(
        "sessions",
        format!("on disk: {}{last}", sessions.len()),
    )];
    for session in sessions {
        let hash = &session.hash;
        for path in &session.quarantined {
            let what = format!("the state of session {hash} could not be read");
            let path = shown_path(&subject.store.root().join(path));
            let mend = format!("It was put aside and begun anew; look at {path}, then delete it.");
            checks.push(HealthCheck::warning("sessions", what, mend));
        }
    }
    checks
}

/// The requests that wait to be stored.
fn requests(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let mend = "They are tried again when their session goes on, when a server begins, and by `mdmem sweep` and `mdmem add`.";
    let waiting = subject.waiting.iter();
    let checks = waiting.map(|waits| HealthCheck::warning("requests", waits.to_string(), mend));
    or_well(checks.collect(), "requests", "none waits to be stored")
}

/// Trouble that is not over, as the engine's log tells it.
fn log(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let troubles = &subject.status.troubles;
    let Some(last) = troubles.last() else {
        return vec![HealthCheck::well("log", "no failures")];
    };
    let what = format!(
        "failures within a day: {}, the last one: {}",
        troubles.len(),
        last.text
    );
    let mend = "`mdmem log --engine` shows what came before.";
    vec![HealthCheck::warning("log", what, mend)]
}

/// The failures within a day that the evidence records.
fn failures(subject: &Subject<'_>) -> Vec<HealthCheck> {
    let now = subject.store.now();
    let recorded = subject.evidence.iter().flat_map(|evidence| &evidence.events);
    let recent = recorded.filter(|event| now.millis_since(event.at) <= RECENT);
    let recent: Vec<&RecordedEvent> = recent.collect();
    let checks = FAILURES.iter().filter_map(|(event_type, what)| {
        let of_type = |event: &&&RecordedEvent| event.event_type == *event_type;
        let last = recent.iter().rfind(of_type)?;
        let count = recent.iter().filter(of_type).count();
        let said = last
            .text("reason")
            .or(last.preview.as_deref())
            .unwrap_or("no reason is known");
        let what = format!("{what} within a day: {count}, the last one: {said}");
        let mend = format!(
            "`mdmem diag events --type {}` shows them and their sessions.",
            event_type.as_str()
        );
        Some(HealthCheck::warning("events", what, mend))
    });
    checks.collect()
}

fn or_well(checks: Vec<HealthCheck>, name: &'static str, what: &str) -> Vec<HealthCheck> {
    if checks.is_empty() {
        vec![HealthCheck::well(name, what)]
    } else {
        checks
    }
}
