//! Pending writes: they are tried again at the next event of their session.

use crate::capture::RequestedMemory;
use crate::document::read_content;
use crate::evidence::{Event, EventType};
use crate::model::{Content, Kind, Memory, Source, Timestamp};
use crate::store::{SessionFolder, StoreError, Waiting, WaitingWrite};
use crate::sys::{FileLock, SysError};
use crate::text::wording;

use super::super::ServiceError;
use super::super::adding::Fate;
use super::message::why_final;
use super::{Conversations, HeardLine, Kept};

/// The reason of a pending write that nobody has tried yet.
pub(super) const BEHIND: &str = "what was heard before, here or by another server, is not stored yet";

impl Conversations {
    /// Keeps pending writes until they can be stored. They are promised to the user: where so much waits already that they
    /// are not kept, the user is told.
    pub(super) fn wait_for(&mut self, session: &str, more: Vec<WaitingWrite>) -> Result<Kept, SysError> {
        let wait = self.wait();
        let kept = self.pending.keep(session, more, wait)?;
        if let Kept::InMemory(cause) = &kept {
            tracing::warn!("requests are kept in memory alone, and lost when this program ends: {cause}");
        }
        Ok(kept)
    }

    /// A write that waits for this cause.
    pub(super) fn waiting(&self, what: Waiting, id: Option<&String>, cause: &str) -> WaitingWrite {
        WaitingWrite {
            what,
            at: self.now(),
            attempts: 1,
            unless_handled: id.cloned(),
            cause: Some(self.redact(cause)),
        }
    }

    /// Takes the turn to store what a session says, so that of two servers the second one sees what the first one has
    /// heard. If nothing can be kept there is no turn, and the same may be heard twice, which is better than not at
    /// all: it is one memory all the same.
    pub(super) fn turn(&self, session: &str) -> Result<Option<FileLock>, AnothersTurn> {
        let folder = self.states.folder(session);
        if !folder.takes_files() {
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

    /// Tries the pending writes of a session again, and those of every session that wait outside the store: who spoke in
    /// those may never come back.
    pub(super) fn retry(&mut self, session: &str) {
        self.write_tasks();
        self.retry_session(session);
        for other in self.pending.outside() {
            if other != session {
                self.retry_session(&other);
            }
        }
    }

    /// Tries the pending writes of a session in the order in which they were heard, up to the first that has to wait on.
    pub(super) fn retry_session(&mut self, session: &str) {
        let wait = self.wait();
        if self.pending.is_in_memory(session) {
            // The store may be back, and only a store that was seen once takes a journal.
            let _ = self.follow_store();
        } else if !self
            .pending
            .folders(session)
            .iter()
            .any(SessionFolder::has_waiting)
        {
            return;
        }
        self.pending.write_down(session, wait);
        for folder in self.pending.folders(session) {
            if !folder.has_waiting() {
                continue;
            }
            let tried = self.retry_all(session, &folder);
            if let Some(error) = folder.unreadable() {
                if self.pending.is_news(&folder) {
                    tracing::warn!(
                        "session {session}: what waits in {} cannot be read, and what is said next does not wait for it: {error}",
                        folder.path().display()
                    );
                }
                continue;
            }
            if let Err(error) = tried {
                tracing::warn!("session {session}: what waits could not be tried again: {error}");
            }
            if folder.has_waiting() {
                return;
            }
        }
        let [folder, spooled @ ..] = &self.pending.folders(session)[..] else {
            return;
        };
        let mut removed: Vec<_> = spooled
            .iter()
            .filter(|folder| !folder.has_waiting())
            .map(|folder| folder.remove_if(wait, |_| true))
            .collect();
        if folder.is_deleted() {
            removed.push(folder.remove_if(wait, SessionFolder::is_deleted));
            self.write_newest();
        }
        for error in removed.into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "the files of a session that is gone could not be removed");
        }
    }

    fn retry_all(&mut self, session: &str, folder: &SessionFolder) -> Result<(), ServiceError> {
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
        while let [first, rest @ ..] = &folder.waiting()?[..] {
            let id = first.unless_handled.as_ref();
            let next = if id.is_some_and(|id| self.is_handled(session, id)) {
                Next::Settled
            } else {
                self.try_again(session, first)
            };
            let is_settled = matches!(next, Next::Settled);
            // Before it goes from the journal: who hears the message again finds it in one of both.
            if let Some(id) =
                id.filter(|_| is_settled && rest.iter().all(|left| left.unless_handled.as_ref() != id))
            {
                self.change_state(session, |state| {
                    let _ = state.handle(id);
                });
            }
            // More may have been written down meanwhile, behind it.
            let _lock = folder.lock(self.wait())?;
            let mut waiting = folder.waiting()?;
            let is_still_first = waiting.first() == Some(first);
            match next {
                Next::Settled if is_still_first => drop(waiting.remove(0)),
                Next::Waits(what, cause) if is_still_first => {
                    waiting[0].what = what;
                    waiting[0].attempts += 1;
                    waiting[0].cause = Some(self.redact(&cause));
                }
                Next::Settled | Next::Waits(..) => {}
            }
            folder.keep_waiting(&waiting)?;
            if !is_settled {
                break;
            }
        }
        Ok(())
    }

    fn try_again(&mut self, session: &str, write: &WaitingWrite) -> Next {
        let waits = |cause: String| Next::Waits(write.what.clone(), cause);
        let line = match &write.what {
            Waiting::Memory { kind, text } => match self.stored_since(kind, text, write.at) {
                Some(line) => line,
                None => match self.store_again(session, kind, text) {
                    Ok(line) => line,
                    Err(cause) => return waits(cause),
                },
            },
            Waiting::TakingBack { object, text } => match self.take_back(session, object, text) {
                Ok(line) => line,
                Err(error) => return waits(error.to_string()),
            },
            Waiting::Summary { text, done } => {
                let extraction = self.extract(session, text, *done);
                let Some(failure) = extraction.failure else {
                    return Next::Settled;
                };
                let rest = Waiting::Summary {
                    text: text.clone(),
                    done: done + extraction.lines.len(),
                };
                return Next::Waits(rest, failure.to_string());
            }
        };
        self.settled.entry(session.to_owned()).or_default().push(line);
        Next::Settled
    }

    /// Stores a memory that waited. An error is the cause for which it waits on.
    fn store_again(&mut self, session: &str, kind: &Kind, text: &str) -> Result<HeardLine, String> {
        let wanted = RequestedMemory {
            kind: kind.clone(),
            text: text.to_owned(),
        };
        // The store may have gone since the last look at it.
        let stored = self
            .make_store()
            .and_then(|()| self.store_wanted(session, &[wanted]));
        let stored = stored.map_err(|error| error.to_string())?;
        match self.note_stored(session, stored).pop() {
            Some(Fate::Arrived(arrived)) => Ok(HeardLine::arrived(*arrived, text.to_owned())),
            Some(Fate::Refused(error)) => {
                let event = Event::new(EventType::PromotionRetryExhausted).preview(text);
                self.record(session, vec![event]);
                Ok(HeardLine {
                    reason: Some(why_final(&error)),
                    ..HeardLine::new("rejected", text.to_owned())
                })
            }
            Some(Fate::Waits(cause)) => Err(cause),
            None => Err(BEHIND.to_owned()),
        }
    }

    /// The memory that a server stored for this very write, and was killed before it could say so: it is younger than
    /// the request, and says the same in the same words.
    fn stored_since(&mut self, kind: &Kind, text: &str, at: Timestamp) -> Option<HeardLine> {
        let (_, snapshot) = self.store.snapshot().ok()??;
        let said = |content: &Content| wording(content.keyed_text());
        let wanted = said(&read_content(text));
        let is_it = |memory: &&Memory| {
            let created = memory.created.known();
            // A file has whole seconds.
            created.is_some_and(|created| created.as_seconds() >= at.as_seconds())
                && memory.source == Source::Explicit
                && memory.kind == *kind
                && said(&memory.content) == wanted
        };
        let memory = snapshot.files.iter().map(|file| &file.memory).find(is_it)?;
        Some(HeardLine {
            path: Some(memory.path.clone()),
            id: Some(memory.id.clone()),
            ..HeardLine::new("promoted", text.to_owned())
        })
    }
}

/// Another server has the turn, and may be storing the same: the event becomes a pending write, which is stored unless
/// that server handles it.
pub(super) struct AnothersTurn;

/// The fate of a pending write after another attempt.
enum Next {
    /// The write is stored, or refused for good.
    Settled,
    /// This part of the write waits on, for this cause.
    Waits(Waiting, String),
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
