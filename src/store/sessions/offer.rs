//! `.mdmem/sessions/handover`: the session whose work the next new one takes over, because a person said so.

use std::path::Path;

use crate::sys::{self, SysError};

use super::{SessionFolder, Sessions, is_hash};

const FILE: &str = "handover";

impl Sessions {
    /// Offers the work of a session to the next new one.
    pub fn offer(&self, hash: &str) -> Result<(), SysError> {
        sys::write_atomic(&self.folder.join(FILE), hash.as_bytes()).map(|_| ())
    }

    /// The session whose work is offered.
    pub fn offered(&self) -> Option<SessionFolder> {
        let read = sys::read(&self.folder, Path::new(FILE), 1 << 10).ok()?;
        let hash = String::from_utf8(read.bytes).ok()?;
        is_hash(&hash).then(|| self.folder(&hash))
    }

    /// A session has taken the offer.
    pub fn take_offer(&self) {
        // One more session begins with the same work if this fails.
        let _ = std::fs::remove_file(self.folder.join(FILE));
    }
}
