//! The memories that were forgotten for good since this machine last looked, wherever that was said: by a command here,
//! on another machine, or by hand. Everything local loses their words once, and a note says up to which commit that is
//! done.

use std::path::Path;

use crate::document::Forgotten;
use crate::git::parse_oid;
use crate::model::Oid;
use crate::store::{FORGOTTEN, LOCAL, Store, Writer};
use crate::sys;

use super::super::ServiceError;
use super::scrub::Words;

/// The note, in the store's local folder: the commit for whose `forgotten` everything local was scrubbed last.
const NOTE: &str = "scrubbed";
/// The most that is read of it, in bytes.
const MOST_BYTES: u64 = 4096;

/// Scrubs what is local of what HEAD's `forgotten` names and the note does not know. To be called after a sweep, and
/// after whatever may have forgotten a memory. An error stops no command: it is told, and the next writer tries again.
pub(in crate::service) fn scrub_what_was_forgotten(writer: &mut Writer<'_>) {
    let left = scrub_new(writer.store()).unwrap_or_else(|error| vec![error.to_string()]);
    for left in left {
        tracing::warn!("{left}");
        writer.notices.push(format!(
            "forgotten text remains in local files: {left}. The next command that writes retries"
        ));
    }
}

/// Notes that nothing local says what HEAD's `forgotten` names: the store was made a moment ago.
pub(in crate::service) fn note_scrubbed(store: &Store) -> Result<(), ServiceError> {
    match store.repo().head()?.tip() {
        Some(head) => write_note(store, head),
        None => Ok(()),
    }
}

/// The lines of the file as it is now, where something local may still say what they name.
pub(in crate::service) fn unscrubbed(store: &Store) -> Option<Forgotten> {
    // Nobody can read it: it says nothing.
    let present = store.forgotten().ok()?;
    (present.to_bytes() != noted_lines(store).to_bytes()).then_some(present)
}

/// Gives what could not be done.
fn scrub_new(store: &Store) -> Result<Vec<String>, ServiceError> {
    let repo = store.repo();
    let Some(head) = repo.head()?.tip() else {
        return Ok(Vec::new());
    };
    let (present, before) = (lines_in(store, head)?, noted_lines(store));
    if present == before {
        return Ok(Vec::new());
    }
    let new = present.since(&before);
    let mut left = Vec::new();
    if !new.in_force().is_empty() {
        // The commits before the note say at most older words of what was forgotten since.
        let known = read_note(store).filter(|known| repo.has_object(*known));
        left = Words::of(store, &new, head, known)?.scrub(store);
    }
    if left.is_empty() {
        write_note(store, head)?;
    }
    Ok(left)
}

/// The lines that a commit has.
pub(in crate::service) fn lines_in(store: &Store, commit: Oid) -> Result<Forgotten, ServiceError> {
    let entry = store.repo().entry_at(commit, Path::new(FORGOTTEN))?;
    Ok(match entry {
        Some(entry) => Forgotten::parse(&store.repo().blob(entry.oid)?),
        None => Forgotten::default(),
    })
}

/// The lines for which everything local was scrubbed; none where nobody knows.
fn noted_lines(store: &Store) -> Forgotten {
    let noted = read_note(store).and_then(|commit| lines_in(store, commit).ok());
    noted.unwrap_or_default()
}

fn read_note(store: &Store) -> Option<Oid> {
    let read = sys::read_regular(&store.root().join(LOCAL).join(NOTE), MOST_BYTES).ok()??;
    // An older mdmem wrote more behind it.
    parse_oid(std::str::from_utf8(&read).ok()?.split_ascii_whitespace().next()?)
}

fn write_note(store: &Store, commit: Oid) -> Result<(), ServiceError> {
    let note = store.root().join(LOCAL).join(NOTE);
    sys::write_atomic(&note, format!("{commit}\n").as_bytes())?;
    Ok(())
}
