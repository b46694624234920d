//! What a set-up changed in a file, kept in the user's state folder: where nobody changed the file since, taking the set-up
//! back gives the very bytes that were there.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::store::make_private_folder;
use crate::sys::{self, SysError};
use crate::text::sha256_hex;

use super::file::MAX_BYTES;

/// The record of one agent's set-up of a file.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
}

/// The part of a file that the set-up changed. The rest of it is kept nowhere else.
#[derive(Debug, Serialize, Deserialize)]
struct Changed {
    /// The hash of the file since.
    after: String,
    /// The bytes before the part, and behind it.
    at: usize,
    behind: usize,
    /// The text that stood there; `None`: there was no file.
    old: Option<String>,
}

impl Record {
    pub(super) fn of(state_home: &Path, agent: &str, file: &Path) -> Self {
        let name = sha256_hex(&[agent.as_bytes(), b"\0", file.as_os_str().as_encoded_bytes()].concat());
        Self {
            path: state_home.join("connected").join(&name[..32]),
        }
    }

    /// Says whether a set-up changed the file, and nothing took it back.
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// The bytes that the file had before, where it is as the set-up left it.
    #[expect(clippy::option_option, reason = "there may have been no file")]
    pub(super) fn before(&self, now: &[u8]) -> Option<Option<Vec<u8>>> {
        let record = sys::read_regular(&self.path, MAX_BYTES).ok()??;
        let Changed {
            after,
            at,
            behind,
            old,
        } = serde_json::from_slice(&record).ok()?;
        if after != sha256_hex(now) {
            return None;
        }
        let Some(old) = old else { return Some(None) };
        let behind = now.len().checked_sub(behind)?;
        Some(Some(
            [now.get(..at)?, old.as_bytes(), now.get(behind..)?].concat(),
        ))
    }

    /// Notes a change from what a person had, or nothing.
    pub(super) fn keep(&self, before: Option<&str>, after: &str) -> Result<(), SysError> {
        let text = before.unwrap_or_default();
        let same = |pair: &(u8, u8)| pair.0 == pair.1;
        let mut at = text.bytes().zip(after.bytes()).take_while(same).count();
        while !text.is_char_boundary(at) || !after.is_char_boundary(at) {
            at -= 1;
        }
        let (rest, new) = (&text[at..], &after[at..]);
        let mut behind = rest.bytes().rev().zip(new.bytes().rev()).take_while(same).count();
        while !rest.is_char_boundary(rest.len() - behind) || !new.is_char_boundary(new.len() - behind) {
            behind -= 1;
        }
        let changed = Changed {
            after: sha256_hex(after.as_bytes()),
            at,
            behind,
            old: before.map(|_| rest[..rest.len() - behind].to_owned()),
        };
        let folder = self.path.parent().expect("because it was joined of two");
        make_private_folder(folder)?;
        let record = serde_json::to_vec(&changed).expect("because it has texts and numbers alone");
        sys::write_private(&self.path, &record).map(drop)
    }

    /// Nothing is known of the file any more.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(&self.path);
    }
}
