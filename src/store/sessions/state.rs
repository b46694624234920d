//! `state.json`: the hot state of a session.

use std::path::{Path, PathBuf};

use crate::model::Timestamp;
use crate::session::SessionState;
use crate::sys::{self, FailureKind, FileStat, SysError};

use super::SessionFolder;
use super::state_record::{VERSION, number, read, write};

const FILE: &str = "state.json";
/// A state has some hundred lines; a file of more bytes is none.
const MAX_BYTES: u64 = 1 << 20;

/// The content of the file of a session's state.
#[derive(Debug, Clone, PartialEq)]
pub enum StateRead {
    /// There is none.
    Missing,
    /// A state.
    State(Box<SessionState>),
    /// A file that nobody can read; it lies under this name now, out of the way.
    Quarantined(PathBuf),
    /// A newer program's: it is left alone, and must not be written over.
    Newer(u32),
}

impl SessionFolder {
    /// Reads the state. A file that is torn or foreign is put aside, and its session begins anew.
    pub fn state(&self, now: Timestamp) -> Result<StateRead, SysError> {
        let bytes = match sys::read(&self.path, FILE, MAX_BYTES) {
            Ok(read) => read.bytes,
            Err(error) => {
                return match error.kind() {
                    FailureKind::Missing => Ok(StateRead::Missing),
                    FailureKind::TooLarge | FailureKind::InTheWay => self.quarantine(now),
                    _ => Err(error),
                };
            }
        };
        let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if let Some(version) = number(&json, "version").filter(|version| *version > VERSION) {
            return Ok(StateRead::Newer(version));
        }
        match read(&json) {
            Some(state) => Ok(StateRead::State(Box::new(state))),
            None => self.quarantine(now),
        }
    }

    /// The state, for somebody who changes nothing: a file that cannot be read stays where it is.
    pub fn seen_state(&self) -> Option<SessionState> {
        let bytes = sys::read(&self.path, FILE, MAX_BYTES).ok()?.bytes;
        read(&serde_json::from_slice(&bytes).ok()?)
    }

    /// The stat of the state's file: as long as it says the same, the file holds the same.
    pub fn state_stat(&self) -> Option<FileStat> {
        sys::stat(&self.path, Path::new(FILE)).ok().flatten()
    }

    /// Writes the state, whole. Not flushed: what a power cut takes of it is only the heat of the moment.
    pub fn keep_state(&self, state: &SessionState) -> Result<(), SysError> {
        if !self.takes_files() {
            return Ok(());
        }
        self.make()?;
        let text = write(state).to_string();
        sys::write_atomic(&self.path.join(FILE), text.as_bytes()).map(|_| ())
    }

    fn quarantine(&self, now: Timestamp) -> Result<StateRead, SysError> {
        let from = self.path.join(FILE);
        let aside = self.path.join(format!("{FILE}.corrupt-{}", now.as_millis()));
        match std::fs::rename(&from, &aside) {
            Ok(()) => Ok(StateRead::Quarantined(aside)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(StateRead::Missing),
            Err(error) => Err(SysError::io("put aside", &from, error)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files that somebody else made")]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capture::{ErrorCategory, FileAction};
    use crate::model::{Id, Kind, Oid, StorePath, repeated, takes_its_length};
    use crate::policy::{Level, LevelRules, NumberedMemories, NumberedMemory};
    use crate::session::{ContextMeter, ErrorReport, RecentDecision, StoredMemory, TokenLimits};
    use crate::store::Sessions;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    fn folder(temp: &tempfile::TempDir) -> SessionFolder {
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        Sessions::of(temp.path()).folder("ses_1")
    }

    fn full() -> SessionState {
        let mut state = SessionState::default();
        state.touch("src/a.ts", FileAction::Edit, NOW);
        let report = ErrorReport {
            category: ErrorCategory::Test,
            program: "cargo".to_owned(),
            summary: "it \"failed\"\u{0}".to_owned(),
            fingerprint: "0123456789ab".to_owned(),
            files: vec!["src/a.ts".to_owned()],
        };
        state.open_error(report, NOW);
        state.decide(RecentDecision {
            id: Some(Id::parse("mem_a").unwrap()),
            text: "Use tabs".to_owned(),
            exact: "decision:use tabs".to_owned(),
            at: NOW,
        });
        let stored = StoredMemory {
            id: Id::parse("mem_a").unwrap(),
            kind: Kind::new("decision"),
            text: "Use tabs".to_owned(),
        };
        state.remember_stored(stored, NOW);
        assert!(state.handle("msg_1"));
        let numbered = NumberedMemory {
            number: 1,
            id: Id::parse("mem_a").unwrap(),
            path: StorePath::new("decision/a.md").unwrap(),
            exact: "decision:use tabs".to_owned(),
            identity: "decision:use tabs".to_owned(),
        };
        state.transcript_read = 1 << 40;
        state.learning = Some((1 << 40, Some(Oid([7; 20]))));
        state.context = ContextMeter {
            model: Some("p/m".to_owned()),
            limits: TokenLimits {
                context: 200_000,
                input: Some(180_000),
                output: 32_000,
                reserved: Some(7),
                compacts: true,
            },
            used: Some(150_000),
            told: Level::Yellow,
            due: Some(Level::Yellow),
            has_intervened: true,
            focus: Some("the parser".to_owned()),
            turns: vec![100_000, 120_000],
        };
        state.numbered = Some(NumberedMemories {
            snapshot: "s1".to_owned(),
            refs: vec![numbered],
        });
        state
    }

    #[test]
    fn a_state_comes_back_as_it_was_kept() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        assert_eq!(folder.state(NOW).unwrap(), StateRead::Missing);
        folder.keep_state(&full()).unwrap();
        assert_eq!(folder.state(NOW).unwrap(), StateRead::State(Box::new(full())));
    }

    #[test]
    fn absurd_figures_of_the_context_cost_no_state() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        folder.keep_state(&full()).unwrap();
        let file = folder.path.join(FILE);
        let whole: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for absurd in [
            json!(null),
            json!("full"),
            json!({"used": -7, "turns": [1, -1], "told": "purple", "limits": 9, "model": 3}),
            json!({"used": 1e300, "turns": {}, "limits": {"context": -1, "input": "x", "compacts": 1}}),
        ] {
            let mut torn = whole.clone();
            torn["context"] = absurd;
            std::fs::write(&file, torn.to_string()).unwrap();
            let state = SessionState {
                context: ContextMeter::default(),
                ..full()
            };
            assert_eq!(folder.state(NOW).unwrap(), StateRead::State(Box::new(state)));
        }
        let huge = json!({"used": u64::MAX, "limits": {"context": u64::MAX, "compacts": true}, "turns": [0, u64::MAX, 1]});
        let mut torn = whole;
        torn["context"] = huge;
        std::fs::write(&file, torn.to_string()).unwrap();
        let StateRead::State(state) = folder.state(NOW).unwrap() else {
            panic!("a state");
        };
        let figures = state.context.figures(&LevelRules::default()).unwrap();
        assert_eq!((figures.level, figures.percent()), (Level::Critical, 100));
    }

    #[test]
    fn what_nobody_can_read_is_put_aside_and_a_newer_one_is_left() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        for corrupt in [
            &b"{\"version\":1"[..],
            b"",
            b"[]",
            b"\xff\xfe",
            b"{\"version\":1,\"active_files\":7}",
        ] {
            folder.make().unwrap();
            let file = folder.path.join(FILE);
            sys::write_atomic(&file, corrupt).unwrap();
            let StateRead::Quarantined(aside) = folder.state(NOW).unwrap() else {
                panic!("{corrupt:?} was read");
            };
            assert_eq!(std::fs::read(aside).unwrap(), corrupt);
            assert_eq!(folder.state(NOW).unwrap(), StateRead::Missing);
        }
        let newer = br#"{"version":9,"shape":"unknown"}"#;
        sys::write_atomic(&folder.path.join(FILE), newer).unwrap();
        assert_eq!(folder.state(NOW).unwrap(), StateRead::Newer(9));
        assert_eq!(std::fs::read(folder.path.join(FILE)).unwrap(), newer);
    }

    #[test]
    fn a_hostile_state_takes_its_length() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        folder.make().unwrap();
        let file = folder.path.join(FILE);
        let kept = write(&full());
        for (key, piece) in [
            ("handled", "\"message #\","),
            ("handled", "\"\\u0000\\n\","),
            (
                "active_files",
                "{\"path\":\"a#\",\"action\":\"edit\",\"count\":1,\"last_seen\":0},",
            ),
            ("open_errors", "{\"category\":\"test\",\"files\":[[]]},"),
            ("decisions", "{\"text\":\"x\",\"exact\":\"y\",\"at\":#},"),
            ("stored", "{\"id\":\"mem_#\",\"kind\":\"k#\",\"text\":\"x\"},"),
            ("handled", "["),
            ("handled", "{\"a\":"),
            ("handled", "\"a#\":1,"),
        ] {
            let text = |bytes: usize| {
                let mut json = kept.clone();
                json[key] = "HERE".into();
                let list = repeated(piece, bytes);
                let list = format!("[{}]", list.trim_end_matches(','));
                json.to_string().replace("\"HERE\"", &list)
            };
            takes_its_length(piece, text, |text| {
                sys::write_atomic(&file, text.as_bytes()).unwrap();
                if let StateRead::State(state) = folder.state(NOW).unwrap() {
                    folder.keep_state(&state).unwrap();
                }
            });
        }
    }

    #[test]
    fn nothing_is_written_where_there_is_no_store() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("workspaces/key");
        Sessions::of(&root).folder("s").keep_state(&full()).unwrap();
        assert!(!root.exists());
    }
}
