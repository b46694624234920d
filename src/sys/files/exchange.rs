//! A file's content replaced, without ever losing what a person saved in between.
//!
//! The new content stands whole in a temporary file beside the old one, and the two change names in one step. The
//! displaced content is then compared with what the engine had read. If it is that, the work is done. If not, a person
//! saved in between: theirs goes back, in the same way, until nothing newer comes out.
//!
//! Two names in one folder that change their files in one step, and a look at what came out.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use rustix::fs::RenameFlags;
use rustix::io::Errno;

use crate::sys::SysError;
use crate::sys::files::beneath::{FileStat, Place};
use crate::sys::files::displaced::{Known, Slot};
use crate::sys::files::read::{COMPARED_BYTES, read_open};
use crate::sys::files::temporary::{Access, Part, link_whole, move_to_whole, short_hash};

/// The outcome of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchange {
    /// The new bytes stand under the name, flushed.
    Exchanged,
    /// Someone else changed the file: it holds these bytes, which are theirs. Read, decide again.
    Changed(Vec<u8>),
    /// Someone else removed the file, and it was not made again.
    Missing,
}

/// Replaces the content of the file `path` below `root`, if it is `expected`, by `new`, keeping its mode. A reader
/// in between sees the old or the new content, whole. Needs the folder `.mdmem` of a store (made if missing) and the
/// writer's lock; call [`settle_displaced`](crate::sys::settle_displaced) now and then.
pub fn exchange(
    root: &Path,
    path: impl AsRef<Path>,
    expected: &[u8],
    new: &[u8],
) -> Result<Exchange, SysError> {
    exchange_watched(root, path.as_ref(), expected, new, &mut |_| {})
}

/// The steps between which another program may act; a test acts there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Compared,
    Exchanged,
    PutBack,
}

fn exchange_watched(
    root: &Path,
    path: &Path,
    expected: &[u8],
    new: &[u8],
    at: &mut dyn FnMut(Step),
) -> Result<Exchange, SysError> {
    let Some(place) = Place::find(root, path)? else {
        return Ok(Exchange::Missing);
    };
    let Some((bytes, stat)) = place.read(COMPARED_BYTES)? else {
        return Ok(Exchange::Missing);
    };
    if bytes != expected {
        return Ok(Exchange::Changed(bytes));
    }
    if expected == new {
        return Ok(Exchange::Exchanged);
    }
    let slot = Slot::reserve(root, path, Known::Bytes(expected))?;
    let part = Part::write(&place.folder, &place.name, new, Access::like(&stat))?;
    part.flush()?;
    let content = short_hash(new);
    let temporary = part.place_whole(&place.name, &content)?;
    let swap = Swap::new(&place, temporary, &content);
    exchange_with(root, path, swap, expected, slot, at)
}

/// Exchanges a file for the new content beside it, if it is `expected`. What was displaced gets into `slot`.
pub(super) fn exchange_with(
    root: &Path,
    path: &Path,
    mut swap: Swap<'_>,
    expected: &[u8],
    slot: Slot<'_>,
    at: &mut dyn FnMut(Step),
) -> Result<Exchange, SysError> {
    let mut placed = swap.look()?;
    at(Step::Compared);
    match swap.exchange() {
        Ok(true) => {}
        refused => {
            swap.give_up()?;
            return refused.map(|_| Exchange::Missing);
        }
    }
    at(Step::Exchanged);
    let mut displaced = swap.look()?;
    if displaced.bytes.as_deref() == Some(expected) {
        swap.keep_in(slot)?;
        return Ok(Exchange::Exchanged);
    }
    drop(slot);
    loop {
        if !swap.exchange()? {
            // The person removed what was there last, which is the newest word; what they saved before is kept.
            swap.keep_in(Slot::reserve(root, path, Known::Theirs)?)?;
            return Ok(Exchange::Missing);
        }
        at(Step::PutBack);
        let below = swap.look()?;
        if below.is(&placed) {
            let known = match below.bytes.as_deref() {
                Some(bytes) if swap.is_engines(bytes) => Known::Bytes(bytes),
                _ => Known::Theirs,
            };
            swap.keep_in(Slot::reserve(root, path, known)?)?;
            return displaced.into_bytes().map(Exchange::Changed);
        }
        placed = displaced;
        displaced = below;
    }
}

/// A file and a temporary file beside it.
#[derive(Debug)]
pub(crate) struct Swap<'a> {
    place: &'a Place,
    temporary: OsString,
    content: &'a str,
}

/// A file as it was at one instant.
#[derive(Debug)]
pub(crate) struct Sight {
    id: Option<(u64, u64)>,
    /// Its bytes; `None` for what is no file or could not be read.
    pub(crate) bytes: Option<Vec<u8>>,
    error: Option<SysError>,
}

impl Sight {
    /// Says whether it is the same file with the same content.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.id == other.id && self.bytes == other.bytes
    }

    /// The bytes, or why there are none.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, SysError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.bytes.unwrap_or_default()),
        }
    }
}

impl<'a> Swap<'a> {
    /// `content` is the hash of what the engine may throw away, for the names of temporary files.
    pub(crate) const fn new(place: &'a Place, temporary: OsString, content: &'a str) -> Self {
        Self {
            place,
            temporary,
            content,
        }
    }

    /// Moves the file itself aside, to a temporary name; `None` where it is gone.
    pub(crate) fn take_away(place: &'a Place, content: &'a str) -> Result<Option<Self>, SysError> {
        let moved = move_to_whole(&place.folder, &place.name, &place.name, content)?;
        Ok(moved.map(|temporary| Self::new(place, temporary, content)))
    }

    pub(crate) fn temporary(&self) -> &OsStr {
        &self.temporary
    }

    /// Says whether these are the bytes that the engine may throw away.
    pub(crate) fn is_engines(&self, bytes: &[u8]) -> bool {
        short_hash(bytes) == self.content
    }

    /// Removes the temporary file before an exchange.
    pub(crate) fn give_up(&self) -> Result<(), SysError> {
        self.place.folder.unlink(&self.temporary)
    }

    /// Exchanges the two; `false`, and nothing changed, where the file is gone.
    pub(crate) fn exchange(&mut self) -> Result<bool, SysError> {
        let (folder, name) = (&self.place.folder, &self.place.name);
        match rustix::fs::renameat_with(folder, &self.temporary, folder, name, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(Errno::INVAL | Errno::NOSYS) => self.exchange_by_link(),
            Err(errno) => Err(SysError::io("write", &self.place.path, errno)),
        }
    }

    /// For file systems that cannot exchange: a second link of the old file, then the new one over it. A save by
    /// rename in the instant between the last look and the rename is not seen; there is nothing better there.
    fn exchange_by_link(&mut self) -> Result<bool, SysError> {
        let (folder, name) = (&self.place.folder, &self.place.name);
        loop {
            let Some(aside) = link_whole(folder, name, name, self.content)? else {
                return Ok(false);
            };
            let id = |name: &OsStr| Ok(folder.stat(name)?.map(|stat| (stat.st_dev, stat.st_ino)));
            if id(name)? != id(&aside)? {
                folder.unlink(&aside)?;
                continue;
            }
            if let Err(errno) = rustix::fs::renameat(folder, &self.temporary, folder, name) {
                folder.unlink(&aside)?;
                return Err(SysError::io("write", &self.place.path, errno));
            }
            self.temporary = aside;
            return Ok(true);
        }
    }

    /// Looks at the file under the temporary name.
    pub(crate) fn look(&self) -> Result<Sight, SysError> {
        let folder = &self.place.folder;
        let id = folder
            .stat(&self.temporary)?
            .map(|stat| (stat.st_dev, stat.st_ino));
        let bytes = folder.open_file(&self.temporary).and_then(|opened| match opened {
            Some((file, stat)) => {
                read_open(file, FileStat::of(&stat).size, &self.place.path, COMPARED_BYTES).map(Some)
            }
            None => Ok(None),
        });
        let (bytes, error) = match bytes {
            Ok(bytes) => (bytes, None),
            Err(error) => (None, Some(error)),
        };
        Ok(Sight { id, bytes, error })
    }

    /// Keeps what lies under the temporary name among the displaced files, and flushes the folder. If that cannot
    /// be done it stays where it is, and is found with the leftovers.
    pub(crate) fn keep_in(&self, slot: Slot<'_>) -> Result<(), SysError> {
        let _ = slot.keep(&self.place.folder, &self.temporary);
        self.place.folder.flush()
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod swap_tests {
    use super::*;
    use crate::sys::files::temporary::{Access, Part};

    #[test]
    fn exchanges_by_link_where_nothing_better_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::path::Path::new("a.md");
        crate::sys::write_new(folder.path(), path, b"old").unwrap();
        let place = Place::find(folder.path(), path).unwrap().unwrap();
        let part = Part::write(&place.folder, &place.name, b"new", Access::New).unwrap();
        let temporary = part.place_whole(&place.name, "0123456789abcdef").unwrap();
        let mut swap = Swap::new(&place, temporary, "0123456789abcdef");
        assert!(swap.exchange_by_link().unwrap());
        assert_eq!(swap.look().unwrap().bytes.as_deref(), Some(&b"old"[..]));
        assert_eq!(std::fs::read(folder.path().join(path)).unwrap(), b"new");
        assert!(swap.exchange_by_link().unwrap(), "and back");
        assert_eq!(std::fs::read(folder.path().join(path)).unwrap(), b"old");
        std::fs::remove_file(folder.path().join(path)).unwrap();
        assert!(!swap.exchange_by_link().unwrap());
        assert_eq!(swap.look().unwrap().bytes.as_deref(), Some(&b"new"[..]));
    }
}
