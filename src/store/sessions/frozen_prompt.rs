//! `prompt.json`: the text that a session was given, so that a restart serves the same bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{Id, Timestamp, millis};
use crate::policy::{ForcedBy, Pressure};
use crate::session::SessionState;
use crate::sys::{self, FileStat, SysError};
use crate::text::Phrases;

use super::{SessionFolder, Sessions, session_hash};

const FILE: &str = "prompt.json";
const VERSION: u32 = 1;

/// The form of the file.
#[derive(Serialize, Deserialize)]
struct Record<P> {
    version: u32,
    #[serde(flatten)]
    prompt: P,
}

/// The prompt that a session was given, and the facts about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenPrompt {
    /// The texts, as they were served.
    pub system: Vec<String>,
    /// SHA-256 of the texts.
    pub hash: String,
    /// When they were rendered.
    #[serde(with = "millis")]
    pub at: Timestamp,
    /// The pressure of the context when it was last asked for.
    #[serde(rename = "above_pressure")]
    pub pressure: Pressure,
    /// When the model last answered, as far as a host said.
    #[serde(with = "millis::optional")]
    pub last_response: Option<Timestamp>,
    /// The cause that has asked for new bytes since.
    pub forced: Option<ForcedBy>,
    /// The work of the session before this one, which the texts tell of.
    pub left: Option<SessionState>,
}

impl Sessions {
    /// The prompt that a session was given. A file that is missing, torn or of another version: nothing.
    pub fn frozen(&self, session: &str) -> Option<FrozenPrompt> {
        self.folder(&session_hash(session)).frozen()
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
}

impl SessionFolder {
    /// The prompt that the session was given.
    pub fn frozen(&self) -> Option<FrozenPrompt> {
        read(&self.path.join(FILE))
    }

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
/// rendered. What it was handed over by the session before says the words no more.
pub(super) fn scrub(folder: &SessionFolder, gone: &[Id], said: &Phrases) -> Result<(), SysError> {
    let file = folder.path.join(FILE);
    let Some(mut frozen) = read(&file) else {
        return Ok(());
    };
    if let Some(left) = &mut frozen.left {
        left.scrub(gone, said);
    }
    let scrubbed = FrozenPrompt {
        system: Vec::new(),
        hash: String::new(),
        forced: Some(ForcedBy::Forget),
        ..frozen
    };
    write(&file, &scrubbed)
}

fn write(file: &Path, prompt: &FrozenPrompt) -> Result<(), SysError> {
    let version = VERSION;
    let json =
        serde_json::to_vec(&Record { version, prompt }).expect("because a prompt is texts and numbers");
    sys::write_durable(file, &json).map(drop)
}

fn read(file: &Path) -> Option<FrozenPrompt> {
    // No link is followed: the prompt is then rendered anew.
    let is_file = file.symlink_metadata().ok()?.is_file();
    let text = is_file.then(|| sys::read_text(file))??;
    let record: Record<FrozenPrompt> = serde_json::from_str(&text).ok()?;
    (record.version == VERSION).then_some(record.prompt)
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

    /// The form in which prompts of November 2026 lie on disks.
    const KEPT: &str = r#"{"version":1,"hash":"h","at":5000,"above_pressure":true,"last_response":null,"forced":null,"system":["memory\n","hot"],"left":{"version":1,"active_files":[],"open_errors":[],"decisions":[],"todos":[{"text":"close the ticket","at":3000,"listed":false}],"host_todos":[],"working":{"blocks":[],"dependencies":[],"pool":[]},"context":{"model":null,"limits":{"context":0,"input":null,"output":0,"reserved":null,"compacts":false},"used":null,"told":"green","due":null,"has_intervened":false,"focus":null,"turns":[]},"pruning":{"calls":0,"chars_in":0,"chars_out":0,"fetched":0},"stored":[],"handled":[],"has_request":false,"numbered":null,"known_head":null,"known_global":null,"transcript_read":0,"learned_to":0,"learning_failed":0,"updated":0}}"#;

    #[test]
    fn what_is_on_disks_is_read() {
        let record: Record<FrozenPrompt> = serde_json::from_str(KEPT).unwrap();
        assert_eq!(record.prompt, frozen());
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
        std::fs::File::create(sessions.folder(&session_hash("s")).path.join(FILE)).unwrap();
        assert_eq!(sessions.frozen("s"), None);
    }
}
