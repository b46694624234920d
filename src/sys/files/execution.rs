//! The bits that let a file be executed.

use std::path::Path;

use rustix::fs::Mode;

use crate::sys::SysError;
use crate::sys::files::beneath::Place;

/// Lets the file `path` below `root` be executed by whoever may read it, or by nobody, as the owner's bit of `mode` says. A
/// missing file is no error.
pub fn follow_execution(root: &Path, path: impl AsRef<Path>, mode: u32) -> Result<(), SysError> {
    let Some(place) = Place::find(root, path.as_ref())? else {
        return Ok(());
    };
    let Some((file, stat)) = place.folder.open_file(&place.name)? else {
        return Ok(());
    };
    let bits = if mode & 0o100 == 0 {
        0
    } else {
        (stat.st_mode & 0o444) >> 2
    };
    let wanted = (stat.st_mode & 0o7666) | bits;
    if wanted == stat.st_mode & 0o7777 {
        return Ok(());
    }
    rustix::fs::fchmod(&file, Mode::from_raw_mode(wanted))
        .map_err(|errno| SysError::io("change the mode of", &place.path, errno))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn whoever_may_read_a_file_may_execute_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        crate::sys::write_new(root, "a", b"x").unwrap();
        for (before, mode, after) in [
            (0o640, 0o100_755, 0o750),
            (0o644, 0o100_755, 0o755),
            (0o755, 0o100_644, 0o644),
            (0o600, 0o100_644, 0o600),
        ] {
            std::fs::set_permissions(root.join("a"), PermissionsExt::from_mode(before)).unwrap();
            follow_execution(root, "a", mode).unwrap();
            let now = root.join("a").metadata().unwrap().permissions().mode();
            assert_eq!(now & 0o7777, after, "{before:o}");
        }
        follow_execution(root, "none", 0o100_755).unwrap();
    }
}
