//! What the log of a store holds, read.

use std::path::Path;

use super::limits::MOST_READ;
use super::line::{self, Line};
use super::{FILE, RecordedEvent};
use crate::sys::{LineFile, SysError};

/// What a log holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The events that this program understands, in the order in which they were recorded: the oldest first.
    pub events: Vec<RecordedEvent>,
    /// How many lines are no events.
    pub unreadable: usize,
    /// How many lines a newer program wrote.
    pub newer: usize,
    /// The size of the file, in bytes.
    pub bytes: u64,
}

impl Evidence {
    /// Reads the log of the store at `root`. No file is no evidence, and a line that cannot be read is only counted.
    pub fn read(root: &Path) -> Result<Self, SysError> {
        let bytes = LineFile::new(root, FILE).read(MOST_READ)?.unwrap_or_default();
        let mut evidence = Self {
            bytes: bytes.len() as u64,
            ..Self::default()
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            match line::read(line) {
                Line::Event(event) => evidence.events.push(*event),
                Line::Newer(_) => evidence.newer += 1,
                Line::Unreadable => evidence.unreadable += 1,
                Line::Blank => {}
            }
        }
        Ok(evidence)
    }
}
