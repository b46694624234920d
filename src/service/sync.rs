//! Use case: exchange a store with other machines (`mdmem sync`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::git::{CommitInfo, GitError, Network, ORIGIN_REF, Push, Pushed, RemoteFault, SEEN_REF};
use crate::merge::Conflicted;
use crate::model::{Diagnostic, Oid};
use crate::policy::ForcedBy;
use crate::store::{
    CommitOutcome, Description, Held, Leak, MassDeletion, PROTOCOL, Registry, SETTINGS, Snapshot, Store,
    StoreError, Writer,
};
use crate::sync::{
    Descent, Exchange, MergePlan, SyncError, accept, check_branch, check_branch_name, check_incoming,
    check_no_token, check_outgoing, check_trusted, not_taken_over, plan_join, plan_merge, set_seen,
};
use crate::sys::{lossy_all, shown_path};
use crate::text::folded_name;

use super::change::{ChangeKind, ChangedFile, Run, change, pack_if_needed};
use super::forgotten_elsewhere::ForgottenElsewhere;
use super::settings::ShownPaths;
use super::settings::name_pinned_folder;
use super::{Aftermath, Context, ServiceError, Unshown};

/// The name of the store's holder meanwhile.
const COMMAND: &str = "mdmem sync";
/// The number of times that a sync begins anew because somebody else pushed first.
const ATTEMPTS: usize = 5;
/// A day, in milliseconds: a commit that is dated so much later than now was made by another clock.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// The least span of the pause after the first of them. It is as long as that attempt took, and doubles.
const PAUSE: Duration = Duration::from_millis(100);

/// The wishes of who asks for a sync.
#[derive(Clone, Copy)]
pub struct SyncRequest<'a> {
    /// Dry: the remote is fetched from, into git's objects and a ref of mdmem's own, and nothing else is changed.
    pub run: Run,
    /// The way in which git talks to the remote.
    pub network: Network<'a>,
    /// The words that a person gave for this once.
    pub consent: Consent,
}

/// The words that a person gives for one exchange. Without them whatever looks wrong stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Consent {
    /// True where a head that was rewound or rewritten, or takes most of the memories away, is merged all the same.
    pub accepts_remote: bool,
    /// The word about commits with what looks like a credential.
    pub secrets: Secrets,
}

/// The word about commits to be sent that hold what looks like a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Secrets {
    /// They are not sent.
    #[default]
    Refused,
    /// They are sent.
    Allowed,
    /// It is taken out of them first.
    TakenOut,
}

/// The outcome of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Synced {
    /// The place of exchange.
    #[serde(rename = "remote")]
    pub url: String,
    /// The branch there.
    pub branch: String,
    /// The present head, of both sides.
    pub head: Option<Oid>,
    /// The number of commits that came.
    pub received: usize,
    /// The number of commits that went, or would.
    pub sent: usize,
    /// The commits that were made anew without what looks like a credential, or would be.
    pub rewritten: Option<Rewritten>,
    /// The files that changed here, or would.
    pub files: Vec<ChangedFile>,
    /// Of a dry run: the saves that would be committed first.
    pub uncommitted: Vec<ChangedFile>,
    /// The files that are not exchanged, because no commit takes them in.
    pub uncommittable: Vec<Diagnostic>,
    /// Of a dry run: the places for which a real one would send nothing.
    pub leaks: Vec<Leak>,
    /// Of a dry run: the paths that would stop a real one, because they are to change and their saves here are not
    /// committed.
    #[serde(serialize_with = "lossy_all")]
    pub in_the_way: Vec<PathBuf>,
    /// The memories that go here because another machine forgot them.
    pub forgotten: ForgottenElsewhere,
    /// The memories that prompts do not show any more, where settings came that take most of them out.
    pub unshown: Option<Unshown>,
    /// The memories of which both sides changed the same lines, each with the file that holds the other side's text.
    pub conflicts: Vec<Conflicted>,
    /// The files that are no memories in which both sides changed the same: the later side's version stays.
    #[serde(serialize_with = "lossy_all")]
    pub overruled: Vec<PathBuf>,
    /// The work around it.
    #[serde(skip)]
    pub aftermath: Aftermath,
}

/// Fetches what other machines did, merges it, and pushes what this one did. Each step is whole or not at all; where it
/// stops, the next sync goes on.
pub(super) fn sync_in_turn(
    context: &Context,
    store: &Store,
    request: SyncRequest<'_>,
) -> Result<Synced, ServiceError> {
    let mut synced = exchanged(context, store, request);
    // A hook of the remote's may say whatever it was given.
    let words = match &mut synced {
        Err(
            ServiceError::Sync(SyncError::Said { what: words, .. })
            | ServiceError::Store(StoreError::Git(GitError::Remote { said: words, .. })),
        ) => Some(words),
        _ => None,
    };
    if let Some(words) = words {
        *words = store.redactor().redact_line(words).into_owned();
    }
    synced
}

fn exchanged(context: &Context, store: &Store, request: SyncRequest<'_>) -> Result<Synced, ServiceError> {
    let exchange = exchange_of(context, store)?;
    if request.run == Run::Real {
        // Before anybody waits for the network.
        store.check_may_write()?;
    }
    let mut pause = Duration::ZERO;
    let mut synced = Synced {
        url: exchange.url.clone(),
        branch: exchange.branch.clone(),
        ..Synced::default()
    };
    let mut held = None;
    for _ in 0..ATTEMPTS {
        std::thread::sleep(apart(pause, synced.head));
        let begun = Instant::now();
        let theirs = fetched(store, &exchange, request.network)?;
        if request.consent.secrets == Secrets::TakenOut {
            synced.rewritten = take_secrets_out(store, theirs, request.run)?.or(synced.rewritten);
        }
        receive(store, &exchange, theirs, request, &mut synced)?;
        if request.run == Run::Dry {
            return Ok(synced);
        }
        match send(store, &exchange, theirs, request, &mut synced)? {
            Sent::Done => {
                pack_if_needed(store);
                return Ok(synced);
            }
            Sent::Raced(lock) => {
                held = lock;
                pause = (pause * 2).max(begun.elapsed()).max(PAUSE);
            }
        }
    }
    let (remote, attempts) = (exchange.url, ATTEMPTS);
    Err(match held {
        Some(why) => SyncError::said(
            format!("{remote} refuses pushes now: {why}"),
            "Your changes are merged and safe here. If no git is running there, remove the leftover lock \
             file, then run `mdmem sync` again.",
        ),
        None => SyncError::Raced { remote, attempts },
    }
    .into())
}

/// A time within twice the pause. Machines that pushed at once have different heads, so that they do not meet again.
fn apart(pause: Duration, head: Option<Oid>) -> Duration {
    head.map_or(pause, |head| pause * u32::from(head.0[0]) / 128)
}

/// Fetches the head of the remote; `None` where it has none yet.
pub(super) fn fetched(
    store: &Store,
    exchange: &Exchange,
    network: Network<'_>,
) -> Result<Option<Oid>, ServiceError> {
    check_branch(store)?;
    check_branch_name(&exchange.branch)?;
    let repo = store.repo();
    let is_set = repo.remote_url()?.as_deref() == Some(exchange.url.as_str())
        && repo.remote_branch().as_deref() == Some(exchange.branch.as_str());
    if !is_set {
        check_no_token(&exchange.url)?;
        repo.set_remote(&exchange.url, &exchange.branch)?;
    }
    match repo.fetch(&exchange.branch, &network) {
        // The other stores have been there before this one.
        Err(GitError::Remote {
            fault: RemoteFault::OtherBranches(_),
            ..
        }) if exchange.is_shared => Ok(None),
        theirs => Ok(theirs?),
    }
}

/// The place of exchange of a store.
pub(super) fn exchange_of(context: &Context, store: &Store) -> Result<Exchange, ServiceError> {
    let registry = Registry::read(&store.place().home)?;
    let home = context.env.home().ok();
    let registration = registry.by_key(&store.place().key);
    Ok(Exchange::of(store, registration, home.as_deref())?)
}

/// Merges what was fetched, as far as HEAD lacks it.
fn receive(
    store: &Store,
    exchange: &Exchange,
    theirs: Option<Oid>,
    request: SyncRequest<'_>,
    synced: &mut Synced,
) -> Result<(), ServiceError> {
    if request.run == Run::Dry {
        let files = store.load()?;
        synced.uncommittable = not_taken(store, &files)?;
        synced.aftermath.swept = store.pending(&files, MassDeletion::Ask)?;
        synced.aftermath.unfinished = store.unfinished(&files)?;
        let begun = store.begun()?;
        let begun = begun.map(|op| format!("the {op} is not finished: `mdmem sweep` finishes it"));
        synced.aftermath.notices.extend(begun);
        let head = store.repo().head()?.tip();
        if let (Some(head), Secrets::Refused) = (head, request.consent.secrets) {
            synced.leaks = store.leaks(head, theirs.as_slice())?;
        }
        let plan = planned(store, exchange, head, theirs, request.consent)?;
        synced.files = plan.difference().iter().map(ChangedFile::from).collect();
        if let Some(theirs) = theirs {
            synced.forgotten = ForgottenElsewhere::of(store, &files, head, theirs, &plan)?;
        }
        let unsaved = synced.aftermath.swept.held.iter().map(|held| &held.path);
        let is_to_change = |path: &&PathBuf| plan.changes.contains_key(*path);
        synced.in_the_way = unsaved.filter(is_to_change).cloned().collect();
        synced.conflicts = plan.conflicts;
        synced.overruled = plan.overruled;
        let saves = synced.aftermath.swept.changes.iter();
        synced.uncommitted = saves.map(ChangedFile::from).collect();
        let saves = usize::from(!synced.uncommitted.is_empty());
        let emptied = synced.rewritten.as_ref().map_or(0, |rewritten| rewritten.emptied);
        synced.sent = lacking(store, theirs, head)? + saves - emptied;
        synced.received = lacking(store, head, theirs)?;
        return Ok(());
    }
    let mut writer = store.writer(COMMAND)?;
    writer.check_may_write()?;
    let swept = writer.sweep(MassDeletion::Ask)?;
    if let Some(obstacle) = swept.obstacle() {
        let paths = swept.changes.iter().map(|change| change.path().to_owned());
        return Err(SyncError::Uncommitted {
            paths: paths.collect(),
            obstacle: Box::new(obstacle.clone()),
        }
        .into());
    }
    let (plan, aftermath) = change(&mut writer, swept, |writer| {
        merge(writer, exchange, theirs, request.consent, synced)
    })?;
    synced.uncommittable = not_taken(store, writer.snapshot())?;
    drop(writer);
    let aftermath = absorb(std::mem::take(&mut synced.aftermath), aftermath);
    synced.aftermath = aftermath;
    if let Some(theirs) = theirs.filter(|_| !plan.is_contained) {
        if request.consent.accepts_remote {
            accept(store, theirs)?;
        } else {
            set_seen(store.repo(), theirs)?;
        }
        let commit = store.repo().commit_info(theirs).map_err(StoreError::from)?;
        if commit.time.millis_since(store.now()) > DAY {
            synced.aftermath.notices.push(format!(
                "{} was received with a date in the future ({}): in a conflict, its text wins. Check the \
                 clocks of your machines",
                theirs.short(),
                commit.time.to_rfc3339()
            ));
        }
    }
    synced.conflicts.extend(plan.conflicts);
    synced.overruled.extend(plan.overruled);
    if synced.files.iter().any(|file| file.change == ChangeKind::Removed) {
        store.force_epochs(ForcedBy::Delete)?;
    }
    Ok(())
}

/// The files that no commit takes in, and those that git ignores. What is held back is told of by every command.
fn not_taken(store: &Store, files: &Snapshot) -> Result<Vec<Diagnostic>, ServiceError> {
    let mut held = store.held(files)?;
    held.retain(Held::is_ignored);
    let mut found = files.uncommittable();
    found.extend(Held::diagnostics(&held));
    Ok(found)
}

/// Both halves of what two attempts tell.
fn absorb(mut earlier: Aftermath, later: Aftermath) -> Aftermath {
    earlier.notices.extend(later.notices);
    if earlier.swept.commit.is_none() {
        earlier.swept = later.swept;
    }
    earlier.unfinished = later.unfinished;
    earlier
}

fn planned(
    store: &Store,
    exchange: &Exchange,
    head: Option<Oid>,
    theirs: Option<Oid>,
    consent: Consent,
) -> Result<MergePlan, ServiceError> {
    let Some(theirs) = theirs.filter(|theirs| head != Some(*theirs)) else {
        return Ok(MergePlan::contained());
    };
    check_incoming(store, &exchange.url, head, theirs)?;
    match check_trusted(store, &exchange.url, head, theirs) {
        Err(SyncError::Quarantined { quarantine, .. }) if consent.accepts_remote => {
            match quarantine.descent {
                Descent::Onward => Ok(plan_merge(store, head, theirs)?),
                _ => Ok(plan_join(store, head, theirs)?),
            }
        }
        trusted => Ok(trusted.and_then(|()| plan_merge(store, head, theirs))?),
    }
}

fn merge(
    writer: &mut Writer<'_>,
    exchange: &Exchange,
    theirs: Option<Oid>,
    consent: Consent,
    synced: &mut Synced,
) -> Result<MergePlan, ServiceError> {
    let store = writer.store();
    check_branch(store)?;
    let head = store.repo().head()?.tip();
    let plan = planned(store, exchange, head, theirs, consent)?;
    let Some(theirs) = theirs.filter(|_| !plan.is_contained) else {
        return Ok(plan);
    };
    synced.received += lacking(store, head, Some(theirs))?;
    let changes = plan.difference();
    synced.files.extend(changes.iter().map(ChangedFile::from));
    let forgotten = ForgottenElsewhere::of(store, writer.snapshot(), head, theirs, &plan)?;
    let targets = plan.targets(store)?;
    let brings_settings = plan.changes.contains_key(Path::new(SETTINGS));
    let shown = brings_settings.then(|| ShownPaths::of(store, writer.snapshot()));
    let description = Description::op("sync", "merge");
    let outcome = writer.change_all(&targets, &description, Some(theirs))?;
    if let CommitOutcome::Deferred(obstacle) = outcome {
        return Err(StoreError::busy(store.root(), obstacle).into());
    }
    if head.is_some() {
        synced.aftermath.notices.extend(beyond_itself(store, &plan)?);
    }
    if !forgotten.paths.is_empty() {
        synced.forgotten = ForgottenElsewhere {
            last_in: head,
            ..forgotten
        };
    }
    if let Some(shown) = shown {
        let unshown = Unshown::since(&shown, &store.reopened()?)?;
        synced.unshown = unshown.filter(Unshown::is_most).or(synced.unshown);
    }
    if brings_settings || plan.changes.contains_key(Path::new(PROTOCOL)) {
        // Both sides may have named another folder of the pinned notes, each in the text as well.
        name_pinned_folder(&store.reopened()?);
        writer.absorb(&[PROTOCOL.into()].into())?;
    }
    Ok(plan)
}

/// What came and works beyond its own file, as sentences.
fn beyond_itself(store: &Store, plan: &MergePlan) -> Result<Vec<String>, ServiceError> {
    let came = |path: &Path| plan.changes.get(path).is_some_and(Option::is_some);
    let mut told = Vec::new();
    if came(Path::new(SETTINGS)) {
        told.push("received settings of the store: `mdmem config` lists them".to_owned());
    }
    if came(Path::new(".gitignore")) {
        let words =
            "received a .gitignore: files that it ignores are not committed, and listed in `mdmem status`";
        told.push(words.to_owned());
    }
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(told);
    };
    let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in store.files_of(head)?.into_keys() {
        let name = folded_name(&path.to_string_lossy());
        by_name.entry(name).or_default().push(path);
    }
    for pair in by_name.values().filter(|paths| paths.len() > 1) {
        if pair.iter().any(|path| came(path)) {
            let names: Vec<String> = pair.iter().map(|path| shown_path(path)).collect();
            told.push(format!(
                "{} are the same name on some systems, which keep only one of them: rename one",
                names.join(" and ")
            ));
        }
    }
    Ok(told)
}

/// The fate of a push.
enum Sent {
    Done,
    /// Somebody else pushes, or has the lock of the branch, in the remote's words.
    Raced(Option<String>),
}

/// Pushes HEAD, where the remote has not got it. `theirs` is its head, which HEAD contains by now.
fn send(
    store: &Store,
    exchange: &Exchange,
    theirs: Option<Oid>,
    request: SyncRequest<'_>,
    synced: &mut Synced,
) -> Result<Sent, ServiceError> {
    // A person may have switched while the network was waited for.
    check_branch(store)?;
    let repo = store.repo();
    let head = repo.head()?.tip();
    synced.head = head;
    let Some(head) = head else {
        return Ok(Sent::Done);
    };
    if Some(head) == theirs {
        accept(store, head)?;
        return Ok(Sent::Done);
    }
    if request.consent.secrets != Secrets::Allowed {
        check_outgoing(store, theirs, head)?;
    }
    let count = lacking(store, theirs, Some(head))?;
    let push = Push {
        branch: &exchange.branch,
        new: head,
        expected: theirs,
    };
    match repo.push(&push, &request.network)? {
        Pushed::Accepted | Pushed::UpToDate => {
            synced.sent += count;
            accept(store, head)?;
            Ok(Sent::Done)
        }
        Pushed::Moved => Ok(Sent::Raced(None)),
        Pushed::Held(why) => Ok(Sent::Raced(Some(why))),
        Pushed::Refused(why) => Err(SyncError::said(
            format!("{} refused the push: {why}", exchange.url),
            "What was received is merged; your own changes are safe here, and the next `mdmem sync` sends \
             them.",
        )
        .into()),
    }
}

/// The number of commits that `of` has and `here` lacks.
pub(super) fn lacking(store: &Store, here: Option<Oid>, of: Option<Oid>) -> Result<usize, ServiceError> {
    let repo = store.repo();
    Ok(match (of, here) {
        (None, _) => 0,
        (Some(of), Some(here)) => repo.ahead_behind(of, here)?.0,
        (Some(of), None) => repo.commits_beyond(of, &[])?.len(),
    })
}

/// The commits that were made anew, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rewritten {
    /// The places that looked like a credential.
    pub leaks: Vec<Leak>,
    /// The number of commits that changed; 0 where the run was dry.
    pub commits: usize,
    /// Of a dry run: the number of commits of which nothing would be left.
    #[serde(skip)]
    pub emptied: usize,
    /// The head before, which the reflog keeps.
    pub before: Oid,
}

/// Makes the commits anew that hold what looks like a credential and that the remote never had. `theirs` is its head.
/// `None` where there is nothing to take out.
fn take_secrets_out(store: &Store, theirs: Option<Oid>, run: Run) -> Result<Option<Rewritten>, ServiceError> {
    let repo = store.repo();
    let Some(before) = repo.head()?.tip() else {
        return Ok(None);
    };
    let others: Vec<Oid> = theirs.into_iter().chain(repo.own_ref(SEEN_REF)?).collect();
    let (leaks, commits) = match run {
        Run::Dry => (store.leaks(before, &others)?, 0),
        Run::Real => {
            let mut writer = store.writer("mdmem sync")?;
            let taken = writer.take_leaks_out(&others)?;
            writer.finish();
            taken
        }
    };
    let emptied = match run {
        Run::Dry => store.emptied(&leaks, before, &others)?,
        Run::Real => 0,
    };
    Ok((!leaks.is_empty()).then_some(Rewritten {
        leaks,
        commits,
        emptied,
        before,
    }))
}

/// The commits by which the remote's head differs from what was accepted, as it was fetched last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IncomingHead {
    /// The reason why it is not taken over.
    #[serde(rename = "quarantined")]
    pub why: Option<String>,
    /// The commits that HEAD lacks, the newest first.
    pub new: Vec<CommitInfo>,
    /// The commits that it had when it was accepted last, and lacks now, the newest first.
    pub gone: Vec<CommitInfo>,
}

/// Looks at the head that was fetched last.
pub fn incoming_head(store: &Store) -> Result<IncomingHead, ServiceError> {
    let repo = store.repo();
    let (ours, theirs) = (repo.head()?.tip(), repo.own_ref(ORIGIN_REF)?);
    let seen = repo.own_ref(SEEN_REF)?.filter(|_| theirs.is_some());
    let lacking = |of: Option<Oid>, here: Option<Oid>| -> Result<Vec<CommitInfo>, ServiceError> {
        let Some(of) = of else { return Ok(Vec::new()) };
        let commits = repo.commits_beyond(of, here.as_slice())?;
        Ok(commits
            .into_iter()
            .map(|oid| repo.commit_info(oid))
            .collect::<Result<_, _>>()?)
    };
    Ok(IncomingHead {
        why: not_taken_over(store)?.map(|error| error.to_string()),
        new: lacking(theirs, ours)?,
        gone: lacking(seen, theirs)?,
    })
}
