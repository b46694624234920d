//! The files of one session, for those who look after them: not their content.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::contents::LOCAL;
use super::state_record::pruning;
use crate::model::Timestamp;
use crate::session::Pruning;
use crate::sys;

const PROMPT: &str = "prompt.json";
const STATE: &str = "state.json";
/// The beginning of the name of a state that could not be read, and was put aside.
const QUARANTINED: &str = "state.json.corrupt";
/// The most that is read of one of these files.
const MOST_READ: u64 = 64 << 20;

/// The files in the folder of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFiles {
    /// The hash of the session.
    pub hash: String,
    /// When the text that it is served was rendered.
    pub frozen_at: Option<Timestamp>,
    /// When the model last answered in it, as far as a host said.
    pub last_response: Option<Timestamp>,
    /// The counts of its tool outputs that were pruned.
    pub pruning: Pruning,
    /// States of it that could not be read and were put aside, below the store.
    pub quarantined: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Times {
    at: Option<i64>,
    last_response: Option<i64>,
}

impl SessionFiles {
    /// The sessions of the store at `root`, by hash. Files that cannot be read are left out: this is no place to fail.
    pub fn all(root: &Path) -> Vec<Self> {
        let below = Path::new(LOCAL).join("sessions");
        names(&root.join(&below), FileType::is_dir)
            .into_iter()
            .filter(|name| !name.contains('.'))
            .map(|hash| Self::of(root, &below.join(&hash), hash))
            .collect()
    }

    /// When it was last heard of, as far as its prompt tells.
    pub fn last_seen(&self) -> Option<Timestamp> {
        self.last_response.max(self.frozen_at)
    }

    fn of(root: &Path, folder: &Path, hash: String) -> Self {
        let read = |name: &str| {
            sys::read(root, folder.join(name), MOST_READ)
                .ok()
                .map(|read| read.bytes)
        };
        let state = read(STATE).and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
        let times = read(PROMPT).and_then(|bytes| serde_json::from_slice::<Times>(&bytes).ok());
        let time = |millis: Option<i64>| millis.map(Timestamp::from_millis);
        let files = names(&root.join(folder), FileType::is_file);
        Self {
            hash,
            frozen_at: time(times.as_ref().and_then(|times| times.at)),
            last_response: time(times.as_ref().and_then(|times| times.last_response)),
            pruning: state.map(|state| pruning(&state["pruning"])).unwrap_or_default(),
            quarantined: files
                .iter()
                .filter(|name| name.starts_with(QUARANTINED))
                .map(|name| folder.join(name))
                .collect(),
        }
    }
}

/// The names in a folder; links are neither files nor folders.
fn names(folder: &Path, is_wanted: fn(&FileType) -> bool) -> Vec<String> {
    let is_wanted = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| is_wanted(&kind));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries
        .filter(is_wanted)
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::write_atomic;

    #[test]
    fn tells_the_times_and_what_was_put_aside() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(SessionFiles::all(root.path()), []);
        let sessions = root.path().join(".mdmem/sessions");
        std::fs::create_dir_all(sessions.join("b")).unwrap();
        std::fs::create_dir_all(sessions.join("a")).unwrap();
        std::os::unix::fs::symlink(sessions.join("a"), sessions.join("c")).unwrap();
        let write = |name: &str, text: &str| {
            write_atomic(&sessions.join("a").join(name), text.as_bytes()).unwrap();
        };
        write(
            PROMPT,
            r#"{"version":1,"hash":"h","at":5000,"last_response":7000}"#,
        );
        write("state.json", "{}");
        write("state.json.corrupt-20261120", "torn");
        let folders = SessionFiles::all(root.path());
        let hashes: Vec<&str> = folders.iter().map(|folder| folder.hash.as_str()).collect();
        assert_eq!(hashes, ["a", "b"]);
        assert_eq!(folders[0].last_seen(), Some(Timestamp::from_seconds(7)));
        let aside = Path::new(".mdmem/sessions/a/state.json.corrupt-20261120");
        assert_eq!(folders[0].quarantined, [aside]);
        assert_eq!(folders[1].last_seen(), None);
    }
}
