//! Opening a repository, with a precise word for each one that mdmem must not touch.

use std::path::Path;

use super::kept_trees::KeptTrees;
use super::odb::Objects;
use super::{GitError, ORIGIN_REF, Repo, SEEN_REF, own_config};
use crate::sys::{Inode, read_text};

impl Repo {
    /// Opens the repository whose `.git` folder is directly in `root`. Folders above are never searched, and
    /// environment variables such as `GIT_DIR` do not count.
    ///
    /// Refused, each with its own error: no folder, no repository, a linked worktree, a bare, shallow or partial
    /// clone, a repository of another user, one with SHA-256 names or reftables (libgit2 cannot read them), and one
    /// whose files are elsewhere.
    pub fn open(root: &Path) -> Result<Self, GitError> {
        let repo = Self::open_foreign(root)?;
        own_config::apply(&repo.git, root)?;
        Ok(repo)
    }

    /// The same for a repository that is somebody else's: it is read alone, and no file of mdmem's is put beside it.
    pub fn open_foreign(root: &Path) -> Result<Self, GitError> {
        let git_dir = root.join(".git");
        let opened = look(root, &git_dir)?;
        check_files(&git_dir)?;
        check_config(root, &git_dir)?;
        check_user_config()?;
        // Else libgit2 keeps every commit and tree that it reads or writes, up to 256 MB: a watcher reads new ones for ever.
        git2::opts::enable_caching(false);
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
            objects: Objects::of(&git),
            git,
            opened,
            shown: std::cell::RefCell::new(None),
            kept_trees: KeptTrees::default(),
            looked_at: std::cell::Cell::new(None),
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
                std::io::Error::other("it is no file"),
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
            return Err(GitError::UserConfig(format!("{} is no file", path.display())));
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
