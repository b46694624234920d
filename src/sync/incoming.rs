//! The check of what a remote brings, before anything of it reaches a file: like any input.

use std::path::Path;

use crate::config::SettingsSources;
use crate::git::{Entry, Repo, SEEN_REF, TreeFile, TreeSizes};
use crate::model::{MAX_FOLDERS, Oid};
use crate::store::{LOCAL, MAX_FILE, SETTINGS, Store, own_name_of_folder};
use crate::text::folded_name;

use super::SyncError;

/// The most files that a store has.
const MOST_FILES: usize = 100_000;
/// The longest name of a file or a folder, and the longest path below a store, in bytes.
const LONGEST_PART: usize = 255;
const LONGEST_PATH: usize = 2048;

/// An error where the head of a remote is no store of this format, or brings what no store may hold: links and
/// submodules, names that lead elsewhere, files of the local folder, large files, filters. `ours` is HEAD: a file that it has
/// as well is not looked at again.
pub fn check_incoming(store: &Store, remote: &str, ours: Option<Oid>, theirs: Oid) -> Result<(), SyncError> {
    let repo = store.repo();
    check_numbers(repo, remote, ours, theirs)?;
    let settings = repo.entry_at(theirs, Path::new(SETTINGS))?;
    let settings = settings.ok_or_else(|| {
        SyncError::said(
            format!("{remote} is not a store: it has no mdmem.toml"),
            "No memory was changed. Use an empty repository or one with a store: `mdmem sync URL`.",
        )
    })?;
    for file in repo.new_files(ours, theirs)? {
        if let Some(why) = refusal(repo, &file)? {
            let what = format!("{remote} contains {}: {why}", file.path.display());
            return Err(SyncError::brings(what, way_back(repo)?.as_deref()));
        }
    }
    check_format(repo, remote, settings)
}

/// An error where one of the commits that HEAD lacks has more files than can be listed. History keeps each of them, so
/// that the head alone is not enough.
fn check_numbers(repo: &Repo, remote: &str, ours: Option<Oid>, theirs: Oid) -> Result<(), SyncError> {
    let mut sizes = TreeSizes::new(repo);
    for commit in repo.commits_beyond(theirs, ours.as_slice())? {
        if sizes.files(commit)? > MOST_FILES {
            let what = format!(
                "{remote} contains more than {MOST_FILES} files, or too deep folders (commit {})",
                commit.short()
            );
            return Err(SyncError::brings(what, way_back(repo)?.as_deref()));
        }
    }
    Ok(())
}

/// The command of git's that brings the remote back to the head that was accepted last, where there is one.
pub(super) fn way_back(repo: &Repo) -> Result<Option<String>, SyncError> {
    if repo.own_ref(SEEN_REF)?.is_none() {
        return Ok(None);
    }
    let command = |branch| format!("git push --force origin {SEEN_REF}:refs/heads/{branch}");
    Ok(repo.remote_branch().map(command))
}

fn check_format(repo: &Repo, remote: &str, settings: Entry) -> Result<(), SyncError> {
    let text = String::from_utf8_lossy(&repo.blob(settings.oid)?).into_owned();
    let settings = SettingsSources::default().load(Some((Path::new(SETTINGS), &text)));
    if settings.is_newer_format() {
        return Err(SyncError::said(
            format!(
                "the store at {remote} has format {}, written by a newer mdmem",
                settings.format
            ),
            "Nothing was changed here. Update mdmem on this machine.",
        ));
    }
    Ok(())
}

/// Says whether a path lies in mdmem's own folder, by the names of any system.
fn is_local(path: &Path) -> bool {
    let first = path.iter().next().unwrap_or_default();
    folded_name(&first.to_string_lossy()) == LOCAL
}

/// The reason why a file must not come in.
fn refusal(repo: &Repo, TreeFile { path, entry }: &TreeFile) -> Result<Option<String>, SyncError> {
    if !entry.mode.is_file() {
        return Ok(Some("links and submodules are not allowed in a store".to_owned()));
    }
    if !Repo::is_safe_path(path) || is_local(path) || own_name_of_folder(path).is_some() {
        return Ok(Some("this name is not allowed in a store".to_owned()));
    }
    if path.iter().any(|part| part.len() > LONGEST_PART) || path.as_os_str().len() > LONGEST_PATH {
        return Ok(Some("its name is too long for file systems".to_owned()));
    }
    if path.iter().count() > MAX_FOLDERS + 1 {
        return Ok(Some(format!("it is nested in more than {MAX_FOLDERS} folders")));
    }
    let size = repo.size_of(entry.oid)?;
    if size > MAX_FILE {
        return Ok(Some(format!("it has {size} bytes, over the limit of {MAX_FILE}")));
    }
    let filter = path
        .ends_with(".gitattributes")
        .then(|| repo.blob(entry.oid))
        .transpose()?
        .and_then(|bytes| Repo::filter_asked_for(path, &bytes));
    Ok(filter.map(|why| why.to_string()))
}
