//! MEMORY.md. Whoever changes a store writes it once, at the end, and only where it may say something else.

use crate::model::Memory;
use crate::render;
use crate::sys;

use super::contents::INDEX;
use super::{Snapshot, Store, StoreError, Writer};

impl Writer<'_> {
    /// Brings MEMORY.md up to date, which is the last thing that a writer does, and gives what people should be told of
    /// all that it did. A MEMORY.md that cannot be written is told too, and fails nothing: the files say the same, and
    /// the next writer tries again. After a kill just before, the next writer finds that it is old.
    pub fn finish(&mut self) -> Vec<String> {
        if let Err(error) = self.write_index() {
            tracing::warn!(%error, "MEMORY.md is not up to date");
            self.notices.push(format!("MEMORY.md is not up to date: {error}"));
        }
        std::mem::take(&mut self.notices)
    }

    fn write_index(&mut self) -> Result<(), StoreError> {
        let root = self.store.root();
        let stat = || sys::stat(root, INDEX).ok().flatten();
        if self.loaded.index.is_some() && self.loaded.index == stat() {
            return Ok(());
        }
        let text = self.store.index_text(&self.loaded.snapshot);
        sys::write_atomic(&root.join(INDEX), text.as_bytes())?;
        self.loaded.index = stat();
        Ok(())
    }
}

impl Store {
    /// The text of MEMORY.md for a snapshot.
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
