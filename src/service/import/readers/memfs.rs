//! The OpenCode plugin opencode-memfs: markdown with `description`, `limit` and `readonly`, which are mdmem's keys too;
//! `system/` is pinned there as here.

use std::collections::HashMap;

use super::markdown::adopted;
use crate::document::{Key, Value};
use crate::model::Timestamp;
use crate::service::import::incoming::{Adopted, Incoming};
use crate::service::import::source::SourceFile;

/// When the file of each path was made and last changed, by the history of its store.
pub(in crate::service::import) type Dates = HashMap<String, (Timestamp, Timestamp)>;

/// The list of all projects, which the plugin makes anew at each start.
const REGISTRY: &str = "system/projects.md";

/// Reads one file. It keeps its path and its bytes, and gets the times that it states nowhere.
pub(in crate::service::import) fn read(file: &SourceFile, dates: &Dates, incoming: &mut Incoming) {
    if file.path == REGISTRY {
        return;
    }
    let mut note = Adopted {
        path: file.path_as_markdown(),
        ..adopted(file, file.bytes.clone())
    };
    if let Some((created, updated)) = dates.get(&file.path) {
        note.keys.push((Key::Created, Value::Time(*created)));
        note.keys.push((Key::Updated, Value::Time(*updated)));
    }
    incoming.adopted.push(note);
}
