//! The OpenCode plugin `opencode-working-memory`: where its files are and what they say. Nothing is decided here.

mod entry;
mod json;
mod places;
mod session_files;
mod workspace_memory;

use std::path::Path;

use self::places::What;
use super::ImportError;
use super::incoming::{Incoming, Item, Way};
use crate::service::{Context, ServiceError};
use crate::sys::{self, SysError};

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
    for (path, what) in search.found {
        incoming.items.extend(read_one(&path, what)?);
        incoming.files.push(path);
    }
    Ok(incoming)
}

fn read_one(path: &Path, what: What) -> Result<Vec<Item>, ServiceError> {
    let way = match what {
        What::Journal => Way::Waiting,
        What::Memory | What::Unnamed => Way::Memory,
        // One session of many: the others do not suffer for it.
        What::Session => {
            let text = text(path, MAX_SESSION).map_err(|error| error.to_string());
            let json = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
            return Ok(session_files::read(json, path));
        }
    };
    let text = text(path, MAX_MEMORY)?;
    if what == What::Unnamed
        && let Ok(json) = serde_json::from_str(&text)
        && session_files::is_one(&json)
    {
        return Ok(session_files::read(Ok(json), path));
    }
    Ok(workspace_memory::read(&text, path, way)?)
}

/// The text of a regular file of the plugin's, up to a size.
fn text(path: &Path, limit: u64) -> Result<String, SysError> {
    let path = path
        .canonicalize()
        .map_err(|error| SysError::io("read", path, error))?;
    let folder = path.parent().unwrap_or(&path);
    let read = sys::read(folder, path.file_name().unwrap_or_default(), limit)?;
    Ok(json::text(&read.bytes))
}
