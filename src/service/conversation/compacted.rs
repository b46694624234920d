//! A summary was written: what it teaches is stored, and a new epoch begins.

use crate::evidence::{Event, EventType};
use crate::policy::ForcedBy;
use crate::store::{Waiting, WaitingWrite, session_hash};
use crate::text::sha256_hex;

use super::super::ServiceError;
use super::Conversations;
use super::summary::Lesson;
pub use super::summary::{Learned, LearnedLine};

impl Conversations {
    /// Learns from the summary of a session, once. What cannot be stored now is written down for the next event.
    pub fn compacted(&mut self, session: &str, summary: &str) -> Result<Learned, ServiceError> {
        let session = session_hash(session);
        self.retry(&session);
        let _turn = self.turn(&session);
        let now = self.now();
        let hash: String = sha256_hex(summary.as_bytes()).chars().take(16).collect();
        let id = format!("summary:{hash}");
        if self.states.get(&session, now).handled.contains(&id) {
            return Ok(Learned::default());
        }
        // Behind what waits already: a lock that was held for that a moment ago would only be waited for again.
        let is_behind = self.states.folder(&session).has_waiting();
        let lesson = if is_behind {
            Lesson::default()
        } else {
            self.learn(&session, summary, 0)
        };
        if is_behind || lesson.failure.is_some() {
            self.write_down(&session, summary, &lesson)?;
        }
        // First of all, because a summary that is known is not looked at again.
        let forced = self.states.folder(&session).force(ForcedBy::Compaction);
        self.change_state(&session, |state| {
            // Another process may have read it since.
            let _ = state.handle(&id);
            state.has_request = false;
        });
        forced?;
        Ok(Learned { lines: lesson.lines })
    }

    /// Writes down what is left of a summary. Without a store there is no place for it: the host sends it again.
    fn write_down(&mut self, session: &str, summary: &str, lesson: &Lesson) -> Result<(), ServiceError> {
        let reason = lesson.failure.as_ref().map(ToString::to_string);
        let reason = reason.unwrap_or_else(|| "what was heard before waits still".to_owned());
        let write = WaitingWrite {
            what: Waiting::Summary {
                text: self.redact(summary),
                done: lesson.lines.len(),
            },
            at: self.now(),
            attempts: 1,
        };
        self.wait_for(session, vec![write])?;
        let event = Event::new(EventType::PromotionRetryScheduled).detail("reason", reason);
        self.record(session, vec![event]);
        Ok(())
    }
}
