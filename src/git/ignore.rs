//! The files that the store's own `.gitignore` leaves out.

use std::path::Path;

use super::{GitError, Repo};

impl Repo {
    /// Says whether `.gitignore` (or `.git/info/exclude`) leaves this path out. A person's global ignore file does not
    /// count: what travels must not depend on who saves. Says the same of a path that is not there.
    /// A folder or a pipe in the place of `.gitignore` leaves out nothing.
    pub fn is_ignored(&self, path: &Path) -> Result<bool, GitError> {
        let folders = path.ancestors().skip(1);
        let files = folders.map(|folder| self.root.join(folder).join(".gitignore"));
        let mut files = files.chain([self.git_dir.join("info/exclude")]);
        // libgit2 opens each, and would wait for who writes into a fifo.
        if files.any(|file| {
            file.metadata()
                .is_ok_and(|there| !there.is_file() && !there.is_dir())
        }) {
            return Ok(false);
        }
        self.git
            .is_path_ignored(path)
            .map_err(|e| self.failed("read .gitignore", &e))
    }
}
