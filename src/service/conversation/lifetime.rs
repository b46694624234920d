//! The beginning and the end of sessions and of their server, what is left of earlier ones, the files in which hosts keep
//! them, and the memory at a glance.

use std::path::{Path, PathBuf};

use crate::model::Zone;
use crate::policy::{Fate, ForcedBy};
use crate::render::Scope;
use crate::store::{SessionFolder, session_hash};
use crate::sys::{Deadline, GrowingFile, SysError};

use super::super::ranking::Ranking;
use super::super::{ServiceError, waiting};
use super::{Conversations, HeardLine, LAST_MOMENT};

/// Milliseconds after which a session that nothing was heard of is removed.
const IDLE: i64 = 30 * 24 * 60 * 60 * 1000;
/// The bytes of a transcript that are read at one event; the next one goes on behind them.
const MOST: u64 = 16 << 20;

/// The way in which a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionBeginning {
    /// It is new, or goes on where it was left: it is given what was frozen for it, if that still holds.
    NewOrResumed,
    /// The user has thrown the conversation away.
    Cleared,
    /// A summary has taken the place of the conversation.
    Compacted,
}

impl Conversations {
    /// A session begins, and is open until it ends. Where nothing is left of what it was given before, its prompt is a new
    /// one.
    pub fn begun(&mut self, session: &str, beginning: SessionBeginning) {
        let session = session_hash(session);
        self.retry();
        if beginning != SessionBeginning::NewOrResumed {
            self.change_state(&session, |state| state.told.clear());
        }
        let folder = self.states.folder(&session);
        let forced = match beginning {
            SessionBeginning::NewOrResumed => Ok(()),
            SessionBeginning::Cleared => folder.force(ForcedBy::Flush),
            SessionBeginning::Compacted => folder.force(ForcedBy::Compaction),
        };
        // A store that can only be read still has memories.
        if let Err(error) = forced.and_then(|()| folder.mark_open()) {
            tracing::warn!(%error, "the start of a session could not be noted");
        }
    }

    /// False for a host's second process for the same event of a session: where a workspace and its user both set
    /// mdmem up, a host may run both.
    pub fn is_first_for(&self, session: &str, event: &str) -> bool {
        let now = self.context.clock.now();
        self.states
            .folder(&session_hash(session))
            .is_first_for(event, now)
    }

    /// A session ends. It may be resumed: its files stay until it has been idle for long.
    pub fn ended(&mut self, session: &str) {
        let session = session_hash(session);
        self.retry();
        if let Err(error) = self.states.folder(&session).mark_over() {
            tracing::warn!(%error, "the end of a session could not be noted");
        }
    }

    /// Asks for a new epoch in one session. False where none was rendered: the session has no prompt of ours yet.
    pub fn flush(&mut self, session: &str) -> Result<bool, ServiceError> {
        self.retry();
        self.states
            .folder(&session_hash(session))
            .force(ForcedBy::Flush)?;
        Ok(self.states.frozen(session).is_some())
    }

    /// Forgets a session that the host has deleted; what waits of it is stored all the same. A session that somebody
    /// holds keeps its folder until it has been idle for long.
    pub fn deleted(&mut self, session: &str) -> Result<(), ServiceError> {
        let hash = session_hash(session);
        self.retry();
        self.states.forget(&hash, session);
        self.forget_outputs(&hash);
        self.settled.remove(&hash);
        self.just_said.remove(&hash);
        let removed = self.states.folder(&hash).remove_if(self.wait(), |_| true);
        self.write_newest();
        Ok(removed?)
    }

    /// Tries what waits again, then removes the sessions that have been idle for 30 days. For when a host begins, beside its
    /// first prompt.
    pub fn keep_house(&mut self) -> Result<(), ServiceError> {
        self.retry();
        self.sweep_outputs();
        // Without a store there is no log: nothing was stored in this workspace yet.
        if self.root.is_dir()
            && let Err(error) = crate::evidence::prune(&self.root, self.now())
        {
            tracing::warn!(%error, "the log of decisions could not be shortened");
        }
        // A time in the future (the clock was set back) is no idleness.
        let is_idle = |written| self.now().millis_since(written) > IDLE;
        let is_left = |folder: &SessionFolder| folder.last_written().is_none_or(is_idle);
        for folder in self
            .states
            .sessions()
            .folders()?
            .iter()
            .filter(|folder| is_left(folder))
        {
            // Its conversation may go on at this very moment: it is looked at again while nobody else can write.
            if let Err(error) = folder.remove_if(self.wait(), is_left) {
                tracing::warn!(%error, "the files of an idle session could not be removed");
            }
        }
        Ok(())
    }

    /// Tries what waits again; gives what is settled.
    pub fn settle(&mut self) -> Vec<HeardLine> {
        self.retry();
        self.settled.values().flatten().cloned().collect()
    }

    /// Writes down what is in memory alone, and commits the saves of the last moment: no event follows.
    pub fn end(mut self) {
        self.write_down();
        if let Err(error) = self.store.sweep(self.deadline) {
            tracing::debug!(%error, "the last sweep failed");
        }
    }

    /// Writes down what is in memory alone: the next event is another process's.
    pub fn close(mut self) {
        self.write_down();
    }

    fn write_down(&mut self) {
        self.deadline = Deadline::after(LAST_MOMENT);
        self.retry();
        for (session, cause) in self.states.write_down(self.now()) {
            tracing::warn!("session {session}: its last messages are lost: {cause}");
        }
    }

    /// Reads the lines that the host has written since the last reading, and learns from the summaries among them.
    /// `summary_of` gives the summary that a line is. A summary that cannot be learned from now is read again.
    pub fn transcript(
        &mut self,
        session: &str,
        file: &Path,
        summary_of: impl Fn(&[u8]) -> Option<String>,
    ) -> Result<(), ServiceError> {
        let hash = session_hash(session);
        let read = self.states.get(&hash, self.now()).transcript_read;
        let lines = GrowingFile::open(file)
            .and_then(|file| file.map(|file| file.lines_from(read, MOST)).transpose())
            .map_err(|error| SysError::io("read", file, error))?;
        let Some(lines) = lines else { return Ok(()) };
        for summary in lines.bytes.split(|byte| *byte == b'\n').filter_map(summary_of) {
            self.compacted(session, &summary)?;
        }
        if lines.end != read {
            self.change_state(&hash, |state| state.transcript_read = lines.end);
        }
        Ok(())
    }

    /// True from the prompt of a compaction that numbered memories to the reading of its summary.
    pub fn awaits_summary(&self, session: &str) -> bool {
        let state = self.states.get(&session_hash(session), self.now());
        state.numbered.is_some()
    }
}

/// The memory at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The store that is meant.
    pub scope: Scope,
    /// The folder of its files; it need not exist yet.
    pub root: PathBuf,
    /// The number of memories in force.
    pub in_force: usize,
    /// The number of those that a prompt would leave out now.
    pub left_out: usize,
    /// The number of pending writes of all sessions.
    pub waiting: usize,
    /// The texts in the session's system prompt; none before its first request.
    pub shown: Vec<String>,
}

impl Conversations {
    /// Looks at the memory of a session. `name` is the host's for it.
    pub fn overview(&mut self, name: &str) -> Result<Overview, ServiceError> {
        self.retry();
        let (mut in_force, mut left_out) = (0, 0);
        if let Some((store, snapshot)) = self.store.snapshot()? {
            let ranking = Ranking::new(store, &snapshot, store.now());
            for view in ranking.views() {
                if view.memory.is_active() && view.zone != Zone::Archive {
                    in_force += 1;
                    left_out += usize::from(matches!(view.fate, Fate::Omitted(_)));
                }
            }
        }
        let waiting = waiting(&self.context)?;
        let frozen = self.states.frozen(name);
        Ok(Overview {
            scope: self.context.scope,
            root: self.root.clone(),
            in_force,
            left_out,
            waiting: waiting.iter().filter_map(|waits| waits.count).sum(),
            shown: frozen.map(|frozen| frozen.system).unwrap_or_default(),
        })
    }
}
