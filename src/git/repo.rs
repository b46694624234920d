//! The handle on one repository: opened with a precise word for each one that mdmem must not touch, or made new, the
//! same whatever the person's git settings say.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::{from_git2, object_folders};
use super::{GitError, IndexView, ORIGIN_REF, SEEN_REF, durable, merge_driver};
use crate::model::Oid;
use crate::sys::{Inode, read_text};

/// An open repository: an ordinary one, with its `.git` folder directly in `root`, that libgit2 can read and write
/// without loss. Cheap to keep open; sees what other processes change. One thread at a time.
pub struct Repo {
    pub(super) root: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) git: git2::Repository,
    /// The `.git` folder that was opened, to notice that it was taken away or made anew.
    pub(super) opened: Inode,
    /// The index as it was read last.
    pub(super) seen_index: RefCell<Option<Arc<IndexView>>>,
}

/// The branch or commit to which HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch without a commit.
    Unborn {
        /// The full name of the branch's ref, `refs/heads/main`.
        branch: String,
    },
    /// A branch with a commit.
    Branch {
        /// The full name of the branch's ref, `refs/heads/main`.
        branch: String,
        /// Its last commit.
        tip: Oid,
    },
    /// A commit without a branch.
    Detached {
        /// The commit.
        tip: Oid,
    },
}

impl Head {
    /// The last commit, `None` on a branch without one.
    pub const fn tip(&self) -> Option<Oid> {
        match self {
            Self::Unborn { .. } => None,
            Self::Branch { tip, .. } | Self::Detached { tip } => Some(*tip),
        }
    }
}

impl Repo {
    /// Reads from the disk, at each call, to which branch or commit HEAD points.
    pub fn head(&self) -> Result<Head, GitError> {
        let head = self
            .git
            .find_reference("HEAD")
            .map_err(|e| self.damaged("HEAD", e.message()))?;
        if let Some(tip) = head.target() {
            return Ok(Head::Detached { tip: from_git2(tip) });
        }
        let branch = head
            .symbolic_target()
            .ok()
            .flatten()
            .ok_or_else(|| self.damaged("HEAD", "it does not name a branch in valid UTF-8"))?
            .to_owned();
        match self.git.refname_to_id(&branch) {
            Ok(tip) => Ok(Head::Branch {
                branch,
                tip: from_git2(tip),
            }),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(Head::Unborn { branch }),
            Err(e) => Err(self.damaged(&branch, e.message())),
        }
    }
}

impl Repo {
    /// The `.git` folder, where mdmem keeps its lock and its journal.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// An error when `.git`, or one of the folders without which git calls it no repository, is gone, and when `.git`
    /// is another one than was opened: then nothing may be concluded from what is missing, and nothing may be written.
    /// (libgit2 would make `objects` and `refs` anew, and the next commit would begin another history.)
    pub fn check_still_there(&self) -> Result<(), GitError> {
        let look = |path: PathBuf| match std::fs::metadata(&path) {
            Ok(meta) => Ok(meta),
            Err(source) => Err(GitError::Vanished { path, source }),
        };
        let meta = look(self.git_dir.clone())?;
        if !meta.is_dir() || Inode::of(&meta) != self.opened {
            return Err(GitError::Replaced(self.git_dir.clone()));
        }
        for part in ["objects", "refs"] {
            look(self.git_dir.join(part))?;
        }
        Ok(())
    }

    /// Wraps an error of libgit2 with what was being done, here.
    pub(super) fn failed(&self, doing: &str, error: &git2::Error) -> GitError {
        GitError::from_git2(doing, &self.root, error)
    }
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Repo {
    /// Opens the repository whose `.git` folder is directly in `root`. Folders above are never searched, and
    /// environment variables such as `GIT_DIR` do not count.
    ///
    /// Refused, each with its own error: no folder, no repository, a linked worktree, a bare, shallow or partial
    /// clone, a repository of another user, one with SHA-256 names or reftables (libgit2 cannot read them), and one
    /// whose files are elsewhere.
    pub fn open(root: &Path) -> Result<Self, GitError> {
        let repo = Self::open_unseen(root)?;
        apply_settings(&repo.git, root)?;
        repo.set_spoilt_aside()?;
        Ok(repo)
    }

    /// The same for a repository that is somebody else's: it is read alone, and no file of mdmem's is put beside it.
    pub fn open_foreign(root: &Path) -> Result<Self, GitError> {
        let repo = Self::open_unseen(root)?;
        for folder in object_folders(&repo.git) {
            repo.check_all_in(&folder)?;
        }
        Ok(repo)
    }

    /// The same repository, with another handle: one that has been open knows packs that are gone.
    pub(super) fn anew(&self) -> Result<Self, GitError> {
        let git =
            git2::Repository::open(&self.git_dir).map_err(|e| self.failed("open the repository", &e))?;
        apply_settings(&git, &self.root)?;
        let (root, git_dir, opened) = (self.root.clone(), self.git_dir.clone(), self.opened);
        Ok(Self {
            root,
            git_dir,
            git,
            opened,
            seen_index: RefCell::default(),
        })
    }

    fn open_unseen(root: &Path) -> Result<Self, GitError> {
        let git_dir = root.join(".git");
        let opened = look(root, &git_dir)?;
        check_files(&git_dir)?;
        check_config(root, &git_dir)?;
        check_user_config()?;
        // Else libgit2 keeps every commit and tree that it reads or writes, up to 256 MB: a watcher reads new ones for ever.
        git2::opts::enable_caching(false);
        // Else it looks for each of ten thousand files when one of them changes.
        git2::opts::strict_object_creation(false);
        let git = git2::Repository::open_ext(
            root,
            git2::RepositoryOpenFlags::NO_SEARCH,
            std::iter::empty::<&std::ffi::OsStr>(),
        )
        .map_err(|e| match e.code() {
            git2::ErrorCode::Owner => GitError::Owner(root.to_owned()),
            git2::ErrorCode::NotFound => GitError::NotARepository(root.to_owned()),
            _ => GitError::from_settings("open the repository", root, &e),
        })?;
        if git.is_bare() {
            return Err(GitError::Bare(root.to_owned()));
        }
        if git.is_shallow() {
            return Err(GitError::Shallow(root.to_owned()));
        }
        check_worktree(root, &git)?;
        Ok(Self {
            root: root.to_owned(),
            git_dir,
            git,
            opened,
            seen_index: RefCell::default(),
        })
    }
}

fn look(root: &Path, git_dir: &Path) -> Result<Inode, GitError> {
    if !root.is_dir() {
        return Err(GitError::NoFolder(root.to_owned()));
    }
    match std::fs::metadata(git_dir) {
        Ok(meta) if meta.is_dir() => match std::fs::metadata(git_dir.join("HEAD")) {
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => {
                Err(GitError::io("open", git_dir, e))
            }
            _ => Ok(Inode::of(&meta)),
        },
        Ok(_) => Err(GitError::Linked(root.to_owned())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let is_bare = root.join("HEAD").is_file() && root.join("objects").is_dir();
            let root = root.to_owned();
            Err(if is_bare {
                GitError::Bare(root)
            } else {
                GitError::NotARepository(root)
            })
        }
        Err(e) => Err(GitError::io("open", git_dir, e)),
    }
}

/// An error where libgit2 would wait for who writes into a fifo in the place of a file.
fn check_files(git_dir: &Path) -> Result<(), GitError> {
    let head = read_text(&git_dir.join("HEAD")).unwrap_or_default();
    let branch = head.trim().strip_prefix("ref: ");
    let fixed = ["HEAD", "config", "packed-refs", ORIGIN_REF, SEEN_REF];
    for name in fixed.into_iter().chain(branch) {
        let path = git_dir.join(name);
        if path
            .metadata()
            .is_ok_and(|there| !there.is_file() && !there.is_dir())
        {
            return Err(GitError::io(
                "read",
                &path,
                std::io::Error::other("it is not a regular file"),
            ));
        }
    }
    Ok(())
}

/// An error where a file of settings outside of the repository is no file: libgit2 would wait for who writes into a fifo.
pub(super) fn check_user_config() -> Result<(), GitError> {
    let found = [
        git2::Config::find_global(),
        git2::Config::find_xdg(),
        git2::Config::find_system(),
    ];
    for path in found.into_iter().flatten() {
        // A link to /dev/null is a way to have no settings.
        let is_nothing = || {
            path.canonicalize()
                .is_ok_and(|real| real == Path::new("/dev/null"))
        };
        if path.metadata().is_ok_and(|there| !there.is_file()) && !is_nothing() {
            return Err(GitError::UserConfig(format!(
                "{} is not a regular file",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The extensions of git's format that libgit2 knows or may ignore.
const KNOWN: [&str; 5] = [
    "noop",
    "noop-v1",
    "worktreeconfig",
    "preciousobjects",
    "relativeworktrees",
];

/// Reads `.git/config` alone, before libgit2 opens the repository: its own message does not say what to do.
fn check_config(root: &Path, git_dir: &Path) -> Result<(), GitError> {
    let failed = |e: git2::Error| GitError::from_git2("read .git/config", root, &e);
    let path = git_dir.join("config");
    if !path.exists() {
        return Ok(());
    }
    let config = git2::Config::open(&path).map_err(failed)?;
    if config.get_bool("core.bare").unwrap_or(false) {
        return Err(GitError::Bare(root.to_owned()));
    }
    let mut found = None;
    config
        .entries(Some(r"^extensions\."))
        .and_then(|entries| {
            entries.for_each(|entry| {
                let name = String::from_utf8_lossy(entry.name_bytes()).to_lowercase();
                let value = if entry.has_value() {
                    String::from_utf8_lossy(entry.value_bytes()).to_lowercase()
                } else {
                    String::new()
                };
                let name = name.trim_start_matches("extensions.").to_owned();
                let is_fine = KNOWN.contains(&name.as_str())
                    || (name == "objectformat" && value == "sha1")
                    || (name == "refstorage" && value == "files");
                if !is_fine && found.is_none() {
                    found = Some((name, value));
                }
            })
        })
        .map_err(failed)?;
    let mut is_partial = false;
    config
        .entries(Some(r"^remote\..*\.promisor$"))
        .and_then(|entries| {
            entries.for_each(|entry| is_partial |= entry.value().is_ok_and(|value| value != "false"))
        })
        .map_err(failed)?;
    let root = root.to_owned();
    match found {
        None if is_partial => Err(GitError::Partial(root)),
        None => Ok(()),
        Some((name, _)) if name == "partialclone" => Err(GitError::Partial(root)),
        Some((name, value)) => Err(GitError::Extension {
            root,
            extension: format!("{name} = {value}"),
        }),
    }
}

fn check_worktree(root: &Path, git: &git2::Repository) -> Result<(), GitError> {
    let worktree = git.workdir().unwrap_or(git.path());
    let inode = |path| std::fs::metadata(path).ok().map(|meta| Inode::of(&meta));
    if inode(root).is_some() && inode(root) == inode(worktree) {
        return Ok(());
    }
    Err(GitError::WorktreeElsewhere {
        root: root.to_owned(),
        worktree: worktree.to_owned(),
    })
}

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

/// Settings of libgit2 for this repository that git itself must not see: libgit2 flushes refs and packs only when
/// `core.fsyncObjectFiles` is set. In `.git/config` that deprecated key makes git print a warning at each command, so it
/// stands in a file of its own that only mdmem reads, at the level above all others. Loose objects are flushed by
/// [`Repo::flush`], many at a time: the object store is opened before the key is known, the refs after it.
const OWN: &str = "mdmem.gitconfig";

/// `excludesFile` is empty so that what travels does not depend on one person's global ignore file; the reflog is
/// written by `append_reflogs`.
const OWN_SETTINGS: &str = "\
# Read by mdmem alone (git does not know this file): what libgit2 must do here. Made anew when it is gone.
[core]
\tfsyncObjectFiles = true
\tlogAllRefUpdates = false
\texcludesFile =
";

/// Lets libgit2 read mdmem's own settings. Call it before anything else is asked of `git`.
fn apply_settings(git: &git2::Repository, root: &Path) -> Result<(), GitError> {
    let path = git.path().join(OWN);
    let is_current = read_text(&path).is_some_and(|text| text == OWN_SETTINGS);
    if !is_current && let Err(error) = durable::replace(&path, OWN_SETTINGS.as_bytes()) {
        // A store on a disk that cannot be written can still be read; `ensure` asks again before a write.
        tracing::debug!(%error, "mdmem's own git settings could not be written");
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
        durable::replace(&self.git_dir.join(OWN), OWN_SETTINGS.as_bytes())
    }
}
