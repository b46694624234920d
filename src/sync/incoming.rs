//! The check of what a remote brings, before anything of it reaches a file: like any input.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::config::SettingsSources;
use crate::git::{Entry, Repo, TreeFile};
use crate::model::Oid;
use crate::store::{LOCAL, MAX_FILE, SETTINGS, Store};

use super::SyncError;

/// The most files that a store has.
const MOST_FILES: usize = 100_000;

/// An error where the head of a remote is no store of this format, or brings what no store may hold: links and
/// submodules, names that lead elsewhere, files of the local folder, large files, filters. `ours` is HEAD: a file that it has
/// as well is not looked at again.
pub fn check_incoming(store: &Store, remote: &str, ours: Option<Oid>, theirs: Oid) -> Result<(), SyncError> {
    let repo = store.repo();
    let files = repo.tree(theirs)?;
    if files.len() > MOST_FILES {
        return Err(SyncError::TooManyFiles {
            remote: remote.to_owned(),
            count: files.len(),
            most: MOST_FILES,
        });
    }
    check_format(repo, remote, &files)?;
    let known: BTreeMap<PathBuf, Entry> = match ours {
        Some(ours) => repo
            .tree(ours)?
            .into_iter()
            .map(|file| (file.path, file.entry))
            .collect(),
        None => BTreeMap::new(),
    };
    let new = files
        .iter()
        .filter(|file| known.get(&file.path) != Some(&file.entry));
    for file in new {
        if let Some(why) = refusal(repo, file)? {
            return Err(SyncError::Refused {
                remote: remote.to_owned(),
                path: file.path.clone(),
                why,
            });
        }
    }
    Ok(())
}

fn check_format(repo: &Repo, remote: &str, files: &[TreeFile]) -> Result<(), SyncError> {
    let Some(settings) = files.iter().find(|file| file.path == Path::new(SETTINGS)) else {
        return Err(SyncError::NotAStore {
            remote: remote.to_owned(),
        });
    };
    let text = String::from_utf8_lossy(&repo.blob(settings.entry.oid)?).into_owned();
    let settings = SettingsSources::default().load(Some((&settings.path, &text)));
    if settings.is_newer_format() {
        return Err(SyncError::NewerFormat {
            remote: remote.to_owned(),
            format: settings.format,
        });
    }
    Ok(())
}

/// The reason why a file must not come in.
fn refusal(repo: &Repo, file: &TreeFile) -> Result<Option<String>, SyncError> {
    if !file.entry.mode.is_file() {
        return Ok(Some("a link or a submodule, which no store has".to_owned()));
    }
    if !Repo::is_safe_path(&file.path) || file.path.iter().next() == Some(LOCAL.as_ref()) {
        return Ok(Some("no file of a store has this name".to_owned()));
    }
    let size = repo.blob_size(file.entry.oid)?;
    if size > MAX_FILE {
        return Ok(Some(format!(
            "it has {size} bytes, and a file of a store at most {MAX_FILE}"
        )));
    }
    let filter = file
        .path
        .ends_with(".gitattributes")
        .then(|| repo.blob(file.entry.oid))
        .transpose()?
        .and_then(|bytes| Repo::filter_asked_for(&file.path, &bytes));
    Ok(filter.map(|why| why.to_string()))
}
