//! Paths that somebody has staged by hand, differently from HEAD and from the file: left alone for ten minutes, so that
//! `git add -p` and a commit by hand can be finished in peace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;
use crate::sys;

use super::contents::{LOCAL, MAX_FILE};
use super::difference::Change;
use super::{Store, StoreError};

/// The milliseconds for which a path is left alone after it was first seen staged.
pub(super) const LEFT_ALONE_MILLIS: i64 = 10 * 60 * 1000;

const FILE: &str = "staged.json";

#[derive(Serialize, Deserialize, Default, PartialEq, Eq)]
struct Seen {
    /// Path, how it is staged, and when that was first seen (milliseconds since 1970).
    staged: BTreeMap<String, (String, i64)>,
}

/// Those of the changed paths that are to be left alone now. Remembers when each was first seen.
pub(super) fn left_alone(store: &Store, changes: &[Change]) -> Result<BTreeSet<PathBuf>, StoreError> {
    let touched: Vec<PathBuf> = changes
        .iter()
        .flat_map(Change::touched)
        .map(Path::to_owned)
        .collect();
    let staged = store.repo.staged_by_hand(&touched)?;
    let file = store.root().join(LOCAL).join(FILE);
    let before: Seen = sys::read(store.root(), Path::new(LOCAL).join(FILE), MAX_FILE)
        .ok()
        .and_then(|read| serde_json::from_slice(&read.bytes).ok())
        .unwrap_or_default();
    if staged.is_empty() && before.staged.is_empty() {
        return Ok(BTreeSet::new());
    }
    let now = store.now();
    let mut after = Seen::default();
    let mut left = BTreeSet::new();
    for staged in staged {
        let name = staged.path.to_string_lossy().into_owned();
        let how = format!("{:?} {:?}", staged.kind, staged.since);
        let since = match before.staged.get(&name) {
            Some((known, since)) if *known == how && *since <= now.as_millis() => *since,
            _ => now.as_millis(),
        };
        after.staged.insert(name, (how, since));
        if now.millis_since(Timestamp::from_millis(since)) < LEFT_ALONE_MILLIS {
            left.insert(staged.path);
        }
    }
    if after != before {
        let bytes = serde_json::to_vec(&after).expect("because it is strings and numbers");
        // Forgetting when a path was first seen leaves it alone for longer: nothing is lost, nothing to say.
        let _ = sys::make_folders_in(store.root(), &store.root().join(LOCAL))
            .map(|()| sys::write_atomic(&file, &bytes));
    }
    Ok(left)
}
