//! A new repository, the same whatever the person's git settings say.

use std::path::Path;

use super::open::check_user_config;
use super::{GitError, Repo, merge_driver};

/// The settings for git itself in `.git/config`, so that a person's git and mdmem treat the files alike.
const SETTINGS: [(&str, &str); 4] = [
    // A commit by hand is as safe as one by mdmem: git, too, flushes what it acknowledged.
    ("core.fsync", "committed,reference"),
    // mdmem commits the bytes of a file as they are; a global autocrlf would make git see other bytes.
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    // Names in any script are readable in git's own output.
    ("core.quotepath", "false"),
];

impl Repo {
    /// Makes a repository in `root` (made too, if missing) on the branch `main`, without hooks or templates, and
    /// opens it. A folder above may be a repository; this one is its own. An error where there is a `.git` already:
    /// a repository is never made a second time.
    pub fn init(root: &Path) -> Result<Self, GitError> {
        if std::fs::symlink_metadata(root.join(".git")).is_ok() {
            return Err(GitError::AlreadyARepository(root.to_owned()));
        }
        std::fs::create_dir_all(root).map_err(|e| GitError::io("make the folder", root, e))?;
        let mut options = git2::RepositoryInitOptions::new();
        options
            .initial_head("main")
            .external_template(false)
            .no_reinit(true)
            .mkdir(false);
        check_user_config()?;
        let git = git2::Repository::init_opts(root, &options).map_err(|e| {
            if e.code() == git2::ErrorCode::Exists {
                GitError::AlreadyARepository(root.to_owned())
            } else {
                GitError::from_settings("make a repository", root, &e)
            }
        })?;
        let failed = |e| GitError::from_git2("write the settings", root, &e);
        let mut local = git
            .config()
            .and_then(|config| config.open_level(git2::ConfigLevel::Local))
            .map_err(failed)?;
        let settings = SETTINGS.map(|(key, value)| (key, value.to_owned()));
        for (key, value) in settings.into_iter().chain(merge_driver::settings()) {
            local.set_str(key, &value).map_err(failed)?;
        }
        drop(git);
        Self::open(root)
    }
}
