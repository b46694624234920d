//! MEMORY.md, written when it differs from what the files say.

use crate::model::Memory;
use crate::render;
use crate::sys;

use super::contents::INDEX;
use super::{Snapshot, Store, StoreError};

impl Store {
    /// Brings MEMORY.md in line with a snapshot.
    pub fn write_index(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
        let text = self.index_text(snapshot);
        sys::write_atomic(&self.root().join(INDEX), text.as_bytes())?;
        Ok(())
    }

    /// What MEMORY.md holds for a snapshot.
    pub fn index_text(&self, snapshot: &Snapshot) -> String {
        let memories: Vec<&Memory> = snapshot
            .files
            .iter()
            .filter(|file| file.is_readable)
            .map(|file| &file.memory)
            .collect();
        render::index(&memories, self.rules(), snapshot.files_needing_attention())
    }
}
