//! What could not be written is tried again at the next event of its session.

use std::time::Duration;

use crate::evidence::{Event, EventType};
use crate::store::{SessionFolder, StoreError, Waiting, WaitingWrite};
use crate::sys::FileLock;

use super::super::ServiceError;
use super::super::adding::Fate;
use super::Conversations;
use super::message::Wanted;

/// How long a server waits for another one that hears the same session: as long as that one may wait for the store, and
/// then work.
const WAIT_FOR_TURN: Duration = Duration::from_secs(5);

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

    /// Takes the turn to store what a session says, so that of two servers the second one sees what the first one has
    /// heard. Without it (nothing is kept here, or the other one takes long) the same may be heard twice, which is
    /// better than not at all: it is one memory all the same.
    pub(super) fn turn(&self, session: &str) -> Option<FileLock> {
        let folder = self.states.folder(session);
        if !folder.is_in_a_store() {
            return None;
        }
        let turn = folder.turn(WAIT_FOR_TURN);
        turn.inspect_err(|error| tracing::debug!(%error, "the session's turn was not taken"))
            .ok()
    }

    /// Tries again what waits in a session, in the order in which it was heard; ends at the first that has to wait on.
    pub(super) fn retry(&mut self, session: &str) {
        let folder = self.states.folder(session);
        if !folder.has_waiting() {
            return;
        }
        if let Err(error) = self.retry_all(session) {
            tracing::warn!(
                "session {}: what waits could not be tried again: {error}",
                folder.hash()
            );
        }
        if folder.is_deleted() {
            let removed = folder.remove_if(super::WAIT_FOR_WRITER, SessionFolder::is_deleted);
            if let Err(error) = removed {
                tracing::warn!(%error, "the files of a deleted session could not be removed");
            }
            self.write_newest();
        }
    }

    fn retry_all(&mut self, session: &str) -> Result<(), ServiceError> {
        let folder = self.states.folder(session);
        // One at a time: two that store the same line would count it as said twice.
        let Some(_turn) = folder.try_turn()? else {
            return Ok(());
        };
        {
            let _lock = folder.lock(super::WAIT_FOR_WRITER)?;
            if let Some(aside) = folder.put_aside_unreadable(self.now())? {
                self.tell_quarantined(session, "what waits", &aside);
            }
        }
        self.store_for_writing()?;
        while let Some(first) = folder.waiting()?.into_iter().next() {
            let next = self.try_again(session, &first.what);
            let is_settled = matches!(next, Next::Settled);
            // More may have been written down meanwhile, behind it.
            let _lock = folder.lock(super::WAIT_FOR_WRITER)?;
            let mut waiting = folder.waiting()?;
            match (waiting.first_mut(), next) {
                (Some(still), next) if *still == first => match next {
                    Next::Settled => drop(waiting.remove(0)),
                    Next::Waits(what) => {
                        still.what = what;
                        still.attempts += 1;
                    }
                },
                _ => {}
            }
            folder.keep_waiting(&waiting)?;
            if !is_settled {
                break;
            }
        }
        Ok(())
    }

    fn try_again(&mut self, session: &str, what: &Waiting) -> Next {
        match what {
            Waiting::Memory { kind, text } => {
                let wanted = Wanted {
                    kind: kind.clone(),
                    text: text.clone(),
                };
                let Ok(stored) = self.store_wanted(session, &[wanted]) else {
                    return Next::Waits(what.clone());
                };
                match self.note_stored(session, stored).pop() {
                    Some(Fate::Waits(_)) | None => Next::Waits(what.clone()),
                    Some(Fate::Arrived(_)) => Next::Settled,
                    Some(Fate::Refused(_)) => {
                        let event = Event::new(EventType::PromotionRetryExhausted).preview(text);
                        self.record(session, vec![event]);
                        Next::Settled
                    }
                }
            }
            Waiting::Summary { text, done } => {
                let lesson = self.learn(session, text, *done);
                if lesson.failure.is_none() {
                    return Next::Settled;
                }
                Next::Waits(Waiting::Summary {
                    text: text.clone(),
                    done: done + lesson.lines.len(),
                })
            }
        }
    }
}

/// What becomes of a write that waited.
enum Next {
    /// It need not wait any longer: it is stored, or refused for good.
    Settled,
    /// This is left of it.
    Waits(Waiting),
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
