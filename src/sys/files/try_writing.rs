//! Tells whether a folder takes a new file, and leaves no trace there.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::sys::SysError;

/// The bytes that are tried: about those of a memory and of what its commit needs.
const BYTES: [u8; 16 << 10] = [0; 16 << 10];

/// Writes a file without a name into a folder. It is gone when it is closed, also after a kill, and the folder keeps its
/// time. Nothing is flushed, because a person waits for the answer. A file system that knows no such files is not tried.
pub fn try_writing(folder: &Path) -> Result<(), SysError> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let failed = |error: std::io::Error| SysError::io("write into", folder, error);
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(0o600)) {
        Ok(fd) => File::from(fd).write_all(&BYTES).map_err(failed),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(()),
        Err(errno) => Err(failed(errno.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::FailureKind;

    #[test]
    fn leaves_no_trace_and_names_what_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let changed = || std::fs::metadata(folder.path()).unwrap().modified().unwrap();
        let before = changed();
        try_writing(folder.path()).unwrap();
        assert_eq!(changed(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let gone = try_writing(&folder.path().join("gone")).unwrap_err();
        assert_eq!(gone.kind(), FailureKind::Missing);
    }
}
