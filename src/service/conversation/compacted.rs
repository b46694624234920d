//! A summary was written: what it teaches is stored, and a new epoch begins.

use crate::evidence::{Event, EventType};
use crate::policy::ForcedBy;
use crate::store::{Waiting, WaitingWrite, session_hash};
use crate::text::sha256_hex;

use super::super::ServiceError;
use super::Conversations;
pub use super::summary::{Learned, LearnedLine};

impl Conversations {
    /// Learns from the summary of a session, once. What cannot be stored now is written down for the next event.
    pub fn compacted(&mut self, session: &str, summary: &str) -> Result<Learned, ServiceError> {
        let session = session_hash(session);
        self.retry(&session);
        let now = self.now();
        let hash: String = sha256_hex(summary.as_bytes()).chars().take(16).collect();
        let id = format!("summary:{hash}");
        if self.states.get(&session, now).handled.contains(&id) {
            return Ok(Learned::default());
        }
        let learned = match self.learn(&session, summary) {
            Ok(learned) => learned,
            Err(error) => {
                self.write_down(&session, summary, &error)?;
                Learned::default()
            }
        };
        self.change_state(&session, |state| {
            // Another process may have read it since.
            let _ = state.handle(&id);
            state.has_request = false;
        });
        self.states.folder(&session).force(ForcedBy::Compaction)?;
        Ok(learned)
    }

    fn write_down(&mut self, session: &str, summary: &str, error: &ServiceError) -> Result<(), ServiceError> {
        let event = Event::new(EventType::PromotionRetryScheduled).detail("reason", error.to_string());
        self.record(session, vec![event]);
        let write = WaitingWrite {
            what: Waiting::Summary {
                text: self.redact(summary),
            },
            at: self.now(),
            attempts: 1,
        };
        self.wait_for(session, vec![write])
    }
}
