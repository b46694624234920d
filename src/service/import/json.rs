//! JSON of other tools: an object with lists, of which one faulty item leaves the others.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::ImportError;
use super::entry::{Entry, WHOLE};
use super::reading::Reading;
use crate::model::HOT_DIR;
use crate::service::ServiceError;
use crate::sys::{self, SysError, from_json};

/// The most bytes that are read: 100,000 entries have about 60 MB.
const MAX_JSON: u64 = 512 << 20;

/// A file of JSON.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) path: PathBuf,
    pub(super) object: Map<String, Value>,
}

impl Json {
    /// Reads a file. Bytes that are no UTF-8 and halves of a character become U+FFFD.
    pub(super) fn read(path: &Path) -> Result<Self, ServiceError> {
        let real = path
            .canonicalize()
            .map_err(|error| SysError::io("read", path, error))?;
        let name = real.file_name().unwrap_or_default();
        let text = sys::read(real.parent().unwrap_or(&real), name, MAX_JSON)?.into_text();
        let parsed = from_json(text.trim_start_matches('\u{feff}').as_bytes());
        let path = path.to_owned();
        match parsed {
            Ok(object) => Ok(Self { path, object }),
            Err(error) => {
                let message = error.to_string();
                Err(ImportError::Malformed { path, message }.into())
            }
        }
    }

    /// The items of the list under a key.
    pub(super) fn list(&self, key: &str) -> Result<&[Value], ImportError> {
        let list = self.object.get(key).and_then(Value::as_array);
        list.map(Vec::as_slice).ok_or_else(|| ImportError::Malformed {
            path: self.path.clone(),
            message: format!("this is no object with a list of `{key}`"),
        })
    }

    /// An error where a later version wrote it than is known; the first versions of some left it out.
    pub(super) fn check_version(&self, key: &str, known: u64) -> Result<(), ImportError> {
        match self.object.get(key) {
            Some(version) if version.as_u64().is_none_or(|version| version > known) => {
                Err(ImportError::Newer {
                    path: self.path.clone(),
                    found: version.to_string().chars().take(40).collect(),
                    known,
                })
            }
            _ => Ok(()),
        }
    }
}

/// An entry of an export of mdmem's.
#[derive(Deserialize)]
struct Exported {
    path: String,
    text: Option<String>,
    hex: Option<String>,
}

/// Reads what `mdmem export --to json` writes.
pub(super) fn read_export(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let json = reading.json()?;
    json.check_version("mdmem_export", crate::service::export::VERSION)?;
    let stated = json.object.get("hot_dir").and_then(Value::as_str);
    let hot_dir = format!("{}/", stated.unwrap_or(HOT_DIR));
    let our_hot_dir = format!("{}/", reading.rules.hot_dir);
    for item in json.list("memories")? {
        let entry = match Exported::deserialize(item) {
            Ok(Exported { path, text, hex }) => {
                let bytes = text.map(String::into_bytes).or_else(|| from_hex(&hex?));
                let mut entry = Entry::fault("it has neither text nor hex");
                if bytes.is_some() {
                    let was_pinned = hot_dir != our_hot_dir && path.starts_with(&hot_dir);
                    entry.told.remark = was_pinned.then(|| {
                        format!("it was pinned, and is not here, where {our_hot_dir} holds the pinned notes")
                    });
                }
                Entry {
                    path,
                    bytes,
                    is_export: true,
                    stands_alone: true,
                    ..entry
                }
            }
            Err(error) => Entry::fault(error.to_string()),
        };
        let file = json.path.join(&entry.path);
        reading.add(&file, WHOLE, entry);
    }
    Ok(())
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let is_whole = hex.len().is_multiple_of(2);
    is_whole.then(|| hex.as_bytes().chunks(2).map(pair).collect())?
}
