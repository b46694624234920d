//! `mdmem sync`

use std::cell::RefCell;

use clap::Args;
use serde_json::{Value, json};

use super::rm::restoring;
use super::sync_consent::ConsentArgs;
use crate::host::cli::change_report::{changed_line, creation_line, print_files, tell_aftermath};
use crate::host::cli::context::Context;
use crate::host::cli::errors::CommandError;
use crate::host::cli::finding;
use crate::host::cli::ui::{Format, Ui, ago, counted};
use crate::host::errors::some_of;
use crate::model::Timestamp;
use crate::service::{
    self, ChangedFile, Cloned, Creation, ForgottenElsewhere, Network, Prompts, RemoteState, Run,
    ServiceError, Store, SyncError, SyncRequest, Synced,
};
use crate::sys::Env;

/// So many contradictions are named one by one.
const MOST_CONFLICTS: usize = 10;

/// Exchange memories with your other machines
///
/// Saves are committed, then what the remote has is fetched and merged, then what it lacks is pushed. No merge is ever
/// left half done: where both sides changed the same lines, the later text stays, and the other one is kept beside it
/// (`mdmem conflicts`). URL, the first time, says with which repository; on another machine the same command brings the
/// store. With `sync.remote` in your own settings all stores share one repository, and no URL is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sync git@host.example:me/memory.git     the first time, on each machine
  mdmem sync git@host.example:me/all.git --branch notes
  mdmem sync
  mdmem sync --dry-run          show what would change here
  mdmem sync --all              every store that has a remote
  mdmem sync --show             look at what waits for your word, and its commits")]
pub(crate) struct SyncArgs {
    /// The repository to exchange this store with from now on, as git takes it: empty, or a store
    #[arg(value_name = "URL", conflicts_with_all = ["all", "dry_run", "show"])]
    url: Option<String>,

    /// The branch there [default: main]
    #[arg(long, value_name = "NAME", requires = "url")]
    branch: Option<String>,

    /// Every store on this machine that has a remote
    #[arg(long)]
    pub(crate) all: bool,

    /// Fetch, say what would change, and change no file and no commit
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Fetch, show what would change here and the commits that did it, and change nothing
    #[arg(long, conflicts_with = "all")]
    pub(crate) show: bool,

    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
}

pub(crate) fn run(args: &SyncArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.all {
        return run_all(args, cx);
    }
    if let Some(url) = &args.url
        && begin(args, url, cx)? == Begun::Brought
    {
        return Ok(());
    }
    // On a new machine the first exchange brings the store.
    let store = if service::has_shared_remote(&cx.service)? && !args.dry_run {
        cx.store_or_new()?
    } else {
        cx.store()?
    };
    if args.show {
        return super::sync_consent::show(args, cx, &store);
    }
    let synced = exchange(args, cx, &store)?;
    if cx.ui.format == Format::Json {
        return Ok(cx.ui.json(&form(&synced))?);
    }
    tell(&synced, args, cx)
}

/// The way in which a store got its remote.
#[derive(PartialEq, Eq)]
enum Begun {
    /// There was no store here: it is the remote's.
    Brought,
    /// It is to be exchanged.
    Set,
}

/// Sets the remote of the store; where there is none here, brings the remote's.
fn begin(args: &SyncArgs, url: &str, cx: &mut Context) -> Result<Begun, CommandError> {
    let branch = args.branch.as_deref();
    let Context {
        ui, service: context, ..
    } = cx;
    let place = context.place()?;
    if !place.exists() {
        let brought = with_network(ui, &context.env, |network| {
            Ok(service::clone(context, url, branch, network))
        })?;
        match brought {
            Err(ServiceError::Sync(SyncError::EmptyRemote { .. })) => {}
            brought => {
                let Cloned { store, url, memories } = brought?;
                if ui.format == Format::Json {
                    let root = store.root().to_string_lossy();
                    ui.json(&json!({ "store": root, "remote": url, "memories": memories }))?;
                } else {
                    ui.line(&creation_line(&store, &Creation::Created))?;
                    let memories = if memories == 1 {
                        "1 memory".to_owned()
                    } else {
                        format!("{memories} memories")
                    };
                    ui.line(&format!("{memories} from {url}"))?;
                }
                return Ok(Begun::Brought);
            }
        }
    }
    let store = cx.store_or_new()?;
    let url = service::set_remote(&cx.service, &store, url, branch)?;
    cx.ui.notice(&format!("this store is exchanged with {url}"))?;
    Ok(Begun::Set)
}

/// Every store that has a remote. One that fails does not stop the others; the command fails after them.
fn run_all(args: &SyncArgs, cx: &mut Context) -> Result<(), CommandError> {
    let (mut forms, mut failed) = (Vec::new(), Vec::new());
    let stores = service::stores_with_remote(&cx.service)?;
    if stores.is_empty() {
        cx.ui.notice("no store of this machine has a remote")?;
        cx.ui
            .hint("`mdmem sync URL` in a workspace gives its store one.")?;
    }
    for (name, store) in stores {
        let synced = store
            .map_err(CommandError::from)
            .and_then(|store| exchange(args, cx, &store));
        match synced {
            Ok(synced) if cx.ui.format == Format::Json => {
                forms.push(crate::host::json::merged(json!({ "store": name }), form(&synced)));
            }
            Ok(synced) => {
                cx.ui.line(&format!("{name}:"))?;
                tell(&synced, args, cx)?;
            }
            Err(error) if cx.ui.format == Format::Json => {
                forms.push(crate::host::json::merged(json!({ "store": name }), error.json()));
                failed.push(name);
            }
            Err(error) => {
                cx.ui.warning(&format!("{name}: {}", error.error))?;
                for hint in &error.hints {
                    cx.ui.hint(hint)?;
                }
                failed.push(name);
            }
        }
    }
    if cx.ui.format == Format::Json {
        cx.ui.json(&json!({ "stores": forms }))?;
    }
    if failed.is_empty() {
        return Ok(());
    }
    let message = format!(
        "{} not exchanged: {}",
        counted(failed.len(), "store"),
        failed.join(", ")
    );
    Err(CommandError::failed(anyhow::Error::msg(message)))
}

pub(super) fn exchange(args: &SyncArgs, cx: &mut Context, store: &Store) -> Result<Synced, CommandError> {
    let Context {
        ui, service: context, ..
    } = cx;
    let run = if args.dry_run || args.show {
        Run::Dry
    } else {
        Run::Real
    };
    let consent = args.consent.consent(args.show);
    with_network(ui, &context.env, |network| {
        let request = SyncRequest {
            run,
            network,
            consent,
        };
        Ok(service::sync(context, store, request)?)
    })
}

/// Lets git talk to a remote: it may ask on the terminal, and tells there how a long transfer goes.
pub(crate) fn with_network<T>(
    ui: &mut Ui,
    env: &Env,
    work: impl FnOnce(Network<'_>) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let shows = ui.shows_progress();
    let prompts = if shows { Prompts::Allowed } else { Prompts::Off };
    let told = RefCell::new((ui, false));
    let progress = |line: &str| {
        let mut told = told.borrow_mut();
        // Standard error that is gone must not stop a transfer.
        told.1 |= told.0.progress(line).is_ok();
    };
    let done = work(Network {
        env,
        prompts,
        progress: shows.then_some(&progress as &dyn Fn(&str)),
        is_stopped: &|| false,
    });
    let (ui, has_told) = told.into_inner();
    if has_told {
        ui.end_progress()?;
    }
    done
}

pub(super) fn tell(synced: &Synced, args: &SyncArgs, cx: &mut Context) -> Result<(), CommandError> {
    let files: Vec<ChangedFile> = synced.changes.iter().map(ChangedFile::from).collect();
    print_files(&files, &mut cx.ui)?;
    if let Some(rewritten) = &synced.rewritten {
        super::sync_consent::tell_rewritten(rewritten, &mut cx.ui)?;
    }
    let is_dry = args.dry_run || args.show;
    let would = if is_dry { "would have " } else { "" };
    let parts = [
        (
            synced.received,
            format!("{would}received {}", counted(synced.received, "commit")),
        ),
        (
            synced.sent,
            format!("{would}sent {}", counted(synced.sent, "commit")),
        ),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(_, text)| text)
        .collect();
    let place = format!("{} ({})", synced.url, synced.branch);
    let summary = if parts.is_empty() {
        format!("nothing new: {place}")
    } else {
        format!("{}: {place}", parts.join(", "))
    };
    cx.ui.notice(&summary)?;
    for conflict in synced.conflicts.iter().take(MOST_CONFLICTS) {
        let (path, sibling) = (conflict.memory.display(), conflict.sibling.display());
        cx.ui.warning(&format!(
            "both sides changed {path}: the earlier text is in {sibling}"
        ))?;
    }
    let more = synced.conflicts.len().saturating_sub(MOST_CONFLICTS);
    if more > 0 {
        cx.ui.warning(&format!("both sides changed {more} more"))?;
    }
    if !synced.conflicts.is_empty() {
        cx.ui
            .hint("`mdmem conflicts` shows both texts, and settles it.")?;
    }
    tell_forgotten(&synced.forgotten, &mut cx.ui)?;
    if let Some(unshown) = &synced.unshown {
        cx.ui.warning(&unshown.to_string())?;
        unshown.hint().map_or(Ok(()), |hint| cx.ui.hint(&hint))?;
    }
    if is_dry {
        tell_unsaid(synced, &mut cx.ui)?;
    }
    for problem in &synced.uncommittable {
        finding::notice(problem, &mut cx.ui)?;
    }
    Ok(tell_aftermath(&synced.aftermath, &mut cx.ui)?)
}

/// Says which memories go because another machine forgot them, and what brings their text back.
fn tell_forgotten(forgotten: &ForgottenElsewhere, ui: &mut Ui) -> Result<(), CommandError> {
    let by = some_of(forgotten.by.iter().map(String::as_str));
    let by = if by.is_empty() {
        "another machine".to_owned()
    } else {
        format!("{by} on another machine")
    };
    for path in ui.first_of(&forgotten.paths) {
        let path = path.display();
        ui.warning(&format!(
            "{path} goes, with what was not sent of it: {by} forgot it for good"
        ))?;
    }
    ui.tell_more(&forgotten.paths)?;
    if let Some(last) = forgotten.last_in {
        let paths: Vec<_> = forgotten
            .paths
            .iter()
            .map(|path| path.to_string_lossy())
            .collect();
        let command = restoring(last, paths.iter().map(|path| &**path));
        let command = command.unwrap_or_else(|| format!("`mdmem restore {} PATH`", last.short()));
        ui.hint(&format!(
            "{command} brings the text back, here and with the next sync everywhere."
        ))?;
    }
    Ok(())
}

/// The saves that are not committed.
fn saves(synced: &Synced) -> Vec<ChangedFile> {
    let swept = &synced.aftermath.swept;
    let saves = swept.changes.iter().filter(|_| swept.commit.is_none());
    saves.map(ChangedFile::from).collect()
}

/// The saves that a real run would commit first, and the places for which it would send nothing.
fn tell_unsaid(synced: &Synced, ui: &mut Ui) -> Result<(), CommandError> {
    let saves = saves(synced);
    if !saves.is_empty() {
        let files = counted(saves.len(), "file");
        ui.notice(&format!("would commit first what is saved, {files}:"))?;
        for save in ui.first_of(&saves) {
            ui.notice(&format!("  {}", changed_line(save, ui.err_color)))?;
        }
        ui.tell_more(&saves)?;
    }
    for path in &synced.in_the_way {
        ui.warning(&format!(
            "would stop: {} is to change, and its save here is not committed",
            path.display()
        ))?;
    }
    if !synced.leaks.is_empty() {
        let refused = SyncError::Secrets {
            leaks: synced.leaks.clone(),
        };
        ui.warning(&format!("would be refused: {refused}"))?;
        ui.hint(&refused.hint().unwrap_or_default())?;
    }
    Ok(())
}

/// The JSON form of an exchange.
pub(crate) fn form(synced: &Synced) -> Value {
    let files: Vec<ChangedFile> = synced.changes.iter().map(ChangedFile::from).collect();
    let conflict = |conflict: &service::Conflicted| json!({ "path": conflict.memory.to_string_lossy(), "sibling": conflict.sibling.to_string_lossy() });
    json!({
        "remote": synced.url,
        "branch": synced.branch,
        "head": synced.head.map(|oid| oid.to_string()),
        "received": synced.received,
        "sent": synced.sent,
        "rewritten": synced.rewritten.as_ref().map(super::sync_consent::rewritten_json),
        "files": files,
        "uncommitted": saves(synced),
        "uncommittable": synced.uncommittable,
        "leaks": synced.leaks.iter().map(super::sync_consent::leak_json).collect::<Value>(),
        "in_the_way": synced.in_the_way.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        "forgotten": {
            "paths": synced.forgotten.paths.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "by": synced.forgotten.by,
            "last_in": synced.forgotten.last_in.map(|oid| oid.to_string()),
        },
        "unshown": synced.unshown.map(|unshown| json!({ "count": unshown.count, "of": unshown.of })),
        "conflicts": synced.conflicts.iter().map(conflict).collect::<Value>(),
        "overruled": synced.overruled.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
    })
}

/// The remote and how the two sides stand, in one line.
pub(crate) fn remote_line(remote: &RemoteState, now: Timestamp) -> String {
    let state = match remote {
        RemoteState { is_new: true, .. } => "nothing is exchanged yet".to_owned(),
        RemoteState {
            ahead: 0, behind: 0, ..
        } => "up to date when last heard of".to_owned(),
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
        format!(", failing since {}", ago(failing.since, now))
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
