//! Folders in a folder that has to be there.

use std::io::{ErrorKind, Result};
use std::path::Path;

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

#[cfg(test)]
mod tests {
    use super::*;

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
