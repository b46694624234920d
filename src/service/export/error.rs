//! The reasons why nothing is exported.

use std::path::PathBuf;

use crate::sys::shown_path;

/// The reason why a file is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A folder has to be named.
    #[error("an export to basic-memory needs a folder")]
    NoFolder,
    /// Something else than a file stands there.
    #[error("{} is a {what}: nothing was written", shown_path(path))]
    InTheWay {
        /// The path.
        path: PathBuf,
        /// The kind of thing.
        what: &'static str,
    },
    /// The file is none of mdmem's exports.
    #[error("{} was not written by an export: nothing was written", shown_path(.0))]
    Foreign(PathBuf),
    /// The export was changed by hand.
    #[error("{} was edited since mdmem exported to it: nothing was written", shown_path(.0))]
    Edited(PathBuf),
    /// The marks of the block are not one pair.
    #[error("{} has marks of mdmem's block that are not one pair: nothing was written", shown_path(.0))]
    Torn(PathBuf),
    /// The place is in the folder of the stores.
    #[error("{} is in mdmem's own folder", shown_path(.0))]
    OwnFolder(PathBuf),
}
