//! What a killed writer left behind.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::sys::SysError;
use crate::sys::files::beneath::Place;
use crate::sys::files::displaced::{Known, Slot};
use crate::sys::files::read::{COMPARED_BYTES, read_open};
use crate::sys::files::stat::FileStat;
use crate::sys::files::temporary::{TemporaryName, short_hash};

/// A temporary file whose content the engine did not make: a writer was killed between exchanging and comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The temporary file, below the store.
    pub path: PathBuf,
    /// The file it was taken from, where that is still in the same folder.
    pub target: Option<PathBuf>,
    /// What was displaced: either what the engine had read, or a save that is nowhere else.
    pub bytes: Vec<u8>,
    name_hash: String,
}

impl Leftover {
    /// Whether it was taken from `path`, of which the file may be gone.
    pub fn is_from(&self, path: &Path) -> bool {
        path.parent() == self.path.parent()
            && path
                .file_name()
                .is_some_and(|name| short_hash(name.as_bytes()) == self.name_hash)
    }
}

/// Looks through the temporary files of mdmem that a [`scan`](crate::sys::scan) met: removes those with nothing but
/// the engine's own bytes in them, and returns the others. Bring those to safety, then [`drop_leftover`]. Call with
/// the writer's lock held, so that none of them belongs to a writer at work.
pub fn leftovers(root: &Path, temporaries: &[PathBuf]) -> Result<Vec<Leftover>, SysError> {
    let mut theirs = Vec::new();
    for path in temporaries {
        let Some(place) = Place::find(root, path)? else {
            continue;
        };
        match TemporaryName::parse(&place.name) {
            Some(TemporaryName::Part) => remove_part(&place)?,
            Some(TemporaryName::Whole { name, content }) => {
                let Some((file, stat)) = place.folder.open_file(&place.name)? else {
                    continue;
                };
                let bytes = read_open(file, FileStat::of(&stat).size, &place.path, COMPARED_BYTES)?;
                if short_hash(&bytes) == content {
                    place.folder.unlink(&place.name)?;
                    continue;
                }
                theirs.push(Leftover {
                    path: path.clone(),
                    target: target(&place, path, name)?,
                    bytes,
                    name_hash: name.to_owned(),
                });
            }
            None => {}
        }
    }
    Ok(theirs)
}

/// Removes a leftover that the caller has brought to safety, by way of the displaced files, since an editor may still
/// have it open; left where it was written again in between.
pub fn drop_leftover(root: &Path, leftover: &Leftover) -> Result<(), SysError> {
    let Some(place) = Place::find(root, &leftover.path)? else {
        return Ok(());
    };
    let Some((file, stat)) = place.folder.open_file(&place.name)? else {
        return Ok(());
    };
    if read_open(file, FileStat::of(&stat).size, &place.path, COMPARED_BYTES)? != leftover.bytes {
        return Ok(());
    }
    let from = leftover.target.as_ref().unwrap_or(&leftover.path);
    Slot::reserve(root, from, Known::Bytes(&leftover.bytes))?.keep(&place.folder, &place.name)
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

fn target(place: &Place, path: &Path, name_hash: &str) -> Result<Option<PathBuf>, SysError> {
    let is_it = |name: &OsStr| short_hash(name.as_bytes()) == name_hash;
    let found = place.folder.entries()?.into_iter().find(|(name, _)| is_it(name));
    Ok(found.map(|(name, _)| path.with_file_name(name)))
}
