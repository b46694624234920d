//! Names that editors and other tools give to files that are not there to stay.

use std::ffi::OsStr;
use std::path::Path;

/// Says whether a file's name is one that an editor gives to a temporary, backup or lock file while it saves: such a
/// file is no memory, and its coming and going is no change. Hidden names are not asked about here: those are nobody's.
pub fn is_editor_temporary(name: impl AsRef<OsStr>) -> bool {
    let Some(name) = name.as_ref().to_str() else {
        return false;
    };
    let lower = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    ends(&[
        "~",
        ".tmp",
        ".temp",
        ".swp",
        ".swo",
        ".swx",
        ".part",
        ".crdownload",
        "___jb_tmp___",
        "___jb_old___",
    ]) || lower.starts_with(".#")
        || lower.starts_with("~$")
        || lower.starts_with(".~lock.")
        || lower.starts_with(".goutputstream-")
        || (lower.len() > 1 && lower.starts_with('#') && lower.ends_with('#'))
        || is_vim_probe(name)
        || is_sed_copy(name)
        || has_numbered_tmp(&lower)
}

/// Vim asks whether it may write a folder by making `4913`, and, where that is taken, 123 more each time.
fn is_vim_probe(name: &str) -> bool {
    name.parse::<u32>()
        .is_ok_and(|n| (4_913..50_000).contains(&n) && (n - 4_913).is_multiple_of(123))
}

/// `sed -i` writes to `sed` and six random characters.
fn is_sed_copy(name: &str) -> bool {
    let random = name
        .strip_prefix("sed")
        .filter(|rest| rest.len() == 6 && rest.is_ascii());
    random.is_some_and(|rest| {
        rest.bytes().all(|b| b.is_ascii_alphanumeric()) && rest.bytes().any(|b| !b.is_ascii_lowercase())
    })
}

/// `note.md.tmp.4711.1763721234567`, as agents' tools name what they are about to rename.
fn has_numbered_tmp(name: &str) -> bool {
    name.split_once(".tmp.").is_some_and(|(_, rest)| {
        let is_markdown = Path::new(rest).extension() == Some(OsStr::new("md"));
        !is_markdown
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_editors_leave_for_a_moment() {
        for name in [
            "4913",
            "5036",
            ".a.md.swp",
            "a.md.swo",
            "a.md~",
            "#a.md#",
            ".#a.md",
            "a.md.tmp",
            "a.TMP",
            "~$a.md",
            "a.md___jb_tmp___",
            ".goutputstream-X1Y2Z3",
            "sedA1b2C3",
            ".~lock.a.md#",
            "a.md.tmp.4711.1763721234567",
        ] {
            assert!(is_editor_temporary(name), "{name}");
        }
    }

    #[test]
    fn leaves_memories_alone() {
        for name in [
            "a.md",
            "4914",
            "4913.md",
            "sedation",
            "sedan-cars.md",
            "#",
            "#1.md",
            "tmp.md",
            "a.tmp.md",
            "x.tmp.notes.md",
            "x.tmp.2026.md",
            "ノート.md",
        ] {
            assert!(!is_editor_temporary(name), "{name}");
        }
    }
}
