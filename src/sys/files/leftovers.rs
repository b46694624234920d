//! Leftovers of a killed writer.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::sys::files::beneath::{Folder, Place};
use crate::sys::files::displaced::{DISPLACED_NAME, Known, OWN_FOLDER, Slot};
use crate::sys::files::read::COMPARED_BYTES;
use crate::sys::files::rename::rename_into_free;
use crate::sys::files::temporary::{TemporaryName, is_own_temporary, short_hash};
use crate::sys::{FailureKind, SysError};

/// A temporary file whose content the engine did not make: a writer was killed between exchanging and comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The temporary file, below the store.
    pub path: PathBuf,
    /// The file it was taken from, where that is still in the same folder.
    pub target: Option<PathBuf>,
    /// The displaced bytes: either those that the engine had read, or a save that is nowhere else.
    pub bytes: Vec<u8>,
    name_hash: String,
}

impl Leftover {
    /// Says whether it was taken from `path`, of which the file may be gone.
    pub fn is_from(&self, path: &Path) -> bool {
        path.parent() == self.path.parent()
            && path
                .file_name()
                .is_some_and(|name| short_hash(name.as_bytes()) == self.name_hash)
    }
}

/// Looks through the temporary files of mdmem that a [`scan`](crate::sys::scan) met, and those in `.mdmem`: removes
/// those with nothing but the engine's own bytes in them, gives what is no file a name that is seen, and returns the others. Bring
/// those to safety, then [`drop_leftover`]. Call with the writer's lock held, so that no whole one belongs to a
/// writer at work.
pub fn leftovers(root: &Path, temporaries: &[PathBuf]) -> Result<Vec<Leftover>, SysError> {
    let mut theirs = Vec::new();
    for path in temporaries {
        match look_into(root, path) {
            // It stays until its folder may be written to.
            Err(error) if matches!(error.kind(), FailureKind::Denied | FailureKind::ReadOnly) => {}
            found => theirs.extend(found?),
        }
    }
    remove_dead_parts(&root.join(OWN_FOLDER))?;
    Ok(theirs)
}

/// The temporary files of mdmem in a folder below the store; none where no such folder is there.
pub fn temporaries_in(root: &Path, folder: &Path) -> Result<Vec<PathBuf>, SysError> {
    let entries = match Folder::below(root, folder) {
        Err(error) if matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied) => {
            return Ok(Vec::new());
        }
        found => found?.map_or_else(|| Ok(Vec::new()), |found| found.entries())?,
    };
    let names = entries.into_iter().map(|(name, _)| name);
    let own = names.filter(|name| is_own_temporary(name));
    Ok(own.map(|name| folder.join(name)).collect())
}

fn look_into(root: &Path, path: &Path) -> Result<Option<Leftover>, SysError> {
    let Some(place) = Place::find(root, path)? else {
        return Ok(None);
    };
    match TemporaryName::parse(&place.name) {
        Some(TemporaryName::Part) => remove_part(&place).map(|()| None),
        Some(TemporaryName::Whole { name, content }) => theirs_in(&place, path, name, content),
        None => Ok(None),
    }
}

/// Removes from a folder of mdmem's own, and from the folders in it, the files that a killed process was writing. Needs
/// no lock. No error where there is no such folder.
pub fn remove_dead_parts(folder: &Path) -> Result<(), SysError> {
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        match remove_dead_parts_of(&path) {
            // They stay until their folder may be written to: nothing depends on them.
            Err(error) if matches!(error.kind(), FailureKind::Denied | FailureKind::ReadOnly) => {}
            folders => left.extend(folders?),
        }
    }
    Ok(())
}

/// The same for the folder alone. Returns the folders in it.
pub fn remove_dead_parts_of(path: &Path) -> Result<Vec<PathBuf>, SysError> {
    let folder = match Folder::open(path) {
        Err(error) if error.kind() == FailureKind::Missing => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut folders = Vec::new();
    for (name, kind) in folder.entries()? {
        if kind == FileType::Directory && name != DISPLACED_NAME {
            folders.push(path.join(name));
        } else if TemporaryName::parse(&name) == Some(TemporaryName::Part) {
            remove_part(&Place {
                folder: Folder::open(path)?,
                path: path.join(&name),
                name,
            })?;
        }
    }
    Ok(folders)
}

fn theirs_in(place: &Place, path: &Path, name: &str, content: &str) -> Result<Option<Leftover>, SysError> {
    let read = match place.read(COMPARED_BYTES) {
        Err(error) if matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied) => {
            // A folder, a link, or a file that cannot be read: it gets a name that a person sees.
            let folder = &place.folder;
            let recovered = format!("recovered-{name}");
            rename_into_free(folder, &place.name, folder, OsStr::new(&recovered))?;
            return Ok(None);
        }
        read => read?,
    };
    let Some((bytes, _)) = read else {
        return Ok(None);
    };
    if short_hash(&bytes) == content {
        place.folder.unlink(&place.name)?;
        return Ok(None);
    }
    let mut leftover = Leftover {
        path: path.to_path_buf(),
        target: None,
        bytes,
        name_hash: name.to_owned(),
    };
    let names = place.folder.entries()?.into_iter();
    let mut paths = names.map(|(name, _)| path.with_file_name(name));
    leftover.target = paths.find(|path| leftover.is_from(path));
    Ok(Some(leftover))
}

/// Removes a leftover that the caller has brought to safety, by way of the displaced files, since an editor may still
/// have it open; left where it was written again in between.
pub fn drop_leftover(root: &Path, leftover: &Leftover) -> Result<(), SysError> {
    let Some(place) = Place::find(root, &leftover.path)? else {
        return Ok(());
    };
    let there = place.read(COMPARED_BYTES)?;
    if there.is_none_or(|(bytes, _)| bytes != leftover.bytes) {
        return Ok(());
    }
    let from = leftover.target.as_ref().unwrap_or(&leftover.path);
    let slot = Slot::reserve(root, from, Known::Bytes(&leftover.bytes))?;
    match slot.keep(&place.folder, &place.name) {
        // It stays until its folder may be written to.
        Err(error) if matches!(error.kind(), FailureKind::Denied | FailureKind::ReadOnly) => Ok(()),
        kept => kept,
    }
}

/// A part is locked by its writer for as long as that lives.
fn remove_part(place: &Place) -> Result<(), SysError> {
    let Some((file, _)) = place.folder.open_file(&place.name)? else {
        return Ok(());
    };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(()),
        Ok(()) | Err(TryLockError::Error(_)) => place.folder.unlink(&place.name),
    }
}

#[cfg(test)]
mod tests;
