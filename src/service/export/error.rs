//! The reasons why nothing is exported.

use std::path::PathBuf;

use crate::sys::shown_path;

/// The reason why a file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A folder has to be named.
    #[error("an export to basic-memory needs a folder")]
    NoFolder,
    /// A block has to stand in a file.
    #[error("an export to agents writes a block into a file, and not to standard output")]
    NoFile,
    /// Something else than a file stands there.
    #[error("{} is a {what}: nothing was written", shown_path(path))]
    InTheWay {
        /// The path.
        path: PathBuf,
        /// The kind of thing.
        what: &'static str,
    },
    /// Files that say something else stay as they are.
    #[error("not written: {0} (`--overwrite` writes over what is there)")]
    Kept(String),
    /// A person changed it since it was written.
    #[error("{} was edited since mdmem exported to it: nothing was written", shown_path(.0))]
    Edited(PathBuf),
    /// The marks of the block are not one pair.
    #[error("{} has marks of mdmem's block that are not one pair: nothing was written", shown_path(.0))]
    Torn(PathBuf),
    /// A file for people holds no text.
    #[error("{} is not UTF-8: nothing was written", shown_path(.0))]
    NoText(PathBuf),
    /// A person may not write it, and so mdmem does not.
    #[error("{} is read-only: nothing was written", shown_path(.0))]
    ReadOnly(PathBuf),
    /// Somebody saved it at this moment.
    #[error("{} was saved at this moment: nothing was written", shown_path(.0))]
    Contended(PathBuf),
    /// The place is in the folder of the stores.
    #[error("{} is in mdmem's own folder", shown_path(.0))]
    OwnFolder(PathBuf),
}

impl ExportError {
    /// Tells a person what to do next.
    pub(in crate::service) const fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "Name one: `mdmem export --to basic-memory FOLDER`.",
            Self::NoFile => "Name the file, or leave `-` out for AGENTS.md in the workspace.",
            Self::InTheWay { .. } => "Name the file itself, or another one.",
            Self::OwnFolder(_) | Self::Kept(_) => "Name another file.",
            Self::Edited(_) => "Keep the edits elsewhere; `--overwrite` then writes over them.",
            Self::Torn(_) => "Leave one pair of marks in it, or none.",
            Self::NoText(_) => "Save it as UTF-8, or name another file.",
            Self::ReadOnly(_) => "Make it writable, or name another file.",
            Self::Contended(_) => "Run it again.",
        }
    }
}
