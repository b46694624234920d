//! A file outside the store that is a person's, in which mdmem has a block: read, checked and replaced.

use std::path::{Path, PathBuf};

use crate::service::{Context, ServiceError};
use crate::sys::{self, SysError, shown_path};

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
            Some(Err(_)) => {
                return Err(unwritten(
                    &path,
                    "is not UTF-8",
                    "Save it as UTF-8, or name another file.",
                ));
            }
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
            return Err(unwritten(
                &self.path,
                "is read-only",
                "Make it writable, or name another file.",
            ));
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
            return Err(unwritten(path, "was being saved", "Run it again."));
        }
        match new {
            Some(new) => drop(sys::write_durable(path, new.as_bytes())?),
            None => std::fs::remove_file(path).map_err(|error| SysError::io("remove", path, error))?,
        }
        Ok(())
    }
}

/// The error for a file that stays as it is.
pub(super) fn unwritten(path: &Path, why: &str, next: &str) -> ServiceError {
    ServiceError::said(format!("{} {why}: nothing was written", shown_path(path)), next)
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, SysError> {
    sys::read_regular(path, MOST_BYTES).map_err(|error| SysError::io("read", path, error))
}

/// An error for a path in mdmem's own folder.
pub(in crate::service) fn check_outside(context: &Context, path: &Path) -> Result<(), ServiceError> {
    let above = path.ancestors().find_map(|folder| folder.canonicalize().ok());
    match (above, context.home()?.canonicalize()) {
        (Some(above), Ok(home)) if above.starts_with(&home) => Err(ServiceError::said(
            format!("{} is in mdmem's own folder", shown_path(path)),
            "Name another file.",
        )),
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
    Err(unwritten(
        path,
        &format!("is a {what}"),
        "Name the file itself, or another one.",
    ))
}
