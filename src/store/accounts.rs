//! The accounts of all files, as a value: a copy shares with the original what neither of the two changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Serialize, Serializer};

use super::file_history::FileHistory;

/// A change copies the accounts of so small a part of the paths.
const PARTS: usize = 256;

/// The accounts by path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<(String, FileHistory)>")]
pub(super) struct Accounts(Vec<Arc<BTreeMap<String, FileHistory>>>);

impl Accounts {
    pub(super) fn get(&self, path: &str) -> Option<&FileHistory> {
        self.0[part(path)].get(path)
    }

    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut FileHistory> {
        let part = &mut self.0[part(path)];
        part.contains_key(path)
            .then(|| Arc::make_mut(part).get_mut(path))?
    }

    pub(super) fn insert(&mut self, path: &str, account: FileHistory) {
        Arc::make_mut(&mut self.0[part(path)]).insert(path.to_owned(), account);
    }

    pub(super) fn remove(&mut self, path: &str) -> Option<FileHistory> {
        let part = &mut self.0[part(path)];
        part.contains_key(path)
            .then(|| Arc::make_mut(part).remove(path))?
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &FileHistory)> {
        self.0.iter().flat_map(|part| part.iter())
    }

    /// The paths of which the two say different things.
    pub(super) fn differing<'a>(&'a self, other: &'a Self) -> BTreeSet<&'a str> {
        let parts = self.0.iter().zip(&other.0);
        let parts = parts.filter(|(one, other)| !Arc::ptr_eq(one, other));
        let differing = parts.flat_map(|(one, other)| {
            let changed = one
                .iter()
                .filter(|(path, account)| other.get(*path) != Some(account));
            let added = other.iter().filter(|(path, _)| !one.contains_key(*path));
            changed.chain(added)
        });
        differing.map(|(path, _)| path.as_str()).collect()
    }
}

fn part(path: &str) -> usize {
    path.bytes()
        .fold(0, |part, byte| (part * 31 + usize::from(byte)) % PARTS)
}

impl Default for Accounts {
    fn default() -> Self {
        Self(vec![Arc::default(); PARTS])
    }
}

impl From<Vec<(String, FileHistory)>> for Accounts {
    fn from(files: Vec<(String, FileHistory)>) -> Self {
        let mut parts = vec![BTreeMap::new(); PARTS];
        for (path, account) in files {
            parts[part(&path)].insert(path, account);
        }
        Self(parts.into_iter().map(Arc::new).collect())
    }
}

impl Serialize for Accounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = self.0.iter().map(|part| part.len()).sum();
        let mut sequence = serializer.serialize_seq(Some(files))?;
        for file in self.iter() {
            sequence.serialize_element(&file)?;
        }
        sequence.end()
    }
}
