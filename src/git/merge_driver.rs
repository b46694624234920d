//! The words by which git asks mdmem to merge a file of a store: a memory (`merge=mdmem` in the store's `.gitattributes`),
//! and the list of what was forgotten (`merge=mdmem-forgotten`).
//!
//! `mdmem merge-driver` tells a conflict, which it has written into the file, by an exit code of its own. After any other
//! failure (there is no mdmem, or one that does not know the command, or a file that it refuses) git's own merge steps in.

use super::{GitError, Repo};

/// The exit code of a merge that left a conflict in the file.
pub const MERGE_CONFLICT: u8 = 3;

/// The beginnings of the lines that mdmem wrote at any time.
const OURS: [&str; 2] = ["command -v mdmem ", "if command -v mdmem "];

/// The settings of a new repository.
pub(super) fn settings() -> [(&'static str, String); 4] {
    let driver = |options: &str, fallback: &str| {
        format!(
            "command -v mdmem >/dev/null && mdmem merge-driver {options}-- %O %A %B %P; case $? in 0) ;; \
             {MERGE_CONFLICT}) exit 1 ;; *) git merge-file {fallback} -L ours -L base -L theirs %A %O %B ;; esac"
        )
    };
    let name = |name: &str| name.to_owned();
    [
        ("merge.mdmem.name", name("a memory, key by key (mdmem)")),
        ("merge.mdmem.driver", driver("", "")),
        (
            "merge.mdmem-forgotten.name",
            name("what was forgotten, as a set of lines (mdmem)"),
        ),
        ("merge.mdmem-forgotten.driver", driver("--forgotten ", "--union")),
    ]
}

impl Repo {
    /// Before a write: a clone has no settings of the repository that it was cloned from. A person's own driver stays, one
    /// of an earlier mdmem does not.
    pub(super) fn ensure_merge_driver(&self) -> Result<(), GitError> {
        let failed = |e| GitError::from_git2("write the settings", &self.root, &e);
        let config = self.git.config().map_err(failed)?;
        let is_missing = |(key, value): &(&str, String)| match config.get_string(key) {
            Ok(there) => there != *value && OURS.iter().any(|ours| there.starts_with(ours)),
            Err(_) => true,
        };
        let missing: Vec<(&str, String)> = settings().into_iter().filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut local = config.open_level(git2::ConfigLevel::Local).map_err(failed)?;
        for (key, value) in missing {
            local.set_str(key, &value).map_err(failed)?;
        }
        Ok(())
    }
}
