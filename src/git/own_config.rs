//! Settings of libgit2 for this repository that git itself must not see.
//!
//! libgit2 flushes refs and packs only when `core.fsyncObjectFiles` is set. In `.git/config` that deprecated key
//! makes git print a warning at each command, so it stands in a file of its own that only mdmem reads, at the level
//! above all others. Loose objects are flushed by `flush`, many at a time: the object store is opened before the key
//! is known, the refs after it.

use std::path::Path;

use super::{GitError, Repo, durable};
use crate::sys::read_text;

const FILE: &str = "mdmem.gitconfig";

/// `excludesFile` is empty so that what travels does not depend on one person's global ignore file; the reflog is
/// written by `reflog`.
const CONTENT: &str = "\
# Read by mdmem alone (git does not know this file): what libgit2 must do here. Made anew when it is gone.
[core]
\tfsyncObjectFiles = true
\tlogAllRefUpdates = false
\texcludesFile =
";

/// Lets libgit2 read mdmem's own settings. Call it before anything else is asked of `git`.
pub(super) fn apply(git: &git2::Repository, root: &Path) -> Result<(), GitError> {
    let path = git.path().join(FILE);
    let is_current = read_text(&path).is_some_and(|text| text == CONTENT);
    if !is_current && let Err(error) = durable::replace(&path, CONTENT.as_bytes()) {
        // A store on a disk that cannot be written can still be read; `ensure` asks again before a write.
        tracing::debug!(%error, "mdmem's own settings beside the repository could not be written");
    }
    let failed = |e| GitError::from_settings("read the settings", root, &e);
    git.odb().map_err(failed)?;
    let mut config = git.config().map_err(failed)?;
    config
        .add_file(&path, git2::ConfigLevel::App, true)
        .map_err(failed)?;
    // Makes libgit2 forget what it had read of the settings before.
    git.set_config(&config).map_err(failed)
}

impl Repo {
    /// Before a write: refs and packs must be flushed, so an error when the settings of our own cannot be written.
    pub(super) fn ensure_flushing(&self) -> Result<(), GitError> {
        let is_set = self
            .git
            .config()
            .and_then(|config| config.get_bool("core.fsyncObjectFiles"));
        if is_set.unwrap_or(false) {
            return Ok(());
        }
        durable::replace(&self.git_dir.join(FILE), CONTENT.as_bytes())
    }
}
