//! The word by which git asks mdmem to merge a memory (`merge=mdmem` in the store's `.gitattributes`).

use super::{GitError, Repo};

const NAME: (&str, &str) = ("merge.mdmem.name", "a memory, key by key (mdmem)");
/// Where there is no mdmem, git's own merge steps in.
const DRIVER: (&str, &str) = (
    "merge.mdmem.driver",
    "if command -v mdmem >/dev/null; then mdmem merge-driver -- %O %A %B %P; \
     else git merge-file -L ours -L base -L theirs %A %O %B; fi",
);

/// The settings of a new repository.
pub(super) const SETTINGS: [(&str, &str); 2] = [NAME, DRIVER];

impl Repo {
    /// Before a write: a clone has no settings of the repository that it was cloned from. A person's own driver stays.
    pub(super) fn ensure_merge_driver(&self) -> Result<(), GitError> {
        let failed = |e| GitError::from_git2("write the settings", &self.root, &e);
        let config = self.git.config().map_err(failed)?;
        if config.get_entry(DRIVER.0).is_ok() {
            return Ok(());
        }
        let mut local = config.open_level(git2::ConfigLevel::Local).map_err(failed)?;
        for (key, value) in SETTINGS {
            local.set_str(key, value).map_err(failed)?;
        }
        Ok(())
    }
}
