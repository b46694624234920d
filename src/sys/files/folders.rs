//! Folders in a folder that has to be there.
//!
//! The files of a folder that mdmem alone fills, by descriptor: no link on the way is followed.

use std::ffi::OsStr;
use std::io;
use std::io::ErrorKind;
use std::path::Path;

use rustix::fs::FileType;

use super::beneath::Folder;
use crate::sys::SysError;
use crate::sys::files::beneath::{FileStat, Place};

/// Makes `folder` and those above it, down from `base`, which must exist: what was renamed away or unmounted meanwhile is
/// not begun anew in its old place.
pub fn make_folders_in(base: &Path, folder: &Path) -> io::Result<()> {
    let below = folder.strip_prefix(base).map_err(|_| ErrorKind::InvalidInput)?;
    let mut at = base.to_path_buf();
    for part in below {
        at.push(part);
        match std::fs::create_dir(&at) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Makes folders in `root` as long as `mark` is in it. `root` is opened once, so that the folder in which the mark was
/// seen gets them, even where it was renamed meanwhile, and never another one in its place. A name that something else
/// has stays as it is; a name that is a path leads elsewhere, and is passed over.
pub fn make_folders_beside<'a>(
    root: &Path,
    mark: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> std::result::Result<(), SysError> {
    let root = Folder::root(root)?;
    if root.stat(OsStr::new(mark))?.is_none() {
        return Ok(());
    }
    let is_name = |name: &&str| Path::new(name).file_name() == Some(OsStr::new(name));
    let mut names = names.into_iter().filter(is_name);
    names.try_for_each(|name| root.make_child(OsStr::new(name)))
}

/// The names and the stats of the regular files in the folder `folder` below `root`; none where it is missing.
pub fn own_files(root: &Path, folder: impl AsRef<Path>) -> Result<Vec<(String, FileStat)>, SysError> {
    let Some(folder) = Folder::below(root, folder.as_ref())? else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for (name, _) in folder.entries()? {
        let stat = folder.stat(&name)?;
        let is_file =
            |stat: &rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        // Whatever has a name that is no text is not ours.
        if let Some((stat, name)) = stat.filter(is_file).zip(name.into_string().ok()) {
            files.push((name, FileStat::of(&stat)));
        }
    }
    Ok(files)
}

/// Removes a file below `root` that can be made again or is not needed any more. No error where it is gone already.
pub fn remove_own(root: &Path, path: impl AsRef<Path>) -> Result<(), SysError> {
    match Place::find(root, path.as_ref())? {
        Some(place) => place.folder.unlink(&place.name),
        None => Ok(()),
    }
}

#[cfg(test)]
mod make_folders_tests {
    use super::*;

    #[test]
    fn folders_come_beside_the_mark_and_nowhere_else() {
        let base = tempfile::tempdir().unwrap();
        let (store, empty) = (base.path().join("store"), base.path().join("empty"));
        for folder in [&store.join("mark"), &empty] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::File::create(store.join("b")).unwrap();
        std::os::unix::fs::symlink(&empty, store.join("c")).unwrap();
        for _ in 0..2 {
            make_folders_beside(&store, "mark", ["../d", "a/e", "..", "", "a", "b", "c"]).unwrap();
        }
        assert!(!base.path().join("d").exists() && !store.join("a/e").exists());
        assert!(store.join("a").is_dir() && store.join("b").is_file() && store.join("c").is_symlink());
        make_folders_beside(&empty, "mark", ["a"]).unwrap();
        assert_eq!(empty.read_dir().unwrap().count(), 0);
        assert!(make_folders_beside(&base.path().join("gone"), "mark", ["a"]).is_err());
        assert!(!base.path().join("gone").exists());
    }

    #[test]
    fn makes_what_is_missing_and_never_the_base() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b/c");
        make_folders_in(base.path(), &folder).unwrap();
        make_folders_in(base.path(), &folder).unwrap();
        assert!(folder.is_dir());
        let gone = base.path().join("gone");
        let error = make_folders_in(&gone, &gone.join("a/b")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(!gone.exists());
        assert!(make_folders_in(&gone, base.path()).is_err());
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files that somebody else made")]
mod own_files_tests {
    use super::*;

    #[test]
    fn links_are_neither_listed_nor_followed() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = root.path();
        assert_eq!(own_files(root, "own").unwrap(), []);
        remove_own(root, "own/a").unwrap();
        std::fs::create_dir_all(root.join("own/folder")).unwrap();
        for name in ["a", "b"] {
            std::fs::write(root.join("own").join(name), "x").unwrap();
            std::fs::write(outside.path().join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(outside.path().join("a"), root.join("own/link")).unwrap();
        let mut names: Vec<String> = own_files(root, "own")
            .unwrap()
            .into_iter()
            .map(|file| file.0)
            .collect();
        names.sort();
        assert_eq!(names, ["a", "b"]);
        remove_own(root, "own/a").unwrap();
        remove_own(root, "own/a").unwrap();
        remove_own(root, "own/link").unwrap();
        assert!(!root.join("own/a").exists() && outside.path().join("a").exists());
        std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
        assert!(own_files(root, "out").is_err() && remove_own(root, "out/b").is_err());
        assert!(outside.path().join("b").exists());
    }
}
