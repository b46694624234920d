//! The content of a store's log.

use std::path::Path;

use super::limits::MOST_READ;
use super::line::{self, Line};
use super::{FILE, RecordedEvent};
use crate::sys::{LineFile, SysError};

/// The content of a log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The events that this program understands, in the order in which they were recorded: the oldest first.
    pub events: Vec<RecordedEvent>,
    /// The number of lines that are no events.
    pub unreadable: usize,
    /// The number of lines that a newer program wrote.
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
