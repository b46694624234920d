//! mdmem's own form: every file, with the id and the times that it has in this store, so that an import into another store
//! gives the same memories.

use serde::Serialize;

use crate::document::{Key, KeyEdit, Value, edit, parse};
use crate::model::{Moment, hex};
use crate::store::StoredFile;

/// The version of the form.
pub(in crate::service) const VERSION: u64 = 1;

/// The first characters of an export.
const BEGIN: &str = "{\n  \"mdmem_export\": ";

#[derive(Serialize)]
struct Export<'a> {
    mdmem_export: u64,
    memories: Vec<Exported<'a>>,
}

#[derive(Serialize)]
struct Exported<'a> {
    path: &'a str,
    id: &'a str,
    created: Option<String>,
    updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes of a file that is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// The export of these files, each with its bytes.
pub(super) fn file(files: &[(&StoredFile, Vec<u8>)]) -> String {
    let memories = files.iter().map(|(file, bytes)| {
        let memory = &file.memory;
        let time = |moment: Moment| moment.known().map(crate::model::Timestamp::to_rfc3339);
        let (text, hex) = match String::from_utf8(stating(file, bytes)) {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(hex(error.as_bytes()))),
        };
        Exported {
            path: memory.path.as_str(),
            id: memory.id.as_str(),
            created: time(memory.created),
            updated: time(memory.updated),
            text,
            hex,
        }
    });
    let export = Export {
        mdmem_export: VERSION,
        memories: memories.collect(),
    };
    let json = serde_json::to_string_pretty(&export).expect("because texts and numbers are JSON");
    json + "\n"
}

/// Says whether a file is an export.
pub(super) fn is_export(text: &str) -> bool {
    text.starts_with(BEGIN)
}

/// The file with the id and the times that it leaves to its history. One whose keys cannot be changed stays as it is.
fn stating(file: &StoredFile, bytes: &[u8]) -> Vec<u8> {
    let memory = &file.memory;
    let stated = parse(&memory.path, bytes, None, || memory.id.clone()).memory;
    let time = |key, moment: Moment| Some(KeyEdit::Set(key, Value::Time(moment.known()?)));
    let edits = [
        (!stated.id_stated).then(|| KeyEdit::Set(Key::Id, Value::from(memory.id.as_str()))),
        (stated.created == Moment::Unset)
            .then(|| time(Key::Created, memory.created))
            .flatten(),
        (stated.updated == Moment::Unset)
            .then(|| time(Key::Updated, memory.updated))
            .flatten(),
    ];
    let edits: Vec<KeyEdit> = edits.into_iter().flatten().collect();
    edit(bytes, &edits).unwrap_or_else(|_| bytes.to_vec())
}
