//! The beginning and the end of a session, for hosts that tell of them and have no process that lives as long.

use crate::policy::ForcedBy;
use crate::store::session_hash;

use super::Conversations;

/// The way in which a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionBeginning {
    /// It is new, or goes on where it was left: it is given what was frozen for it, if that still holds.
    NewOrResumed,
    /// The user has thrown the conversation away.
    Cleared,
    /// A summary has taken the place of the conversation.
    Compacted,
}

impl Conversations {
    /// A session begins, and is open until it ends. Where nothing is left of what it was given before, its prompt is a new
    /// one.
    pub fn begun(&mut self, session: &str, beginning: SessionBeginning) {
        let session = session_hash(session);
        self.retry(&session);
        let folder = self.states.folder(&session);
        let forced = match beginning {
            SessionBeginning::NewOrResumed => Ok(()),
            SessionBeginning::Cleared => folder.force(ForcedBy::Flush),
            SessionBeginning::Compacted => folder.force(ForcedBy::Compaction),
        };
        // A store that can only be read still has memories.
        if let Err(error) = forced.and_then(|()| folder.mark_open()) {
            tracing::warn!(%error, "the beginning of a session is not noted");
        }
    }

    /// A session ends. It may be resumed: its files stay until it has been idle for long.
    pub fn ended(&mut self, session: &str) {
        let session = session_hash(session);
        self.retry(&session);
        if let Err(error) = self.states.folder(&session).mark_over() {
            tracing::warn!(%error, "the end of a session is not noted");
        }
    }
}
