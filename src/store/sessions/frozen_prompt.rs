//! `prompt.json`: the text that a session was given, so that a restart serves the same bytes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;
use crate::policy::{ForcedBy, Pressure};
use crate::sys::{self, FileStat, SysError};

use super::{SessionFolder, Sessions, session_hash};

const FILE: &str = "prompt.json";
const VERSION: u32 = 1;

/// The prompt that a session was given, and the facts about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrozenPrompt {
    /// The texts, as they were served.
    pub system: Vec<String>,
    /// SHA-256 of the texts.
    pub hash: String,
    /// When they were rendered.
    pub at: Timestamp,
    /// The pressure of the context when it was last asked for.
    pub pressure: Pressure,
    /// When the model last answered, as far as a host said.
    pub last_response: Option<Timestamp>,
    /// The cause that has asked for new bytes since.
    pub forced: Option<ForcedBy>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    hash: String,
    at: i64,
    above_pressure: bool,
    last_response: Option<i64>,
    forced: Option<String>,
    system: Vec<String>,
}

impl Sessions {
    /// The prompt that a session was given. A file that is missing, torn or of another version: nothing.
    pub fn frozen(&self, session: &str) -> Option<FrozenPrompt> {
        let text = std::fs::read_to_string(self.file(session)).ok()?;
        let record: Record = serde_json::from_str(&text)
            .ok()
            .filter(|record: &Record| record.version == VERSION)?;
        Some(FrozenPrompt {
            hash: record.hash,
            at: Timestamp::from_millis(record.at),
            pressure: if record.above_pressure {
                Pressure::Above
            } else {
                Pressure::Below
            },
            last_response: record.last_response.map(Timestamp::from_millis),
            forced: record.forced.as_deref().and_then(ForcedBy::parse),
            system: record.system,
        })
    }

    /// The stat of a session's file: as long as it says the same, the file holds the same.
    pub fn stat(&self, session: &str) -> Option<FileStat> {
        let path = Path::new(&session_hash(session)).join(FILE);
        sys::stat(&self.folder, &path).ok().flatten()
    }

    /// Freezes what a session is given, flushed: after a crash the same bytes are served. Where there is no store
    /// nothing is written: a folder of its name would be in the way of the store that is made later.
    pub fn freeze(&self, session: &str, frozen: &FrozenPrompt) -> Result<(), SysError> {
        let folder = self.folder(&session_hash(session));
        if !folder.is_in_a_store() {
            return Ok(());
        }
        let record = Record {
            version: VERSION,
            hash: frozen.hash.clone(),
            at: frozen.at.as_millis(),
            above_pressure: frozen.pressure == Pressure::Above,
            last_response: frozen.last_response.map(Timestamp::as_millis),
            forced: frozen.forced.map(|by| by.as_str().to_owned()),
            system: frozen.system.clone(),
        };
        let text = serde_json::to_vec(&record).expect("because a record is strings and numbers");
        folder.make()?;
        sys::write_durable(&folder.path.join(FILE), &text).map(|_| ())
    }

    /// Asks for new bytes in every session of the store, at its next question.
    pub fn force_all(&self, by: ForcedBy) -> Result<(), SysError> {
        let folders = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        folders
            .map(|entry| entry.path().join(FILE))
            .try_for_each(|file| force(&file, by))
    }

    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(session_hash(session)).join(FILE)
    }
}

impl SessionFolder {
    /// Asks for new bytes in this session, at its next question.
    pub fn force(&self, by: ForcedBy) -> Result<(), SysError> {
        force(&self.path.join(FILE), by)
    }
}

/// Leaves alone what is missing or cannot be read: it is rendered anew anyway.
fn force(file: &Path, by: ForcedBy) -> Result<(), SysError> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(());
    };
    if let Ok(mut record) = serde_json::from_str::<Record>(&text)
        && record.forced.is_none()
    {
        record.forced = Some(by.as_str().to_owned());
        let text = serde_json::to_vec(&record).expect("because a record is strings and numbers");
        sys::write_durable(file, &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frozen() -> FrozenPrompt {
        FrozenPrompt {
            system: vec!["memory\n".to_owned(), "hot".to_owned()],
            hash: "h".to_owned(),
            at: Timestamp::from_seconds(5),
            pressure: Pressure::Above,
            last_response: None,
            forced: None,
        }
    }

    #[test]
    fn a_session_gets_back_what_it_was_given() {
        let temp = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(temp.path());
        assert_eq!(sessions.frozen("ses_1"), None);
        sessions.freeze("ses_1", &frozen()).unwrap();
        assert_eq!(
            (sessions.frozen("ses_1"), sessions.frozen("../ses_2")),
            (Some(frozen()), None)
        );
        sessions.force_all(ForcedBy::Restore).unwrap();
        assert_eq!(sessions.frozen("ses_1").unwrap().forced, Some(ForcedBy::Restore));
    }

    #[test]
    fn nothing_is_written_where_there_is_no_store() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("workspaces/key");
        Sessions::of(&root).freeze("s", &frozen()).unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn a_torn_file_is_as_good_as_none() {
        let temp = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(temp.path());
        sessions.freeze("s", &frozen()).unwrap();
        std::fs::File::create(sessions.file("s")).unwrap();
        assert_eq!(sessions.frozen("s"), None);
    }
}
