//! The store's file `forgotten`: read for everybody, and lifted by what a person says or writes again.

use crate::document::{Forgotten, Tombstone};
use crate::sys::{self, Exchange};

use super::contents::{FORGOTTEN, MAX_FILE};
use super::writer::Writer;
use super::{Store, StoreError};

/// The number of attempts at a file that somebody else keeps saving.
const ATTEMPTS: usize = 8;

impl Store {
    /// What was forgotten for good; nothing where there is no such file.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        let read = sys::read_if_there(self.root(), FORGOTTEN, MAX_FILE)?;
        Ok(read.map_or_else(Forgotten::default, |file| Forgotten::parse(&file.bytes)))
    }
}

impl Writer<'_> {
    /// Takes the lines that `choose` picks out of force. True where there are such lines: the caller commits the file.
    pub fn lift<'a>(&mut self, choose: impl Fn(&Forgotten) -> Vec<Tombstone>) -> Result<bool, StoreError> {
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
}
