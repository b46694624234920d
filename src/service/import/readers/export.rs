//! The JSON that `mdmem export` writes.

use serde::Deserialize;

use crate::model::HOT_DIR;
use crate::service::import::incoming::{Adopted, Incoming, Origin};

#[derive(Deserialize)]
struct Export {
    hot_dir: Option<String>,
    memories: Vec<Exported>,
}

#[derive(Deserialize)]
struct Exported {
    path: String,
    text: Option<String>,
    hex: Option<String>,
}

/// Reads an export.
pub(in crate::service::import) fn read(text: &str, incoming: &mut Incoming) -> Result<(), serde_json::Error> {
    let export: Export = serde_json::from_str(text)?;
    let file = incoming.files.first().cloned().unwrap_or_default();
    let pinned = format!("{}/", export.hot_dir.as_deref().unwrap_or(HOT_DIR));
    for memory in export.memories {
        let bytes = memory
            .text
            .map(String::into_bytes)
            .or_else(|| from_hex(memory.hex.as_deref()?));
        match bytes {
            Some(bytes) => incoming.adopted.push(Adopted {
                file: file.join(&memory.path),
                was_pinned: memory.path.starts_with(&pinned),
                path: memory.path,
                bytes,
                origin: Origin::Export,
                ..Adopted::default()
            }),
            None => incoming.entry(
                &file,
                &memory.path,
                None,
                Err("it has neither text nor hex".to_owned()),
            ),
        }
    }
    Ok(())
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let is_whole = hex.len().is_multiple_of(2);
    is_whole.then(|| hex.as_bytes().chunks(2).map(pair).collect())?
}
