//! The file in which a host keeps a conversation: each of its lines is read once, for the summaries among them.

use std::path::Path;

use crate::store::session_hash;
use crate::sys::{GrowingFile, SysError};

use super::super::ServiceError;
use super::Conversations;

/// The bytes that are read at one event; the next one goes on behind them.
const MOST: u64 = 16 << 20;

impl Conversations {
    /// Reads the lines that the host has written since the last reading, and learns from the summaries among them.
    /// `summary_of` gives the summary that a line is. A summary that cannot be learned from now is read again.
    pub fn transcript(
        &mut self,
        session: &str,
        file: &Path,
        summary_of: impl Fn(&[u8]) -> Option<String>,
    ) -> Result<(), ServiceError> {
        let hash = session_hash(session);
        let read = self.states.get(&hash, self.now()).transcript_read;
        let lines = GrowingFile::open(file)
            .and_then(|file| file.map(|file| file.lines_from(read, MOST)).transpose())
            .map_err(|error| SysError::io("read", file, error))?;
        let Some(lines) = lines else { return Ok(()) };
        for summary in lines.bytes.split(|byte| *byte == b'\n').filter_map(summary_of) {
            self.compacted(session, &summary)?;
        }
        if lines.end != read {
            self.change_state(&hash, |state| state.transcript_read = lines.end);
        }
        Ok(())
    }

    /// True from the prompt of a compaction that numbered memories to the reading of its summary.
    pub fn awaits_summary(&self, session: &str) -> bool {
        let state = self.states.get(&session_hash(session), self.now());
        state.numbered.is_some()
    }
}
