//! A file outside the store that is a person's, in which mdmem has a block: read, checked and replaced.

use std::path::{Path, PathBuf};

use super::ExportError;
use crate::service::{Context, ServiceError};
use crate::sys::{self, SysError};

/// The most bytes of a file that people and agents read.
const MOST_BYTES: u64 = 16 << 20;

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service) struct PersonsFile {
    /// Its place.
    pub(in crate::service) path: PathBuf,
    /// Its text; `None` where nothing is.
    pub(in crate::service) text: Option<String>,
}

impl PersonsFile {
    /// Reads a file. A link is refused: what it names is somebody's, under another name.
    pub(in crate::service) fn read(path: PathBuf) -> Result<Self, ServiceError> {
        check_kind(&path, std::fs::FileType::is_file)?;
        let text = match bytes(&path)?.map(String::from_utf8) {
            Some(Err(_)) => return Err(ExportError::NoText(path).into()),
            Some(Ok(text)) => Some(text),
            None => None,
        };
        Ok(Self { path, text })
    }

    /// Its text, empty where nothing is.
    pub(in crate::service) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// An error where the file cannot have this text: `None` is no file.
    pub(in crate::service) fn check_may_become(&self, new: Option<&str>) -> Result<(), ServiceError> {
        let is_readonly = || {
            self.path
                .metadata()
                .is_ok_and(|file| file.permissions().readonly())
        };
        if self.text.as_deref() != new && is_readonly() {
            return Err(ExportError::ReadOnly(self.path.clone()).into());
        }
        Ok(())
    }

    /// Gives the file another text, or removes it, if it is as it was read.
    pub(in crate::service) fn replace(&self, new: Option<&str>) -> Result<(), ServiceError> {
        if self.text.as_deref() == new {
            return Ok(());
        }
        self.check_may_become(new)?;
        let path = &self.path;
        // A killed run may have left its part here, where nobody else looks for it.
        sys::remove_dead_parts_of(path.parent().unwrap_or(path))?;
        if bytes(path)?.as_deref() != self.text.as_deref().map(str::as_bytes) {
            return Err(ExportError::Contended(path.clone()).into());
        }
        match new {
            Some(new) => drop(sys::write_durable(path, new.as_bytes())?),
            None => std::fs::remove_file(path).map_err(|error| SysError::io("remove", path, error))?,
        }
        Ok(())
    }
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, SysError> {
    sys::read_regular(path, MOST_BYTES).map_err(|error| SysError::io("read", path, error))
}

/// An error for a path in mdmem's own folder.
pub(in crate::service) fn check_outside(context: &Context, path: &Path) -> Result<(), ServiceError> {
    let above = path.ancestors().find_map(|folder| folder.canonicalize().ok());
    match (above, context.home()?.canonicalize()) {
        (Some(above), Ok(home)) if above.starts_with(&home) => {
            Err(ExportError::OwnFolder(path.to_owned()).into())
        }
        _ => Ok(()),
    }
}

/// An error where something of another kind stands; a link is of neither kind.
pub(super) fn check_kind(path: &Path, is_fine: fn(&std::fs::FileType) -> bool) -> Result<(), ServiceError> {
    let Ok(found) = path.symlink_metadata() else {
        return Ok(());
    };
    let found = found.file_type();
    if is_fine(&found) {
        return Ok(());
    }
    let what = match found {
        found if found.is_symlink() => "link",
        found if found.is_dir() => "folder",
        found if found.is_file() => "file",
        _ => "special file",
    };
    let path = path.to_owned();
    Err(ExportError::InTheWay { path, what }.into())
}
