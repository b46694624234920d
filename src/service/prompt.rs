//! Use case: the text that goes into an agent's prompt (`mdmem render`), now, at another time, or of another revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::model::{Content, Gone, Id, StorePath, Timestamp, Zone};
use crate::policy::{Entry, Reason, Rules, Selection};
use crate::render::{self, Scope};
use crate::store::{Place, Snapshot, Store, StoredFile};
use crate::text::sha256_hex;

use super::export::for_readers;
use super::gone::gone_of;
use super::point::{commit_at, resolve_point};
use super::ranking::Contender;
use super::shared_files::{Lasts, SharedFiles};
use super::{Background, Context, Point, ServiceError};

/// The prompt that is asked for.
#[derive(Debug, Clone, Default)]
pub struct PromptRequest {
    /// The time whose knowledge counts: past times take the files of that time, future ones those of now.
    pub at: Option<Timestamp>,
    /// The files of this revision; the time is its commit's unless `at` says another.
    pub rev: Option<Point>,
    /// True: without what is held back, as others may read it.
    pub for_readers: bool,
}

/// A prompt, and what was decided for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The text; empty when there is nothing to say.
    pub text: String,
    /// The time that it was rendered for.
    pub now: Timestamp,
    /// The fate of each memory, the global store's first.
    pub fates: Vec<PromptFate>,
    /// The memories with a line of their own, in the order of the lines.
    pub lines: Vec<(Scope, StorePath)>,
    /// The characters that count against `render.total_chars`.
    pub(super) chars: usize,
    /// True where a memory holds for some files alone.
    pub(super) has_partial: bool,
    /// True where somebody still looks for what is gone from the workspace.
    pub(super) is_behind: bool,
}

impl RenderedPrompt {
    /// SHA-256 of the text.
    pub fn hash(&self) -> String {
        sha256_hex(self.text.as_bytes())
    }
}

/// The fate of one memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptFate {
    /// Tells whether it is of the global store.
    pub scope: Scope,
    /// Its id.
    pub id: Id,
    /// Its path.
    pub path: StorePath,
    /// The reason why it is left out; `None`: it is shown.
    #[serde(rename = "reason", skip_serializing_if = "Option::is_none")]
    pub omitted: Option<&'static str>,
    /// Its words, where it is in force and the prompt does not say them.
    #[serde(skip)]
    pub words: Option<String>,
}

/// Renders the prompt of the workspace (or of the global store alone, where the context says so), in its fence.
pub fn render_prompt(context: &Context, request: &PromptRequest) -> Result<RenderedPrompt, ServiceError> {
    let stores = OpenStores::open(context)?;
    let rendered = stores.render(context.clock.now(), request)?;
    // A process renders one prompt and ends: ten thousand memories are not freed one by one.
    std::mem::forget([stores.global_files, stores.workspace_files]);
    Ok(RenderedPrompt {
        text: render::fenced(&[&rendered.text]).concat(),
        ..rendered
    })
}

/// The files of one store, where there are any at the time that is asked for.
type Files = Option<Arc<Snapshot>>;
/// Those of the global store and of the workspace's, and the time for which they are loaded.
type LoadedFiles = (Files, Files, Timestamp);

/// The stores that one workspace's prompt is made of.
#[derive(Default)]
pub struct OpenStores {
    /// The global store, where there is one.
    pub global: Option<Store>,
    /// The workspace's, where there is one.
    pub workspace: Option<Store>,
    global_files: Arc<SharedFiles>,
    workspace_files: Arc<SharedFiles>,
    /// The folder whose files memories speak of.
    work_tree: Option<PathBuf>,
    /// The longest wait for a look into its history; `None`: until it is done.
    patience: Option<Duration>,
}

/// The wait of a prompt for a look into the workspace's history, where the look goes on behind it, and where it ends with
/// the process.
const BRIEFLY: Duration = Duration::from_millis(2);
const ONCE: Duration = Duration::from_millis(20);

impl OpenStores {
    /// Opens what there is; nothing is made.
    pub fn open(context: &Context) -> Result<Self, ServiceError> {
        let mut stores = Self::default();
        stores.follow(context)?;
        Ok(stores)
    }

    /// Opens nothing yet; what there is will share its files with those who watch and write in `background`.
    pub(super) fn sharing(context: &Context, background: &mut Background) -> Result<Self, ServiceError> {
        let mut stores = Self {
            patience: Some(match background.lasts() {
                Lasts::Long => BRIEFLY,
                Lasts::OneEvent => ONCE,
            }),
            ..Self::default()
        };
        stores.share(context, background)?;
        Ok(stores)
    }

    /// Has them share their files with those who watch and write in `background`.
    pub(super) fn share(
        &mut self,
        context: &Context,
        background: &mut Background,
    ) -> Result<(), ServiceError> {
        self.global_files = background.files(&Place::global(&context.home()?).root);
        self.workspace_files = background.files(&context.place()?.root);
        Ok(())
    }

    /// Has a thread look for what is gone from the workspace, before the first prompt is asked for.
    pub(super) fn look_ahead(context: &Context, background: &mut Background) -> Result<(), ServiceError> {
        if background.lasts() == Lasts::OneEvent {
            return Ok(());
        }
        let mut stores = Self::sharing(context, background)?;
        stores.patience = None;
        let context = context.clone();
        let look = move || {
            let followed = stores.follow(&context);
            let rendered =
                followed.and_then(|()| stores.render(context.clock.now(), &PromptRequest::default()));
            // The prompt that is asked for says what is wrong.
            drop(rendered);
        };
        let thread = std::thread::Builder::new().name("workspace".to_owned());
        if let Err(error) = thread.spawn(look) {
            tracing::debug!(%error, "nobody looks ahead");
        }
        Ok(())
    }

    /// Opens those anew that are others by now: a store came or went, or a setting changed.
    pub(super) fn follow(&mut self, context: &Context) -> Result<(), ServiceError> {
        let still = |store: Option<Store>| match store {
            Some(store) => Ok(context.is_current(&store)?.then_some(store)),
            None => Ok::<_, ServiceError>(None),
        };
        self.workspace = match (still(self.workspace.take())?, context.scope) {
            (None, Scope::Workspace) => context.open_existing()?,
            (store, _) => store,
        };
        let place = self.workspace.as_ref().map(Store::place);
        self.work_tree = place.and_then(|place| context.work_tree(place));
        let is_global = |store: &Store| store.place().is_global();
        self.global = match still(self.global.take())? {
            _ if self.workspace.as_ref().is_some_and(is_global) => None,
            None => match (context.open_global(), context.scope) {
                (Err(error), Scope::Workspace) => without_global(&error),
                (opened, _) => opened?,
            },
            store => store,
        };
        Ok(())
    }

    /// Has every file read again by the next one who asks.
    pub(super) fn read_anew(&self) {
        self.global_files.forget();
        self.workspace_files.forget();
    }

    /// Renders their prompt, without its fence.
    pub fn render(&self, clock: Timestamp, request: &PromptRequest) -> Result<RenderedPrompt, ServiceError> {
        self.render_within(clock, request, None)
    }

    /// The same for a host that takes fewer characters of the memories than `render.total_chars`: there the lines of the
    /// global store give way to the workspace's pinned notes.
    pub(super) fn render_within(
        &self,
        clock: Timestamp,
        request: &PromptRequest,
        most_chars: Option<usize>,
    ) -> Result<RenderedPrompt, ServiceError> {
        Ok(self.render_loaded(self.load(clock, request)?, request, most_chars))
    }

    /// The same of files that are loaded.
    pub(super) fn render_loaded(
        &self,
        (global, workspace, now): LoadedFiles,
        request: &PromptRequest,
        most_chars: Option<usize>,
    ) -> RenderedPrompt {
        let global = self.global.as_ref().zip(global.as_ref());
        let workspace = self.workspace.as_ref().zip(workspace.as_ref());
        let unsettled = unsettled(workspace.or(global));
        let rules = |of: Option<(&Store, &Arc<Snapshot>)>| of.map(|(store, _)| store.rules().clone());
        let mut of_both = [rules(global), rules(workspace)];
        if let Some(most) = most_chars {
            for rules in of_both.iter_mut().flatten() {
                rules.render.total_chars = rules.render.total_chars.min(most);
            }
        }
        let printed = |[of_global, of_workspace]: &[Option<Rules>; 2], gone: &BTreeMap<Id, Vec<Gone>>| {
            let global = global.zip(of_global.as_ref());
            let workspace = workspace.zip(of_workspace.as_ref());
            let global = global.map(|((_, files), rules)| Contender::new(rules, files, now));
            let workspace =
                workspace.map(|((_, files), rules)| Contender::new(rules, files, now).saying(gone));
            print(global.as_ref(), workspace.as_ref(), &unsettled, now)
        };
        let mut gone = BTreeMap::new();
        let (mut rendered, lacks_pinned) = printed(&of_both, &gone);
        if let ([Some(of_global), Some(_)], true, true) = (&mut of_both, most_chars.is_some(), lacks_pinned) {
            of_global.render.max_chars = 0;
            rendered = printed(&of_both, &gone).0;
        }
        if let (Some((store, files)), None, None) = (workspace, &request.at, &request.rev) {
            let (found, is_new) = self.gone_of(store, files, &rendered);
            gone = found;
            if !gone.is_empty() {
                rendered = printed(&of_both, &gone).0;
            }
            rendered.is_behind = !is_new;
        }
        rendered
    }

    /// What the memories with a text in the prompt cite and the workspace no longer has.
    fn gone_of(
        &self,
        store: &Store,
        files: &Snapshot,
        rendered: &RenderedPrompt,
    ) -> (BTreeMap<Id, Vec<Gone>>, bool) {
        let Some(work_tree) = &self.work_tree else {
            return (BTreeMap::new(), true);
        };
        let shown = rendered.fates.iter().filter(|fate| fate.omitted.is_none());
        let shown: BTreeSet<&StorePath> = shown.map(|fate| &fate.path).collect();
        let has_text = |file: &&Arc<StoredFile>| file.zone != Zone::Cold && shown.contains(&file.memory.path);
        let memories = files.files.iter().filter(has_text).map(|file| &file.memory);
        gone_of(store, work_tree, memories, self.patience)
    }

    /// The files of both stores that the prompt may be made of.
    pub(super) fn load(
        &self,
        clock: Timestamp,
        request: &PromptRequest,
    ) -> Result<LoadedFiles, ServiceError> {
        let seen = |files: Files| match files {
            Some(files) if request.for_readers => Some(Arc::new(for_readers(&files))),
            files => files,
        };
        let global_then = |rev, now| match &self.global {
            Some(store) => match load_then(store, &self.global_files, clock, rev, now) {
                Err(error) if self.workspace.is_some() => Ok(without_global(&error)),
                loaded => loaded,
            },
            None => Ok(None),
        };
        let rev = request.rev.as_ref();
        let Some(workspace) = &self.workspace else {
            let now = request.at.unwrap_or(clock);
            return Ok((seen(global_then(rev, now)?), None, now));
        };
        let commit = rev.map(|point| resolve_point(workspace, point)).transpose()?;
        let time_of = |oid| workspace.repo().commit_info(oid).map(|commit| commit.time);
        let of_commit = commit
            .map(time_of)
            .transpose()
            .map_err(crate::store::StoreError::from)?;
        let now = request.at.or(of_commit).unwrap_or(clock);
        let files = load_then(workspace, &self.workspace_files, clock, rev, now)?;
        Ok((seen(global_then(None, now)?), seen(files), now))
    }
}

/// A workspace's prompt goes on without a global store that cannot be read.
fn without_global<T>(error: &ServiceError) -> Option<T> {
    tracing::warn!(%error, "the prompt continues without the global memories");
    None
}

/// The files as they were at `now`, where that is past, else as they are. Nothing before the first commit.
fn load_then(
    store: &Store,
    files: &SharedFiles,
    clock: Timestamp,
    rev: Option<&Point>,
    now: Timestamp,
) -> Result<Files, ServiceError> {
    let commit = match rev {
        Some(point) => resolve_point(store, point),
        None if now >= clock => return Ok(Some(files.snapshot(store, clock)?)),
        None => commit_at(store, now),
    };
    match commit {
        Ok(commit) => Ok(Some(Arc::new(store.load_commit(
            commit,
            now,
            &Snapshot::default(),
        )?))),
        Err(ServiceError::BeforeHistory(_)) if rev.is_none() => Ok(None),
        Err(error) => Err(error),
    }
}

fn fates(contender: &Contender<'_>, scope: Scope, selection: &Selection) -> Vec<PromptFate> {
    let fate = |(place, entry): (usize, &Entry<'_>)| PromptFate {
        scope,
        id: entry.memory.id.clone(),
        path: entry.memory.path.clone(),
        omitted: selection.reason(place).map(Reason::as_str),
        words: selection
            .reason(place)
            .filter(|reason| reason.is_of_a_limit())
            .map(|_| match &entry.memory.content {
                Content::Fact { text, .. } => text.clone(),
                Content::Note { .. } => entry.memory.hook(),
            }),
    };
    contender.entries().iter().enumerate().map(fate).collect()
}

/// The words about memories of a store that contradict each other. A list that cannot be read costs no prompt.
fn unsettled(of: Option<(&Store, &Arc<Snapshot>)>) -> String {
    let open = of.and_then(|(store, snapshot)| store.open_contradictions(snapshot).ok());
    render::contradictions_line(open.map_or(0, |open| open.len()))
}

/// The prompt, and whether pinned notes of the workspace have no room in it.
fn print(
    global: Option<&Contender<'_>>,
    workspace: Option<&Contender<'_>>,
    unsettled: &str,
    now: Timestamp,
) -> (RenderedPrompt, bool) {
    let global_candidates = global.map(Contender::candidates);
    let workspace_candidates = workspace.map(Contender::candidates);
    let prompt = render::prompt(global_candidates.as_ref(), workspace_candidates.as_ref(), now);
    let (mut told, mut lines, mut has_partial) = (Vec::new(), Vec::new(), false);
    for (scope, contender, selection) in [
        (Scope::Global, global, &prompt.global),
        (Scope::Workspace, workspace, &prompt.workspace),
    ] {
        if let (Some(contender), Some(selection)) = (contender, selection) {
            told.extend(fates(contender, scope, selection));
            let mut memories = contender.entries().iter().map(|entry| entry.memory);
            has_partial |= memories.any(|memory| !memory.paths.is_empty());
            let path = |at: usize| contender.entries()[at].memory.path.clone();
            lines.extend(selection.ranked().map(|at| (scope, path(at))));
        }
    }
    let mut texts = vec![prompt.text.as_str(), &prompt.left_out, unsettled];
    texts.retain(|text| !text.is_empty());
    let rendered = RenderedPrompt {
        text: texts.join("\n\n"),
        now,
        fates: told,
        lines,
        chars: prompt.text.chars().count(),
        has_partial,
        is_behind: false,
    };
    let of_workspace = prompt.workspace.as_ref();
    (
        rendered,
        of_workspace.is_some_and(|shown| !shown.pinned_left_out.is_empty()),
    )
}
