//! What is left of earlier conversations: writes that wait are tried again, and what nobody came back to goes.

use crate::store::SessionFolder;

use super::super::{Context, ServiceError};
use super::{Conversations, WAIT_FOR_WRITER};

/// Milliseconds after which a session that nothing was heard of is swept.
const IDLE: i64 = 30 * 24 * 60 * 60 * 1000;

/// Tries again what waits in any session of the workspace, then removes the sessions that have been idle for 30 days.
/// Made when a host begins, beside its first prompt.
pub fn housekeep(context: Context, host: &str) -> Result<(), ServiceError> {
    let mut conversations = Conversations::open(context, host)?;
    for folder in conversations.states.sessions().folders()? {
        if folder.has_waiting() {
            conversations.retry(folder.hash());
        } else if conversations.is_idle(&folder) {
            // Its conversation may go on at this very moment: it is looked at again while nobody else can write.
            let removed = folder.remove_if(WAIT_FOR_WRITER, |folder| conversations.is_idle(folder));
            if let Err(error) = removed {
                tracing::warn!(%error, "the files of an idle session could not be removed");
            }
        }
    }
    Ok(())
}

impl Conversations {
    /// A time in the future (the clock was set back) is no idleness.
    fn is_idle(&self, folder: &SessionFolder) -> bool {
        folder
            .last_written()
            .is_none_or(|written| self.now().millis_since(written) > IDLE)
    }
}
