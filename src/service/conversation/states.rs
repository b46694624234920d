//! The hot state of each conversation, in memory as on disk: asking again costs a look at the file, not a read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::Timestamp;
use crate::session::SessionState;
use crate::store::{SessionFolder, Sessions, StateRead};
use crate::sys::{FileStat, SysError};

/// How long an event waits for another process that serves the same session.
const WAIT: Duration = Duration::from_secs(1);

/// The states of one store's sessions, by their hashes.
pub(super) struct States {
    sessions: Sessions,
    known: HashMap<String, Known>,
    troubles: Vec<Trouble>,
}

struct Known {
    state: SessionState,
    /// The file that holds it, as it was then; `None`: there is none.
    file: Option<FileStat>,
    /// A newer program wrote the file: this one keeps what it knows to itself.
    is_newer: bool,
}

/// Something about a state's file that a person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It could not be read, and was put aside.
    Quarantined(PathBuf),
    /// It is of a newer version, and is left alone.
    Newer(u32),
    /// It could not be read or written; the conversation goes on without a disk.
    Failed(String),
}

impl States {
    pub(super) fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            known: HashMap::new(),
            troubles: Vec::new(),
        }
    }

    pub(super) const fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub(super) fn folder(&self, session: &str) -> SessionFolder {
        self.sessions.folder(session)
    }

    /// What went wrong since this was asked last.
    pub(super) fn take_troubles(&mut self) -> Vec<Trouble> {
        std::mem::take(&mut self.troubles)
    }

    /// The state of a session; empty for one that nothing is known of.
    pub(super) fn get(&mut self, session: &str, now: Timestamp) -> &SessionState {
        let folder = self.folder(session);
        let file = folder.state_stat();
        let is_known = self.known.get(session).is_some_and(|known| known.file == file);
        if !is_known {
            let known = self.read(&folder, session, file, now);
            self.known.insert(session.to_owned(), known);
        }
        &self.known[session].state
    }

    fn read(
        &mut self,
        folder: &SessionFolder,
        session: &str,
        file: Option<FileStat>,
        now: Timestamp,
    ) -> Known {
        let before = |states: &Self| states.known.get(session).map(|known| known.state.clone());
        let known = |state: Option<SessionState>| Known {
            state: state.unwrap_or_default(),
            file,
            is_newer: false,
        };
        match folder.state(now) {
            Ok(StateRead::State(state)) => known(Some(*state)),
            // Without a store, or without a disk, this process is all that knows it.
            Ok(StateRead::Missing) => known(before(self)),
            Ok(StateRead::Quarantined(aside)) => {
                self.troubles.push(Trouble::Quarantined(aside));
                Known {
                    file: None,
                    ..known(before(self))
                }
            }
            Ok(StateRead::Newer(version)) => {
                self.troubles.push(Trouble::Newer(version));
                Known {
                    is_newer: true,
                    ..known(before(self))
                }
            }
            Err(error) => {
                self.troubles.push(Trouble::Failed(error.to_string()));
                known(before(self))
            }
        }
    }

    /// Changes the state of a session, under its lock: what another process did meanwhile is not lost.
    pub(super) fn change(
        &mut self,
        session: &str,
        now: Timestamp,
        change: impl FnOnce(&mut SessionState),
    ) -> &SessionState {
        let folder = self.folder(session);
        let lock = folder.is_in_a_store().then(|| folder.lock(WAIT)).transpose();
        if let Err(error) = &lock {
            self.troubles.push(Trouble::Failed(error.to_string()));
        }
        let before = self.get(session, now).clone();
        let mut state = before.clone();
        change(&mut state);
        if state != before {
            let is_newer = self.known[session].is_newer;
            let written = if is_newer || lock.is_err() {
                Ok(())
            } else {
                folder.keep_state(&state)
            };
            self.note(session, &folder, state, is_newer, written);
        }
        drop(lock);
        &self.known[session].state
    }

    fn note(
        &mut self,
        session: &str,
        folder: &SessionFolder,
        state: SessionState,
        is_newer: bool,
        written: Result<(), SysError>,
    ) {
        if let Err(error) = written {
            self.troubles.push(Trouble::Failed(error.to_string()));
        }
        let known = Known {
            state,
            file: folder.state_stat(),
            is_newer,
        };
        self.known.insert(session.to_owned(), known);
    }

    /// Forgets a session that is gone.
    pub(super) fn forget(&mut self, session: &str) {
        self.known.remove(session);
    }

    /// The state that changed last among those that are kept.
    pub(super) fn newest(&self, now: Timestamp) -> Option<SessionState> {
        let folders = self.sessions.folders().ok()?;
        let there = folders.iter().filter(|folder| !folder.is_deleted());
        let states = there.filter_map(|folder| match folder.state(now) {
            Ok(StateRead::State(state)) => Some(*state),
            _ => None,
        });
        states.max_by_key(|state| state.updated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::FileAction;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    /// The hash of a session.
    const S: &str = "0123456789abcdef";

    fn touch(states: &mut States, path: &str) {
        states.change(S, NOW, |state| state.touch(path, FileAction::Edit, NOW));
    }

    #[test]
    fn two_processes_that_serve_one_session_lose_nothing_of_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(temp.path());
        let mut one = States::new(sessions.clone());
        let mut two = States::new(sessions);
        touch(&mut one, "a");
        touch(&mut two, "b");
        touch(&mut one, "c");
        assert_eq!(two.get(S, NOW).active_files.len(), 3);
        assert_eq!(two.newest(NOW).as_ref(), Some(one.get(S, NOW)));
    }

    #[test]
    fn a_newer_state_is_left_alone_and_the_conversation_goes_on() {
        let temp = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(temp.path());
        let mut states = States::new(sessions.clone());
        touch(&mut states, "a");
        let file = temp.path().join(".mdmem/sessions").join(S).join("state.json");
        crate::sys::write_atomic(&file, br#"{"version":2}"#).unwrap();
        touch(&mut states, "b");
        assert_eq!(std::fs::read(&file).unwrap(), br#"{"version":2}"#);
        assert_eq!(states.get(S, NOW).active_files.len(), 2);
        assert_eq!(states.take_troubles(), [Trouble::Newer(2)]);
    }

    #[test]
    fn without_a_store_the_state_lives_as_long_as_the_process() {
        let temp = tempfile::tempdir().unwrap();
        let mut states = States::new(Sessions::of(&temp.path().join("none")));
        touch(&mut states, "a");
        assert_eq!(states.get(S, NOW).active_files.len(), 1);
        assert!(!temp.path().join("none").exists());
    }
}
