//! `.mdmem/sessions/<hash>/`: what is kept of each conversation. Local, and of use only as long as the conversation
//! lasts; its memories are files of the store.

mod folder;
mod frozen_prompt;
mod journal;
mod state;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::{Id, Timestamp};
use crate::session::Pruning;
use crate::sys::{self, SysError};
use crate::text::{Phrases, sha256_hex};

use super::contents::LOCAL;

pub use folder::SessionFolder;
pub use frozen_prompt::FrozenPrompt;
pub use journal::{Journal, Waiting, WaitingWrite, Waits};

/// Hex digits of a session's name.
const HASH_LEN: usize = 16;

/// The hash by which a session is known on disk, in trailers and in the log; its name stays with the host.
pub fn session_hash(session: &str) -> String {
    sha256_hex(session.as_bytes()).chars().take(HASH_LEN).collect()
}

/// The sessions of one store: a folder for each.
#[derive(Debug, Clone)]
pub struct Sessions {
    /// The folder that has to be there: nothing is made above it.
    root: PathBuf,
    folder: PathBuf,
}

/// The session whose work the next new one takes over, because a person said so.
const OFFER: &str = "handover";

impl Sessions {
    /// The sessions of the store at `root`.
    pub fn of(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            folder: root.join(LOCAL).join("sessions"),
        }
    }

    /// The folder of a session, by its hash. It need not exist.
    pub fn folder(&self, hash: &str) -> SessionFolder {
        SessionFolder {
            store: self.root.clone(),
            path: self.folder.join(hash),
        }
    }

    /// The folders of all sessions that there are, by their hashes.
    pub fn folders(&self) -> Result<Vec<SessionFolder>, SysError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(SysError::io("read the folder", &self.folder, error)),
        };
        let names = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_hash(name)).collect();
        names.sort_unstable();
        Ok(names.iter().map(|name| self.folder(name)).collect())
    }

    /// Offers the work of a session to the next new one.
    pub fn offer(&self, hash: &str) -> Result<(), SysError> {
        sys::write_atomic(&self.folder.join(OFFER), hash.as_bytes()).map(drop)
    }

    /// The session whose work is offered.
    pub fn offered(&self) -> Option<SessionFolder> {
        let read = sys::read(&self.folder, Path::new(OFFER), 1 << 10).ok()?;
        let hash = String::from_utf8(read.bytes).ok()?;
        is_hash(&hash).then(|| self.folder(&hash))
    }

    /// A session has taken the offer.
    pub fn take_offer(&self) {
        // One more session begins with the same work if this fails.
        let _ = std::fs::remove_file(self.folder.join(OFFER));
    }
}

impl SessionFolder {
    /// Takes these memories, and what says their words, out of the session. Its prompt is served no more: the next one is
    /// rendered, by a new epoch.
    pub fn scrub(&self, now: Timestamp, gone: &[Id], said: &Phrases) -> Result<(), SysError> {
        frozen_prompt::scrub(self, gone, said)?;
        let _lock = self.lock(Duration::from_secs(1))?;
        if let Some(before) = self.state(now)? {
            let mut state = before.clone();
            state.scrub(gone, said);
            if state != before {
                self.keep_state(&state)?;
            }
        }
        Ok(())
    }
}

/// The files of one session, for those who look after them: not their content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFiles {
    /// The hash of the session.
    pub hash: String,
    /// When it was last heard of, as far as its prompt tells.
    pub last_seen: Option<Timestamp>,
    /// The counts of its tool outputs that were pruned.
    pub pruning: Pruning,
    /// States of it that could not be read and were put aside, below the store.
    pub quarantined: Vec<PathBuf>,
}

impl SessionFiles {
    /// The sessions of the store at `root`, by hash. Files that cannot be read are left out: this is no place to fail.
    pub fn all(root: &Path) -> Vec<Self> {
        let folders = Sessions::of(root).folders().unwrap_or_default();
        let files = |folder: SessionFolder| {
            let prompt = folder.frozen();
            let state = folder.seen_state();
            let entries = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let mut quarantined: Vec<PathBuf> = names
                .filter(|name| name.starts_with(state::QUARANTINED))
                .filter_map(|name| Some(folder.path().strip_prefix(root).ok()?.join(name)))
                .collect();
            quarantined.sort();
            Self {
                hash: folder.hash().to_owned(),
                last_seen: prompt.and_then(|prompt| prompt.last_response.max(Some(prompt.at))),
                pruning: state.map(|state| state.pruning).unwrap_or_default(),
                quarantined,
            }
        };
        folders.into_iter().map(files).collect()
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == HASH_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
