//! The roles of a store's files: memories, files that travel with them, and files that are nobody's.

use std::ffi::OsStr;
use std::path::Path;

use crate::model::{CLAUDE_INDEX, Kind, PathError, StorePath};
use crate::policy::Rules;
use crate::sys::is_editor_temporary;
use crate::text::folded_name;

/// The generated index.
pub const INDEX: &str = "MEMORY.md";
/// The generated list of what sync could not settle.
pub const CONFLICTS: &str = "CONFLICTS.md";
/// The text that says how to write a memory.
pub const PROTOCOL: &str = "PROTOCOL.md";
/// The settings of the store.
pub const SETTINGS: &str = "mdmem.toml";
/// The list of texts that must not come back.
pub const FORGOTTEN: &str = "forgotten";
/// The list of memories that contradict each other.
pub const CONTRADICTIONS: &str = "contradictions";
/// The local, rebuildable folder.
pub const LOCAL: &str = ".mdmem";
/// The dot files in the root of a store that are seen; others are invisible.
const DOT_FILES: [&str; 2] = [".gitattributes", ".gitignore"];
/// The files at the root of a store whose names no folder may have.
const OWN_FILES: [&str; 7] = [
    INDEX,
    CONFLICTS,
    PROTOCOL,
    SETTINGS,
    FORGOTTEN,
    CONTRADICTIONS,
    "README.md",
];
/// Files over this size (bytes) are named, not committed.
pub const MAX_FILE: u64 = 1 << 20;

/// The role of a file in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileRole {
    /// A memory.
    Memory(StorePath),
    /// Markdown whose name no store path allows: kept and committed, never rendered.
    Unnameable(PathError),
    /// Settings, PROTOCOL.md, README.md, an image beside a note: committed, no memory.
    Companion,
    /// Generated, temporary or hidden: not committed.
    Ignored,
}

/// Says whether mdmem sees a file of this path at all: it is neither generated, nor temporary, nor hidden.
pub(super) fn is_seen(path: &Path) -> bool {
    let is_temporary = || path.to_str().is_some() && path.file_name().is_some_and(is_editor_temporary);
    !(is_one_of(path, &[INDEX, CONFLICTS]) || is_hidden(path) || is_temporary())
}

/// Says whether no scan looks at a path: a part of it begins with a dot.
pub(super) fn is_hidden(path: &Path) -> bool {
    let begins_with_dot = |part: &OsStr| part.as_encoded_bytes().starts_with(b".");
    !is_one_of(path, &DOT_FILES) && path.iter().any(begins_with_dot)
}

/// Says whether a merge brings a file of this path to the folder: every one but those that mdmem makes itself.
pub(super) fn is_brought(path: &Path) -> bool {
    !(is_one_of(path, &[INDEX, CONFLICTS]) || path.starts_with(LOCAL))
}

fn is_one_of(path: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| path.as_os_str() == *name)
}

/// The role of a file, by its path below the store (`/` between parts; `None` when it is no UTF-8).
pub fn role(path: &Path) -> FileRole {
    let Some(text) = path.to_str() else {
        return FileRole::Unnameable(PathError::Character(path.to_string_lossy().into_owned()));
    };
    if !is_seen(path) {
        return FileRole::Ignored;
    }
    if [PROTOCOL, SETTINGS, FORGOTTEN, "README.md", CLAUDE_INDEX].contains(&text) || DOT_FILES.contains(&text)
    {
        return FileRole::Companion;
    }
    if path.extension().is_none_or(|extension| extension != "md") {
        return FileRole::Companion;
    }
    if let Some(part) = own_name_of_folder(path) {
        let (path, part) = (text.to_owned(), part.to_owned());
        return FileRole::Unnameable(PathError::Reserved { path, part });
    }
    StorePath::new(text).map_or_else(FileRole::Unnameable, FileRole::Memory)
}

/// The role of a file in a store with these settings: in an excluded folder nothing is a memory.
pub(super) fn role_in(path: &Path, rules: &Rules) -> FileRole {
    match role(path) {
        FileRole::Memory(memory) if rules.excludes(memory.as_str()) => FileRole::Companion,
        role => role,
    }
}

/// The first folder of a path, where its name is one that the store keeps for a file of its own, on any file system. A
/// folder in the place of `forgotten` stops every write.
pub fn own_name_of_folder(path: &Path) -> Option<&str> {
    let mut parts = path.iter();
    let first = parts.next()?.to_str()?;
    parts.next()?;
    let folded = folded_name(first);
    let is_own = OWN_FILES.iter().any(|name| folded_name(name) == folded);
    is_own.then_some(first)
}

/// The type that a memory has by its folder.
pub fn folder_kind(path: &StorePath, rules: &Rules) -> Option<Kind> {
    let kind = Kind::new(path.first_folder()?);
    rules.type_rule(&kind).map(|rule| rule.kind.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_one_role() {
        let roles = [
            "decision/a.md",
            "MEMORY.md",
            "README.md",
            "decision/README.md",
            "claude/MEMORY.md",
            "a/b.png",
            ".x.md",
            "aux.md",
        ];
        let is_memory: Vec<bool> = roles
            .iter()
            .map(|path| matches!(role(Path::new(path)), FileRole::Memory(_)))
            .collect();
        assert_eq!(is_memory, [true, false, false, true, false, false, false, false]);
        assert_eq!(role(Path::new(".mdmem/HOT.md")), FileRole::Ignored);
        for name in [
            "a.md.tmp",
            "project/#a.md#",
            "project/a.md.tmp.4711.1763721234567",
        ] {
            assert_eq!(role(Path::new(name)), FileRole::Ignored, "{name}");
        }
        assert!(matches!(role(Path::new("aux.md")), FileRole::Unnameable(_)));
    }

    #[test]
    fn no_memory_lies_below_the_name_of_a_file_of_the_store() {
        for path in [
            "forgotten/x.md",
            "Forgotten/a/x.md",
            "MEMORY.md/x.md",
            "memory.MD/x.md",
            "mdmem.toml/x.md",
            "Protocol.md/x.md",
            "conflicts.md/x.md",
            "README.md/x.md",
        ] {
            let found = role(Path::new(path));
            assert!(
                matches!(found, FileRole::Unnameable(PathError::Reserved { .. })),
                "{path}: {found:?}"
            );
        }
        for path in [
            "forgotten.md",
            "a/forgotten/x.md",
            "forgotten things/x.md",
            "readme/x.md",
        ] {
            assert!(matches!(role(Path::new(path)), FileRole::Memory(_)), "{path}");
        }
    }
}
