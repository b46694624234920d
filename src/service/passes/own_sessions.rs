//! `.mdmem/asking/`: the sessions that a host makes for mdmem's own questions, an empty file each. The name is written
//! before the host hears of it, and goes when the host has deleted the session: one that is left was left by a crash.

use std::path::{Path, PathBuf};

use crate::archive::PASS_TITLE;
use crate::store::LOCAL;
use crate::sys::{self, SysError};

const FOLDER: &str = "asking";
/// The most names that are looked at.
const MOST: usize = 100;

/// Writes a name down, and gives the title of its session.
pub(in crate::service) fn register(store: &Path, nonce: &str) -> Result<String, SysError> {
    let folder = folder(store);
    let made = sys::make_folders_in(store, &folder);
    made.map_err(|error| SysError::io("create the folder", &folder, error))?;
    sys::write_atomic(&folder.join(nonce), b"")?;
    Ok(format!("{PASS_TITLE}{nonce}"))
}

/// The host has no session of this title any more.
pub(in crate::service) fn release(store: &Path, title: &str) {
    let Some(nonce) = title.strip_prefix(PASS_TITLE).filter(|nonce| is_nonce(nonce)) else {
        return;
    };
    // The host looks for the session once more if this fails.
    let _ = std::fs::remove_file(folder(store).join(nonce));
}

/// The titles of the sessions that there may be.
pub(in crate::service) fn registered(store: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder(store)) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter(|name| is_nonce(name)).take(MOST);
    names.map(|nonce| format!("{PASS_TITLE}{nonce}")).collect()
}

fn folder(store: &Path) -> PathBuf {
    store.join(LOCAL).join(FOLDER)
}

fn is_nonce(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
