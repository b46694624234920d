//! A lock that a test holds as another process would.

use std::fs::File;
use std::path::Path;

/// The lock of a file, until this is dropped.
pub(crate) struct Held(File);

/// Holds the lock of this file, which is made where it is not there.
#[track_caller]
pub(crate) fn hold(lock: &Path) -> Held {
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(lock)
        .unwrap();
    file.lock().unwrap();
    Held(file)
}

impl Drop for Held {
    /// Unlocks by name: a program that another test starts at this moment has the file open until its `exec`, and a mere
    /// close would leave the lock with it.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
