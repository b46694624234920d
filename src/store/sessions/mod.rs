//! `.mdmem/sessions/<hash>/`: what is kept of each conversation. Local, and of use only as long as the conversation
//! lasts; its memories are files of the store.

mod deletion;
mod files;
mod folder;
mod frozen_prompt;
mod offer;
mod scrub;
mod state;
mod state_record;
mod unread;
mod waiting;

use std::path::{Path, PathBuf};

use crate::sys::SysError;
use crate::text::sha256_hex;

use super::contents::LOCAL;
use super::create::make_private_folder;

pub use files::SessionFiles;
pub use folder::SessionFolder;
pub use frozen_prompt::FrozenPrompt;
pub use state::StateRead;
pub use waiting::{Waiting, WaitingWrite, Waits};

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

/// The most sessions that the spool of one store holds journals of.
const MOST_SPOOLED: usize = 256;

impl Sessions {
    /// The sessions of the store at `root`.
    pub fn of(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            folder: root.join(LOCAL).join("sessions"),
        }
    }

    /// The spool of the store at `root`, in the user's state folder: the journals of pending writes that could not be
    /// kept in the store.
    pub fn spooled(state_home: &Path, root: &Path) -> Self {
        Self {
            root: state_home.to_owned(),
            folder: state_home
                .join("spool")
                .join(session_hash(&root.to_string_lossy())),
        }
    }

    /// Makes the user's state folder, for nobody else to read. The spool takes no journal of a further session when it
    /// has those of too many: nothing in it is ever thrown away.
    pub fn make_room(&self, hash: &str) -> Result<(), SysError> {
        make_private_folder(&self.root)?;
        let folders = self.folders()?;
        if folders.len() >= MOST_SPOOLED && folders.iter().all(|folder| folder.hash() != hash) {
            return Err(SysError::TooLarge {
                path: self.folder.clone(),
                size: folders.len() as u64,
                limit: MOST_SPOOLED as u64,
            });
        }
        Ok(())
    }

    /// The folder of a session, by its hash. It need not exist.
    pub fn folder(&self, hash: &str) -> SessionFolder {
        SessionFolder::new(&self.root, self.folder.join(hash))
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
}

fn is_hash(name: &str) -> bool {
    name.len() == HASH_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
