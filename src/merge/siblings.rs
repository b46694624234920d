//! Siblings: the versions of a memory that a merge set aside, because both sides changed the same lines.

use std::path::{Path, PathBuf};

use crate::document::{Key, KeyEdit, Value, edit};
use crate::model::{Id, Memory};
use crate::text::sha256_hex;

/// The word between a memory's name and the hash.
const MARK: &str = ".conflict-";

/// A version that is set aside.
pub(super) struct Sibling {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

impl Sibling {
    /// The sibling of a memory at `path` with this id, or of one whose sibling is at `path`.
    pub(super) fn new(path: &Path, id: &Id, aside: &[u8]) -> Self {
        let path = family(path).unwrap_or_else(|| path.to_owned());
        let bytes = marked(aside, id);
        let hash = sha256_hex(&bytes);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let end = format!("{MARK}{}.md", &hash[..8]);
        let stem = &stem[..stem.floor_char_boundary(255 - end.len())];
        Self {
            path: path.with_file_name(format!("{stem}{end}")),
            bytes,
        }
    }
}

/// The version with `conflict_of` in place of its id.
fn marked(aside: &[u8], id: &Id) -> Vec<u8> {
    let of = Value::Text(id.to_string());
    let edits = [KeyEdit::Remove(Key::Id), KeyEdit::Set(Key::ConflictOf, of)];
    edit(aside, &edits).unwrap_or_else(|_| {
        // A frontmatter that cannot be read becomes a part of the text.
        let front = format!("---\nconflict_of: {id}\n---\n\n");
        [front.as_bytes(), aside].concat()
    })
}

/// Says whether a file has the name of a sibling.
pub(super) fn is_named_sibling(path: &Path) -> bool {
    family(path).is_some()
}

/// Says whether a memory says that it is a sibling.
pub(super) fn is_sibling(memory: Option<&Memory>) -> bool {
    memory.is_some_and(|memory| memory.conflict_of.is_some())
}

/// The memory whose sibling a path names.
fn family(path: &Path) -> Option<PathBuf> {
    let stem = path.to_str()?.strip_suffix(".md")?;
    let (memory, hash) = stem.rsplit_once(MARK)?;
    let is_hash = hash.len() == 8 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_hash.then(|| PathBuf::from(format!("{memory}.md")))
}
