//! MEMORY.md, and CONFLICTS.md while there is something to settle. Whoever changes a store writes them once, at the end,
//! and only where they may say something else.

use std::io::ErrorKind;

use crate::model::{Memory, Zone};
use crate::policy::Rules;
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
        let readable = Readable::of(&self.loaded.snapshot);
        let open = self.store.open_contradictions(&self.loaded.snapshot)?;
        let text = if self.store.has_its_settings() {
            readable.index(self.store.rules(), open.len())
        } else {
            // This writer, or somebody else meanwhile, brought other settings, which show the files in another way.
            let now = self.store.reopened()?;
            now.index_text(&now.load()?)?
        };
        sys::write_atomic(&root.join(INDEX), text.as_bytes())?;
        let conflicts = root.join(CONFLICTS);
        match readable.conflicts(&open) {
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
        let open = self.open_contradictions(snapshot)?;
        Ok(Readable::of(snapshot).index(self.rules(), open.len()))
    }
}

/// What the two pages need of a snapshot, by one look at each of its files.
struct Readable<'s> {
    memories: Vec<(Zone, &'s Memory)>,
    needing_attention: usize,
    /// Tells whether a merge set one aside.
    has_sibling: bool,
}

impl<'s> Readable<'s> {
    fn of(snapshot: &'s Snapshot) -> Self {
        let mut readable = Self {
            memories: Vec::with_capacity(snapshot.files.len()),
            needing_attention: snapshot.problems.len(),
            has_sibling: false,
        };
        for file in &snapshot.files {
            readable.needing_attention += usize::from(file.needs_attention());
            if file.is_readable {
                readable.has_sibling |= file.memory.conflict_of.is_some();
                readable.memories.push((file.zone, &file.memory));
            }
        }
        readable
    }

    fn index(&self, rules: &Rules, contradictions: usize) -> String {
        let unsettled = Unsettled {
            files: self.needing_attention,
            contradictions,
        };
        render::index(&self.memories, rules, unsettled)
    }

    /// The text of CONFLICTS.md; `None` where there is nothing to settle.
    fn conflicts(&self, open: &[OpenContradiction<'_>]) -> Option<String> {
        if open.is_empty() && !self.has_sibling {
            return None;
        }
        let memories: Vec<&Memory> = self.memories.iter().map(|(_, memory)| *memory).collect();
        let pairs: Vec<Contradicting<'_>> = open.iter().map(OpenContradiction::as_contradicting).collect();
        render::conflicts_page(&memories, &pairs)
    }
}
