//! The last connection of an agent's plugin with a store, in the user's state folder: it is known also where the store
//! does not exist yet, or cannot be written to.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::create::make_private_folder;
use super::sessions::session_hash;
use crate::model::Timestamp;
use crate::sys::{self, SysError};

const FOLDER: &str = "connected";
/// The most that is read of the file, and about twice what is written of each of its words.
const MAX_BYTES: u64 = 4096;
const MAX_CHARS: usize = 100;

/// The last time that a plugin connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// The name of the agent, as `opencode`.
    pub host: String,
    /// The version of the plugin.
    pub version: String,
    /// The time, in milliseconds since 1970.
    at: i64,
}

impl Connection {
    /// A connection of now.
    pub fn new(host: &str, version: &str, now: Timestamp) -> Self {
        let short = |text: &str| text.chars().take(MAX_CHARS).collect();
        Self {
            host: short(host),
            version: short(version),
            at: now.as_millis(),
        }
    }

    /// The time.
    pub const fn at(&self) -> Timestamp {
        Timestamp::from_millis(self.at)
    }

    /// The last connection with the store at `root`; `None` where nobody wrote one down.
    pub fn last(state_home: &Path, root: &Path) -> Option<Self> {
        let read = sys::read(state_home, Path::new(FOLDER).join(file(root)), MAX_BYTES).ok()?;
        serde_json::from_slice(&read.bytes).ok()
    }

    /// Writes it down.
    pub fn keep(&self, state_home: &Path, root: &Path) -> Result<(), SysError> {
        let folder = state_home.join(FOLDER);
        make_private_folder(&folder)?;
        let json = serde_json::to_string(self).expect("because a connection is strings and a number");
        sys::write_atomic(&folder.join(file(root)), json.as_bytes()).map(drop)
    }
}

fn file(root: &Path) -> PathBuf {
    format!("{}.json", session_hash(&root.to_string_lossy())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_known_for_each_store() {
        let state = tempfile::tempdir().unwrap();
        let (state, root) = (state.path().join("mdmem"), Path::new("/s/one"));
        assert_eq!(Connection::last(&state, root), None);
        let now = Timestamp::from_seconds(7);
        for version in ["1", &"2".repeat(1000)] {
            Connection::new("opencode", version, now)
                .keep(&state, root)
                .unwrap();
        }
        let last = Connection::last(&state, root).unwrap();
        assert_eq!((last.at(), last.version.len()), (now, MAX_CHARS));
        assert_eq!(Connection::last(&state, Path::new("/s/two")), None);
    }
}
