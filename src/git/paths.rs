//! Paths as git stores them: bytes with `/` between the parts, relative to the root of the repository.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The path that these bytes of a tree or an index name.
pub(super) fn from_git(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The bytes under which git keeps this relative path.
pub(super) fn to_git(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Says whether git could hold a file under this name: relative, no empty, `.` or `..` part, and no NUL.
/// (`.git` in its disguises is refused by libgit2 when the tree is made.)
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && !bytes.contains(&0)
        && bytes
            .split(|byte| *byte == b'/')
            .all(|part| !matches!(part, b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_byte() {
        let bytes = b"not\xff utf8/\xe6\x97\xa5.md";
        assert_eq!(to_git(&from_git(bytes)), bytes);
    }

    #[test]
    fn refuses_what_leads_elsewhere() {
        for bad in [&b""[..], b"/a", b"a/", b"a//b", b"../a", b"a/./b", b"a\0"] {
            assert!(!is_plain(bad), "{bad:?}");
        }
        assert!(is_plain(b"a/..b/c.md"));
    }
}
