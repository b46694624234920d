//! The words by which git asks mdmem to merge a file of a store, in the settings and attributes of the repository: a memory
//! or the settings (`merge=mdmem`), and the list of what was forgotten (`merge=mdmem-forgotten`).
//!
//! `mdmem merge-driver` tells a conflict, which it has written into the file, by an exit code of its own. After any other
//! failure (there is no mdmem, or one that does not know the command, or a file that it refuses) git's own merge steps in.

use super::work_file::read_regular;
use super::{GitError, Repo, durable};

/// The exit code of a merge that left a conflict in the file.
pub const MERGE_CONFLICT: u8 = 3;

/// The beginnings of the lines that earlier versions wrote.
const EARLIER: [&str; 2] = ["command -v mdmem ", "if command -v mdmem "];

/// The attributes of a repository whose `.gitattributes` somebody changed, or that was made before these were in it.
const ATTRIBUTES: &str = "*.md merge=mdmem\nforgotten merge=mdmem-forgotten\ncontradictions merge=mdmem-forgotten\nmdmem.toml merge=mdmem\n";

/// The settings of a new repository. They name the mdmem on the PATH, else this program: a git that a desktop started knows
/// nothing of the PATH of a shell.
pub(super) fn settings() -> [(&'static str, String); 4] {
    let own = std::env::current_exe().unwrap_or_default();
    // A program on this library, such as a test, knows no such command: it might end without an error, and git would take
    // our version for the merged one.
    let is_mdmem = own.file_name().is_some_and(|name| name == "mdmem");
    let own = if is_mdmem { own } else { "mdmem".into() };
    // In single quotes for the shell, and with git's placeholders spelled out.
    let own = own.to_string_lossy().replace('\'', r"'\''").replace('%', "%%");
    let driver = |options: &str, fallback: &str| {
        format!(
            "m=$(command -v mdmem || command -v '{own}') && \"$m\" merge-driver {options}-- %O %A %B %P; \
             case $? in 0) ;; {MERGE_CONFLICT}) exit 1 ;; \
             *) git merge-file {fallback} -L ours -L base -L theirs %A %O %B ;; esac"
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
    /// of an earlier mdmem does not; a person's own attributes come after these.
    pub fn ensure_merge_driver(&self) -> Result<(), GitError> {
        let missing = self.missing_settings()?;
        if !missing.is_empty() {
            let failed = |e| GitError::from_git2("write the settings", &self.root, &e);
            let config = self.git.config().map_err(failed)?;
            let mut local = config.open_level(git2::ConfigLevel::Local).map_err(failed)?;
            for (key, value) in missing {
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
        let is_driven = self.own_attributes().is_none_or(|known| is_driven(&known));
        Ok(is_driven && self.missing_settings()?.is_empty())
    }

    fn missing_settings(&self) -> Result<Vec<(&'static str, String)>, GitError> {
        let failed = |e| GitError::from_git2("read the settings", &self.root, &e);
        let config = self.git.config().map_err(failed)?;
        let is_missing = |(key, _): &(&str, String)| {
            let there = config.get_string(key);
            there.map_or(true, |there| EARLIER.iter().any(|ours| there.starts_with(ours)))
        };
        Ok(settings().into_iter().filter(is_missing).collect())
    }

    /// The attributes of this repository alone; `None` where they cannot be read.
    fn own_attributes(&self) -> Option<Vec<u8>> {
        let read = read_regular(&self.git_dir.join("info/attributes"));
        Some(read.ok()?.unwrap_or_default())
    }
}

/// Says whether attributes have a line for each kind of file.
fn is_driven(attributes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(attributes);
    let known: Vec<Option<&str>> = text.lines().map(|line| line.split_whitespace().next()).collect();
    ATTRIBUTES
        .lines()
        .all(|line| known.contains(&line.split_whitespace().next()))
}
