//! Use case: write the memories for others to read (`mdmem export`). The texts of each form are pure functions of the
//! memories; what is written where, and what stays as it is, is the same for all.

mod marked_block;
mod persons_file;
mod texts;
mod write;

use std::cmp::Ordering;

use serde::Serialize;

use crate::model::{Memory, Status, Zone};
use crate::policy::{ByInitialStrength, Rules, by_section, sort_by_initial_strength, zone};
use crate::store::{Snapshot, StoredFile};

pub(super) use marked_block::{Block, Marks, without, without_blocks};
pub(super) use persons_file::{PersonsFile, check_outside};
pub(super) use texts::{FOR_PEOPLE, VERSION, one, quiet};
pub use write::{ExportForm, ExportRequest, Exported, ExportedFile, FileState, export};

/// A memory that is not exported, and why.
#[derive(Debug, Serialize)]
pub struct LeftBehind {
    /// Its path.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// Parts the files into those that may leave the store, and those that hold what looks like a credential.
fn apart(present: &Snapshot) -> (Vec<&StoredFile>, Vec<LeftBehind>) {
    let mut open = Vec::new();
    let mut behind = Vec::new();
    for file in present.files.iter().map(AsRef::as_ref) {
        match kept_back(file) {
            None => open.push(file),
            Some(reason) => behind.push(LeftBehind {
                path: file.memory.path.to_string(),
                reason,
            }),
        }
    }
    (open, behind)
}

/// The reason why a file may not leave the store.
pub(super) fn kept_back(file: &StoredFile) -> Option<String> {
    let finding = file.findings.iter().find(|finding| !finding.is_allowed)?;
    Some(match finding.line {
        Some(line) if !finding.is_secret() => {
            format!("conflict markers of git (line {line})")
        }
        Some(line) => format!("suspected secret in line {line} ({})", finding.kind),
        None => format!("suspected secret in its name ({})", finding.kind),
    })
}

/// The files without those that may not leave the store.
pub(super) fn for_readers(files: &Snapshot) -> Snapshot {
    let mut files = files.clone();
    files.files.retain(|file| kept_back(file).is_none());
    files
}

/// The memories in force that a person would show, in the order of the index: what is pinned, then type by type, then the
/// rest.
fn in_force<'a>(files: &[&'a StoredFile], rules: &Rules) -> Vec<(Zone, &'a Memory)> {
    let shown = files.iter().filter(|file| {
        file.is_readable && file.memory.status == Status::Active && file.zone != Zone::Archive
    });
    let mut memories: Vec<ByInitialStrength<'_>> = shown
        .map(|file| ByInitialStrength::new(&file.memory, rules))
        .collect();
    let all = memories.len();
    sort_by_initial_strength(&mut memories, all);
    let memories = memories.into_iter().map(|sorted| sorted.memory);
    let mut memories: Vec<(Zone, &Memory)> = memories
        .map(|memory| (zone(&memory.path, rules), memory))
        .collect();
    memories.sort_by(|(a_zone, a), (b_zone, b)| {
        a_zone.cmp(b_zone).then_with(|| match a_zone {
            Zone::Ranked => by_section(&a.kind, &b.kind, rules),
            _ => Ordering::Equal,
        })
    });
    memories
}
