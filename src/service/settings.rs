//! Use case: which settings are in force, and where does each come from; and to change one, with the memories that this takes
//! out of the prompt

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::check::wrong_setting;
use super::export::PersonsFile;
use super::meaning::open_model;
use super::remote::address;
use super::{Context, Ranking, ServiceError};
use crate::config::{self, Fault, Problem, Scope, Setting, Settings, SettingsSources};
use crate::model::{Diagnostic, Oid, StorePath};
use crate::policy::Fate;
use crate::store::{
    CommitOutcome, MAX_FILE, PROTOCOL, SETTINGS, Snapshot, Store, StoreError, repinned_protocol,
};
use crate::sys::{self, Exchange, NewFile, lossy, shown_path};
use crate::text::Redactor;

/// The number of attempts at a settings file that somebody else keeps saving.
const ATTEMPTS: u32 = 20;

/// The settings in force, and the files that they may stand in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsReport {
    /// The user's file, which need not exist.
    pub user_file: String,
    /// The store's file; `None` where there is no store yet.
    pub store_file: Option<String>,
    /// Each setting.
    #[serde(rename = "settings")]
    pub all: Vec<Setting>,
    /// What is wrong in the files.
    pub problems: Vec<Diagnostic>,
    /// The settings themselves.
    #[serde(skip)]
    pub settings: Settings,
}

/// A setting that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingChange {
    /// Its name.
    pub key: String,
    /// The file that it stands in, or stood in.
    #[serde(serialize_with = "lossy")]
    pub file: PathBuf,
    /// The memories that prompts of this store do not show any more.
    #[serde(rename = "no_longer_shown")]
    pub unshown: Option<Unshown>,
    /// The effect on the notes, where another folder is the pinned one from now on.
    #[serde(rename = "no_longer_pinned")]
    pub repinned: Option<Repinned>,
    /// The commit of a store's file.
    #[serde(skip)]
    pub outcome: Option<CommitOutcome>,
}

/// Another folder holds the pinned notes from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repinned {
    /// The folder that held them. What lies in it stays where it is.
    pub before: String,
    /// The folder that holds them now.
    pub now: String,
    /// The memories in the folder that held them.
    pub left: Vec<StorePath>,
}

/// The command of the pager that git would start in the store; empty where git cannot say.
pub fn pager(store: &Store) -> String {
    store.repo().pager().unwrap_or_default()
}

/// The settings as the commands of this context see them. Without a store, those around it.
pub fn settings(context: &Context) -> Result<SettingsReport, ServiceError> {
    let store = match context.open_existing() {
        Ok(store) => store,
        Err(ServiceError::Store(StoreError::NotAWorkspace { .. })) => None,
        Err(error) => return Err(error),
    };
    let mut settings = match &store {
        Some(store) => store.settings().clone(),
        None => context.sources()?.settings(None),
    };
    // A value that a person wrote there by hand may hold a password.
    let shown = |url: String| Redactor::standard().redact_line(&url).into_owned();
    settings.sync.remote = settings.sync.remote.map(shown);
    let root = store.as_ref().map_or(Path::new("/"), Store::root);
    let problems = settings.problems.iter();
    Ok(SettingsReport {
        user_file: shown_path(&context.env.config_file()?),
        all: settings.all(),
        problems: problems.map(|problem| wrong_setting(problem, root)).collect(),
        store_file: store
            .as_ref()
            .map(|store| shown_path(&store.root().join(SETTINGS))),
        settings,
    })
}

/// Changes one setting in the user's file or the store's; comments and order stay. A `value` is written as on a command
/// line; `None` takes the setting out.
pub fn change_setting(
    context: &Context,
    file: Scope,
    key: &str,
    value: Option<&str>,
) -> Result<SettingChange, ServiceError> {
    let change = |text: &str| match value {
        Some(value) => config::set(text, file, key, value),
        None => config::unset(text, key),
    };
    if let ("sync.remote", Some(url)) = (key, value) {
        address(context, url.trim().trim_matches('"'))?;
    }
    if let ("search.model", Some(folder)) = (key, value) {
        open_model(Path::new(folder.trim().trim_matches('"')))?;
    }
    match file {
        Scope::User => {
            let path = context.env.config_file()?;
            let problems = |text: &str| {
                let user = Some((path.clone(), text.to_owned()));
                let sources = SettingsSources {
                    user,
                    ..SettingsSources::default()
                };
                sources.settings(None).problems
            };
            let change = |text: &str| refuse_new_fault(text, change(text)?, problems);
            let before = context.open_existing().ok().flatten();
            let folder = path.parent().unwrap_or(Path::new("/"));
            std::fs::create_dir_all(folder)
                .map_err(|error| sys::SysError::io("create the folder", folder, error))?;
            // Whoever keeps such files elsewhere has a link here.
            let user = PersonsFile::read(path.canonicalize().unwrap_or_else(|_| path.clone()))?;
            let changed = changed(&path, user.text(), change)?;
            if changed != user.text() {
                user.replace(Some(&changed))?;
            }
            let now = context.open_existing().ok().flatten();
            let stores = before.zip(now);
            let unshown = stores.map(|(before, now)| unshown(&before, &now)).transpose()?;
            // No commit of the store has what the user's file said before.
            let unshown = unshown.flatten().map(|unshown| Unshown {
                last_in: None,
                ..unshown
            });
            Ok(SettingChange {
                key: key.to_owned(),
                file: path,
                outcome: None,
                unshown,
                repinned: None,
            })
        }
        Scope::Store => {
            let store = context.open()?;
            if store.settings().is_newer_format() {
                store.writer("mdmem config")?;
            }
            let path = store.root().join(SETTINGS);
            let problems = |text: &str| SettingsSources::default().settings(Some((&path, text))).problems;
            let change = |text: &str| refuse_new_fault(text, change(text)?, problems);
            write_settings(&store, change)?;
            let now = context.open()?;
            let before = &store.rules().hot_dir;
            let is_repinned = *before != now.rules().hot_dir;
            if is_repinned {
                name_pinned_folder(&now);
            }
            Ok(SettingChange {
                key: key.to_owned(),
                file: path,
                unshown: unshown(&store, &now)?,
                outcome: commit(&now)?,
                repinned: is_repinned.then(|| repinned(before, &now)).transpose()?,
            })
        }
    }
}

/// The memories that prompts of a store do not show any more, by its settings now.
fn unshown(before: &Store, now: &Store) -> Result<Option<Unshown>, ServiceError> {
    if before.rules() == now.rules() {
        return Ok(None);
    }
    Unshown::since(&ShownPaths::of(before, &before.load()?), now)
}

/// The changed text of a settings file, or an error where it has a fault that the text before did not have: every command
/// would warn of it.
fn refuse_new_fault(
    before: &str,
    after: String,
    problems: impl Fn(&str) -> Vec<Problem>,
) -> Result<String, Fault> {
    let faults = |text| problems(text).into_iter().filter_map(Problem::into_fault);
    let known: Vec<Fault> = faults(before).collect();
    match faults(&after).find(|fault| !known.contains(fault)) {
        Some(fault) => Err(fault),
        None => Ok(after),
    }
}

/// Names the folder of the pinned notes in the row of PROTOCOL.md that mdmem wrote of it. A text that cannot be changed
/// stays as it is.
pub(super) fn name_pinned_folder(store: &Store) {
    let read = sys::read_if_there(store.root(), PROTOCOL, MAX_FILE)
        .ok()
        .flatten();
    let Some(text) = read.and_then(|read| String::from_utf8(read.bytes).ok()) else {
        return;
    };
    let new = repinned_protocol(&text, &store.rules().hot_dir);
    if new != text
        && let Err(error) = sys::exchange(store.root(), PROTOCOL, text.as_bytes(), new.as_bytes())
    {
        tracing::warn!(%error, "PROTOCOL.md names another folder for pinned notes");
    }
}

/// The memories that another folder of pinned notes leaves in the former one.
fn repinned(before: &str, now: &Store) -> Result<Repinned, ServiceError> {
    let snapshot = now.load()?;
    let paths = snapshot.files.iter().map(|file| &file.memory.path);
    Ok(Repinned {
        before: before.to_owned(),
        now: now.rules().hot_dir.clone(),
        left: paths
            .filter(|path| path.first_folder() == Some(before))
            .cloned()
            .collect(),
    })
}

/// Commits the store's file, and what else was changed with it.
fn commit(store: &Store) -> Result<Option<CommitOutcome>, ServiceError> {
    let mut writer = store.writer("mdmem config")?;
    let sweep = writer.absorb(&[SETTINGS, PROTOCOL].map(PathBuf::from).into())?;
    writer.finish();
    Ok(sweep.commit)
}

/// The text that `change` makes of that of the settings file at `path`.
fn changed(
    path: &Path,
    text: &str,
    change: impl Fn(&str) -> Result<String, Fault>,
) -> Result<String, ServiceError> {
    change(text).map_err(|source| {
        let what = format!("{}: {source}", path.display());
        ServiceError::said(what, "`mdmem config` lists every setting.")
    })
}

/// Writes the settings of a store as `change` makes them of what the file holds.
fn write_settings(store: &Store, change: impl Fn(&str) -> Result<String, Fault>) -> Result<(), ServiceError> {
    let root = store.root();
    for _ in 0..ATTEMPTS {
        let before = sys::read_if_there(root, SETTINGS, MAX_FILE)?.map(|read| read.bytes);
        let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default());
        let changed = changed(&root.join(SETTINGS), &text, &change)?;
        let is_done = match &before {
            Some(bytes) => sys::exchange(root, SETTINGS, bytes, changed.as_bytes())? == Exchange::Exchanged,
            None if changed.is_empty() => true,
            None => sys::write_new(root, SETTINGS, changed.as_bytes())? == NewFile::Written,
        };
        if is_done {
            return Ok(());
        }
    }
    Err(StoreError::Settings(format!(
        "another program keeps saving {}",
        root.join(SETTINGS).display()
    ))
    .into())
}

/// The memories that are as they were, and that a prompt showed before the settings changed and does not show since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unshown {
    /// Their number.
    pub count: usize,
    /// The number of all that were shown before.
    pub of: usize,
    /// The last commit with the settings from before; `None` where there was no commit.
    #[serde(skip)]
    pub last_in: Option<Oid>,
}

impl Unshown {
    /// Counts the memories of `before` that `now` has and does not show; `None` where it shows all of them.
    pub(super) fn since(before: &ShownPaths, now: &Store) -> Result<Option<Self>, ServiceError> {
        let shown = ShownPaths::of(now, &now.load()?);
        let is_unshown =
            |path: &&StorePath| !shown.paths.contains(path) && now.is_something_there(path.as_ref());
        let count = before.paths.iter().filter(is_unshown).count();
        Ok((count > 0).then_some(Self {
            count,
            of: before.paths.len(),
            last_in: before.head,
        }))
    }

    /// Says whether they are more than half of those that were shown.
    pub const fn is_most(&self) -> bool {
        self.count * 2 > self.of
    }

    /// The command that brings the settings back, as a sentence.
    pub fn hint(&self) -> Option<String> {
        let last = self.last_in?.short();
        Some(format!(
            "`mdmem restore {last} {SETTINGS}` restores the settings here, and everywhere at the next sync."
        ))
    }
}

impl std::fmt::Display for Unshown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, of, .. } = self;
        write!(
            f,
            "received settings remove {count} of {of} memories from the prompt"
        )
    }
}

/// The memories that prompts show at one time: in full, by a line, or by their name in the tree.
pub(super) struct ShownPaths {
    paths: BTreeSet<StorePath>,
    head: Option<Oid>,
}

impl ShownPaths {
    /// Those of a snapshot, by the settings with which the store was opened.
    pub(super) fn of(store: &Store, snapshot: &Snapshot) -> Self {
        let views = Ranking::new(store, snapshot, store.now()).views().into_iter();
        let shown = views.filter(|view| !matches!(view.fate, Fate::Omitted(_)));
        Self {
            paths: shown.map(|view| view.memory.path).collect(),
            head: snapshot.head,
        }
    }
}
