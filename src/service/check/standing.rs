//! What commits, requests and exchanges wait for, what was left behind, and what is wrong behind the files.

use crate::evidence::Evidence;
use crate::git::{GitError, ORIGIN_REF, ObjectFault, Staged, StagedKind};
use crate::model::Diagnostic;
use crate::service::conversation::waiting_at;
use crate::service::log::engine_troubles;
use crate::service::watch::{Watcher, watcher_of};
use crate::service::{Context, EditCopy, RemoteState, ServiceError, WatchReport, remote};
use crate::store::{LOCAL, MassDeletion, SessionFiles, Snapshot, Store, StoreError, Sweep};
use crate::sync::not_taken_over;
use crate::sys::{self, FailureKind, shown_path};

const GIT: &str = ".git";
const EVIDENCE: &str = ".mdmem/evidence.jsonl";

/// The store besides its memories.
pub(super) struct Standing {
    /// What is saved and not committed.
    pub(super) pending: Sweep,
    /// The process that watches, as it describes itself.
    pub(super) watcher: Option<String>,
    /// The place with which the store is exchanged.
    pub(super) remote: Option<RemoteState>,
    pub(super) findings: Vec<Diagnostic>,
}

/// Looks at what can be seen at once.
pub(super) fn findings(
    context: &Context,
    store: &Store,
    snapshot: &Snapshot,
) -> Result<Standing, ServiceError> {
    let (pending, damage) = match store.pending(snapshot, MassDeletion::Ask) {
        Err(StoreError::Git(error @ GitError::Damaged { .. })) => (Sweep::default(), Some(error)),
        pending => (pending?, store.damage()),
    };
    let watcher = watcher_of(store.root())?;
    let remote = remote(context, store)?;
    let mut findings = match damage {
        Some(damage) => vec![of_git(&damage)],
        None => in_the_way(store, &pending, watcher.as_ref())?,
    };
    match store.unfinished(snapshot) {
        Ok(unfinished) => findings.extend(unfinished.map(|unfinished| {
            Diagnostic::error("unfinished", GIT, unfinished.describe(), unfinished.hint())
        })),
        Err(error) => tracing::info!(%error, "a file of pending writes cannot be read"),
    }
    findings.extend(store.begun()?.map(|op| {
        let mend =
            "Unless another mdmem is at work, `mdmem sweep` finishes it, or drops it if its files are as before.";
        Diagnostic::warning("interrupted", GIT, format!("the {op} is not finished"), mend)
    }));
    findings.extend(not_taken_over(store)?.map(|error| {
        let mend = error.hint().unwrap_or_default();
        Diagnostic::error("remote", ORIGIN_REF, error.to_string(), mend)
    }));
    if let Some(failing) = remote.as_ref().and_then(|remote| remote.state.failure()) {
        let report = WatchReport::NotExchanged(failing);
        let mend = report.hint().unwrap_or_default();
        findings.push(Diagnostic::warning("exchange", GIT, report.to_string(), mend));
    }
    findings.extend(waiting_at(context, store.root()).iter().map(|waits| {
        let mend = "They are retried by agents, `mdmem sweep` and `mdmem add`.";
        Diagnostic::warning("requests", shown_path(&waits.journal), waits.to_string(), mend)
    }));
    findings.extend(EditCopy::kept(store).iter().map(|draft| {
        let message = "a draft of `mdmem edit`";
        let mend = "Copy what you need from it, then remove it.";
        Diagnostic::note("draft", shown_path(draft), message, mend)
    }));
    let troubles = engine_troubles(store.root(), store.now());
    findings.extend(troubles.last().map(|last| {
        let at = last.at.map(|at| format!(", at {at}")).unwrap_or_default();
        let mend = "`mdmem log --engine` shows earlier entries.";
        Diagnostic::note("log", format!("{LOCAL}/log"), format!("{}{at}", last.text), mend)
    }));
    Ok(Standing {
        pending,
        watcher: watcher.map(|watcher| watcher.holder),
        remote,
        findings,
    })
}

fn of_git(error: &GitError) -> Diagnostic {
    Diagnostic::error("git", GIT, error.to_string(), error.hint().unwrap_or_default())
}

fn in_the_way(
    store: &Store,
    pending: &Sweep,
    watcher: Option<&Watcher>,
) -> Result<Vec<Diagnostic>, ServiceError> {
    let mut found = Vec::new();
    if let Some(obstacle) = store.repo().obstacle(store.now())? {
        let mend = obstacle
            .hint()
            .unwrap_or_else(|| "This clears up on its own.".to_owned());
        found.push(if obstacle.is_momentary() {
            Diagnostic::note("git", GIT, obstacle.to_string(), mend)
        } else {
            Diagnostic::error("git", GIT, obstacle.to_string(), mend)
        });
    }
    found.extend(store.repo().check_attributes().err().as_ref().map(of_git));
    if !store.repo().merges_by_mdmem()? {
        let message = "git is not set up to merge this store's files with mdmem";
        let mend = "`mdmem sweep` sets it up; until then, `git pull` has more conflicts.";
        found.push(Diagnostic::note("merge-driver", ".git/config", message, mend));
    }
    // A folder that is missing is made when it is needed, or told of elsewhere.
    let folders = [store.root().join(LOCAL), store.repo().git_dir().join("objects")];
    let refused = folders.iter().find_map(|folder| {
        let error = sys::try_writing(folder).err()?;
        (error.kind() != FailureKind::Missing).then_some(error)
    });
    found.extend(refused.map(|error| {
        let mend = "Nothing can be stored until this is fixed: `df -h` and `df -i` show space and inodes, \
            `mount` shows what is read-only. Writes stay pending meanwhile.";
        Diagnostic::error("store", ".", error.to_string(), mend)
    }));
    // An obstacle of git's was told above, in its own words.
    if found.is_empty()
        && let Some((since, cause)) = watcher.and_then(|watcher| watcher.trouble.as_ref())
    {
        let message = format!("the watcher has not been able to commit since {since}: {cause}");
        let mend = "It retries on its own; `mdmem log --engine` shows what happened.";
        found.push(Diagnostic::error("watcher", GIT, message, mend));
    }
    let cache = sys::try_writing(&store.root().join(LOCAL).join("cache")).err();
    let cache = cache.filter(|error| found.is_empty() && error.kind() != FailureKind::Missing);
    found.extend(cache.map(|error| {
        let mend = "Allow writing there: until then each command reads every file.";
        Diagnostic::warning("cache", format!("{LOCAL}/cache"), error.to_string(), mend)
    }));
    if !pending.withheld.is_empty() {
        let message = format!(
            "{} files are missing, more than half of the store",
            pending.withheld.len()
        );
        let mend = "`mdmem sweep --yes` commits their deletion; `mdmem restore HEAD` brings them back.";
        found.push(Diagnostic::warning("missing", ".", message, mend));
    }
    // An index that cannot be read is told of above.
    let staged = store.repo().staged_by_hand(&pending.staged).unwrap_or_default();
    for path in &pending.staged {
        let is_unmerged = |staged: &Staged| staged.kind == StagedKind::Conflict && staged.path == *path;
        let (message, mend) = if staged.iter().any(is_unmerged) {
            let mend = "Edit the file, remove git's markers, and `git add` it.";
            ("is unmerged: git left several versions of it", mend)
        } else {
            (
                "is staged",
                "Commit it with git, or mdmem does after ten minutes.",
            )
        };
        found.push(Diagnostic::note("staged", shown_path(path), message, mend));
    }
    Ok(found)
}

/// Looks at what takes longer: every object of the history, and the records of sessions and decisions.
pub(super) fn hidden(store: &Store) -> Result<Vec<Diagnostic>, ServiceError> {
    let again = store.reopened()?;
    // Git reads every object, and so does mdmem meanwhile.
    let (fault, plan) = std::thread::scope(|scope| {
        let fault = scope.spawn(move || again.repo().object_fault());
        let plan = store.repo().plan_repair();
        let fault = fault
            .join()
            .expect("because a look at the objects does not panic");
        (fault, plan)
    });
    let mut findings = Vec::new();
    if store.damage().is_none() {
        let damage = plan.map(|plan| plan.damage).unwrap_or_default();
        let mend = "`mdmem check --fix` shows how to repair the history; your files are not affected.";
        findings.extend(
            damage
                .into_iter()
                .map(|what| Diagnostic::error("git", GIT, what, mend)),
        );
    }
    match fault {
        Ok(Some(ObjectFault { what, mend })) if findings.is_empty() => {
            findings.push(Diagnostic::error("git", GIT, what, mend));
        }
        Ok(_) => {}
        Err(error) => {
            let message = format!("the objects of the history could not be checked: {error}");
            findings.push(Diagnostic::note(
                "git",
                GIT,
                message,
                error.hint().unwrap_or_default(),
            ));
        }
    }
    let quarantined = SessionFiles::all(store.root()).into_iter();
    findings.extend(quarantined.flat_map(|session| session.quarantined).map(|path| {
        let message =
            "the state of a session could not be read: it was moved here, and the session started over";
        Diagnostic::warning(
            "sessions",
            shown_path(&path),
            message,
            "Look at it, then delete it.",
        )
    }));
    match Evidence::read(store.root()) {
        Ok(evidence) => {
            if evidence.unreadable > 0 {
                let message = format!("unreadable lines: {}", evidence.unreadable);
                let mend = "A process was killed while writing, or somebody edited the file. `mdmem \
                    sweep` moves them to evidence-unreadable.jsonl.";
                findings.push(Diagnostic::warning("evidence", EVIDENCE, message, mend));
            }
        }
        Err(error) => {
            let mend = "No decisions are recorded until this is fixed; memories are not affected.";
            findings.push(Diagnostic::warning("evidence", EVIDENCE, error.to_string(), mend));
        }
    }
    Ok(findings)
}
