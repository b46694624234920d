//! `.mdmem/sessions/<hash>/`: what is kept of each conversation. Local, and of use only as long as the conversation
//! lasts; its memories are files of the store.

mod files;
mod folder;
mod frozen_prompt;
mod state;
mod state_record;
mod waiting;

use std::path::{Path, PathBuf};

use crate::sys::SysError;
use crate::text::sha256_hex;

use super::contents::LOCAL;

pub use files::SessionFiles;
pub use folder::SessionFolder;
pub use frozen_prompt::FrozenPrompt;
pub use state::StateRead;
pub use waiting::{Waiting, WaitingWrite};

/// Hex digits of a session's name.
const HASH_LEN: usize = 16;

/// The hash by which a session is known on disk, in trailers and in the log; its name stays with the host.
pub fn session_hash(session: &str) -> String {
    sha256_hex(session.as_bytes()).chars().take(HASH_LEN).collect()
}

/// The sessions of one store: a folder for each.
#[derive(Debug, Clone)]
pub struct Sessions {
    root: PathBuf,
    folder: PathBuf,
}

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
        SessionFolder::new(&self.root, hash)
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
        Ok(names
            .iter()
            .map(|name| SessionFolder::new(&self.root, name))
            .collect())
    }
}

fn is_hash(name: &str) -> bool {
    name.len() == HASH_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
