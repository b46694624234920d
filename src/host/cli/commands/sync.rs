//! `mdmem sync`

use std::cell::{Cell, RefCell};
use std::io;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::rm::restoring;
use crate::host::cli::change_report::{
    changed_line, creation_line, print_files, tell_aftermath, tell_finding,
};
use crate::host::cli::ui::{Ui, counted, minute};
use crate::host::cli::{CommandError, Context};
use crate::service::{
    self, Cloned, Consent, Creation, ForgottenElsewhere, IncomingHead, Network, Prompts, Rewritten, Run,
    Secrets, ServiceError, Store, SyncError, SyncRequest, Synced, some_of,
};
use crate::sys::{Env, Work};

/// Sync memories with your other machines
///
/// Commits local changes, fetches, merges and pushes. A merge never stops half way: if both sides changed the
/// same lines, the later text stays, and the other goes into a conflict copy (`mdmem conflicts`). Give the
/// URL of a repository the first time, on each machine. If `sync.remote` is set in your user settings, all
/// stores share that repository, and no URL is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem sync git@host.example:me/memory.git     the first time, on each machine
  mdmem sync git@host.example:me/all.git --branch notes
  mdmem sync
  mdmem sync --dry-run          show what would change here
  mdmem sync --all              every store that has a remote
  mdmem sync --show             also show the commits on the remote")]
pub(crate) struct SyncArgs {
    /// The remote repository, as in git: an empty one, or one with a store
    #[arg(value_name = "URL", conflicts_with_all = ["all", "dry_run", "show"])]
    url: Option<String>,

    /// The branch on the remote [default: main]
    #[arg(long, value_name = "NAME", requires = "url")]
    branch: Option<String>,

    /// Sync every store of this machine that has a remote
    #[arg(long)]
    pub(crate) all: bool,

    /// Fetch, and only show what would change
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Fetch, and only show what would change here and by which commits
    #[arg(long, conflicts_with = "all")]
    pub(crate) show: bool,

    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
}

/// A person's word for this once.
#[derive(Debug, Args)]
pub(crate) struct ConsentArgs {
    /// Also merge a remote that was rewound or rewritten, or that lost most of its memories
    #[arg(long)]
    accept_remote: bool,

    /// Also send commits with suspected secrets
    #[arg(long, conflicts_with = "rewrite_unpushed")]
    allow_secrets: bool,

    /// Remove suspected secrets from commits that were never sent; files stay as they are
    #[arg(long)]
    rewrite_unpushed: bool,
}

/// The answer of `sync URL` where that brought a store.
#[derive(Serialize)]
struct Brought {
    store: String,
    remote: String,
    memories: usize,
}

/// The answer of one store of many.
#[derive(Serialize)]
struct OfStore<'a> {
    store: &'a str,
    #[serde(flatten)]
    answer: Value,
}

/// What was exchanged; with `--show` also the commits there.
#[derive(Serialize)]
struct Exchanged {
    #[serde(flatten)]
    synced: Synced,
    #[serde(flatten)]
    head: Option<IncomingHead>,
}

pub(crate) fn run(args: &SyncArgs, cx: &mut Context) -> Result<(), CommandError> {
    if args.all {
        return run_all(args, cx);
    }
    let set = args
        .url
        .as_ref()
        .map(|url| set_remote(args, url, cx))
        .transpose()?;
    if matches!(set, Some(None)) {
        return Ok(());
    }
    // On a new machine the first exchange brings the store.
    let store = if service::has_shared_remote(&cx.service)? && !args.dry_run {
        cx.store_or_new()?
    } else {
        cx.store()?
    };
    let synced = exchange(args, cx, &store)?;
    // Only now was anything reached there.
    if let Some(url) = set.flatten() {
        cx.ui.notice(&format!("this store now syncs with {url}"))?;
    }
    let head = args.show.then(|| service::incoming_head(&store)).transpose()?;
    let answer = Exchanged { synced, head };
    cx.answer(&answer, |ui| {
        tell(&answer.synced, args, ui)?;
        let Some(head) = &answer.head else { return Ok(()) };
        for (title, commits) in [("new there:", &head.new), ("removed there:", &head.gone)] {
            for (at, commit) in ui.first_of(commits).iter().enumerate() {
                if at == 0 {
                    ui.line(title)?;
                }
                let (name, time) = (commit.oid.short(), minute(commit.time, ui.zone));
                let (author, subject) = (&commit.author, &commit.message.subject);
                ui.line(&format!("  {name} {time} {author}: {subject}"))?;
            }
            ui.tell_more(commits)?;
        }
        head.why.as_ref().map_or(Ok(()), |why| ui.warning(why))
    })
}

/// Sets the remote of the store and gives its address; `None` where there was no store here, and the remote's is it now.
fn set_remote(args: &SyncArgs, url: &str, cx: &mut Context) -> Result<Option<String>, CommandError> {
    let branch = args.branch.as_deref();
    if !cx.service.place()?.exists() {
        let context = &cx.service;
        let brought = with_network(&mut cx.ui, &context.env, |network| {
            service::clone(context, url, branch, network)
        });
        if !matches!(&brought, Err(ServiceError::Sync(SyncError::EmptyRemote { .. }))) {
            let Cloned { store, url, memories } = brought?;
            let brought = Brought {
                store: store.root().to_string_lossy().into_owned(),
                remote: url,
                memories,
            };
            cx.answer(&brought, |ui| {
                ui.line(&creation_line(&store, &Creation::Created))?;
                let memories = counted(memories, "memory");
                ui.line(&format!("{memories} from {}", brought.remote))
            })?;
            return Ok(None);
        }
    }
    let store = cx.store_or_new()?;
    Ok(Some(service::set_remote(&cx.service, &store, url, branch)?))
}

/// Every store that has a remote. One that fails does not stop the others; the command fails after them.
fn run_all(args: &SyncArgs, cx: &mut Context) -> Result<(), CommandError> {
    let mut all = Vec::new();
    for (store, opened) in service::stores_with_remote(&cx.service)? {
        let opened = opened.map_err(CommandError::from);
        let synced = opened.and_then(|store| exchange(args, cx, &store));
        all.push((store, synced));
    }
    let answers = all.iter().map(|(store, synced)| OfStore {
        store,
        answer: synced
            .as_ref()
            .map_or_else(CommandError::json, |synced| json!(synced)),
    });
    let answer = json!({ "stores": answers.collect::<Vec<_>>() });
    cx.answer(&answer, |ui| {
        if all.is_empty() {
            ui.notice("no store on this machine has a remote")?;
            ui.hint("`mdmem sync URL` in a workspace sets one.")?;
        }
        for (store, synced) in &all {
            match synced {
                Ok(synced) => {
                    ui.line(&format!("{store}:"))?;
                    tell(synced, args, ui)?;
                }
                Err(error) => {
                    ui.warning(&format!("{store}: {}", error.error))?;
                    error.hints.iter().try_for_each(|hint| ui.hint(hint))?;
                }
            }
        }
        Ok(())
    })?;
    let failed = all.iter().filter(|(_, synced)| synced.is_err());
    let failed: Vec<&str> = failed.map(|(store, _)| store.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let (count, failed) = (counted(failed.len(), "store"), failed.join(", "));
    Err(CommandError::failed(anyhow::anyhow!(
        "{count} not synced: {failed}"
    )))
}

fn exchange(args: &SyncArgs, cx: &mut Context, store: &Store) -> Result<Synced, CommandError> {
    let consent = Consent {
        // A person who only looks sees the head as if it were accepted.
        accepts_remote: args.consent.accept_remote || args.show,
        secrets: match &args.consent {
            consent if consent.allow_secrets => Secrets::Allowed,
            consent if consent.rewrite_unpushed => Secrets::TakenOut,
            _ => Secrets::Refused,
        },
    };
    let (run, context) = (Run::dry_if(args.dry_run || args.show), &cx.service);
    let synced = with_network(&mut cx.ui, &context.env, |network| {
        let request = SyncRequest {
            run,
            network,
            consent,
        };
        service::sync(context, store, request)
    });
    Ok(synced?)
}

/// Lets git talk to a remote: it may ask on the terminal, and tells there how a long transfer goes.
fn with_network<T>(ui: &mut Ui, env: &Env, work: impl FnOnce(Network<'_>) -> T) -> T {
    let shows = ui.shows_progress();
    let said = Cell::new(None);
    let progress = |line: &str| said.set(Some(Work::of(line, 1)));
    let ui = RefCell::new(ui);
    // Standard error that is gone must not stop a transfer.
    let notice = |line: &str| drop(ui.borrow_mut().notice(line));
    work(Network {
        env,
        prompts: if shows { Prompts::Allowed } else { Prompts::Off },
        progress: shows.then_some(&progress as &dyn Fn(&str)),
        waiting: Some(if shows { &progress } else { &notice }),
        is_stopped: &|| false,
    })
}

fn tell(synced: &Synced, args: &SyncArgs, ui: &mut Ui) -> io::Result<()> {
    print_files(&synced.files, ui)?;
    if let Some(rewritten) = &synced.rewritten {
        tell_rewritten(rewritten, ui)?;
    }
    let would = Run::dry_if(args.dry_run || args.show).says("", "would have ");
    let parts = [("received", synced.received), ("sent", synced.sent)];
    let parts = parts.iter().filter(|(_, count)| *count > 0);
    let parts = parts.map(|(word, count)| format!("{would}{word} {}", counted(*count, "commit")));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let what = if parts.is_empty() { "up to date" } else { &parts };
    ui.notice(&format!("{what}: {} ({})", synced.url, synced.branch))?;
    for conflict in ui.first_of(&synced.conflicts) {
        let (path, sibling) = (conflict.memory.display(), conflict.sibling.display());
        ui.warning(&format!(
            "both sides changed {path}: the earlier text is in the conflict copy {sibling}"
        ))?;
    }
    ui.tell_more(&synced.conflicts)?;
    if !synced.conflicts.is_empty() {
        ui.hint("`mdmem conflicts` shows and resolves them.")?;
    }
    tell_forgotten(&synced.forgotten, ui)?;
    if let Some(unshown) = &synced.unshown {
        ui.warning(&unshown.to_string())?;
        unshown.hint().map_or(Ok(()), |hint| ui.hint(&hint))?;
    }
    // Of a dry run: the saves that a real one would commit first, and the places for which it would send nothing.
    let saves = &synced.uncommitted;
    if !saves.is_empty() {
        let files = counted(saves.len(), "file");
        ui.notice(&format!("would first commit {files}:"))?;
    }
    for save in ui.first_of(saves) {
        ui.notice(&format!("  {}", changed_line(save, ui.err_color)))?;
    }
    ui.tell_more(saves)?;
    for path in &synced.in_the_way {
        ui.warning(&format!(
            "would stop: {} has changes here that are not committed",
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
    for problem in &synced.uncommittable {
        tell_finding(problem, ui)?;
    }
    tell_aftermath(&synced.aftermath, ui)
}

/// Says which commits were rewritten.
fn tell_rewritten(rewritten: &Rewritten, ui: &mut Ui) -> io::Result<()> {
    for leak in ui.first_of(&rewritten.leaks) {
        ui.notice(&leak.to_string())?;
    }
    ui.tell_more(&rewritten.leaks)?;
    let places = counted(rewritten.leaks.len(), "place");
    if rewritten.commits == 0 {
        return ui.notice(&format!(
            "would remove {places} from commits that were never sent"
        ));
    }
    let commits = counted(rewritten.commits, "commit");
    ui.notice(&format!(
        "removed {places} and rewrote {commits}; the files are unchanged, and held back"
    ))?;
    let before = rewritten.before.short();
    ui.hint(&format!(
        "The old commits stay on this machine until git removes them: `git log {before}` shows them; `git \
         reflog expire --expire=now --all` and `git gc --prune=now` in the store's folder delete them now."
    ))
}

/// Says which memories go because another machine forgot them, and what brings their text back.
fn tell_forgotten(forgotten: &ForgottenElsewhere, ui: &mut Ui) -> io::Result<()> {
    let by = match some_of(&forgotten.by) {
        nobody if nobody.is_empty() => "another machine".to_owned(),
        by => format!("{by} on another machine"),
    };
    for path in ui.first_of(&forgotten.paths) {
        let path = path.display();
        ui.warning(&format!(
            "{path} is removed here, with changes that were not sent: {by} forgot it for good"
        ))?;
    }
    ui.tell_more(&forgotten.paths)?;
    if let Some(last) = forgotten.last_in {
        let command = restoring(Some(last), &forgotten.paths);
        let command = command.unwrap_or_else(|| format!("`mdmem restore {} PATH`", last.short()));
        ui.hint(&format!(
            "{command} restores it here, and everywhere at the next sync."
        ))?;
    }
    Ok(())
}
