//! `mdmem remote`

use clap::{Args, Subcommand};
use serde_json::json;

use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::ui::{Format, ago, counted};
use crate::model::Timestamp;
use crate::service::{self, RemoteState};

/// Show or set the git repository with which this store is exchanged
///
/// Any repository that git can push to: a path, ssh or https. Your own git, with its keys and credential helpers, talks
/// to it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem remote set git@host.example:me/memory.git
  mdmem remote
  mdmem config set --user sync.remote git@host.example:me/memories.git    one repository for all stores")]
pub(crate) struct RemoteArgs {
    #[command(subcommand)]
    pub(crate) action: Option<RemoteAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RemoteAction {
    /// Show the remote, and how many commits each side lacks
    Show,
    /// Exchange this store with the repository at an address
    Set {
        /// The address, as git takes it; it should be empty, or hold a store
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Exchange this store with nothing any more; its memories and its history stay
    Remove,
}

pub(crate) fn run(args: &RemoteArgs, cx: &mut Context) -> Result<(), CommandError> {
    match &args.action {
        None | Some(RemoteAction::Show) => show(cx),
        Some(RemoteAction::Set { url }) => {
            let store = cx.store_or_new()?;
            let url = service::set_remote(&cx.service, &store, url)?;
            if cx.ui.format == Format::Json {
                return Ok(cx.ui.json(&json!({ "remote": url }))?);
            }
            cx.ui.line(&format!("this store is exchanged with {url}"))?;
            Ok(cx.ui.hint(
                "`mdmem sync` does it now; `mdmem config set --user sync.auto true` lets the watcher do it.",
            )?)
        }
        Some(RemoteAction::Remove) => {
            let was_there = service::remove_remote(&cx.store()?)?;
            if cx.ui.format == Format::Json {
                return Ok(cx.ui.json(&json!({ "removed": was_there }))?);
            }
            let line = if was_there {
                "the remote is removed; nothing else has changed"
            } else {
                "this store has no remote of its own"
            };
            Ok(cx.ui.line(line)?)
        }
    }
}

fn show(cx: &mut Context) -> Result<(), CommandError> {
    let store = cx.store()?;
    let remote = service::remote(&cx.service, &store)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&remote.as_ref().map(remote_json))?);
    }
    let Some(remote) = remote else {
        cx.ui.line("this store has no remote")?;
        return Ok(cx.ui.hint("`mdmem remote set URL` gives it one.")?);
    };
    Ok(cx.ui.line(&remote_line(&remote, cx.now()))?)
}

/// The remote and how the two sides stand, in one line.
pub(crate) fn remote_line(remote: &RemoteState, now: Timestamp) -> String {
    let state = match remote {
        RemoteState { is_new: true, .. } => "nothing is exchanged yet".to_owned(),
        RemoteState {
            ahead: 0, behind: 0, ..
        } => "in step when last heard of".to_owned(),
        RemoteState { ahead, behind, .. } => {
            let ahead = (*ahead > 0).then(|| format!("{} to send", counted(*ahead, "commit")));
            let behind = (*behind > 0).then(|| format!("{} to merge", counted(*behind, "commit")));
            ahead.into_iter().chain(behind).collect::<Vec<_>>().join(", ")
        }
    };
    let last = remote.state.last;
    let last = last.map_or_else(String::new, |last| format!("; exchanged {}", ago(last, now)));
    let failing = remote.state.failing.as_ref();
    let failing = failing.map_or_else(String::new, |failing| {
        format!(", tried in vain since {}", ago(failing.since, now))
    });
    format!("{} ({}): {state}{last}{failing}", remote.url, remote.branch)
}

/// Its JSON form.
pub(crate) fn remote_json(remote: &RemoteState) -> serde_json::Value {
    let failing = remote.state.failing.as_ref();
    json!({
        "url": remote.url,
        "branch": remote.branch,
        "exchanged": !remote.is_new,
        "ahead": remote.ahead,
        "behind": remote.behind,
        "last": remote.state.last.map(Timestamp::to_rfc3339),
        "failing_since": failing.map(|failing| failing.since.to_rfc3339()),
        "failing": failing.map(|failing| &failing.cause),
    })
}
