//! `mdmem sync`: what a person is shown and asked before a head is taken over or a commit is sent.

use clap::Args;
use serde_json::{Value, json};

use super::sync::{SyncArgs, exchange, form, tell};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, Ui, counted, minute};
use crate::service::{self, CommitInfo, Consent, RemoteHead, Rewritten, Secrets, Store, incoming_head};

/// The number of commits that are listed for a person.
const MOST_LISTED: usize = 100;
/// The number of places of credentials that are listed for a person.
const MOST_LEAKS: usize = 20;

/// A person's word for this once.
#[derive(Debug, Args)]
pub(crate) struct ConsentArgs {
    /// Merge also a remote that was rewound or rewritten, or that lost most of its memories
    #[arg(long)]
    accept_remote: bool,

    /// Send also commits that hold what looks like a credential
    #[arg(long, conflicts_with = "rewrite_unpushed")]
    allow_secrets: bool,

    /// Take what looks like a credential out of the commits that were never sent; the files stay here
    #[arg(long)]
    rewrite_unpushed: bool,
}

impl ConsentArgs {
    /// The consent that the arguments give. A person who only looks sees the head as if it were accepted.
    pub(super) fn consent(&self, looks: bool) -> Consent {
        let remote = if self.accept_remote || looks {
            RemoteHead::Accepted
        } else {
            RemoteHead::Judged
        };
        let secrets = match (self.allow_secrets, self.rewrite_unpushed) {
            (true, _) => Secrets::Allowed,
            (_, true) => Secrets::TakenOut,
            _ => Secrets::Refused,
        };
        Consent { remote, secrets }
    }
}

/// Shows what would change here, and the commits that did it.
pub(super) fn show(args: &SyncArgs, cx: &mut Context, store: &Store) -> Result<(), CommandError> {
    let synced = exchange(args, cx, store)?;
    let head = incoming_head(store)?;
    if cx.ui.format == Format::Json {
        let commits = |commits: &[CommitInfo]| commits.iter().map(commit_json).collect::<Value>();
        let shown = json!({
            "quarantined": head.why,
            "new": commits(&head.new),
            "gone": commits(&head.gone),
        });
        return Ok(cx.ui.json(&crate::host::json::merged(form(&synced), shown))?);
    }
    tell(&synced, args, cx)?;
    let ui = &mut cx.ui;
    list("new there:", &head.new, ui)?;
    list("gone there:", &head.gone, ui)?;
    if let Some(why) = &head.why {
        ui.warning(why)?;
    }
    Ok(())
}

fn list(title: &str, commits: &[CommitInfo], ui: &mut Ui) -> Result<(), CommandError> {
    if commits.is_empty() {
        return Ok(());
    }
    ui.line(title)?;
    for commit in commits.iter().take(MOST_LISTED) {
        let (name, time) = (commit.oid.short(), minute(commit.time, ui.zone));
        ui.line(&format!(
            "  {name} {time} {}: {}",
            commit.author, commit.message.subject
        ))?;
    }
    let more = commits.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        ui.line(&format!("  and {more} more"))?;
    }
    Ok(())
}

fn commit_json(commit: &CommitInfo) -> Value {
    json!({
        "oid": commit.oid.to_string(),
        "time": commit.time.to_rfc3339(),
        "author": commit.author,
        "subject": commit.message.subject,
    })
}

/// Tells which commits were made anew.
pub(super) fn tell_rewritten(rewritten: &Rewritten, ui: &mut Ui) -> Result<(), CommandError> {
    for leak in rewritten.leaks.iter().take(MOST_LEAKS) {
        ui.notice(&leak.to_string())?;
    }
    let more = rewritten.leaks.len().saturating_sub(MOST_LEAKS);
    if more > 0 {
        ui.notice(&format!("and {more} more"))?;
    }
    let places = counted(rewritten.leaks.len(), "place");
    if rewritten.commits == 0 {
        ui.notice(&format!(
            "would take {places} out of commits that were never sent"
        ))?;
        return Ok(());
    }
    let commits = counted(rewritten.commits, "commit");
    ui.notice(&format!(
        "took {places} out: {commits} made anew; the files are here as they were, and are held"
    ))?;
    let before = rewritten.before.short();
    ui.hint(&format!(
        "The old commits stay on this machine alone, until git removes them: `git log {before}` shows them, `git reflog expire --expire=now --all` and `git gc --prune=now` in the store's folder end that."
    ))?;
    Ok(())
}

pub(super) fn leak_json(leak: &service::Leak) -> Value {
    json!({
        "commit": leak.commit.to_string(),
        "place": leak.place.as_str(),
        "path": leak.path().map(|path| path.to_string_lossy()),
        "line": leak.line(),
        "kind": leak.kind,
    })
}

pub(super) fn rewritten_json(rewritten: &Rewritten) -> Value {
    json!({
        "commits": rewritten.commits,
        "before": rewritten.before.to_string(),
        "leaks": rewritten.leaks.iter().map(leak_json).collect::<Value>(),
    })
}
