//! Pending writes: what cannot be stored now waits in the journal of the user's state folder, or, where that cannot be
//! written to, in the memory of this server; and is tried again at each event.

use std::collections::HashSet;
use std::time::Duration;

use crate::capture::RequestedMemory;
use crate::document::read_content;
use crate::evidence::{Event, EventType};
use crate::model::{Kind, Memory, Source, Timestamp};
use crate::store::{Journal, StoreError, Waiting, WaitingWrite};
use crate::sys::{FailureKind, FileLock, SysError};
use crate::text::wording;

use super::super::ServiceError;
use super::super::adding::Fate;
use super::message::why_final;
use super::{Conversations, HeardLine};

/// The cause for which a write waits that nobody has tried yet.
pub(super) const BEHIND: &str = "what was heard before is not stored yet";
/// The most writes that are kept in memory alone.
const MOST_IN_MEMORY: usize = 256;

/// The place in which pending writes are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The journal.
    InJournal,
    /// The memory of this server alone; with the cause.
    InMemory(String),
}

/// The pending writes of one store.
pub(super) struct Pending {
    /// `None`: there is no state folder.
    pub(super) journal: Option<Journal>,
    /// The writes that no file could be written for.
    pub(super) memory: Vec<WaitingWrite>,
}

impl Pending {
    /// The lines of the journal. Those of one that cannot be read hold nothing back; `mdmem status` names it.
    fn lines(&self) -> Vec<String> {
        let lines = self.journal.as_ref().map(Journal::lines);
        lines.and_then(Result::ok).unwrap_or_default()
    }

    fn any(&self, is_it: impl Fn(&WaitingWrite) -> bool) -> bool {
        let lines = self.lines();
        let mut kept = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
        self.memory.iter().any(&is_it) || kept.any(|write| is_it(&write))
    }

    /// True when something of the session waits: what is heard now comes behind it.
    pub(super) fn is_waiting(&self, session: &str) -> bool {
        self.any(|write| write.session == session)
    }

    /// True when something of this message or summary waits.
    pub(super) fn holds(&self, session: &str, id: &str) -> bool {
        self.any(|write| write.session == session && write.id == id)
    }

    /// Keeps writes until they can be stored, behind those in memory. An error: so much waits that these are not kept.
    fn keep(&mut self, more: Vec<WaitingWrite>, wait: Duration) -> Result<Kept, SysError> {
        let earlier = self.memory.len();
        self.memory.extend(more);
        if self.memory.is_empty() {
            return Ok(Kept::InJournal);
        }
        let error = match &self.journal {
            Some(journal) => match journal.add(wait, &self.memory) {
                Ok(()) => {
                    self.memory.clear();
                    return Ok(Kept::InJournal);
                }
                Err(error) => error,
            },
            None => SysError::NoHome("XDG_STATE_HOME"),
        };
        if error.kind() == FailureKind::TooLarge || self.memory.len() > MOST_IN_MEMORY {
            self.memory.truncate(earlier);
            return Err(error);
        }
        Ok(Kept::InMemory(error.to_string()))
    }
}

impl Conversations {
    /// Keeps pending writes until they can be stored. They are promised to the user: where so much waits already that they
    /// are not kept, the user is told.
    pub(super) fn wait_for(&mut self, more: Vec<WaitingWrite>) -> Result<Kept, SysError> {
        let kept = self.pending.keep(more, self.wait())?;
        if let Kept::InMemory(cause) = &kept {
            tracing::warn!("requests are kept in memory alone, and lost when this program ends: {cause}");
        }
        Ok(kept)
    }

    /// A write that waits for this cause.
    pub(super) fn waiting(&self, session: &str, what: Waiting, id: &str, cause: &str) -> WaitingWrite {
        WaitingWrite {
            session: session.to_owned(),
            what,
            at: self.now(),
            id: id.to_owned(),
            cause: self.redact(cause),
        }
    }

    /// Takes the turn to store what a session says, so that of two servers the second one sees what the first one has
    /// heard. Who does not get it in time goes on: the same may be heard twice, which is better than not at all.
    pub(super) fn turn(&self, session: &str) -> Option<FileLock> {
        let folder = self.states.folder(session);
        folder.takes_files().then(|| folder.turn(self.deadline.left()))?
    }

    /// Tries what waits again, whichever session heard it: who spoke there may never come back.
    pub(super) fn retry(&mut self) {
        // What cannot be written yet is told where it is heard, and at the end.
        let _ = self.states.write_down(self.now());
        // A write that is refused stays in memory.
        let _ = self.pending.keep(Vec::new(), self.wait());
        if let Err(error) = self.try_all() {
            tracing::warn!("what waits could not be tried again: {error}");
        }
    }

    /// Tries what waits in the order in which it was heard, of each session up to the first that has to wait on.
    fn try_all(&mut self) -> Result<(), ServiceError> {
        let lines = self.pending.lines();
        if lines.is_empty() && self.pending.memory.is_empty() {
            return Ok(());
        }
        let mut behind = HashSet::new();
        // Of two that store the same line one would say that it was known already.
        let journal = self.pending.journal.clone().filter(|_| !lines.is_empty());
        let turn = journal.as_ref().map(Journal::try_turn).transpose()?;
        if let Some(None) = turn {
            return Ok(());
        }
        self.make_store()?;
        for line in lines {
            let Ok(write) = serde_json::from_str::<WaitingWrite>(&line) else {
                continue;
            };
            if behind.contains(&write.session) {
                continue;
            }
            let left = self.try_again(&write);
            if left.is_some() {
                behind.insert(write.session.clone());
            }
            if let Some(journal) = journal.as_ref().filter(|_| left.as_ref() != Some(&write)) {
                journal.settle(self.wait(), &line, left.as_ref())?;
            }
        }
        for write in std::mem::take(&mut self.pending.memory) {
            let is_behind = behind.contains(&write.session);
            let left = if is_behind {
                Some(write)
            } else {
                self.try_again(&write)
            };
            if let Some(left) = left {
                behind.insert(left.session.clone());
                self.pending.memory.push(left);
            }
        }
        Ok(())
    }

    /// Tries a write; gives what is left of it.
    fn try_again(&mut self, write: &WaitingWrite) -> Option<WaitingWrite> {
        let session = write.session.as_str();
        let (what, tried) = match &write.what {
            Waiting::Memory { kind, text } => {
                let stored = self.stored_since(kind, text, write.at);
                let stored = stored.map_or_else(|| self.store_again(session, kind, text), Ok);
                (None, stored.map(Some))
            }
            Waiting::TakingBack { object, text } => {
                let taken = self.take_back(session, object, text);
                (None, taken.map(Some).map_err(|error| error.to_string()))
            }
            Waiting::Summary { text, done } => {
                let extraction = self.extract(session, text, *done);
                let rest = Waiting::Summary {
                    text: text.clone(),
                    done: done + extraction.lines.len(),
                };
                let tried = extraction
                    .failure
                    .map_or(Ok(None), |failure| Err(failure.to_string()));
                (Some(rest), tried)
            }
        };
        match tried {
            Ok(line) => {
                self.settled.entry(session.to_owned()).or_default().extend(line);
                self.change_state(session, |state| state.handle(&write.id));
                None
            }
            Err(cause) => Some(WaitingWrite {
                what: what.unwrap_or_else(|| write.what.clone()),
                cause: self.redact(&cause),
                ..write.clone()
            }),
        }
    }

    /// The memory that a server stored for this very write, and was killed before it could say so: it is younger than
    /// the request, and says the same in the same words.
    fn stored_since(&mut self, kind: &Kind, text: &str, at: Timestamp) -> Option<HeardLine> {
        let (_, snapshot) = self.store.snapshot().ok()??;
        let wanted = read_content(text);
        let is_it = |memory: &&Memory| {
            // A file has whole seconds.
            let created = memory.created.known().map(Timestamp::as_seconds);
            created.is_some_and(|created| created >= at.as_seconds())
                && (memory.source, &memory.kind) == (Source::Explicit, kind)
                && wording(memory.content.keyed_text()) == wording(wanted.keyed_text())
        };
        let memory = snapshot.files.iter().map(|file| &file.memory).find(is_it)?;
        Some(HeardLine {
            path: Some(memory.path.clone()),
            id: Some(memory.id.clone()),
            ..HeardLine::new("promoted", text.to_owned())
        })
    }

    /// Stores a memory that waited. An error is the cause for which it waits on.
    fn store_again(&mut self, session: &str, kind: &Kind, text: &str) -> Result<HeardLine, String> {
        let wanted = RequestedMemory {
            kind: kind.clone(),
            text: text.to_owned(),
        };
        let stored = self
            .store_wanted(session, &[wanted])
            .map_err(|error| error.to_string())?;
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
