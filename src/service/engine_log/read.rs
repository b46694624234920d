//! Use case: what did the engine do? (`mdmem log --engine`)

use std::path::Path;

use super::{EngineLine, NAME};
use crate::service::ServiceError;
use crate::store::LOCAL;
use crate::sys::LogReader;

/// Reads the log of a store: the lines that are there, then those that come.
#[derive(Debug)]
pub struct EngineLogReader(LogReader);

impl EngineLogReader {
    /// A reader for the log of the store `root`, which need not be a store that can be opened.
    pub fn open(root: &Path) -> Result<Self, ServiceError> {
        Ok(Self(LogReader::open(root, Path::new(LOCAL).join(NAME))?))
    }

    /// The lines since the last question, the oldest first.
    pub fn next_lines(&mut self) -> Result<Vec<EngineLine>, ServiceError> {
        let bytes = self.0.next_lines()?;
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Ok(lines.map(EngineLine::parse).collect())
    }
}
