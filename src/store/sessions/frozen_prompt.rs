//! `prompt.json`: the text that a session was given, so that a restart serves the same bytes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::model::Timestamp;
use crate::policy::{ForcedBy, Pressure};
use crate::session::SessionState;
use crate::sys::{self, FileStat, SysError};

use super::{SessionFolder, Sessions, session_hash, state_record};

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
    /// The work of the session before this one, which the texts tell of.
    pub left: Option<SessionState>,
}

impl Sessions {
    /// The prompt that a session was given. A file that is missing, torn or of another version: nothing.
    pub fn frozen(&self, session: &str) -> Option<FrozenPrompt> {
        read(&self.file(session))
    }

    /// The stat of a session's file: as long as it says the same, the file holds the same.
    pub fn stat(&self, session: &str) -> Option<FileStat> {
        let path = Path::new(&session_hash(session)).join(FILE);
        sys::stat(&self.folder, &path).ok().flatten()
    }

    /// Freezes what a session is given, flushed: after a crash the same bytes are served. Without a store
    /// nothing is written: a folder of its name would be in the way of the store that is made later. Nor is anything of
    /// a session that its host has deleted.
    pub fn freeze(&self, session: &str, frozen: &FrozenPrompt) -> Result<(), SysError> {
        let folder = self.folder(&session_hash(session));
        if !folder.takes_files() {
            return Ok(());
        }
        folder.make()?;
        write(&folder.path.join(FILE), frozen)
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
    match read(file) {
        Some(frozen) if frozen.forced.is_none() => {
            let forced = Some(by);
            write(file, &FrozenPrompt { forced, ..frozen })
        }
        _ => Ok(()),
    }
}

/// Takes the text out of the prompt that a session was given: the bytes are nobody's any more, and the next ones are
/// rendered. What it was handed over by the session before goes through `change`.
pub(super) fn scrub(folder: &SessionFolder, change: impl FnOnce(&mut SessionState)) -> Result<(), SysError> {
    let file = folder.path.join(FILE);
    let Some(mut frozen) = read(&file) else {
        return Ok(());
    };
    if let Some(left) = &mut frozen.left {
        change(left);
    }
    let scrubbed = FrozenPrompt {
        system: Vec::new(),
        hash: String::new(),
        forced: Some(ForcedBy::Forget),
        ..frozen
    };
    write(&file, &scrubbed)
}

fn write(file: &Path, frozen: &FrozenPrompt) -> Result<(), SysError> {
    let json = json!({
        "version": VERSION,
        "hash": frozen.hash,
        "at": frozen.at.as_millis(),
        "above_pressure": frozen.pressure == Pressure::Above,
        "last_response": frozen.last_response.map(Timestamp::as_millis),
        "forced": frozen.forced.map(ForcedBy::as_str),
        "system": frozen.system,
        "left": frozen.left.as_ref().map(state_record::write),
    });
    sys::write_durable(file, json.to_string().as_bytes()).map(drop)
}

fn read(file: &Path) -> Option<FrozenPrompt> {
    // No link is followed: the prompt is then rendered anew.
    let is_file = file.symlink_metadata().ok()?.is_file();
    let text = is_file.then(|| sys::read_text(file))??;
    let json: Value = serde_json::from_str(&text).ok()?;
    if json["version"] != VERSION {
        return None;
    }
    let time = |key: &str| json[key].as_i64().map(Timestamp::from_millis);
    let system = json["system"].as_array()?.iter();
    Some(FrozenPrompt {
        system: system
            .map(|text| text.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        hash: json["hash"].as_str()?.to_owned(),
        at: time("at")?,
        pressure: if json["above_pressure"].as_bool()? {
            Pressure::Above
        } else {
            Pressure::Below
        },
        last_response: time("last_response"),
        forced: json["forced"].as_str().and_then(ForcedBy::parse),
        left: state_record::read(&json["left"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionTodo;

    fn frozen() -> FrozenPrompt {
        FrozenPrompt {
            system: vec!["memory\n".to_owned(), "hot".to_owned()],
            hash: "h".to_owned(),
            at: Timestamp::from_seconds(5),
            pressure: Pressure::Above,
            last_response: None,
            forced: None,
            left: SessionState {
                todos: vec![SessionTodo {
                    text: "close the ticket".to_owned(),
                    at: Timestamp::from_seconds(3),
                    is_listed: false,
                }],
                ..SessionState::default()
            }
            .handed_over(),
        }
    }

    #[test]
    fn a_session_gets_back_what_it_was_given() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".git")).unwrap();
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
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        sessions.freeze("s", &frozen()).unwrap();
        std::fs::File::create(sessions.file("s")).unwrap();
        assert_eq!(sessions.frozen("s"), None);
    }
}
