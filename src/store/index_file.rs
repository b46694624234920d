//! MEMORY.md, and CONFLICTS.md while there is something to settle. Whoever changes a store writes them once, at the end,
//! and only where they may say something else.

use std::io::ErrorKind;

use crate::model::{Memory, Zone};
use crate::render::{self, Contradicting, Unsettled};
use crate::sys::{self, SysError};

use super::contents::{CONFLICTS, INDEX};
use super::{OpenContradiction, Snapshot, Store, StoreError, Writer};

impl Writer<'_> {
    /// Brings MEMORY.md and the folders of the types up to date, which is the last thing that a writer does, and gives
    /// what people should be told of all that it did. A MEMORY.md that cannot be written is told too, and fails
    /// nothing: the files say the same, and the next writer tries again. After a kill just before, the next writer
    /// finds that it is old.
    pub fn finish(&mut self) -> Vec<String> {
        if let Err(error) = self.write_index() {
            tracing::warn!(%error, "MEMORY.md is not up to date");
            self.notices.push(format!("MEMORY.md is not up to date: {error}"));
        }
        if let Err(error) = self.store.make_folders() {
            tracing::debug!(%error, "a type has no folder");
        }
        std::mem::take(&mut self.notices)
    }

    fn write_index(&mut self) -> Result<(), StoreError> {
        let root = self.store.root();
        let stat = || sys::stat(root, INDEX).ok().flatten();
        if self.loaded.index.is_some() && self.loaded.index == stat() {
            return Ok(());
        }
        let text = if self.store.has_its_settings() {
            self.store.index_text(&self.loaded.snapshot)?
        } else {
            // This writer, or somebody else meanwhile, brought other settings, which show the files in another way.
            let now = self.store.reopened()?;
            now.index_text(&now.load()?)?
        };
        sys::write_atomic(&root.join(INDEX), text.as_bytes())?;
        let conflicts = root.join(CONFLICTS);
        let snapshot = &self.loaded.snapshot;
        let open = self.store.open_contradictions(snapshot)?;
        let pairs: Vec<Contradicting<'_>> = open.iter().map(OpenContradiction::as_contradicting).collect();
        match render::conflicts_page(&readable(snapshot), &pairs) {
            Some(text) => drop(sys::write_atomic(&conflicts, text.as_bytes())?),
            None => match std::fs::remove_file(&conflicts) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(SysError::io("remove", conflicts, error).into());
                }
                _ => {}
            },
        }
        self.loaded.index = stat();
        Ok(())
    }
}

impl Store {
    /// The text of MEMORY.md for a snapshot.
    pub fn index_text(&self, snapshot: &Snapshot) -> Result<String, StoreError> {
        let unsettled = Unsettled {
            files: snapshot.files_needing_attention(),
            contradictions: self.open_contradictions(snapshot)?.len(),
        };
        let readable = snapshot.files.iter().filter(|file| file.is_readable);
        let memories: Vec<(Zone, &Memory)> = readable.map(|file| (file.zone, &file.memory)).collect();
        Ok(render::index(&memories, self.rules(), unsettled))
    }
}

fn readable(snapshot: &Snapshot) -> Vec<&Memory> {
    let readable = snapshot.files.iter().filter(|file| file.is_readable);
    readable.map(|file| &file.memory).collect()
}
