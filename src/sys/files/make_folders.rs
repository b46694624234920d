//! Folders in a folder that has to be there.

use std::ffi::OsStr;
use std::io::{ErrorKind, Result};
use std::path::Path;

use super::beneath::Folder;
use crate::sys::SysError;

/// Makes `folder` and those above it, down from `base`, which must exist: what was renamed away or unmounted meanwhile is
/// not begun anew in its old place.
pub fn make_folders_in(base: &Path, folder: &Path) -> Result<()> {
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

#[cfg(test)]
mod tests {
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
