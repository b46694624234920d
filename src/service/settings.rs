//! Use case: which settings are in force, and where does each come from; and to change one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Context, ServiceError};
use crate::config::{self, Settings};
use crate::store::{CommitOutcome, MAX_FILE, SETTINGS, Store, StoreError, Sweep};
use crate::sys::{self, Exchange, FailureKind, NewFile};

/// How often a settings file that somebody else keeps saving is tried.
const ATTEMPTS: u32 = 20;

/// The settings in force, and the files that they may stand in.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsReport {
    /// The settings, with what is wrong in them.
    pub settings: Settings,
    /// The user's file, which need not exist.
    pub user_file: PathBuf,
    /// The store's file; `None` where there is no store yet.
    pub store_file: Option<PathBuf>,
}

/// Which file a setting is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SettingsFile {
    /// The store's `mdmem.toml`, which travels with it.
    #[default]
    Store,
    /// The user's own.
    User,
}

/// A change of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// Its name.
    pub key: String,
    /// The value, as on a command line; `None` takes the setting out of the file.
    pub value: Option<String>,
    /// Which file.
    pub file: SettingsFile,
}

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChanged {
    /// The file.
    pub path: PathBuf,
    /// The commit, for a store's file.
    pub outcome: Option<CommitOutcome>,
}

/// The settings as the commands of this context see them. Where there is no store, those around it.
pub fn settings(context: &Context) -> Result<SettingsReport, ServiceError> {
    let store = match context.open_existing() {
        Ok(store) => store,
        Err(ServiceError::Store(StoreError::NotAWorkspace { .. })) => None,
        Err(error) => return Err(error),
    };
    let settings = match &store {
        Some(store) => store.settings().clone(),
        None => context.sources()?.settings(None),
    };
    Ok(SettingsReport {
        settings,
        user_file: context.env.config_file()?,
        store_file: store.map(|store| store.root().join(SETTINGS)),
    })
}

/// Changes one setting in a file; comments and order stay.
pub fn change_setting(context: &Context, change: &SettingChange) -> Result<SettingChanged, ServiceError> {
    match change.file {
        SettingsFile::User => {
            let path = context.env.config_file()?;
            let folder = path.parent().unwrap_or(Path::new("/"));
            std::fs::create_dir_all(folder)
                .map_err(|error| sys::SysError::io("create the folder", folder, error))?;
            write_in(folder, Path::new("config.toml"), change)?;
            Ok(SettingChanged { path, outcome: None })
        }
        SettingsFile::Store => {
            let store = context.open()?;
            if store.settings().is_newer_format() {
                store.writer("mdmem config")?;
            }
            write_in(store.root(), Path::new(SETTINGS), change)?;
            let outcome = commit(&context.open()?)?;
            Ok(SettingChanged {
                path: store.root().join(SETTINGS),
                outcome,
            })
        }
    }
}

/// Commits the store's file.
fn commit(store: &Store) -> Result<Option<CommitOutcome>, ServiceError> {
    let mut writer = store.writer("mdmem config")?;
    let sweep: Sweep = writer.absorb(&BTreeSet::from([PathBuf::from(SETTINGS)]))?;
    writer.finish();
    Ok(sweep.commit)
}

fn write_in(folder: &Path, name: &Path, change: &SettingChange) -> Result<(), ServiceError> {
    for _ in 0..ATTEMPTS {
        let before = match sys::read(folder, name, MAX_FILE) {
            Ok(read) => Some(read.bytes),
            Err(error) if error.kind() == FailureKind::Missing => None,
            Err(error) => return Err(error.into()),
        };
        let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default());
        let changed = changed_text(&text, change).map_err(|source| ServiceError::Setting {
            path: folder.join(name),
            source,
        })?;
        let is_done = match &before {
            Some(bytes) if *bytes == changed.as_bytes() => true,
            Some(bytes) => sys::exchange(folder, name, bytes, changed.as_bytes())? == Exchange::Exchanged,
            None if changed.is_empty() => true,
            None => sys::write_new(folder, name, changed.as_bytes())? == NewFile::Written,
        };
        if is_done {
            return Ok(());
        }
    }
    Err(StoreError::Settings(format!(
        "{} is being saved again and again",
        folder.join(name).display()
    ))
    .into())
}

fn changed_text(text: &str, change: &SettingChange) -> Result<String, config::WriteError> {
    let scope = match change.file {
        SettingsFile::Store => config::Scope::Store,
        SettingsFile::User => config::Scope::User,
    };
    match &change.value {
        Some(value) => config::set(text, scope, &change.key, value),
        None => config::unset(text, &change.key),
    }
}
