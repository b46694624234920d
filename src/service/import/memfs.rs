//! The OpenCode plugin opencode-memfs: markdown with `description`, `limit` and `readonly`, which are mdmem's keys too;
//! the folder of the pinned notes has a name of its own there as here. When a file was made and changed stands in the
//! history of its store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::entry::WHOLE;
use super::form::workspace;
use super::source::Reading;
use crate::document::{Key, Value};
use crate::git::{GitError, Repo};
use crate::model::{HOT_DIR, Timestamp};
use crate::render::Scope;
use crate::service::ServiceError;
use crate::store::MAX_FILE;
use crate::sys;

/// The list of all projects, which the plugin makes anew at each start in the folder of the pinned notes.
const REGISTRY: &str = "projects.md";

/// Says whether a folder is a store of the plugin's, or a part of one. Other repositories have a folder `projects` too.
pub(super) fn fits(folder: &Path) -> bool {
    is_store(folder) || folder.join("system").is_dir() && store_above(folder).is_some_and(is_store)
}

fn is_store(folder: &Path) -> bool {
    let is_settled = folder.ends_with("opencode/memory") || folder.with_file_name("memfs.json").is_file();
    folder.join(".git").is_dir() && (is_settled || folder.join("global/system").is_dir())
}

/// The store of which a folder is a part by its name. A part has no repository of its own.
fn store_above(folder: &Path) -> Option<&Path> {
    let store = match folder.parent()? {
        above if above.ends_with("projects") => above.parent()?,
        above => Some(above).filter(|_| folder.ends_with("global"))?,
    };
    (store.join(".git").exists() && !folder.join(".git").exists()).then_some(store)
}

/// Reads the part of the plugin's store that belongs into ours: what holds everywhere, or the workspace's by its name. A
/// folder that is no such store is taken whole, because the person named a part. A store without the part gives nothing:
/// its other parts belong to other projects.
pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let mut parts = ["global", "projects"].iter();
    // A part may hold a folder that is called as one of a store's.
    if store_above(&reading.path).is_none() && parts.any(|name| reading.path.join(name).is_dir()) {
        let part = match reading.context.scope {
            Scope::Global => reading.path.join("global"),
            Scope::Workspace => {
                let name = workspace(reading.context)?.name();
                reading.path.join("projects").join(name)
            }
        };
        if !part.is_dir() {
            let nothing = match reading.context.scope {
                Scope::Global => "no global memories",
                Scope::Workspace => "no memories of this workspace",
            };
            return Err(ServiceError::said(
                format!("{nothing} here: there is no {}", sys::shown_path(&part)),
                "Name the part to import it; `--from markdown` reads any folder and its subfolders.",
            ));
        }
        reading.path = part;
    }
    let dates = match dates(reading) {
        Ok(dates) => dates,
        Err(error) => {
            let path = reading.path.clone();
            reading.refuse(&path, format!("its history has no dates: {error}"));
            HashMap::new()
        }
    };
    let hot_dir = format!("{}/", hot_dir(&reading.path));
    for file in reading.take_files() {
        let mut path = file.path_as_markdown();
        if let Some(pinned) = path.strip_prefix(&hot_dir) {
            if pinned == REGISTRY {
                continue;
            }
            path = format!("{}/{pinned}", reading.rules.hot_dir);
        }
        let mut entry = file.entry(path, file.text.clone());
        if let Some((created, updated)) = dates.get(Path::new(&file.path)) {
            entry.keys.push((Key::Created, Value::Time(*created)));
            entry.keys.push((Key::Updated, Value::Time(*updated)));
        }
        reading.add(&file.file, WHOLE, entry);
    }
    Ok(())
}

/// The folder of the plugin's pinned notes, by its settings, which lie beside its store.
fn hot_dir(part: &Path) -> String {
    let mut above = part.ancestors().skip(1).take(3);
    let settings = above.find_map(|folder| sys::read_regular(&folder.join("memfs.json"), MAX_FILE).ok()?);
    let settings = settings.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let stated = settings.as_ref().and_then(|settings| settings["hotDir"].as_str());
    let folder = stated.map(|folder| folder.trim_start_matches("./").trim_matches('/'));
    folder
        .filter(|folder| !folder.is_empty())
        .unwrap_or(HOT_DIR)
        .to_owned()
}

/// When each file below a part of the plugin's store was made and last changed.
fn dates(reading: &mut Reading<'_>) -> Result<HashMap<PathBuf, (Timestamp, Timestamp)>, GitError> {
    let mut dates = HashMap::new();
    let part = reading.path.clone();
    let mut above = part.ancestors().take(3);
    let Some(root) = above.find(|folder| folder.join(".git").is_dir()) else {
        return Ok(dates);
    };
    let repo = Repo::open_foreign(root)?;
    let Some(head) = repo.head()?.tip() else {
        return Ok(dates);
    };
    for step in repo.walk(head, None)? {
        let step = step?;
        let time = step.commit.time;
        for change in step.changes {
            let before = change.renamed_from.as_ref().unwrap_or(&change.path);
            let created = dates.remove(before).map_or(time, |(created, _)| created);
            if change.new.is_some() {
                dates.insert(change.path, (created, time));
            }
        }
    }
    reading.incoming.origin = format!("{} at {head}", reading.incoming.origin);
    let below = part.strip_prefix(root).unwrap_or(Path::new(""));
    let known = dates
        .into_iter()
        .filter_map(|(path, times)| Some((path.strip_prefix(below).ok()?.to_owned(), times)));
    Ok(known.collect())
}
