//! Which files the store's own `.gitignore` leaves out.

use std::path::Path;

use super::{GitError, Repo};

impl Repo {
    /// Says whether `.gitignore` (or `.git/info/exclude`) leaves this path out. A person's global ignore file does not
    /// count: what travels must not depend on who saves. Says the same of a path that is not there.
    pub fn is_ignored(&self, path: &Path) -> Result<bool, GitError> {
        self.git
            .is_path_ignored(path)
            .map_err(|e| self.failed("read .gitignore", &e))
    }
}
