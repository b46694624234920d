//! mdmem's own form: every file, with the id and the times that it has in this store, so that an import into another store
//! gives the same memories. All that an entry tells beside its text stands in the text too: two stores with the same texts
//! have the same export.

use serde::Serialize;

use super::texts::time;
use crate::document::{Key, KeyEdit, Value, edit, parse};
use crate::model::{HOT_DIR, Moment, hex};
use crate::store::StoredFile;

/// The version of the form.
pub(in crate::service) const VERSION: u64 = 1;

#[derive(Serialize)]
struct Export<'a> {
    #[serde(rename = "mdmem_export")]
    version: u64,
    /// The folder of the pinned notes, where it is another one than a new store's.
    #[serde(skip_serializing_if = "Option::is_none")]
    hot_dir: Option<&'a str>,
    memories: Vec<Exported<'a>>,
}

#[derive(Serialize)]
struct Exported<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    created: Option<String>,
    updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes of a file that is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// The export of these files, each with its bytes, of a store with this folder of pinned notes.
pub(super) fn file(files: &[(&StoredFile, Vec<u8>)], hot_dir: &str) -> String {
    let export = Export {
        version: VERSION,
        hot_dir: Some(hot_dir).filter(|folder| *folder != HOT_DIR),
        memories: files.iter().map(|(file, bytes)| exported(file, bytes)).collect(),
    };
    let json = serde_json::to_string_pretty(&export).expect("because texts and numbers are JSON");
    json + "\n"
}

/// The file with the id and the times that it leaves to its history. One whose keys cannot be changed stays as it is:
/// it has other ones in another store.
fn exported<'a>(file: &'a StoredFile, bytes: &[u8]) -> Exported<'a> {
    let memory = &file.memory;
    let read = |bytes: &[u8]| parse(&memory.path, bytes, None, || memory.id.clone()).memory;
    let stated = read(bytes);
    let moment = |key, stated, moment: Moment| {
        let time = moment.known().filter(|_| stated == Moment::Unset)?;
        Some(KeyEdit::Set(key, Value::Time(time)))
    };
    let edits = [
        (!stated.id_stated).then(|| KeyEdit::Set(Key::Id, Value::from(memory.id.as_str()))),
        moment(Key::Created, stated.created, memory.created),
        moment(Key::Updated, stated.updated, memory.updated),
    ];
    let edits: Vec<KeyEdit> = edits.into_iter().flatten().collect();
    let bytes = edit(bytes, &edits).unwrap_or_else(|_| bytes.to_vec());
    let stated = read(&bytes);
    let (text, hex) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(hex(error.as_bytes()))),
    };
    Exported {
        path: memory.path.as_str(),
        id: stated.id_stated.then(|| stated.id.to_string()),
        created: time(stated.created),
        updated: time(stated.updated),
        text,
        hex,
    }
}
