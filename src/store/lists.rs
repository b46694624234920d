//! The store's file `forgotten`: read for everybody, and lifted by what a person says or writes again.
//!
//! The store's file `contradictions`: read for everybody.
//!
//! MEMORY.md, and CONFLICTS.md while there is something to settle. Whoever changes a store writes them once, at the end,
//! and only where they may say something else.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use super::contents::{CONFLICTS, CONTRADICTIONS, FORGOTTEN, INDEX, MAX_FILE};
use super::difference::Change;
use super::{Snapshot, Store, StoreError, StoredFile, Writer};
use crate::document::{Contradiction, Contradictions, Forgotten, Tombstone};
use crate::git::hash_blob;
use crate::model::{Id, Memory, StorePath, Zone};
use crate::policy::{Reason, Rules, zone};
use crate::render::{Contradicting, Unsettled};
use crate::sys::{Exchange, FileStat, SysError};
use crate::text::canonical;
use crate::{render, sys};

/// The number of attempts at a file that somebody else keeps saving.
const ATTEMPTS: usize = 8;

impl Store {
    /// Reads the list of forgotten memories; an empty one where there is no such file.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        let read = sys::read_if_there(self.root(), FORGOTTEN, MAX_FILE)?;
        Ok(read.map_or_else(Forgotten::default, |file| Forgotten::parse(&file.bytes)))
    }

    /// The stat of that list: as long as it says the same, the list is the same.
    pub fn forgotten_stat(&self) -> Option<FileStat> {
        sys::stat(self.root(), FORGOTTEN).ok().flatten()
    }
}

impl Writer<'_> {
    /// Takes the lines that `choose` picks out of force. True where there are such lines: the caller commits the file.
    pub fn lift(&mut self, choose: impl Fn(&Forgotten) -> Vec<Tombstone>) -> Result<bool, StoreError> {
        for _ in 0..ATTEMPTS {
            let Some(read) = sys::read_if_there(self.store.root(), FORGOTTEN, MAX_FILE)? else {
                return Ok(false);
            };
            let forgotten = Forgotten::parse(&read.bytes);
            let chosen = choose(&forgotten);
            if chosen.is_empty() {
                return Ok(false);
            }
            let tokens = chosen.iter().map(|tombstone| tombstone.token.as_str());
            let lifted = forgotten.lift(tokens, self.now()).to_bytes();
            if self.replace(FORGOTTEN, &read.bytes, &lifted)? == Exchange::Exchanged {
                return Ok(true);
            }
        }
        Err(StoreError::Contended {
            path: FORGOTTEN.into(),
        })
    }

    /// Lifts what somebody has just written anew: a file with the id or the words of what was forgotten, or one that
    /// was edited into its words. Gives the change of `forgotten`, for the commit of the save. A person's save is
    /// committed also where that file cannot be read or written, and people are told.
    pub(super) fn lift_what_is_written(&mut self, changes: &[Change]) -> Result<Option<Change>, StoreError> {
        let written = |change: &Change| match change {
            Change::Added(path) | Change::Edited(path) => {
                let path = StorePath::new(path.to_str()?).ok()?;
                Some(self.loaded.snapshot.file(&path)?.memory.clone())
            }
            Change::Removed(_) | Change::Renamed { .. } => None,
        };
        let written: Vec<(&Change, Memory)> = changes
            .iter()
            .filter_map(|change| Some((change, written(change)?)))
            .collect();
        if written.is_empty() {
            return Ok(None);
        }
        let forgotten = match self.store.forgotten() {
            Ok(forgotten) => forgotten,
            Err(error) => {
                self.notices
                    .push(format!("the list of forgotten memories cannot be read: {error}"));
                return Ok(None);
            }
        };
        let mut anew = Vec::new();
        for (change, memory) in written {
            let said = |memory: &Memory| canonical(memory.content.keyed_text());
            let is_anew = match change {
                Change::Added(_) => forgotten.about(&memory).next().is_some(),
                // A save of other keys says nothing about the words.
                change => {
                    forgotten.holds(memory.content.keyed_text())
                        && self
                            .memory_in_head(change.path())?
                            .is_some_and(|before| said(&before) != said(&memory))
                }
            };
            if is_anew {
                anew.push(memory);
            }
        }
        let lifted = |forgotten: &Forgotten| {
            let about = anew.iter().flat_map(|memory| forgotten.about(memory));
            about.cloned().collect()
        };
        match self.lift(lifted) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => {
                self.notices.push(format!(
                    "`forgotten` could not be updated for a memory that was written again: {error}"
                ));
                return Ok(None);
            }
        }
        self.notices.extend(anew.iter().map(|memory| {
            format!(
                "{} was forgotten for good, but was written again and stays",
                memory.path
            )
        }));
        let is_there = changes.iter().any(|change| change.path() == Path::new(FORGOTTEN));
        Ok((!is_there).then(|| Change::Edited(FORGOTTEN.into())))
    }
}

/// A contradiction whose two memories are in force.
#[derive(Debug, Clone)]
pub struct OpenContradiction<'s> {
    /// The pair, and the reason.
    pub told: Contradiction,
    /// The memory with the lesser id.
    pub a: &'s Memory,
    /// The other one.
    pub b: &'s Memory,
}

impl OpenContradiction<'_> {
    /// The pair as CONFLICTS.md shows it.
    pub fn as_contradicting(&self) -> Contradicting<'_> {
        Contradicting {
            a: self.a,
            b: self.b,
            why: &self.told.why,
        }
    }
}

impl Store {
    /// The list of contradictions that a snapshot has; an empty one where it has no such file.
    pub fn contradictions(&self, snapshot: &Snapshot) -> Result<Contradictions, StoreError> {
        let path = Path::new(CONTRADICTIONS);
        let Some(blob) = snapshot.other(path).and_then(|file| file.blob) else {
            return Ok(Contradictions::default());
        };
        let present = sys::read_if_there(self.root(), CONTRADICTIONS, MAX_FILE)?;
        let bytes = match present.filter(|file| hash_blob(&file.bytes) == blob) {
            Some(file) => file.bytes,
            // An earlier time, or saved since: the repository has what was committed.
            None => self.repo().blob(blob).unwrap_or_default(),
        };
        Ok(Contradictions::parse(&bytes))
    }

    /// The contradictions that nobody has settled, of memories that are both in force.
    pub fn open_contradictions<'s>(
        &self,
        snapshot: &'s Snapshot,
    ) -> Result<Vec<OpenContradiction<'s>>, StoreError> {
        let told = self.contradictions(snapshot)?;
        if told.open().is_empty() {
            return Ok(Vec::new());
        }
        let is_in_force =
            |memory: &&Memory| memory.is_active() && zone(&memory.path, self.rules()) != Zone::Archive;
        let readable = snapshot.files.iter().filter(|file| file.is_readable);
        let in_force = readable.map(|file| &file.memory).filter(is_in_force);
        let by_id: HashMap<&Id, &Memory> = in_force.map(|memory| (&memory.id, memory)).collect();
        let open = told.open().iter().filter_map(|told| {
            Some(OpenContradiction {
                a: by_id.get(&told.a)?,
                b: by_id.get(&told.b)?,
                told: told.clone(),
            })
        });
        Ok(open.collect())
    }
}

impl Writer<'_> {
    /// Brings MEMORY.md and the folders of the types up to date, which is the last thing that a writer does, and gives
    /// what people should be told of all that it did. A MEMORY.md that cannot be written is told too, and fails
    /// nothing: the files say the same, and the next writer tries again. After a kill just before, the next writer
    /// finds that it is old.
    pub fn finish(&mut self) -> Vec<String> {
        if let Err(error) = self.write_index() {
            tracing::warn!(%error, "MEMORY.md could not be updated");
            self.notices
                .push(format!("MEMORY.md could not be updated: {error}"));
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
        let open = self.store.open_contradictions(&self.loaded.snapshot)?;
        let text = if self.store.has_its_settings() {
            index_text(&self.loaded.snapshot, self.store.rules(), open.len())
        } else {
            // This writer, or somebody else meanwhile, brought other settings, which show the files in another way.
            let now = self.store.reopened()?;
            let files = now.load()?;
            index_text(&files, now.rules(), now.open_contradictions(&files)?.len())
        };
        sys::write_atomic(&root.join(INDEX), text.as_bytes())?;
        let conflicts = root.join(CONFLICTS);
        let pairs: Vec<Contradicting<'_>> = open.iter().map(OpenContradiction::as_contradicting).collect();
        let memories: Vec<&Memory> = readable(&self.loaded.snapshot).map(|file| &file.memory).collect();
        match render::conflicts_page(&memories, &pairs) {
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

/// The text of MEMORY.md for a snapshot.
fn index_text(snapshot: &Snapshot, rules: &Rules, contradictions: usize) -> String {
    let memories = readable(snapshot).map(|file| (file.zone, &file.memory));
    let needing = snapshot.files.iter().filter(|file| file.needs_attention());
    let unsettled = Unsettled {
        files: snapshot.problems.len() + needing.count(),
        contradictions,
    };
    render::index(&memories.collect::<Vec<_>>(), rules, unsettled)
}

fn readable(snapshot: &Snapshot) -> impl Iterator<Item = &StoredFile> {
    let files = snapshot.files.iter().map(|file| &**file);
    files.filter(|file| file.is_readable && file.eligibility != Err(Reason::Planted))
}
