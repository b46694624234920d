//! Pending writes: what cannot be stored now waits in the journal of the user's state folder, and is tried again at each
//! event.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use crate::capture::RequestedMemory;
use crate::document::read_content;
use crate::evidence::{Event, EventType};
use crate::model::{Kind, Memory, Source, Timestamp};
use crate::store::{Journal, StoreError, WAIT_FOR_WRITER, Waiting, WaitingWrite, Waits};
use crate::sys::{Deadline, FileLock, SysError};
use crate::text::wording;

use super::super::{Background, Context, PromptServer, ServiceError};
use super::{Conversations, HeardLine};

/// The cause for which a write waits that nobody has tried yet.
pub(super) const BEHIND: &str = "pending writes could not be stored yet";
/// The pending writes of one store; without a state folder there are none.
pub(super) struct Pending(pub(super) Option<Journal>);

impl Pending {
    /// The lines of the journal. Those of one that cannot be read hold nothing back; `mdmem status` names it.
    fn lines(&self) -> Vec<String> {
        let lines = self.0.as_ref().map(Journal::lines);
        lines.and_then(Result::ok).unwrap_or_default()
    }

    fn any(&self, is_it: impl Fn(&WaitingWrite) -> bool) -> bool {
        let lines = self.lines();
        let mut kept = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
        kept.any(|write| is_it(&write))
    }

    /// True when something of the session waits: what is heard now comes behind it.
    pub(super) fn is_waiting(&self, session: &str) -> bool {
        self.any(|write| write.session == session)
    }

    /// True when something of this message or summary waits.
    pub(super) fn holds(&self, session: &str, id: &str) -> bool {
        self.any(|write| write.session == session && write.id == id)
    }

    /// Keeps writes, flushed to the disk.
    pub(super) fn keep(&self, more: &[WaitingWrite], wait: Duration) -> Result<(), SysError> {
        let journal = self.0.as_ref().ok_or(SysError::NoHome("XDG_STATE_HOME"))?;
        journal.add(wait, more)
    }
}

impl Conversations {
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
        if let Err(error) = self.try_all() {
            tracing::warn!("pending writes could not be retried: {error}");
        }
    }

    /// Tries what waits in the order in which it was heard, of each session up to the first that has to wait on.
    fn try_all(&mut self) -> Result<(), ServiceError> {
        let lines = self.pending.lines();
        let Some(journal) = self.pending.0.clone().filter(|_| !lines.is_empty()) else {
            return Ok(());
        };
        let mut behind = HashSet::new();
        // Of two that store the same line one would say that it was known already.
        let Some(_turn) = journal.try_turn()? else {
            return Ok(());
        };
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
            if left.as_ref() != Some(&write) {
                journal.settle(self.wait(), &line, left.as_ref())?;
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
        let mut stored = self.store_said(session, &[wanted]);
        let line = stored.lines.pop().ok_or_else(|| {
            let failure = stored.failure.map(|error| error.to_string());
            failure.unwrap_or_else(|| BEHIND.to_owned())
        })?;
        if line.outcome == "rejected" {
            let event = Event::new(EventType::PromotionRetryExhausted).preview(text);
            self.record(session, vec![event]);
        }
        Ok(line)
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

/// The pending writes of the store that is meant, also while it is away.
pub fn waiting(context: &Context) -> Result<Vec<Waits>, ServiceError> {
    Ok(waiting_at(context, &context.place()?.root))
}

/// Those of the store at `root`.
pub(in crate::service) fn waiting_at(context: &Context, root: &Path) -> Vec<Waits> {
    let waits = context.journal(root).and_then(|journal| journal.waits());
    waits.into_iter().collect()
}

/// Stores what waits, as a server would at its beginning; gives what became of it. For the commands of a person whose
/// agent is gone.
pub fn settle_waiting(context: &Context) -> Result<Vec<HeardLine>, ServiceError> {
    if waiting(context)?.is_empty() {
        return Ok(Vec::new());
    }
    let mut background = Background::default();
    let prompts = PromptServer::open(context.clone(), &mut background)?;
    let mut conversations = Conversations::open(context.clone(), "cli", &prompts, &mut background)?;
    conversations.answer_by(Deadline::after(WAIT_FOR_WRITER));
    Ok(conversations.settle())
}
