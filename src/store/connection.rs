//! The last connection of an agent's plugin with a store: a line in the user's state folder, so that it is known also
//! where the store does not exist yet, or cannot be written to.

use std::path::{Path, PathBuf};

use super::create::make_private_folder;
use super::sessions::session_hash;
use crate::sys::{self, SysError};

/// The most that is written of the line, in characters, and a bound of what is read of it, in bytes.
const MAX_CHARS: usize = 200;
const MAX_BYTES: u64 = 1024;

/// The last connection with the store at `root`; `None` where nobody wrote one down.
pub fn last_connection(state_home: &Path, root: &Path) -> Option<String> {
    let read = sys::read(state_home, file(root), MAX_BYTES).ok()?;
    Some(read.into_text().trim_end().to_owned())
}

/// Writes down who connected with the store at `root`, and when.
pub fn keep_connection(state_home: &Path, root: &Path, who: &str) -> Result<(), SysError> {
    let path = state_home.join(file(root));
    make_private_folder(path.parent().unwrap_or(state_home))?;
    let line: String = who.chars().take(MAX_CHARS).chain(['\n']).collect();
    sys::write_atomic(&path, line.as_bytes()).map(drop)
}

fn file(root: &Path) -> PathBuf {
    Path::new("connected").join(session_hash(&root.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_known_for_each_store() {
        let state = tempfile::tempdir().unwrap();
        let (state, root) = (state.path().join("mdmem"), Path::new("/s/one"));
        assert_eq!(last_connection(&state, root), None);
        for who in ["opencode 1", &"é".repeat(1000)] {
            keep_connection(&state, root, who).unwrap();
        }
        assert_eq!(last_connection(&state, root), Some("é".repeat(MAX_CHARS)));
        assert_eq!(last_connection(&state, Path::new("/s/two")), None);
    }
}
