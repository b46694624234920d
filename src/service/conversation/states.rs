//! The sessions of a server, in memory as on disk: a second question costs a look at the file, not a read. The threads
//! of a server share them; a thread waits here for another one's small file at most.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::model::Timestamp;
use crate::session::{SaidRequest, SessionState};
use crate::store::{FrozenPrompt, SessionFolder, Sessions, session_hash};
use crate::sys::{FileLock, FileStat, SysError};

use super::super::frozen_sessions::FrozenSessions;

/// A session that another process serves, and that something happened in so recently, goes on there.
const GOES_ON: Duration = Duration::from_mins(10);

/// The cause for which a state is in memory alone, where no file failed.
const NO_STORE: &str = "the store is unavailable";

/// The sessions of one store, by their hashes: the hot state of each, and the prompt that it was given. A clone is the
/// same.
#[derive(Clone)]
pub(in crate::service) struct States {
    sessions: Sessions,
    known: Arc<Mutex<HashMap<String, Known>>>,
    frozen: Arc<Mutex<FrozenSessions>>,
    /// The session that was served last, held open. A host shows one at a time, so this is the one that goes on.
    open: Arc<Mutex<Option<(String, FileLock)>>>,
}

#[derive(Clone)]
struct Known {
    state: SessionState,
    /// The file that holds it, as it was then; `None`: there is none.
    file: Option<FileStat>,
    /// The file lacks the last change.
    is_unwritten: bool,
}

/// A panic leaves no half-made change behind: each is made at once.
fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that the conversation goes on without a disk.
fn tell_failure(session: &str, error: &SysError) {
    tracing::warn!("session {session}: its state could not be written to disk: {error}");
}

impl States {
    pub(in crate::service) fn new(sessions: Sessions) -> Self {
        Self {
            known: Arc::default(),
            frozen: Arc::new(Mutex::new(FrozenSessions::new(sessions.clone()))),
            open: Arc::default(),
            sessions,
        }
    }

    pub(super) const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub(in crate::service) fn folder(&self, session: &str) -> SessionFolder {
        self.sessions.folder(session)
    }

    /// The prompt that a session was given.
    pub(in crate::service) fn frozen(&self, session: &str) -> Option<FrozenPrompt> {
        held(&self.frozen).get(session)
    }

    /// Keeps the prompt that a session is given.
    pub(in crate::service) fn freeze(&self, session: &str, next: &FrozenPrompt) {
        held(&self.frozen).keep(session, next);
        let hash = session_hash(session);
        if !self.is_open_here(&hash) {
            let lock = self.folder(&hash).hold_open();
            *held(&self.open) = lock.map(|lock| (hash, lock));
        }
    }

    fn is_open_here(&self, session: &str) -> bool {
        held(&self.open).as_ref().is_some_and(|(open, _)| open == session)
    }

    /// The state of a session; empty for one that nothing is known of.
    pub(in crate::service) fn get(&self, session: &str, now: Timestamp) -> SessionState {
        self.look(&mut held(&self.known), session, now).state
    }

    fn look(&self, all: &mut HashMap<String, Known>, session: &str, now: Timestamp) -> Known {
        let folder = self.folder(session);
        let file = folder.state_stat();
        // What no file has yet counts, whatever another process has written since.
        if let Some(known) = all
            .get(session)
            .filter(|known| known.file == file || known.is_unwritten)
        {
            return known.clone();
        }
        let before = all.remove(session).map(|known| known.state);
        let mut known = Known {
            state: before.unwrap_or_default(),
            file,
            is_unwritten: false,
        };
        match folder.state(now) {
            Ok(Some(state)) => known.state = state,
            // Without a store, or without a disk, this process is all that knows it.
            Ok(None) => known.file = None,
            Err(error) => tell_failure(session, &error),
        }
        all.insert(session.to_owned(), known.clone());
        known
    }

    /// Changes the state of a session, under its lock: what another process did meanwhile is not lost. While another
    /// process holds the lock for longer than `wait`, the change is kept in memory alone. The cause for which it is kept
    /// so comes with the state.
    pub(super) fn change(
        &self,
        session: &str,
        now: Timestamp,
        wait: Duration,
        change: impl FnOnce(&mut SessionState),
    ) -> (SessionState, Option<String>) {
        let folder = self.folder(session);
        let lock = folder.takes_files().then(|| folder.lock(wait)).transpose();
        // From here on nobody is waited for.
        let mut all = held(&self.known);
        let before = self.look(&mut all, session, now);
        let mut state = before.state.clone();
        change(&mut state);
        let failed = |error: SysError| {
            tell_failure(session, &error);
            error.to_string()
        };
        let unwritten = match lock {
            Err(error) => Some(failed(error)),
            Ok(_) if state == before.state && !before.is_unwritten => None,
            Ok(None) => Some(NO_STORE.to_owned()),
            Ok(Some(_)) => folder.keep_state(&state).err().map(failed),
        };
        let known = Known {
            state: state.clone(),
            file: folder.state_stat(),
            is_unwritten: unwritten.is_some(),
        };
        all.insert(session.to_owned(), known);
        (state, unwritten)
    }

    /// Writes the states that are in memory alone; gives those that cannot be written, with the cause.
    pub(super) fn write_down(&self, now: Timestamp) -> Vec<(String, String)> {
        let known = held(&self.known);
        let unwritten = known.iter().filter(|(_, known)| known.is_unwritten);
        let unwritten: Vec<String> = unwritten.map(|(session, _)| session.clone()).collect();
        drop(known);
        let written = unwritten.into_iter().filter_map(|session| {
            let (_, cause) = self.change(&session, now, Duration::ZERO, |_| {});
            Some((session, cause?))
        });
        written.collect()
    }

    /// Forgets a session that is gone; `name` is the host's for it.
    pub(super) fn forget(&self, session: &str, name: &str) {
        held(&self.known).remove(session);
        held(&self.open).take_if(|(open, _)| open == session);
        held(&self.frozen).forget(name);
    }

    /// The state that changed last among those that are kept.
    pub(super) fn newest(&self, now: Timestamp) -> Option<SessionState> {
        let states = self.kept(now).map(|(_, state)| state);
        states.max_by_key(|state| state.updated)
    }

    /// The user's requests in the sessions whose last event was less than `within` ago.
    pub(super) fn said_within(&self, now: Timestamp, within: Duration) -> Vec<SaidRequest> {
        let age = |state: &SessionState| now.millis_since(state.updated).unsigned_abs();
        let is_recent = |state: &SessionState| Duration::from_millis(age(state)) < within;
        let recent = self.kept(now).map(|(_, state)| state).filter(is_recent);
        recent.flat_map(|state| state.said).collect()
    }

    /// The states that are kept.
    fn kept(&self, now: Timestamp) -> impl Iterator<Item = (SessionFolder, SessionState)> {
        let folders = self.sessions.folders().unwrap_or_default().into_iter();
        folders.filter_map(move |folder| {
            let state = folder.state(now).ok()??;
            Some((folder, state))
        })
    }

    /// A new session has begun with the work that a person offered it.
    pub(in crate::service) fn take_offer(&self) {
        self.sessions.take_offer();
    }

    /// The work that a person offered to a new session, else that which the last one before it left, where its last event was less than `within` ago. `None` also
    /// where that session goes on elsewhere: its work is not left to anybody.
    pub(in crate::service) fn left_by_the_last(
        &self,
        new: &str,
        now: Timestamp,
        within: Duration,
    ) -> Option<SessionState> {
        let offered = self.sessions.offered().filter(|folder| folder.hash() != new);
        if let Some(left) = offered.and_then(|folder| folder.seen_state()?.handed_over()) {
            return Some(left);
        }
        if within.is_zero() {
            return None;
        }
        // A time in the future (the clock was set back) is no reason to tell of a session for ever.
        let age = |state: &SessionState| u64::try_from(now.millis_since(state.updated)).ok();
        let others = self.kept(now).filter(|(folder, _)| folder.hash() != new);
        let left = others.filter_map(|(folder, state)| {
            let age = Duration::from_millis(age(&state)?);
            let left = state.handed_over().filter(|_| age < within)?;
            Some((folder, left, age))
        });
        let (folder, left, age) = left.max_by_key(|(_, left, _)| left.updated)?;
        let is_held = || !self.is_open_here(folder.hash()) && folder.hold_open().is_none();
        let goes_on = age < GOES_ON && (folder.is_marked_open() || is_held());
        (!goes_on).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::FileAction;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    /// The hash of a session.
    const S: &str = "0123456789abcdef";

    fn touch(states: &States, path: &str) {
        let wait = Duration::from_secs(1);
        states.change(S, NOW, wait, |state| state.touch(path, FileAction::Edit, NOW));
    }

    #[test]
    fn two_processes_that_serve_one_session_lose_nothing_of_each_other() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let one = States::new(sessions.clone());
        let two = States::new(sessions);
        touch(&one, "a");
        touch(&two, "b");
        touch(&one, "c");
        assert_eq!(two.get(S, NOW).active_files.len(), 3);
        assert_eq!(two.newest(NOW).as_ref(), Some(&one.get(S, NOW)));
    }

    #[test]
    fn without_a_store_the_state_lives_as_long_as_the_process() {
        let temp = tempfile::tempdir().unwrap();
        let states = States::new(Sessions::of(&temp.path().join("none")));
        touch(&states, "a");
        assert_eq!(states.get(S, NOW).active_files.len(), 1);
        assert!(!temp.path().join("none").exists());
    }
}
