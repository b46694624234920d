//! Use cases of a conversation: what a host tells of it, and what it is given (`mdmem serve`).
//!
//! A conversation is known by the host's name for its session. What it says becomes files of the store; what it is
//! doing just now is its hot state, below `.mdmem/sessions/`; what was decided is in the evidence log.

mod compacted;
mod compacting;
mod housekeeping;
mod memory_add;
mod message;
mod prompt;
mod retry;
mod states;
mod summary;
mod tool_report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::capture::RequestPatterns;
use crate::evidence::{Event, EventType, EvidenceLog};
use crate::model::{Kind, Source, Timestamp};
use crate::policy::{ForcedBy, HotRules, Rules};
use crate::render;
use crate::session::SessionState;
use crate::store::{LOCAL, LooseFiles, Sessions, Store, session_hash};
use crate::sys;
use crate::text::Redactor;

use super::accounting::evidence_of;
use super::{AddRequest, Context, PromptServer, ServiceError};

pub use compacted::{Learned, LearnedLine};
pub use compacting::CompactionRequest;
pub use housekeeping::housekeep;
pub use memory_add::{MemoryAdd, MemoryAdded};
pub use message::{Heard, HeardMemory, HeardOutcome, UserMessage};
pub use tool_report::ToolReport;

use states::{States, Trouble};

/// How long a write of a conversation waits for another writer: a hook has a second for everything.
const WAIT_FOR_WRITER: Duration = Duration::from_millis(500);
/// The hot snapshot of the newest session, for people and for hosts that read files.
const HOT: &str = "HOT.md";

/// The conversations of one workspace.
pub struct Conversations {
    context: Context,
    host: String,
    /// The store's folder, whether it exists or not.
    root: PathBuf,
    /// The folder that file names are shown relative to.
    workspace: PathBuf,
    prompts: PromptServer,
    states: States,
    /// The store, where it was opened.
    store: Option<Store>,
    evidence: Option<EvidenceLog>,
    patterns: RequestPatterns,
    redactor: Redactor,
}

impl Conversations {
    /// The conversations that `host` has in the workspace of the context.
    pub fn open(context: Context, host: &str) -> Result<Self, ServiceError> {
        let place = context.place()?;
        let sessions = Sessions::of(&place.root);
        let prompts = PromptServer::open(context.clone())?;
        let workspace = match &place.workspace {
            Some(workspace) => workspace.root().to_owned(),
            None => place.root.clone(),
        };
        let mut conversations = Self {
            host: host.to_owned(),
            root: place.root,
            workspace,
            prompts,
            states: States::new(sessions),
            store: None,
            evidence: None,
            patterns: RequestPatterns::standard(),
            redactor: Redactor::standard(),
            context,
        };
        // A store that cannot be opened now is opened when it is needed.
        let _ = conversations.existing_store();
        Ok(conversations)
    }

    /// Asks for a new epoch in one session.
    pub fn flush(&mut self, session: &str) -> Result<(), ServiceError> {
        let session = session_hash(session);
        self.retry(&session);
        Ok(self.states.folder(&session).force(ForcedBy::Flush)?)
    }

    /// Forgets a session that the host has deleted, after what it still had to store is stored. What cannot be stored
    /// now keeps its folder until it is, which is tried again when a conversation begins.
    pub fn deleted(&mut self, session: &str) -> Result<(), ServiceError> {
        let hash = session_hash(session);
        self.retry(&hash);
        self.states.forget(&hash);
        self.prompts.forget(session);
        let folder = self.states.folder(&hash);
        if folder.has_waiting() {
            folder.mark_deleted()?;
        } else {
            folder.remove()?;
        }
        self.write_newest();
        Ok(())
    }

    fn now(&self) -> Timestamp {
        self.context.clock.now()
    }

    /// The store, opened anew: its settings may be others by now. `None` where there is none yet.
    fn existing_store(&mut self) -> Result<Option<&Store>, ServiceError> {
        self.store = self.context.open_existing()?;
        self.follow_settings();
        Ok(self.store.as_ref())
    }

    /// The store, made where there is none: something is to be remembered.
    fn store_for_writing(&mut self) -> Result<(), ServiceError> {
        let (store, _) = self.context.open_or_create(LooseFiles::Refuse)?;
        self.store = Some(store);
        self.follow_settings();
        Ok(())
    }

    fn follow_settings(&mut self) {
        let Some(store) = &self.store else { return };
        self.redactor = store.redactor().clone();
        if self.evidence.is_none() {
            self.evidence = Some(evidence_of(store, &self.host));
        }
        self.patterns = store.request_patterns();
    }

    fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// A request for a memory that a session heard or read. Inside, sessions are known by their hashes.
    fn request(&self, session: &str, kind: &Kind, text: &str, source: Source) -> AddRequest {
        AddRequest {
            text: self.redact(text),
            why: None,
            kind: Some(kind.clone()),
            source,
            importance: crate::model::Importance::default(),
            tags: Vec::new(),
            description: None,
            path: None,
            session: Some(session.to_owned()),
            host: self.host.clone(),
        }
    }

    /// Changes a session's state, and brings HOT.md up to date.
    fn change_state(&mut self, session: &str, change: impl FnOnce(&mut SessionState)) {
        let now = self.now();
        let state = self.states.change(session, now, change).clone();
        self.write_hot(&state);
        self.tell_troubles(session);
    }

    fn hot_rules(&self) -> HotRules {
        let standard = || Rules::default().hot;
        self.store
            .as_ref()
            .map_or_else(standard, |store| store.rules().hot)
    }

    fn hot_text(&self, state: &SessionState) -> String {
        let root = self.workspace.display().to_string();
        let text = render::hot_snapshot(state, &root, &self.hot_rules()).text;
        self.redact(&text)
    }

    /// Writes HOT.md anew, where the session that it was about is gone.
    fn write_newest(&self) {
        let newest = self.states.newest(self.now()).unwrap_or_default();
        self.write_hot(&newest);
    }

    fn write_hot(&self, state: &SessionState) {
        let folder = self.root.join(LOCAL);
        if !folder.exists() {
            return;
        }
        let mut text = self.hot_text(state);
        if !text.is_empty() {
            text.push('\n');
        }
        if let Err(error) = sys::write_atomic(&folder.join(HOT), text.as_bytes()) {
            tracing::warn!(%error, "HOT.md is not up to date");
        }
    }

    /// What went wrong with the files of a session, in the log and in the evidence.
    fn tell_troubles(&mut self, session: &str) {
        for trouble in self.states.take_troubles() {
            match trouble {
                Trouble::Quarantined(aside) => self.tell_quarantined(session, "its state", &aside),
                Trouble::Newer(version) => tracing::warn!(
                    "session {session}: its state has the newer version {version} and is left alone: update mdmem"
                ),
                Trouble::Failed(why) => {
                    tracing::warn!("session {session}: its state is kept in memory alone: {why}");
                }
            }
        }
    }

    /// Says that a file of a session could not be read, and where it lies now.
    fn tell_quarantined(&self, session: &str, what: &str, aside: &Path) {
        let aside = aside.display().to_string();
        tracing::warn!("session {session}: {what} could not be read, it lies in {aside} now");
        let event = Event::new(EventType::StorageCorruptQuarantined);
        self.record(session, vec![event.detail("path", aside)]);
    }

    /// Records events of a session.
    fn record(&self, session: &str, events: Vec<Event>) {
        let Some(log) = &self.evidence else { return };
        let events: Vec<Event> = events.into_iter().map(|event| event.session(session)).collect();
        if let Err(error) = log.append(&events, self.now()) {
            tracing::warn!(%error, "what was decided could not be recorded");
        }
    }
}
