//! Use cases: how is the store (`mdmem status`), what in it is worth a person's attention (`mdmem check`), and what of it
//! can be put right here (`mdmem check --fix`)?
//!
//! `files` looks into the memories and at their links, `standing` at what commits, requests and exchanges wait for,
//! `plugin` at OpenCode's plugin. Each gives [`Diagnostic`]s.

mod files;
mod plugin;
mod standing;
mod status;

pub(super) use status::status_of;
pub use status::{Counts, StoreStatus, status};

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::change::{Aftermath, Changed, Done, Run, changing};
use super::epoch::MOST_OF_A_HOOK;
use super::gone::note_gone;
use super::meaning::open_model;
use super::ranking::Contender;
use super::select_memory::Reach;
use super::tidy::{self, Tidying, tidy};
use super::{Context, MemoryView, Ranking, ServiceError};
use crate::config::{Origin, Problem};
use crate::git::{Mend, Repair};
use crate::model::{Diagnostic, Kind, StorePath, Zone};
use crate::policy::{Fate, Reason, Rules, select};
use crate::render::{PromptLayout, Scope};
use crate::store::{CommitOutcome, FORGOTTEN, Held, Snapshot, Store, StoreError, WAIT_FOR_WRITER};
use crate::sys::shown_path;

/// Looks at everything that mdmem keeps for a session in this folder, and at the host's plugin, without changing anything: what
/// is worth attention, by path and line. `names` names memories, paths, or folders that end in `/`, and then only these
/// are looked at.
pub fn check(context: &Context, names: &[String]) -> Result<Vec<Diagnostic>, ServiceError> {
    let mut plugin = plugin::findings(context);
    let context = context.of_session()?;
    let store = match context.open() {
        // A plugin that does not load is a reason why there is no store.
        Err(error @ ServiceError::Store(StoreError::Absent { .. })) if !plugin.is_empty() => {
            let mend = "`mdmem init` creates it; so does the first memory.";
            plugin.push(Diagnostic::note("store", ".", error.to_string(), mend));
            return Ok(plugin);
        }
        opened => opened?,
    };
    all_findings(&context, &store, &store.load()?, plugin, names)
}

/// The same of a store that is loaded.
pub(super) fn check_loaded(
    context: &Context,
    store: &Store,
    snapshot: &Snapshot,
) -> Result<Vec<Diagnostic>, ServiceError> {
    let plugin = plugin::findings(context);
    all_findings(&context.of_session()?, store, snapshot, plugin, &[])
}

fn all_findings(
    context: &Context,
    store: &Store,
    snapshot: &Snapshot,
    plugin: Vec<Diagnostic>,
    names: &[String],
) -> Result<Vec<Diagnostic>, ServiceError> {
    let ranking = Ranking::new(store, snapshot, store.now());
    let mut findings = files::findings(snapshot, store.rules(), store.now(), |path| store.read(path).ok());
    let steps = tidy::Plan::new(store, snapshot).steps;
    let settled: BTreeSet<&StorePath> = steps.iter().map(|step| &step.path).collect();
    let mut views = ranking.views();
    note_gone(context, store, &mut views, |view| {
        view.memory.is_active() && view.zone != Zone::Archive
    });
    findings.extend(views.iter().flat_map(stale));
    findings.extend(
        views
            .iter()
            .filter_map(|view| duplicate(view, &settled, snapshot)),
    );
    findings.sort_by(|a, b| (&a.path, a.line, a.column, a.code).cmp(&(&b.path, b.line, b.column, b.code)));
    findings.dedup();
    let problems = store.settings().problems.iter();
    let wrong = problems.map(|problem| wrong_setting(problem, store.root()));
    findings.splice(0..0, Diagnostic::first_of(wrong));
    findings.extend(beyond_a_hook(store, snapshot));
    findings.extend(store.forgotten().err().map(|error| {
        let message = format!("the list of forgotten memories cannot be read: {error}");
        let mend = "move away what is in its place; `git log -p forgotten` in the store shows what it said";
        Diagnostic::error("forgotten", FORGOTTEN, message, mend)
    }));
    let model = store.settings().search_model.as_ref();
    let unusable = model.and_then(|folder| {
        let model = open_model(Path::new(folder));
        model
            .and_then(|model| model.vectors(&["memory".to_owned()]))
            .err()
    });
    findings.extend(unusable.map(|error| {
        let mend = "Fix it, or search by words alone: `mdmem config unset --user search.model`.";
        Diagnostic::warning("model", "search.model", error.to_string(), mend)
    }));
    let standing = standing::findings(context, store, snapshot)?;
    findings.extend(standing.findings);
    let mut held = if names.is_empty() {
        Held::diagnostics(&standing.pending.held)
    } else {
        standing.pending.held.iter().map(Held::diagnostic).collect()
    };
    // Told above, line by line.
    held.retain(|finding| finding.code != "held");
    findings.extend(held);
    if names.is_empty() {
        findings.extend(standing::hidden(store)?);
        findings.extend(plugin);
    } else {
        let wanted = wanted(names, &findings, &ranking, store)?;
        findings.retain(|finding| wanted.iter().any(|name| covers(name, &finding.path)));
    }
    Ok(findings)
}

/// The name of the store's holder while its history is repaired.
const COMMAND: &str = "mdmem check";

/// The work of a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fixed {
    /// The repair of the history, where it was damaged; then nothing else is done.
    pub history: Option<Repair>,
    /// The duplicates that are settled.
    #[serde(flatten)]
    pub tidying: Tidying,
}

/// Brings a damaged history back: a real run repairs it, then commits what the files hold beyond it; the files stay as they are.
/// Where it is sound, settles the duplicates.
pub fn fix(store: &Store, run: Run) -> Result<Done<Fixed>, ServiceError> {
    let repo = store.repo();
    let mut repair = repo.plan_repair()?;
    if repair.mend == Mend::Nothing {
        // What is staged is a person's: a damaged index is theirs to remove.
        repo.index()?;
        let Done {
            answer: tidying,
            changed,
            run,
        } = tidy(store, run)?;
        let history = None;
        return Ok(Done {
            answer: Fixed { history, tidying },
            changed,
            run,
        });
    }
    let mut aftermath = Aftermath::default();
    if run == Run::Real {
        let mut lock = repo.lock(COMMAND, WAIT_FOR_WRITER)?;
        repair = repo.repair(&mut lock, store.now())?;
        drop(lock);
        // This handle remembers the packs and objects from before.
        aftermath = changing(&store.reopened()?, COMMAND, |_| Ok(()))?.1;
    }
    Ok(Done {
        answer: Fixed {
            history: Some(repair),
            tidying: Tidying::default(),
        },
        changed: Changed {
            outcome: CommitOutcome::Nothing,
            aftermath,
        },
        run,
    })
}

/// The paths and folders that the request names. A file with a finding under its own path can be named by that path,
/// because not everything that `check` finds is a memory.
fn wanted(
    names: &[String],
    findings: &[Diagnostic],
    ranking: &Ranking<'_>,
    store: &Store,
) -> Result<Vec<String>, ServiceError> {
    let path_of = |name: &String| {
        if name.ends_with('/') || findings.iter().any(|finding| finding.path == *name) {
            return Ok(name.trim_start_matches("./").to_owned());
        }
        let place = ranking.find(name, store.root(), Reach::Part)?;
        Ok(ranking.view(place).memory.path.to_string())
    };
    names.iter().map(path_of).collect()
}

fn covers(name: &str, path: &str) -> bool {
    path == name || (name.is_empty() || name.ends_with('/')) && path.starts_with(name)
}

/// The types that the settings know, in their order.
pub(super) fn known_types(rules: &Rules) -> Vec<String> {
    let rules = rules.types.iter();
    let mut types: Vec<_> = rules.map(|rule| (rule.order, rule.kind.as_str())).collect();
    types.sort_unstable();
    types.iter().map(|(_, kind)| (*kind).to_owned()).collect()
}

/// An error for a type that neither the settings of these stores nor any of their memories know.
pub(super) fn check_kinds(kinds: &[Kind], stores: &[&Store]) -> Result<(), ServiceError> {
    let is_known = |kind: &Kind| stores.iter().any(|store| store.rules().type_rule(kind).is_some());
    for kind in kinds.iter().filter(|kind| !is_known(kind)) {
        let mut known: Vec<String> = Vec::new();
        let mut is_used = false;
        for store in stores {
            let mut types = known_types(store.rules());
            types.retain(|name| !known.contains(name));
            known.append(&mut types);
            let snapshot = store.load()?;
            is_used |= snapshot.files.iter().any(|file| file.memory.kind == *kind);
        }
        if !is_used {
            let kind = kind.to_string();
            return Err(ServiceError::UnknownKind { kind, known });
        }
    }
    Ok(())
}

/// The room for the memories in a prompt of Claude Code's, beside the fence, its sentence and the count of the others, where
/// a session has no hot state yet.
const ROOM_IN_A_HOOK: usize = MOST_OF_A_HOOK - 400;

/// What the settings let into a prompt, and a hook of Claude Code's does not.
fn beyond_a_hook(store: &Store, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let (rules, room) = (store.rules(), ROOM_IN_A_HOOK);
    let contender = Contender::new(rules, snapshot, store.now());
    let layout = PromptLayout::new(Scope::Workspace);
    let selection = select(
        &contender.candidates(),
        store.now(),
        rules.render.total_chars.min(room),
        &layout,
    );
    let left_out = selection.pinned_left_out.iter().map(|entry| {
        let path = &contender.entries()[*entry].memory.path;
        let message =
            format!("pinned, but the pinned notes exceed the {room} characters of a Claude Code prompt");
        let mend = "Shorten one, or `mdmem unpin` this one; agents can read it on demand.";
        Diagnostic::note("no-room", path, message, mend)
    });
    left_out.collect()
}

/// What a memory cites and the workspace no longer has.
fn stale(view: &MemoryView) -> impl Iterator<Item = Diagnostic> {
    let path = &view.memory.path;
    view.gone.iter().map(move |gone| {
        let mend = "Correct it with `mdmem edit`; if it still holds, `mdmem verify` says so.";
        Diagnostic::warning("stale", path, format!("out of date: {}", gone.told()), mend)
    })
}

/// A memory that another one hides: by `settled`, the paths that `check --fix` would settle, a duplicate; or one that stays
/// beside the other, and is not shown.
fn duplicate(view: &MemoryView, settled: &BTreeSet<&StorePath>, snapshot: &Snapshot) -> Option<Diagnostic> {
    let (Fate::Omitted(Reason::Duplicate { .. }), Some(kept)) = (view.fate, &view.instead) else {
        return None;
    };
    let path = &view.memory.path;
    let message = format!("duplicate of {kept}, which is shown instead");
    if settled.contains(path) || settled.contains(kept) {
        let mend = "`mdmem check --fix` shows how to merge them.";
        return Some(Diagnostic::warning("duplicate", path, message, mend));
    }
    let (one, other) = (snapshot.file(path)?, snapshot.file(kept)?);
    let (this, that) = (&one.memory, &other.memory);
    let mend = if snapshot.is_redacted(path) || snapshot.is_redacted(kept) {
        "Remove the suspected secret from one of them first."
    } else if !one.is_readable || !other.is_readable {
        "One of them cannot be read: fix it first."
    } else if this.readonly && that.readonly {
        "Both are readonly: remove `readonly` from one, or remove the file."
    } else if this.content.is_note() != that.content.is_note() {
        "One is a note and the other a fact: remove one."
    } else if this.content.keyed_text() == that.content.keyed_text() {
        "Each says something that the other does not: merge them into one, and remove the other."
    } else {
        "They differ in more than spelling: extend one of them, or remove it."
    };
    Some(Diagnostic::note("hidden", path, message, mend))
}

/// The finding for a fault in a settings file, told where it stands: the store's by its name, the user's by its whole
/// path.
pub(super) fn wrong_setting(problem: &Problem, root: &Path) -> Diagnostic {
    let name = |path: &Path| shown_path(path.strip_prefix(root).unwrap_or(path));
    let number = |number: usize| u32::try_from(number).ok();
    let told = |path, message, mend| Diagnostic::new(problem.severity(), "setting", path, message, mend);
    match problem {
        Problem::Syntax {
            path,
            line,
            column,
            message,
        } => Diagnostic {
            line: number(*line),
            column: number(*column),
            ..told(
                name(path),
                message.clone(),
                "Until it is fixed, the whole file is ignored.",
            )
        },
        Problem::Unreadable { path, message } => told(
            name(path),
            message.clone(),
            "Put a settings file in its place; until then the defaults apply.",
        ),
        Problem::Setting { .. } => {
            let (said, origin) = (problem.to_string(), problem.origin());
            let place = origin.map(ToString::to_string).unwrap_or_default();
            let message = said
                .strip_prefix(&format!("{place}: "))
                .unwrap_or(&said)
                .to_owned();
            match origin {
                Some(Origin::File { path, line, .. }) => Diagnostic {
                    line: number(*line),
                    ..told(name(path), message, "")
                },
                _ => told(place, message, ""),
            }
        }
    }
}
