//! Pending writes: they are tried again at the next event of their session.

use crate::capture::RequestedMemory;
use crate::evidence::{Event, EventType};
use crate::store::{SessionFolder, StoreError, Waiting, WaitingWrite};
use crate::sys::FileLock;

use super::super::ServiceError;
use super::super::adding::Fate;
use super::message::why_final;
use super::{Conversations, HeardLine};

/// The reason of a pending write that nobody has tried yet.
pub(super) const BEHIND: &str = "what was heard before, here or by another server, is not stored yet";

impl Conversations {
    /// Appends pending writes to the session's journal. They are promised to the user: an error here goes to the host.
    pub(super) fn wait_for(&mut self, session: &str, more: Vec<WaitingWrite>) -> Result<(), ServiceError> {
        if more.is_empty() {
            return Ok(());
        }
        let folder = self.states.folder(session);
        let _lock = folder.lock(self.wait())?;
        let mut waiting = folder.waiting()?;
        waiting.extend(more);
        Ok(folder.keep_waiting(&waiting)?)
    }

    /// Takes the turn to store what a session says, so that of two servers the second one sees what the first one has
    /// heard. If nothing can be kept there is no turn, and the same may be heard twice, which is better than not at
    /// all: it is one memory all the same.
    pub(super) fn turn(&self, session: &str) -> Result<Option<FileLock>, AnothersTurn> {
        let folder = self.states.folder(session);
        if !folder.is_in_a_store() {
            return Ok(None);
        }
        match folder.turn(self.deadline.left()) {
            Ok(Some(lock)) => Ok(Some(lock)),
            Ok(None) => Err(AnothersTurn),
            Err(error) => {
                tracing::debug!(%error, "the session's turn was not taken");
                Ok(None)
            }
        }
    }

    /// Tries the pending writes of a session again, in the order in which they were heard, up to the first that has to
    /// wait on.
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
            let removed = folder.remove_if(self.wait(), SessionFolder::is_deleted);
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
            let _lock = folder.lock(self.wait())?;
            if let Some(aside) = folder.put_aside_unreadable(self.now())? {
                self.tell_quarantined(session, "what waits", &aside);
            }
        }
        self.make_store()?;
        while let Some(first) = folder.waiting()?.into_iter().next() {
            let handled = first.unless_handled.as_ref();
            let next = if handled.is_some_and(|id| self.is_handled(session, id)) {
                Next::Settled
            } else {
                self.try_again(session, &first.what)
            };
            let is_settled = matches!(next, Next::Settled);
            // More may have been written down meanwhile, behind it.
            let lock = folder.lock(self.wait())?;
            let mut waiting = folder.waiting()?;
            let is_still_first = waiting.first() == Some(&first);
            match next {
                Next::Settled if is_still_first => drop(waiting.remove(0)),
                Next::Waits(what) if is_still_first => {
                    waiting[0].what = what;
                    waiting[0].attempts += 1;
                }
                Next::Settled | Next::Waits(_) => {}
            }
            folder.keep_waiting(&waiting)?;
            drop(lock);
            if !is_settled {
                break;
            }
            let is_last = waiting
                .iter()
                .all(|left| left.unless_handled != first.unless_handled);
            if let Some(id) = first.unless_handled.filter(|_| is_last) {
                self.change_state(session, |state| {
                    let _ = state.handle(&id);
                });
            }
        }
        Ok(())
    }

    fn try_again(&mut self, session: &str, what: &Waiting) -> Next {
        match what {
            Waiting::Memory { kind, text } => {
                let wanted = RequestedMemory {
                    kind: kind.clone(),
                    text: text.clone(),
                };
                let Ok(stored) = self.store_wanted(session, &[wanted]) else {
                    return Next::Waits(what.clone());
                };
                let line = match self.note_stored(session, stored).pop() {
                    Some(Fate::Waits(_)) | None => return Next::Waits(what.clone()),
                    Some(Fate::Arrived(arrived)) => HeardLine::arrived(*arrived, text.clone()),
                    Some(Fate::Refused(error)) => {
                        let event = Event::new(EventType::PromotionRetryExhausted).preview(text);
                        self.record(session, vec![event]);
                        HeardLine {
                            reason: Some(why_final(&error)),
                            ..HeardLine::new("rejected", text.clone())
                        }
                    }
                };
                self.settled.entry(session.to_owned()).or_default().push(line);
                Next::Settled
            }
            Waiting::Summary { text, done } => {
                let extraction = self.extract(session, text, *done);
                if extraction.failure.is_none() {
                    return Next::Settled;
                }
                Next::Waits(Waiting::Summary {
                    text: text.clone(),
                    done: done + extraction.lines.len(),
                })
            }
        }
    }
}

/// Another server has the turn, and may be storing the same: the event becomes a pending write, which is stored unless
/// that server handles it.
pub(super) struct AnothersTurn;

/// The fate of a pending write after another attempt.
enum Next {
    /// The write is stored, or refused for good.
    Settled,
    /// This part of the write waits on.
    Waits(Waiting),
}

/// The event for an attempt that could write nothing at all.
pub(super) fn lock_event(error: &ServiceError) -> Event {
    let event_type = match error {
        ServiceError::Store(StoreError::Git(crate::git::GitError::Busy { .. })) => {
            EventType::StorageLockTimeout
        }
        _ => EventType::HookFailed,
    };
    Event::new(event_type).detail("reason", error.to_string())
}
