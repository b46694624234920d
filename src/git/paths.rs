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

impl super::Repo {
    /// Says whether a path leads to a file in the folder of a store, and nowhere else, on any system: no `..`, and no `.git`
    /// in any disguise.
    pub fn is_safe_path(path: &Path) -> bool {
        is_plain(to_git(path)) && is_holdable(to_git(path))
    }
}

/// Says whether git could hold a file under this name: relative, no empty, `.` or `..` part, and no NUL.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    !bytes.is_empty()
        && !bytes.contains(&0)
        && bytes
            .split(|byte| *byte == b'/')
            .all(|part| !matches!(part, b"" | b"." | b".."))
}

/// Says whether git could also check it out again, on any system: no part of it is `.git`, in the disguises that NTFS
/// and git take for it (`git~1`, `.GIT `, and a backslash counts as a slash).
pub(super) fn is_holdable(bytes: &[u8]) -> bool {
    let is_git = |part: &[u8]| {
        let name = part.split(|byte| *byte == b':').next().unwrap_or(part);
        let end = name.iter().rposition(|byte| !matches!(byte, b' ' | b'.'));
        let name = &name[..end.map_or(0, |end| end + 1)];
        name.eq_ignore_ascii_case(b".git") || name.eq_ignore_ascii_case(b"git~1")
    };
    is_plain(bytes) && !bytes.split(|byte| matches!(byte, b'/' | b'\\')).any(is_git)
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

    #[test]
    fn knows_git_in_its_disguises() {
        for bad in [
            "git~1",
            "a/Git~1 . /b.md",
            "a/.GIT/x",
            "a\\.git\\x.md",
            "a/.git::$INDEX_ALLOCATION/b",
            "git~1:x",
        ] {
            assert!(!is_holdable(bad.as_bytes()), "{bad}");
        }
        for fine in [
            "git~1.md",
            "git~2",
            ".gitignore",
            "a/.gitattributes",
            "a\\b.md",
            "digit~1",
        ] {
            assert!(is_holdable(fine.as_bytes()), "{fine}");
        }
    }
}
