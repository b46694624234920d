//! The files of a folder that mdmem alone fills, by descriptor: no link on the way is followed.

use std::path::Path;

use rustix::fs::FileType;

use crate::sys::SysError;
use crate::sys::files::beneath::{Folder, Place};
use crate::sys::files::stat::FileStat;

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
#[expect(clippy::disallowed_methods, reason = "files that somebody else made")]
mod tests {
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
