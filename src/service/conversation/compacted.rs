//! A summary was written: its candidates are stored, and a new epoch begins.

use crate::evidence::{Event, EventType};
use crate::policy::ForcedBy;
use crate::store::{Waiting, WaitingWrite, session_hash};

use super::super::ServiceError;
use super::retry::BEHIND;
use super::summary::Extraction;
use super::{Conversations, HeardLine, short_hash};

impl Conversations {
    /// Reads the summary of a session, once, and gives the outcome of its lines, in order. The lines that cannot be stored
    /// now become a pending write.
    pub fn compacted(&mut self, session: &str, summary: &str) -> Result<Vec<HeardLine>, ServiceError> {
        let session = session_hash(session);
        self.retry(&session);
        let turn = self.turn(&session);
        let id = format!("summary:{}", short_hash(summary));
        if self.is_handled(&session, &id) {
            return Ok(Vec::new());
        }
        let unless_handled = turn.is_err().then_some(&id);
        // Behind earlier pending writes: a lock that those did not get a moment ago would only be waited for again.
        let is_behind = unless_handled.is_some() || self.states.folder(&session).has_waiting();
        let extraction = if is_behind {
            Extraction::default()
        } else {
            self.extract(&session, summary, 0)
        };
        if is_behind || extraction.failure.is_some() {
            self.write_down(&session, summary, unless_handled, &extraction)?;
        }
        // First of all, because a summary that is known is not looked at again.
        let forced = self.states.folder(&session).force(ForcedBy::Compaction);
        self.change_state(&session, |state| {
            // Another process may have read it since.
            let _ = unless_handled.is_none() && state.handle(&id);
            state.has_request = false;
            state.end_listed_todos();
        });
        forced?;
        Ok(extraction.lines)
    }

    /// Makes the rest of a summary a pending write. Without a store there is no journal: the host sends it again.
    fn write_down(
        &mut self,
        session: &str,
        summary: &str,
        unless_handled: Option<&String>,
        extraction: &Extraction,
    ) -> Result<(), ServiceError> {
        let reason = extraction.failure.as_ref().map(ToString::to_string);
        let reason = reason.unwrap_or_else(|| BEHIND.to_owned());
        let write = WaitingWrite {
            what: Waiting::Summary {
                text: self.redact(summary),
                done: extraction.lines.len(),
            },
            at: self.now(),
            attempts: 1,
            unless_handled: unless_handled.cloned(),
        };
        self.wait_for(session, vec![write])?;
        let event = Event::new(EventType::PromotionRetryScheduled).detail("reason", reason);
        self.record(session, vec![event]);
        Ok(())
    }
}
