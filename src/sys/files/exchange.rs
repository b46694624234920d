//! A file's content replaced, without ever losing what a person saved in between.
//!
//! The new content stands whole in a temporary file beside the old one, and the two change names in one step. The
//! displaced content is then compared with what the engine had read. If it is that, the work is done. If not, a person
//! saved in between: theirs goes back, in the same way, until nothing newer comes out.

use std::path::Path;

use crate::sys::SysError;
use crate::sys::files::beneath::Place;
use crate::sys::files::displaced::{Known, Slot};
use crate::sys::files::read::COMPARED_BYTES;
use crate::sys::files::swap::Swap;
use crate::sys::files::temporary::{Access, Part, short_hash};

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

#[cfg(test)]
mod tests;
