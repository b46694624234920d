//! `state.json`: the hot state of a session.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::Timestamp;
use crate::session::SessionState;
use crate::sys::{self, FailureKind, FileStat, SysError};

use super::SessionFolder;

const FILE: &str = "state.json";
/// The beginning of the name of a state that could not be read, and was put aside.
pub(super) const QUARANTINED: &str = "state.json.corrupt";
const VERSION: u32 = 1;
/// A state has some hundred lines; a file of more bytes is none.
const MAX_BYTES: u64 = 1 << 20;

/// The form of the file.
#[derive(Serialize, Deserialize)]
struct Record<S> {
    version: u32,
    #[serde(flatten)]
    state: S,
}

impl SessionFolder {
    /// Reads the state; `None` where there is none. A file that is torn, foreign or a newer program's is put aside, and its
    /// session begins anew.
    pub fn state(&self, now: Timestamp) -> Result<Option<SessionState>, SysError> {
        match sys::read(&self.path, FILE, MAX_BYTES) {
            Ok(read) => match read_state(&read.bytes) {
                Some(state) => Ok(Some(state)),
                None => self.quarantine(now),
            },
            Err(error) => match error.kind() {
                FailureKind::Missing => Ok(None),
                FailureKind::TooLarge | FailureKind::InTheWay => self.quarantine(now),
                _ => Err(error),
            },
        }
    }

    /// The state, for somebody who changes nothing: a file that cannot be read stays where it is.
    pub fn seen_state(&self) -> Option<SessionState> {
        read_state(&sys::read(&self.path, FILE, MAX_BYTES).ok()?.bytes)
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
        let record = Record {
            version: VERSION,
            state,
        };
        let json = serde_json::to_vec(&record).expect("because a state is texts and numbers");
        sys::write_atomic(&self.path.join(FILE), &json).map(drop)
    }

    fn quarantine(&self, now: Timestamp) -> Result<Option<SessionState>, SysError> {
        let from = self.path.join(FILE);
        let aside = self.path.join(format!("{QUARANTINED}-{}", now.as_millis()));
        match std::fs::rename(&from, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(SysError::io("move away", &from, error));
            }
            _ => {}
        }
        tracing::warn!(
            "session {}: its state could not be read; it was moved to {}",
            self.hash(),
            aside.display()
        );
        Ok(None)
    }
}

fn read_state(bytes: &[u8]) -> Option<SessionState> {
    let record: Record<SessionState> = serde_json::from_slice(bytes).ok()?;
    (record.version == VERSION).then_some(record.state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::ShellError;
    use crate::capture::{ErrorCategory, FileAction};
    use crate::model::{Id, Kind, Oid, StorePath, repeated, takes_its_length};
    use crate::policy::{Level, NumberedMemories, NumberedMemory};
    use crate::session::{ContextMeter, RecentDecision, StoredMemory, TokenLimits};
    use crate::store::Sessions;

    const NOW: Timestamp = Timestamp::from_seconds(1_795_000_000);

    fn folder(temp: &tempfile::TempDir) -> SessionFolder {
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        Sessions::of(temp.path()).folder("ses_1")
    }

    fn full() -> SessionState {
        let mut state = SessionState::default();
        state.touch("src/a.ts", FileAction::Edit, NOW);
        let report = ShellError {
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
        state.handle("msg_1");
        let numbered = NumberedMemory {
            number: 1,
            id: Id::parse("mem_a").unwrap(),
            path: StorePath::new("decision/a.md").unwrap(),
            exact: "decision:use tabs".to_owned(),
            identity: "decision:use tabs".to_owned(),
        };
        state.transcript_read = 1 << 40;
        state.known_head = Some(Oid([7; 20]));
        let rules = crate::session::BlockRule::all(&[]);
        let goal = crate::session::BlockEdit::Set("it");
        state.working.blocks.edit(&rules, "goal", goal).unwrap();
        state.working.depend("cargo add x");
        state.working.pool.add(crate::session::PoolKind::File, "a.rs");
        state.pruning = crate::session::Pruning {
            calls: 1,
            chars_in: 2,
            chars_out: 1,
            fetched: 0,
        };
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
        assert_eq!(folder.state(NOW).unwrap(), None);
        folder.keep_state(&full()).unwrap();
        assert_eq!(folder.state(NOW).unwrap(), Some(full()));
    }

    /// The form in which states of November 2026 lie on disks.
    const KEPT: &str = r#"{"version":1,"active_files":[{"path":"src/a.ts","action":"edit","count":1,"last_seen":1795000000000}],"open_errors":[{"category":"test","program":"cargo","summary":"it \"failed\"\u0000","fingerprint":"0123456789ab","files":["src/a.ts"],"status":"open","first_seen":1795000000000,"last_seen":1795000000000,"count":1}],"decisions":[{"id":"mem_a","text":"Use tabs","exact":"decision:use tabs","at":1795000000000}],"todos":[],"host_todos":[],"working":{"blocks":[{"name":"goal","text":"it"}],"dependencies":["cargo add x"],"pool":[{"kind":"file","text":"a.rs","mentions":1,"age":0}]},"context":{"model":"p/m","limits":{"context":200000,"input":180000,"output":32000,"reserved":7,"compacts":true},"used":150000,"told":"yellow","due":"yellow","has_intervened":true,"focus":"the parser","turns":[100000,120000]},"pruning":{"calls":1,"chars_in":2,"chars_out":1,"fetched":0},"stored":[{"id":"mem_a","kind":"decision","text":"Use tabs"}],"handled":["msg_1"],"has_request":false,"numbered":{"snapshot":"s1","refs":[{"number":1,"id":"mem_a","path":"decision/a.md","exact":"decision:use tabs","identity":"decision:use tabs"}]},"known_head":"0707070707070707070707070707070707070707","known_global":null,"transcript_read":1099511627776,"learned_to":0,"learning_failed":0,"updated":1795000000000}"#;

    #[test]
    fn what_is_on_disks_is_read_and_written_as_it_was() {
        let state = read_state(KEPT.as_bytes()).unwrap();
        assert_eq!(state, full());
        let record = Record {
            version: VERSION,
            state,
        };
        let written = serde_json::to_value(record).unwrap();
        let mut kept: serde_json::Value = serde_json::from_str(KEPT).unwrap();
        // Nobody asks for it any more.
        kept.as_object_mut().unwrap().remove("has_request").unwrap();
        assert_eq!(written, kept);
        // The states of the first programs had less.
        let first = r#"{"version":1,"active_files":[],"open_errors":[],"decisions":[{"text":"x","exact":"y","at":0}],"stored":[],"handled":[],"updated":0}"#;
        assert_eq!(read_state(first.as_bytes()).unwrap().decisions[0].id, None);
    }

    #[test]
    fn what_nobody_can_read_is_put_aside() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        for (at, corrupt) in (1..).zip([
            &b"{\"version\":1"[..],
            b"",
            b"[]",
            b"\xff\xfe",
            b"{\"version\":1,\"active_files\":7}",
            br#"{"version":9,"shape":"unknown"}"#,
        ]) {
            folder.make().unwrap();
            sys::write_atomic(&folder.path.join(FILE), corrupt).unwrap();
            assert_eq!(
                folder.state(Timestamp::from_millis(at)).unwrap(),
                None,
                "{corrupt:?}"
            );
            let aside = folder.path.join(format!("{QUARANTINED}-{at}"));
            assert_eq!(std::fs::read(aside).unwrap(), corrupt);
        }
        assert_eq!(folder.state(NOW).unwrap(), None);
    }

    #[test]
    fn a_hostile_state_takes_its_length() {
        let temp = tempfile::tempdir().unwrap();
        let folder = folder(&temp);
        folder.make().unwrap();
        let file = folder.path.join(FILE);
        let kept: serde_json::Value = serde_json::from_str(KEPT).unwrap();
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
                if let Some(state) = folder.state(NOW).unwrap() {
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
