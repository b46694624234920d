//! The OpenCode plugin `opencode-working-memory`: where its files are and what they say. Nothing is decided here.

mod entry;
mod json;
mod places;
mod session_files;
mod workspace_memory;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use self::places::{Found, What};
use self::session_files::SessionFile;
use super::ImportError;
use super::incoming::{Incoming, Item, Way};
use crate::service::{Context, ServiceError};
use crate::sys::SysError;

/// The most bytes of a file that are read: 100,000 entries have about 60 MB.
const MAX_MEMORY: u64 = 512 << 20;
/// The same for the file of one session, which the plugin keeps to some kilobytes.
const MAX_SESSION: u64 = 8 << 20;

/// Reads the plugin's memory: that of a file or a folder, or where it would be for the present folder.
pub fn read(context: &Context, path: Option<&Path>) -> Result<Incoming, ServiceError> {
    let search = match path {
        Some(path) => places::named(path, &context.env)?,
        None => places::usual(&context.env)?,
    };
    if search.found.is_empty() {
        return Err(ServiceError::Import(ImportError::NothingFound {
            tool: places::NAME,
            looked: search.looked,
        }));
    }
    let mut incoming = Incoming {
        tool: places::NAME,
        ..Incoming::default()
    };
    for found in search.found {
        let items = read_one(&found, incoming.files.len())?;
        incoming.items.extend(items);
        incoming.files.push(found.path);
    }
    Ok(incoming)
}

fn read_one(found: &Found, file: usize) -> Result<Vec<Item>, ServiceError> {
    let path = found.path.as_path();
    match found.what {
        Some(What::Memory) => Ok(workspace_memory::read(
            &text(path, MAX_MEMORY)?,
            path,
            file,
            Way::Memory,
        )?),
        Some(What::Journal) => Ok(workspace_memory::read(
            &text(path, MAX_MEMORY)?,
            path,
            file,
            Way::Waiting,
        )?),
        // One session of many: the others do not suffer for it.
        Some(What::Session(what)) => Ok(match text(path, MAX_SESSION) {
            Ok(text) => session(&text, path, file, what),
            Err(error) => vec![unreadable(file, error.to_string())],
        }),
        None => {
            let text = text(path, MAX_MEMORY)?;
            let what = serde_json::from_str::<Map<String, Value>>(&text)
                .ok()
                .and_then(|json| SessionFile::of(&json));
            match what {
                Some(what) => Ok(session(&text, path, file, what)),
                None => Ok(workspace_memory::read(&text, path, file, Way::Memory)?),
            }
        }
    }
}

fn session(text: &str, path: &Path, file: usize, what: SessionFile) -> Vec<Item> {
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(json) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            session_files::read(&json, &name, file, what)
        }
        Err(error) => vec![unreadable(file, error.to_string())],
    }
}

fn unreadable(file: usize, reason: String) -> Item {
    Item {
        file,
        place: "the whole file".to_owned(),
        line: None,
        said: Err(reason),
    }
}

/// The text of a regular file of the plugin's, up to a size.
fn text(path: &Path, limit: u64) -> Result<String, SysError> {
    let failed = |error| SysError::io("read", path, error);
    let meta = path.metadata().map_err(failed)?;
    if !meta.is_file() {
        let what = if meta.is_dir() { "folder" } else { "special file" };
        return Err(SysError::NotAFile {
            path: path.to_owned(),
            what,
        });
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(SysError::TooLarge {
            path: path.to_owned(),
            size: meta.len().max(limit + 1),
            limit,
        });
    }
    Ok(json::text(bytes))
}
