//! The registration of a workspace: which store it has, and how it is known again.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Identity, Presence, Workspace};
use crate::git;

/// One workspace that has a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The name of the store's folder below `workspaces/`.
    pub key: String,
    /// The workspace's root, as a real path; empty for a store whose workspace was given another one.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// The name of the store, which no other has: under `by-name/`, and for `--store`. It stays when the workspace
    /// moves.
    pub name: String,
    /// The facts by which the workspace's own repository is known again.
    #[serde(flatten)]
    pub identity: Identity,
}

impl Registration {
    /// The workspace, where the store has one.
    pub fn workspace(&self) -> Option<Workspace> {
        let is_known = !self.path.as_os_str().is_empty();
        is_known.then(|| Workspace::at(self.path.clone()))
    }

    /// Says whether the workspace is in its place no more: somebody removed or renamed it, or another project is there.
    pub(super) fn is_left(&self) -> bool {
        let workspace = self.workspace();
        workspace.is_some_and(|workspace| workspace.presence() == Presence::Gone) || self.is_displaced()
    }

    /// Says whether a folder is in the workspace's place that is no repository, where one was known.
    pub fn is_without_repository(&self) -> bool {
        let workspace = self.workspace();
        let is_plain = workspace.is_some_and(|workspace| git::is_without_git(workspace.root()));
        is_plain && self.identity != Identity::default()
    }

    /// Says whether another project is in the workspace's place: its repository, or a folder that is younger than the
    /// workspace's own.
    pub fn is_displaced(&self) -> bool {
        let workspace = self.workspace();
        workspace.is_some_and(|workspace| self.identity.is_another_in(workspace.root()))
    }
}

/// A path in a file of text. TOML has strings of UTF-8 alone, and a path is bytes: those that are no UTF-8 are written as
/// a percent sign and two digits after the mark `bytes:`, with which no full path begins.
mod path_text {
    use std::ffi::OsStr;
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serializer};

    const MARK: &str = "bytes:";

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = path.to_str() {
            return serializer.serialize_str(text);
        }
        let mut text = MARK.to_owned();
        for chunk in path.as_os_str().as_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            for byte in chunk.invalid() {
                write!(text, "%{byte:02x}").expect("because writing to a string does not fail");
            }
        }
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match text.strip_prefix(MARK) {
            Some(escaped) => OsStr::from_bytes(&unescaped(escaped)).into(),
            None => text.into(),
        })
    }

    fn unescaped(escaped: &str) -> Vec<u8> {
        let mut parts = escaped.split('%');
        let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
        for part in parts {
            let byte = part
                .get(..2)
                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let rest = match byte {
                Some(_) => &part[2..],
                None => part,
            };
            bytes.extend(byte);
            bytes.extend_from_slice(rest.as_bytes());
        }
        bytes
    }
}
