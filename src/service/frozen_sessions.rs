//! The prompts that the sessions were given, in memory as on disk: a second question costs a look at the file, not a
//! read or a write.

use std::collections::HashMap;

use crate::model::Timestamp;
use crate::policy::ForcedBy;
use crate::store::{FrozenPrompt, Sessions};
use crate::sys::FileStat;

/// The time of the last response is written again after this many milliseconds: it is known better than the rules need
/// (`epoch.ttl` is minutes), and a turn need not wait for a flush.
const RESPONSE_EVERY: u64 = 60_000;

/// The sessions of one store that this process serves.
pub(super) struct FrozenSessions {
    sessions: Sessions,
    known: HashMap<String, Known>,
}

struct Known {
    prompt: FrozenPrompt,
    /// The file that holds it, as it was then; `None`: it could not be written.
    file: Option<FileStat>,
    /// The time of the last response in that file.
    response_on_disk: Option<Timestamp>,
}

impl FrozenSessions {
    pub(super) fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            known: HashMap::new(),
        }
    }

    /// The prompt that a session was given. The file is the truth, because another process may have asked for a new
    /// epoch in it; while it is as this process left it, it need not be read.
    pub(super) fn get(&mut self, session: &str) -> Option<FrozenPrompt> {
        let file = self.sessions.stat(session);
        let known = self.known.get(session);
        if let Some(known) = known
            && known.file == file
        {
            return Some(known.prompt.clone());
        }
        let Some(mut prompt) = self.sessions.frozen(session) else {
            return known.map(|known| known.prompt.clone());
        };
        let response_on_disk = prompt.last_response;
        prompt.last_response = response_on_disk.max(known.and_then(|known| known.prompt.last_response));
        let known = Known {
            prompt: prompt.clone(),
            file,
            response_on_disk,
        };
        self.known.insert(session.to_owned(), known);
        Some(prompt)
    }

    /// Forgets a session that is gone.
    pub(super) fn forget(&mut self, session: &str) {
        self.known.remove(session);
    }

    /// A new epoch that somebody asked for since [`Self::get`]: a summary may be read while a prompt is rendered.
    fn asked_since(&self, session: &str) -> Option<ForcedBy> {
        let before = self.known.get(session).and_then(|known| known.file);
        let file = self.sessions.stat(session);
        let asked = || self.sessions.frozen(session)?.forced;
        (file.is_some() && file != before).then(asked).flatten()
    }

    /// Keeps what a session is given: on disk before it is answered, so that a restart serves the same bytes.
    pub(super) fn keep(&mut self, session: &str, next: &FrozenPrompt) {
        if let Some(known) = self.known.get_mut(session)
            && known.holds(next)
        {
            known.prompt.last_response = next.last_response;
            return;
        }
        let mut next = FrozenPrompt {
            forced: next.forced.or_else(|| self.asked_since(session)),
            ..next.clone()
        };
        if next.forced == Some(ForcedBy::Forget) {
            // It may say what was forgotten meanwhile.
            next.system.clear();
            next.hash.clear();
        }
        let written = self.sessions.freeze(session, &next);
        if let Err(error) = &written {
            // Without a disk the bytes still hold for as long as this process lives.
            tracing::warn!(%error, "a session's prompt could not be written to disk");
        }
        let known = Known {
            response_on_disk: next.last_response,
            prompt: next,
            file: written.ok().and_then(|()| self.sessions.stat(session)),
        };
        self.known.insert(session.to_owned(), known);
    }
}

impl Known {
    /// True when the file says the same, but for a response of just now.
    fn holds(&self, next: &FrozenPrompt) -> bool {
        let since = match (self.response_on_disk, next.last_response) {
            // A host may say any number.
            (Some(on_disk), Some(now)) => now.millis_since(on_disk).unsigned_abs(),
            (None, None) => 0,
            _ => u64::MAX,
        };
        let last_response = self.prompt.last_response;
        self.file.is_some()
            && since < RESPONSE_EVERY
            && self.prompt
                == FrozenPrompt {
                    last_response,
                    ..next.clone()
                }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Pressure;
    use crate::text::Phrases;

    fn prompt(last_response: i64) -> FrozenPrompt {
        FrozenPrompt {
            system: vec!["memory".to_owned()],
            hash: "h".to_owned(),
            at: Timestamp::from_seconds(5),
            pressure: Pressure::Below,
            last_response: Some(Timestamp::from_seconds(last_response)),
            forced: None,
            left: None,
        }
    }

    fn on_disk(sessions: &Sessions) -> i64 {
        let prompt = sessions.frozen("s").unwrap();
        prompt.last_response.unwrap().as_millis() / 1000
    }

    #[test]
    fn a_response_is_known_at_once_and_written_once_a_minute() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let mut frozen = FrozenSessions::new(sessions.clone());
        for (at, written) in [(10, 10), (69, 10), (70, 70), (71, 70), (9, 9)] {
            frozen.keep("s", &prompt(at));
            assert_eq!((frozen.get("s"), on_disk(&sessions)), (Some(prompt(at)), written));
        }
    }

    #[test]
    fn what_another_process_asks_for_is_seen() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let mut frozen = FrozenSessions::new(sessions.clone());
        frozen.keep("s", &prompt(10));
        frozen.keep("s", &prompt(20));
        sessions.force_all(ForcedBy::Restore).unwrap();
        let expected = FrozenPrompt {
            forced: Some(ForcedBy::Restore),
            ..prompt(20)
        };
        assert_eq!(frozen.get("s"), Some(expected));
    }

    #[test]
    fn what_is_asked_for_while_a_prompt_is_rendered_is_not_lost() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let mut frozen = FrozenSessions::new(sessions.clone());
        frozen.keep("s", &prompt(10));
        let given = frozen.get("s").unwrap();
        sessions.force_all(ForcedBy::Compaction).unwrap();
        let rendered = FrozenPrompt {
            system: vec!["newer".to_owned()],
            ..given
        };
        frozen.keep("s", &rendered);
        let asked = |frozen: &mut FrozenSessions| frozen.get("s").unwrap().forced;
        assert_eq!(asked(&mut frozen), Some(ForcedBy::Compaction));
        frozen.keep("s", &rendered);
        assert_eq!(asked(&mut frozen), None, "the next prompt answers it");
    }

    #[test]
    fn what_was_forgotten_while_a_prompt_is_rendered_is_not_kept() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let mut frozen = FrozenSessions::new(sessions.clone());
        frozen.keep("s", &prompt(10));
        let given = frozen.get("s").unwrap();
        for folder in sessions.folders().unwrap() {
            let said = Phrases::of(["memory"]);
            folder.scrub(Timestamp::from_seconds(11), &[], &said).unwrap();
        }
        let rendered = FrozenPrompt {
            system: vec!["memory, as it was".to_owned()],
            ..given
        };
        frozen.keep("s", &rendered);
        let kept = sessions.frozen("s").unwrap();
        assert_eq!((kept.system.len(), kept.forced), (0, Some(ForcedBy::Forget)));
        assert_eq!(frozen.get("s"), Some(kept));
    }

    #[test]
    fn without_a_disk_the_bytes_hold_while_the_process_lives() {
        let temp = tempfile::tempdir().unwrap();
        let blocked = temp.path().join("file");
        std::fs::File::create(&blocked).unwrap();
        let mut frozen = FrozenSessions::new(Sessions::of(&blocked));
        frozen.keep("s", &prompt(10));
        assert_eq!(frozen.get("s"), Some(prompt(10)));
        assert_eq!(frozen.get("t"), None);
    }
}
