//! The word by which git asks mdmem to merge a file (`merge=mdmem`), in the settings and attributes of the repository.

use std::path::Path;

use super::work_file::read_regular;
use super::{GitError, Repo, durable};

const NAME: (&str, &str) = ("merge.mdmem.name", "a file of a store (mdmem)");
const DRIVER: &str = "merge.mdmem.driver";
/// What an earlier version wrote, which did not know where mdmem is.
const EARLIER: &str = "if command -v mdmem >/dev/null; then mdmem merge-driver -- %O %A %B %P; \
     else git merge-file -L ours -L base -L theirs %A %O %B; fi";

/// The attributes of a repository whose `.gitattributes` somebody changed, or that was made before these were in it.
const ATTRIBUTES: &str = "*.md merge=mdmem\nforgotten merge=mdmem\nmdmem.toml merge=mdmem\n";

/// The command line for git: the mdmem on the PATH, else the program at `own`, as in a git that a desktop started. Where
/// there is no mdmem, git's own merge steps in.
fn driver(own: Option<&Path>) -> String {
    let own = own.and_then(Path::to_str).unwrap_or_default();
    // In single quotes for the shell, and with git's placeholders spelled out.
    let own = own.replace('\'', r"'\''").replace('%', "%%");
    format!(
        "m=$(command -v mdmem || command -v '{own}'); \
         if test -n \"$m\"; then \"$m\" merge-driver -- %O %A %B %P; \
         else git merge-file -L ours -L base -L theirs %A %O %B; fi"
    )
}

/// The settings of a new repository.
pub(super) fn settings() -> [(&'static str, String); 2] {
    let own = std::env::current_exe().ok();
    [(NAME.0, NAME.1.to_owned()), (DRIVER, driver(own.as_deref()))]
}

impl Repo {
    /// Before a write: a clone has no settings of the repository that it was cloned from. A person's own driver stays, and
    /// a person's own attributes come after these.
    pub(super) fn ensure_merge_driver(&self) -> Result<(), GitError> {
        if !self.has_driver()? {
            let failed = |e| GitError::from_git2("write the settings", &self.root, &e);
            let config = self.git.config().map_err(failed)?;
            let mut local = config.open_level(git2::ConfigLevel::Local).map_err(failed)?;
            for (key, value) in settings() {
                local.set_str(key, &value).map_err(failed)?;
            }
        }
        if let Some(known) = self.own_attributes().filter(|known| !is_driven(known)) {
            let path = self.git_dir.join("info/attributes");
            crate::sys::make_folders_in(&self.git_dir, &self.git_dir.join("info"))
                .map_err(|e| GitError::io("make the folder", &path, e))?;
            durable::replace(&path, &[ATTRIBUTES.as_bytes(), &known].concat())?;
        }
        Ok(())
    }

    /// Says whether git asks mdmem to merge the files of this repository. A clone does not, before the first write.
    pub fn merges_by_mdmem(&self) -> Result<bool, GitError> {
        Ok(self.has_driver()? && self.own_attributes().is_none_or(|known| is_driven(&known)))
    }

    fn has_driver(&self) -> Result<bool, GitError> {
        let failed = |e| GitError::from_git2("read the settings", &self.root, &e);
        let config = self.git.config().map_err(failed)?;
        Ok(config
            .get_string(DRIVER)
            .is_ok_and(|driver| !driver.is_empty() && driver != EARLIER))
    }

    /// The attributes of this repository alone; `None` where they cannot be read.
    fn own_attributes(&self) -> Option<Vec<u8>> {
        let read = read_regular(&self.git_dir.join("info/attributes"));
        Some(read.ok()?.unwrap_or_default())
    }
}

/// Says whether attributes name mdmem for each kind of file.
fn is_driven(attributes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(attributes);
    ATTRIBUTES.lines().all(|line| {
        let pattern = line.split(' ').next();
        let mut lines = text.lines().map(|line| line.split_whitespace().next());
        lines.any(|known| known == pattern)
    })
}
