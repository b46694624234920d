//! The store's file `forgotten`: read for everybody, and lifted by what a person says or writes again.

use std::path::Path;

use crate::document::{Forgotten, Tombstone};
use crate::model::{Memory, StorePath};
use crate::sys::{self, Exchange, FileStat};
use crate::text::canonical;

use super::contents::{FORGOTTEN, MAX_FILE};
use super::difference::Change;
use super::writer::Writer;
use super::{Store, StoreError};

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
                    .push(format!("nobody can tell what was forgotten for good: {error}"));
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
                    "what was forgotten and is written again is not lifted: {error}"
                ));
                return Ok(None);
            }
        }
        self.notices.extend(anew.iter().map(|memory| {
            format!(
                "{} was forgotten for good; it is written again, and stays",
                memory.path
            )
        }));
        let is_there = changes.iter().any(|change| change.path() == Path::new(FORGOTTEN));
        Ok((!is_there).then(|| Change::Edited(FORGOTTEN.into())))
    }
}
