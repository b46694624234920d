//! The memories that were forgotten for good since this machine last looked, wherever that was said: by a command here,
//! on another machine, or by hand. Everything local loses their words once, and a note says up to which commit that is
//! done.

use std::path::Path;

use crate::document::Forgotten;
use crate::git::parse_oid;
use crate::model::Oid;
use crate::store::{FORGOTTEN, LOCAL, Store, StoreError, Writer};
use crate::sys;
use crate::text::sha256_hex;

use super::super::ServiceError;
use super::scrub::Words;

/// The note, in the store's local folder.
const NOTE: &str = "scrubbed";
/// The most that is read of it, in bytes.
const MOST_BYTES: u64 = 4096;
/// The name of no blob.
const NONE: &str = "-";

/// The state of `forgotten` for which everything local was scrubbed last.
struct Note {
    head: Oid,
    /// The file's blob in that commit; `None` where it had no such file.
    blob: Option<Oid>,
    /// The hash of its lines, however a checkout ends them.
    lines: String,
}

/// Scrubs what is local of what HEAD's `forgotten` names and the note does not know. To be called after a sweep, and
/// after whatever may have forgotten a memory. An error stops no command: it is told, and the next writer tries again.
pub(in crate::service) fn scrub_what_was_forgotten(writer: &mut Writer<'_>) {
    let left = scrub_new(writer.store()).unwrap_or_else(|error| vec![error.to_string()]);
    for left in left {
        tracing::warn!("{left}");
        writer.notices.push(format!(
            "not everything local is rid of what was forgotten: {left}. The next command that writes tries again"
        ));
    }
}

/// Notes that nothing local says what HEAD's `forgotten` names: the store was made a moment ago.
pub(in crate::service) fn note_scrubbed(store: &Store) -> Result<(), ServiceError> {
    let Some(head) = store.repo().head().map_err(StoreError::from)?.tip() else {
        return Ok(());
    };
    let blob = blob_in(store, head)?;
    write_note(store, head, blob, &lines_of(store, blob)?)
}

/// The lines of the file as it is now, where something local may still say what they name.
pub(in crate::service) fn unscrubbed(store: &Store) -> Option<Forgotten> {
    // Nobody can read it: it says nothing.
    let present = store.forgotten().ok()?;
    let noted = read_note(store).map_or_else(|| hash(&Forgotten::default()), |note| note.lines);
    (hash(&present) != noted).then_some(present)
}

/// Gives what could not be done.
fn scrub_new(store: &Store) -> Result<Vec<String>, ServiceError> {
    let repo = store.repo();
    let Some(head) = repo.head().map_err(StoreError::from)?.tip() else {
        return Ok(Vec::new());
    };
    let blob = blob_in(store, head)?;
    let note = read_note(store);
    if note.as_ref().map_or(blob.is_none(), |note| note.blob == blob) {
        return Ok(Vec::new());
    }
    let present = lines_of(store, blob)?;
    let before = note.as_ref().and_then(|note| lines_of(store, note.blob).ok());
    let new = present.since(&before.unwrap_or_default());
    let mut left = Vec::new();
    if !new.in_force().is_empty() {
        // The commits before the note say at most older words of what was forgotten since.
        let known = note.map(|note| note.head).filter(|known| repo.has_object(*known));
        left = Words::of(store, &new, head, known)?.scrub(store);
    }
    if left.is_empty() {
        write_note(store, head, blob, &present)?;
    }
    Ok(left)
}

/// The lines that a commit has.
pub(in crate::service) fn lines_in(store: &Store, commit: Oid) -> Result<Forgotten, ServiceError> {
    lines_of(store, blob_in(store, commit)?)
}

fn blob_in(store: &Store, head: Oid) -> Result<Option<Oid>, ServiceError> {
    let entry = store.repo().entry_at(head, Path::new(FORGOTTEN));
    Ok(entry.map_err(StoreError::from)?.map(|entry| entry.oid))
}

fn lines_of(store: &Store, blob: Option<Oid>) -> Result<Forgotten, ServiceError> {
    let Some(blob) = blob else {
        return Ok(Forgotten::default());
    };
    Ok(Forgotten::parse(
        &store.repo().blob(blob).map_err(StoreError::from)?,
    ))
}

fn hash(lines: &Forgotten) -> String {
    sha256_hex(&lines.to_bytes())
}

fn read_note(store: &Store) -> Option<Note> {
    let read = sys::read_regular(&store.root().join(LOCAL).join(NOTE), MOST_BYTES).ok()??;
    let text = String::from_utf8(read).ok()?;
    let [head, blob, lines] = text.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    Some(Note {
        head: parse_oid(head)?,
        blob: if blob == NONE {
            None
        } else {
            Some(parse_oid(blob)?)
        },
        lines: lines.to_owned(),
    })
}

fn write_note(store: &Store, head: Oid, blob: Option<Oid>, lines: &Forgotten) -> Result<(), ServiceError> {
    let blob = blob.map_or_else(|| NONE.to_owned(), |blob| blob.to_string());
    let text = format!("{head} {blob} {}\n", hash(lines));
    let note = store.root().join(LOCAL).join(NOTE);
    sys::write_atomic(&note, text.as_bytes()).map_err(StoreError::from)?;
    Ok(())
}
