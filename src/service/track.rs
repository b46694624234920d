//! Use case: commit files although git ignores them (`mdmem track`).

use std::path::Path;

use crate::store::{CommitOutcome, Description, Store};

use super::ServiceError;
use super::allow::named_files;
use super::change::{Changed, changing};

/// A file that was asked to be tracked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedFile {
    /// Its path below the store.
    pub path: String,
    /// Tells whether the history had it before.
    pub was_tracked: bool,
}

/// Commits these files although git ignores them. From then on history follows them as it follows the others. Gives the
/// files in the order in which they were named.
pub fn track(store: &Store, names: &[String]) -> Result<(Vec<TrackedFile>, Changed), ServiceError> {
    let ((files, outcome), aftermath) = changing(store, "mdmem track", |writer| {
        let head = store.repo().head()?.tip();
        let mut files = Vec::with_capacity(names.len());
        for path in named_files(writer, names)? {
            let was_tracked = match head {
                Some(head) => store.repo().entry_at(head, Path::new(&path))?.is_some(),
                None => false,
            };
            files.push(TrackedFile { path, was_tracked });
        }
        let newly = files.iter().filter(|file| !file.was_tracked);
        let newly: Vec<&str> = newly.map(|file| file.path.as_str()).collect();
        let outcome = if newly.is_empty() {
            CommitOutcome::Nothing
        } else {
            writer.track(&newly, &Description::saves())?
        };
        Ok((files, outcome))
    })?;
    Ok((files, Changed { outcome, aftermath }))
}
