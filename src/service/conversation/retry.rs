//! What could not be written is tried again at the next event of its session.

use crate::evidence::{Event, EventType};
use crate::store::{StoreError, Waiting, WaitingWrite};

use super::super::ServiceError;
use super::super::adding::Fate;
use super::Conversations;
use super::message::Wanted;

impl Conversations {
    /// Writes down what waits, behind what waits already. It has been promised to the user: an error here is the host's.
    pub(super) fn wait_for(&mut self, session: &str, more: Vec<WaitingWrite>) -> Result<(), ServiceError> {
        if more.is_empty() {
            return Ok(());
        }
        let folder = self.states.folder(session);
        let _lock = folder.lock(super::WAIT_FOR_WRITER)?;
        let mut waiting = folder.waiting()?;
        waiting.extend(more);
        Ok(folder.keep_waiting(&waiting)?)
    }

    /// Tries again what waits in a session, in the order in which it was heard; ends at the first that has to wait on.
    pub(super) fn retry(&mut self, session: &str) {
        let folder = self.states.folder(session);
        if !folder.has_waiting() {
            return;
        }
        if let Err(error) = self.retry_all(session) {
            self.log(&format!(
                "session {}: what waits could not be tried again: {error}",
                folder.hash()
            ));
        }
    }

    fn retry_all(&mut self, session: &str) -> Result<(), ServiceError> {
        let folder = self.states.folder(session);
        self.store_for_writing()?;
        while let Some(first) = folder.waiting()?.into_iter().next() {
            let is_settled = self.try_again(session, &first.what);
            // More may have been written down meanwhile, behind it.
            let _lock = folder.lock(super::WAIT_FOR_WRITER)?;
            let mut waiting = folder.waiting()?;
            match waiting.first_mut() {
                Some(still) if *still == first && is_settled => {
                    waiting.remove(0);
                }
                Some(still) if *still == first => still.attempts += 1,
                _ => {}
            }
            folder.keep_waiting(&waiting)?;
            if !is_settled {
                break;
            }
        }
        Ok(())
    }

    /// Whether it need not wait any longer: it is stored, or refused for good.
    fn try_again(&mut self, session: &str, what: &Waiting) -> bool {
        match what {
            Waiting::Memory { kind, text } => {
                let wanted = Wanted {
                    kind: kind.clone(),
                    text: text.clone(),
                };
                match self.store_wanted(session, &[wanted]).pop() {
                    Some(Fate::Waits(_)) | None => false,
                    Some(Fate::Arrived(_)) => true,
                    Some(Fate::Refused(_)) => {
                        let event = Event::new(EventType::PromotionRetryExhausted).preview(text);
                        self.record(session, vec![event]);
                        true
                    }
                }
            }
            Waiting::Summary { text } => self.learn(session, text).is_ok(),
        }
    }
}

/// What is recorded when nothing could be written at all.
pub(super) fn lock_event(error: &ServiceError) -> Event {
    let event_type = match error {
        ServiceError::Store(StoreError::Git(crate::git::GitError::Busy { .. })) => {
            EventType::StorageLockTimeout
        }
        _ => EventType::HookFailed,
    };
    Event::new(event_type).detail("reason", error.to_string())
}
