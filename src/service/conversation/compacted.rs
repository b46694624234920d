//! A summary was written: its candidates are stored, and a new epoch begins.

use crate::capture;
use crate::evidence::{Event, EventType};
use crate::policy::ForcedBy;
use crate::store::{Waiting, session_hash};

use super::super::{PromptTiming, ServiceError};
use super::pending::BEHIND;
use super::summary::Extraction;
use super::{Conversations, HeardLine, Kept, short_hash};

/// The id of a summary in the journal, where it was kept before the host stored it.
fn kept(summary: &str) -> String {
    format!("kept:{}", short_hash(summary))
}

impl Conversations {
    /// Reads the summary of a session, once, and gives the outcome of its lines, in order. The lines that cannot be stored
    /// now become a pending write.
    pub fn compacted(&mut self, session: &str, summary: &str) -> Result<Vec<HeardLine>, ServiceError> {
        let session = session_hash(session);
        self.retry();
        let _turn = self.turn(&session);
        let id = format!("summary:{}", short_hash(summary));
        if self.is_handled(&session, &id) {
            return Ok(Vec::new());
        }
        let kept = kept(summary);
        let is_kept = self.is_handled(&session, &kept) || self.pending.holds(&session, &kept);
        // Behind earlier pending writes: a lock that those did not get a moment ago would only be waited for again.
        let is_behind = self.pending.is_waiting(&session);
        let extraction = if is_behind || is_kept {
            Extraction::default()
        } else {
            self.extract(&session, summary, 0)
        };
        if !is_kept && (is_behind || extraction.failure.is_some()) {
            self.write_rest(&session, summary, &id, &extraction)?;
        }
        // First of all, because a summary that is known is not looked at again. Where the prompt is a part of the
        // conversation, the summary itself says what it teaches.
        let forced = match self.prompts {
            PromptTiming::AtEveryStep => self.states.folder(&session).force(ForcedBy::Compaction),
            PromptTiming::AtSessionStart => Ok(()),
        };
        self.change_state(&session, |state| {
            state.handle(&id);
            state.has_request = false;
            state.end_listed_todos();
            state.working.pool.compact();
            state.context.compacted();
        });
        forced?;
        Ok(extraction.lines)
    }

    /// Keeps what a summary teaches in the journal, before the host stores the summary, and
    /// gives the summary without it. It is learned at the session's next event.
    pub fn summarized(&mut self, session: &str, summary: &str) -> Result<String, ServiceError> {
        let session = session_hash(session);
        let left = capture::without_candidates(summary);
        let kept = kept(summary);
        let is_known = self.is_handled(&session, &kept) || self.pending.holds(&session, &kept);
        if left != summary && !is_known {
            if let Err(error) = self.make_store() {
                tracing::debug!(%error, "a summary is kept outside the store");
            }
            let whole = Waiting::Summary {
                text: self.redact(summary),
                done: 0,
            };
            let write = self.waiting(&session, whole, &kept, "");
            if let Kept::InMemory(_) = self.wait_for(vec![write])? {
                // The host keeps it whole: it must not depend on this program's life.
                return Ok(summary.to_owned());
            }
        }
        Ok(left.into_owned())
    }

    /// Makes the rest of a summary a pending write.
    fn write_rest(
        &mut self,
        session: &str,
        summary: &str,
        id: &str,
        extraction: &Extraction,
    ) -> Result<(), ServiceError> {
        let reason = extraction.failure.as_ref().map(ToString::to_string);
        let reason = reason.unwrap_or_else(|| BEHIND.to_owned());
        let rest = Waiting::Summary {
            text: self.redact(summary),
            done: extraction.lines.len(),
        };
        let write = self.waiting(session, rest, id, &reason);
        self.wait_for(vec![write])?;
        let event = Event::new(EventType::PromotionRetryScheduled).detail("reason", reason);
        self.record(session, vec![event]);
        Ok(())
    }
}
