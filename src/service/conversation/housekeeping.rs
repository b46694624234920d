//! Housekeeping after earlier conversations: their pending writes are tried again, and sessions that nobody came back
//! to are removed.

use std::collections::BTreeSet;

use crate::store::SessionFolder;

use super::super::ServiceError;
use super::{Conversations, HeardLine};

/// Milliseconds after which a session that nothing was heard of is swept.
const IDLE: i64 = 30 * 24 * 60 * 60 * 1000;

impl Conversations {
    /// Tries the pending writes of every session of the workspace again, then removes the sessions that have been idle
    /// for 30 days. For when a host begins, beside its first prompt.
    pub fn keep_house(&mut self) -> Result<(), ServiceError> {
        self.settle()?;
        self.sweep_outputs();
        if let Err(error) = self.states.sessions().forget_deletions(self.now()) {
            tracing::warn!(%error, "the mark of a deleted session could not be removed");
        }
        for folder in self.states.sessions().folders()? {
            if !folder.has_waiting() && self.is_left(&folder) {
                // Its conversation may go on at this very moment: it is looked at again while nobody else can write.
                let removed = folder.remove_if(self.wait(), |folder| self.is_left(folder));
                if let Err(error) = removed {
                    tracing::warn!(%error, "the files of an idle session could not be removed");
                }
            }
        }
        Ok(())
    }

    /// Tries the pending writes of every session of the workspace again; gives those that are settled.
    pub fn settle(&mut self) -> Result<Vec<HeardLine>, ServiceError> {
        let folders = self.states.sessions().folders()?.into_iter();
        let sessions = folders.map(|folder| folder.hash().to_owned());
        let sessions: BTreeSet<String> = sessions.chain(self.pending.outside()).collect();
        for session in sessions {
            self.retry_session(&session);
        }
        Ok(self.settled.values().flatten().cloned().collect())
    }

    /// True for a session that nobody comes back to: its host has deleted it, or it has been idle for long. A time in
    /// the future (the clock was set back) is no idleness.
    fn is_left(&self, folder: &SessionFolder) -> bool {
        let is_idle = |written| self.now().millis_since(written) > IDLE;
        folder.is_deleted() || folder.last_written().is_none_or(is_idle)
    }
}
