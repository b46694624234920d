//! The copy of a memory that an editor works on: in the store's local folder, so that the swap files of editors and a
//! text that cannot be saved yet are neither watched nor committed nor lost.

use std::path::{Path, PathBuf};

use super::{Original, ServiceError};
use crate::store::{LOCAL, Store};
use crate::sys;

/// The folder of the copies, below the store's local one.
const FOLDER: &str = "edit";
/// The longest text that is taken from an editor, in bytes.
const MOST: u64 = 1 << 20;

/// The most that a copy's name has of the memory's stem, in characters, so that the whole fits into a file's name.
const MOST_OF_STEM: usize = 40;

/// A copy that an editor is given. It stays until it is removed.
#[derive(Debug)]
pub struct EditCopy {
    path: PathBuf,
}

impl EditCopy {
    /// Writes the copy of a file, under a name that tells the memory and that no other copy has.
    pub fn write(store: &Store, original: &Original) -> Result<Self, ServiceError> {
        let folder = store.root().join(LOCAL).join(FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| sys::SysError::io("create the folder", &folder, error))?;
        let stem: String = original.path.stem().chars().take(MOST_OF_STEM).collect();
        let process = std::process::id();
        let mut numbered = (1..).map(|n| folder.join(format!("{stem}.{process}-{n}.md")));
        let path = numbered.find(|path| !path.exists());
        let path = path.expect("because the numbers do not end");
        sys::write_atomic(&path, &original.bytes)?;
        Ok(Self { path })
    }

    /// The copies that are there: texts that were not saved, or that an editor has open just now. By name; what editors and
    /// killed processes leave beside them is not among them.
    pub(super) fn kept(store: &Store) -> Vec<PathBuf> {
        let Ok(entries) = store.root().join(LOCAL).join(FOLDER).read_dir() else {
            return Vec::new();
        };
        let is_copy = |path: &PathBuf| {
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            !is_hidden && path.extension().is_some_and(|end| end == "md") && path.is_file()
        };
        let mut kept: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(is_copy)
            .collect();
        kept.sort_unstable();
        kept
    }

    /// The path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the text that the copy holds now.
    pub fn read(&self) -> Result<Vec<u8>, ServiceError> {
        let (folder, name) = (self.path.parent(), self.path.file_name());
        let (folder, name) = folder.zip(name).expect("because it was joined of the two");
        Ok(sys::read(folder, name, MOST)?.bytes)
    }

    /// Removes it: what it held is saved, or is what the memory's file holds.
    pub fn remove(self) -> Result<(), ServiceError> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(sys::SysError::io("remove", self.path, error).into())
            }
            _ => Ok(()),
        }
    }
}
