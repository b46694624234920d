//! The folder whose memory a store is: the root of the work tree, the same for all its linked work trees.

use std::path::{Path, PathBuf};

use crate::sys::{SysError, read_text};
use crate::text::sha256_hex;

use super::StoreError;

/// The folders in which systems mount volumes.
const VOLUMES: [&str; 5] = ["/mnt", "/media", "/run/media", "/Volumes", "/net"];

/// The folders that the system makes up, in which nobody works: what lies there is gone with the process or the device.
const OF_SYSTEM: [&str; 3] = ["/dev", "/proc", "/sys"];
/// Memory that can be used as a disk.
const IN_MEMORY: &str = "/dev/shm";

/// The presence of a workspace's folder, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is there.
    There,
    /// It may lie on a disk that is not mounted, or cannot be looked at.
    Away,
    /// It was removed or renamed.
    Gone,
}

/// The kind of folder that a workspace's root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// A repository, or the folder that its work trees share.
    Repository,
    /// A folder in no repository.
    Plain,
}

/// The root of a workspace, as a real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace of a folder: git's top level (for a linked work tree the main one, so that all of them share a
    /// store), else the folder itself. `/` and the home folder are refused: everything lies below them. A repository
    /// in the home folder or above it, such as one of settings, is nobody's workspace either. The folders of the system are
    /// refused too.
    pub fn of(folder: &Path, home: Option<&Path>) -> Result<Self, StoreError> {
        Ok(Self::find(folder, home)?.0)
    }

    /// The same, and what the root is.
    pub(super) fn find(folder: &Path, home: Option<&Path>) -> Result<(Self, Ground), StoreError> {
        let real = real_path(folder)?;
        let home = home.and_then(|home| home.canonicalize().ok());
        let holds_home = |folder: &Path| home.as_ref().is_some_and(|home| home.starts_with(folder));
        let below_home = real.ancestors().take_while(|folder| !holds_home(folder));
        let (root, ground) = match git_top_level(below_home) {
            Some(top) => (top?, Ground::Repository),
            None => (real, Ground::Plain),
        };
        let is_of_system =
            OF_SYSTEM.iter().any(|folder| root.starts_with(folder)) && !root.starts_with(IN_MEMORY);
        if root.parent().is_none() || home.is_some_and(|home| home == root) || is_of_system {
            return Err(StoreError::NotAWorkspace { path: root });
        }
        Ok((Self { root }, ground))
    }

    /// The plain folders above this one whose store may serve it too: none that holds the home folder, and none that
    /// everybody may write to.
    pub(super) fn above(&self, home: Option<&Path>) -> impl Iterator<Item = &Path> {
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_nobodys = move |folder: &Path| {
            folder.parent().is_none()
                || home.as_ref().is_some_and(|home| home.starts_with(folder))
                || is_open_to_all(folder)
        };
        let above = self.root.ancestors().skip(1);
        above.take_while(move |folder| !is_nobodys(folder))
    }

    /// The workspace whose root was known before.
    pub(super) const fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// The real path of the root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of the folder of the `n`th store in this place, from 1: the first 16 hex digits of the SHA-256 of the
    /// root's real path, and of the number of a later one.
    pub(super) fn key(&self, n: u32) -> String {
        use std::os::unix::ffi::OsStrExt as _;
        let mut place = self.root.as_os_str().as_bytes().to_vec();
        if n > 1 {
            // No path has a NUL.
            place.extend(format!("\0{n}").bytes());
        }
        sha256_hex(&place).chars().take(16).collect()
    }

    /// Tells whether its folder is there. A folder that may lie on a disk that is not mounted is never called gone: its
    /// nearest folder that is there has to hold something else, and where volumes are mounted it has to be a volume.
    pub fn presence(&self) -> Presence {
        let is_there = |path: &Path| match path.symlink_metadata() {
            Ok(_) => Some(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(false),
            Err(_) => None,
        };
        let mut nearest = self.root.as_path();
        loop {
            match (is_there(nearest), nearest.parent()) {
                (Some(true), _) if nearest == self.root => return Presence::There,
                (Some(true), Some(_)) => break,
                (Some(false), Some(parent)) => nearest = parent,
                _ => return Presence::Away,
            }
        }
        let holds_something = nearest
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some());
        let volumes = VOLUMES.iter().find(|folder| nearest.starts_with(folder));
        let is_mounted = volumes.is_none_or(|folder| device(nearest) != device(Path::new(folder)));
        if holds_something && is_mounted {
            Presence::Gone
        } else {
            Presence::Away
        }
    }

    /// The last part of the root, for people, without the `.git` of a bare repository.
    pub fn name(&self) -> String {
        let name = self.root.file_name().map(|name| name.to_string_lossy());
        let name = name
            .as_deref()
            .map(|name| name.strip_suffix(".git").unwrap_or(name));
        name.filter(|name| !name.is_empty())
            .unwrap_or("workspace")
            .to_owned()
    }
}

fn is_open_to_all(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().is_ok_and(|there| there.mode() & 0o002 != 0)
}

fn device(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Some(path.metadata().ok()?.dev())
}

fn real_path(folder: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error| StoreError::from(SysError::io("open", folder, error));
    let real = folder.canonicalize().map_err(failed)?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(failed(std::io::ErrorKind::NotADirectory.into()))
    }
}

/// The nearest of these folders that has a `.git`. Read from the files, not with a git library, because a workspace
/// may use formats that the library cannot open, and its memory does not depend on them.
/// A work tree whose repository is not where its `.git` file says belongs to a workspace that is not known by that: it
/// is an error, and no workspace of its own.
fn git_top_level<'a>(mut folders: impl Iterator<Item = &'a Path>) -> Option<Result<PathBuf, StoreError>> {
    let top = folders.find(|folder| is_work_tree(folder))?;
    let link = read_text(&top.join(".git")).unwrap_or_default();
    let Some(private) = link.strip_prefix("gitdir:") else {
        return Some(Ok(top.to_owned()));
    };
    let private = top.join(private.trim());
    let is_gone = private
        .symlink_metadata()
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    Some(if is_gone {
        Err(StoreError::said(
            format!(
                "the repository of the worktree {} is missing: {} does not exist",
                top.display(),
                private.display()
            ),
            "If the repository was moved, run `git worktree repair` in its new place; if it is on another \
             disk, mount it.",
        ))
    } else {
        Ok(main_work_tree(&private).unwrap_or_else(|| top.to_owned()))
    })
}

fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.join("HEAD").is_file() || git.is_file()
}

/// The main work tree of a linked one, or the folder that holds the repository of all: `.git` is a file that names a
/// folder, whose `commondir` leads to the shared repository. A submodule's `.git` file leads to a folder without `commondir`: it is a workspace of its own.
fn main_work_tree(private: &Path) -> Option<PathBuf> {
    let common = read_text(&private.join("commondir"))?;
    let common = private.join(common.trim()).canonicalize().ok()?;
    // A hidden repository, such as `.git` or the `.bare` of a folder of work trees, is that of the folder around it.
    let is_hidden = common.file_name()?.as_encoded_bytes().starts_with(b".");
    if is_hidden {
        common.parent().map(Path::to_owned)
    } else {
        Some(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(root: &Path, path: &str) -> PathBuf {
        let path = root.join(path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn is_the_top_level_of_git_or_the_folder_itself() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let plain = folder(&root, "plain/below");
        assert_eq!(Workspace::of(&plain, None).unwrap().root(), plain);
        let below = folder(&root, "repo/src/deep");
        folder(&root, "repo/.git");
        std::fs::File::create(root.join("repo/.git/HEAD")).unwrap();
        assert_eq!(Workspace::of(&below, None).unwrap().root(), root.join("repo"));
    }

    #[test]
    fn refuses_the_root_the_home_and_the_folders_of_the_system() {
        let temp = tempfile::tempdir().unwrap();
        assert!(Workspace::of(Path::new("/"), None).is_err());
        assert!(Workspace::of(temp.path(), Some(temp.path())).is_err());
        assert!(Workspace::of(&temp.path().join("missing"), None).is_err());
        for made_up in ["/dev/fd", "/dev", "/proc/self/fd", "/proc/self/task"] {
            let refused = Workspace::of(Path::new(made_up), None);
            assert!(
                matches!(refused, Err(StoreError::NotAWorkspace { .. })),
                "{made_up}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_repository_of_the_home_folder_is_no_workspace_of_what_lies_below() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let notes = folder(&root, "home/notes/deep");
        let tool = folder(&root, "home/tool/src");
        for top in ["home", "home/tool"] {
            let git = folder(&root, &format!("{top}/.git"));
            std::fs::File::create(git.join("HEAD")).unwrap();
        }
        let home = root.join("home");
        let of = |folder: &Path| Workspace::find(folder, Some(&home));
        assert!(of(&home).is_err());
        let (workspace, ground) = of(&notes).unwrap();
        assert_eq!((workspace.root(), ground), (notes.as_path(), Ground::Plain));
        assert!(
            workspace
                .above(Some(&home))
                .eq([root.join("home/notes").as_path()])
        );
        let (workspace, ground) = of(&tool).unwrap();
        assert_eq!(
            (workspace.root(), ground),
            (root.join("home/tool").as_path(), Ground::Repository)
        );
        // Below a folder that everybody may write to, nobody's store is everybody's.
        let open = folder(&root, "open/mine/deep");
        std::fs::set_permissions(
            root.join("open"),
            std::os::unix::fs::PermissionsExt::from_mode(0o1777),
        )
        .unwrap();
        let (workspace, _) = of(&open).unwrap();
        assert!(workspace.above(None).eq([root.join("open/mine").as_path()]));
    }

    #[test]
    fn a_folder_is_gone_only_where_no_disk_can_be_missing() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        folder(&root, "work/there");
        folder(&root, "mount-point");
        std::os::unix::fs::symlink(root.join("nowhere"), root.join("work/link")).unwrap();
        std::fs::File::create(root.join("work/file")).unwrap();
        for (path, expected) in [
            ("work/there", Presence::There),
            ("work/removed", Presence::Gone),
            ("work/removed/with/its/parents", Presence::Gone),
            ("mount-point/app", Presence::Away),
            ("work/link/app", Presence::Away),
            ("work/file/app", Presence::Away),
            ("/no-such-top-level-folder/app", Presence::Away),
            ("/mnt/no-such-volume/app", Presence::Away),
            ("/media/nobody/no-such-volume/app", Presence::Away),
        ] {
            assert_eq!(Workspace::at(root.join(path)).presence(), expected, "{path}");
        }
    }

    #[test]
    fn linked_work_trees_share_one() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let private = folder(&root, "main/.git/worktrees/side");
        let side = folder(&root, "side");
        let bare = folder(&root, "bare/.bare/worktrees/side");
        let beside = folder(&root, "bare/side");
        for (path, text) in [
            (root.join("main/.git/HEAD"), "ref: refs/heads/main\n".to_owned()),
            (private.join("commondir"), "../..\n".to_owned()),
            (side.join(".git"), format!("gitdir: {}\n", private.display())),
            (bare.join("commondir"), "../..\n".to_owned()),
            (beside.join(".git"), format!("gitdir: {}\n", bare.display())),
        ] {
            #[expect(clippy::disallowed_methods, reason = "a fixture")]
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(Workspace::of(&side, None).unwrap().root(), root.join("main"));
        assert_eq!(Workspace::of(&beside, None).unwrap().root(), root.join("bare"));
    }
}
