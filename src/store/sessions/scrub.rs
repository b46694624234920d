//! Takes the words of forgotten memories out of everything that is kept of the conversations.

use std::time::Duration;

use crate::model::{Id, Timestamp};
use crate::sys::SysError;
use crate::text::Phrases;

use super::frozen_prompt;
use super::{SessionFolder, StateRead, Waiting, WaitingWrite};

/// The time for which a session is waited for that somebody else changes.
const WAIT: Duration = Duration::from_secs(1);

impl SessionFolder {
    /// Takes these memories, and what says their words, out of the session. Its prompt is served no more: the next one is
    /// rendered, by a new epoch.
    pub fn scrub(&self, now: Timestamp, gone: &[Id], said: &Phrases) -> Result<(), SysError> {
        frozen_prompt::scrub(self, |left| left.scrub(gone, said))?;
        let _lock = self.lock(WAIT)?;
        if let StateRead::State(before) = self.state(now)? {
            let mut state = before.clone();
            state.scrub(gone, said);
            if state != before {
                self.keep_state(&state)?;
            }
        }
        let waiting = self.waiting()?;
        let scrubbed: Vec<WaitingWrite> = waiting.iter().filter_map(|write| without(write, said)).collect();
        if scrubbed == waiting {
            return Ok(());
        }
        self.keep_waiting(&scrubbed)
    }
}

/// A pending write without the words; `None` where it says nothing else. The lines of a summary keep their places, because
/// they are counted.
fn without(write: &WaitingWrite, said: &Phrases) -> Option<WaitingWrite> {
    let mut write = write.clone();
    match &mut write.what {
        Waiting::Memory { text, .. } if said.is_one(text) => return None,
        Waiting::TakingBack { object, text } if said.are_in(object) || said.are_in(text) => return None,
        Waiting::Memory { .. } | Waiting::TakingBack { .. } => {}
        Waiting::Summary { text, .. } => {
            let line = |line| if said.are_in(line) { "" } else { line };
            *text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
        }
    }
    Some(write)
}

#[cfg(test)]
mod tests {
    use super::super::Sessions;
    use super::*;
    use crate::model::Kind;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    fn write(what: Waiting) -> WaitingWrite {
        WaitingWrite {
            what,
            at: NOW,
            attempts: 1,
            unless_handled: None,
            cause: None,
        }
    }

    fn memory(text: &str) -> WaitingWrite {
        let (kind, text) = (Kind::new("decision"), text.to_owned());
        write(Waiting::Memory { kind, text })
    }

    #[test]
    fn what_waits_says_the_words_no_more_and_nothing_else_is_lost() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let folder = Sessions::of(temp.path()).folder("0123456789abcdef");
        let summary = |text: &str| {
            let text = text.to_owned();
            write(Waiting::Summary { text, done: 3 })
        };
        let more = memory("Use npm cache on the big machine only");
        let before = [
            memory("use npm cache."),
            more.clone(),
            summary("Goal:\n- [decision] Use npm cache\n- [decision] Use tabs"),
        ];
        folder.keep_waiting(&before).unwrap();
        folder.scrub(NOW, &[], &Phrases::of(["Use npm cache"])).unwrap();
        let after = [more, summary("Goal:\n\n- [decision] Use tabs")];
        assert_eq!(folder.waiting().unwrap(), after);
    }
}
