//! The OpenCode plugin opencode-memfs: markdown with `description`, `limit` and `readonly`, which are mdmem's keys too;
//! the folder of the pinned notes has a name of its own there as here.

use std::collections::HashMap;

use super::markdown::adopted;
use crate::document::{Key, Value};
use crate::model::{HOT_DIR, Timestamp};
use crate::service::import::incoming::{Adopted, Incoming};
use crate::service::import::source::SourceFile;

/// When the file of each path was made and last changed, by the history of its store.
pub(in crate::service::import) type Dates = HashMap<String, (Timestamp, Timestamp)>;

/// The list of all projects, which the plugin makes anew at each start in the folder of the pinned notes.
const REGISTRY: &str = "projects.md";

/// A store of the plugin's, as far as its files do not say it.
#[derive(Debug, Clone)]
pub(in crate::service::import) struct MemfsStore {
    pub(in crate::service::import) dates: Dates,
    /// The folder of its pinned notes.
    hot_dir: String,
    /// The folder of ours.
    our_hot_dir: String,
}

impl MemfsStore {
    /// A store with the plugin's `settings`, where it has any; its notes come into one with the pinned folder
    /// `our_hot_dir`.
    pub(in crate::service::import) fn new(settings: Option<&str>, our_hot_dir: String) -> Self {
        let settings = settings.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        let stated = settings.as_ref().and_then(|settings| settings["hotDir"].as_str());
        let hot_dir = stated.map(|folder| folder.trim_start_matches("./").trim_matches('/'));
        Self {
            dates: Dates::new(),
            hot_dir: hot_dir
                .filter(|folder| !folder.is_empty())
                .unwrap_or(HOT_DIR)
                .to_owned(),
            our_hot_dir,
        }
    }
}

/// Reads one file. It keeps its bytes and its path, but for the name of the pinned folder, and gets the times that it
/// states nowhere.
pub(in crate::service::import) fn read(file: &SourceFile, store: &MemfsStore, incoming: &mut Incoming) {
    let path = file.path_as_markdown();
    let pinned = path.strip_prefix(&store.hot_dir);
    let pinned = pinned.and_then(|rest| rest.strip_prefix('/'));
    if pinned == Some(REGISTRY) {
        return;
    }
    let mut note = Adopted {
        path: pinned.map_or(path.clone(), |rest| format!("{}/{rest}", store.our_hot_dir)),
        ..adopted(file, file.bytes.clone())
    };
    if let Some((created, updated)) = store.dates.get(&file.path) {
        note.keys.push((Key::Created, Value::Time(*created)));
        note.keys.push((Key::Updated, Value::Time(*updated)));
    }
    incoming.adopted.push(note);
}
