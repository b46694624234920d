//! Use cases of a conversation: what a host tells of it, and what it is given (`mdmem serve`).
//!
//! A conversation is known by the host's name for its session. Its memories become files of the store; its
//! present work is its hot state, below `.mdmem/sessions/`; the decisions are in the evidence log.

mod compaction;
mod context_level;
mod epoch;
mod file_notes;
mod heard_line;
mod learned;
mod lifetime;
mod memory_add;
mod message;
mod pending;
mod pruning;
mod session_memory;
mod states;
mod summary;
mod tool_report;
mod tools;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::capture::RequestPatterns;
use crate::evidence::{Event, EvidenceLog};
use crate::model::{Kind, Source, Timestamp};
use crate::policy::Rules;
use crate::render::{self, Scope};
use crate::session::SessionState;
use crate::store::LOCAL;
use crate::sys::{self, Deadline};
use crate::text::{Redactor, sha256_hex};

use super::accounting::evidence_of;
use super::open_store::OpenStore;
use super::stores::refresh_projects;
use super::{AddRequest, Background, Context, PromptServer, PromptTiming, ServiceError};

pub use context_level::{AfterTurn, CompactionRefusal, ContextAdvice, ContextView};
pub use epoch::{FactChange, News};
pub use heard_line::HeardLine;
pub use lifetime::{Overview, SessionBeginning};
pub use memory_add::MemoryAdd;
pub use message::{Heard, has_request};
pub use pending::{settle_waiting, waiting};
pub use session_memory::{SessionMemory, SessionMemoryShown, SessionRefusal};
pub use tool_report::ToolReport;
pub use tools::{
    Answered, Asking, Leave, MemoryEdit, MemoryWrite, ToolChange, ToolMemory, ToolRead, ToolRefusal,
    ToolTree, TreeLine, WhyRefused,
};

pub(super) use learned::Teaching;
pub(super) use pending::waiting_at;
pub(super) use states::States;
pub(super) use summary::Extraction;
pub(super) use tools::{Present, check_worth};

use pending::Pending;

/// A pending write, or an event that has happened, waits this long for its small file, also after the deadline.
const LAST_MOMENT: Duration = Duration::from_millis(100);
/// The hot snapshot of the newest session, for people and for hosts that read files.
const HOT: &str = "HOT.md";

/// The conversations of one workspace, as far as they are written: everything but their prompts ([`PromptServer`]).
pub struct Conversations {
    context: Context,
    host: String,
    /// The store's folder, whether it exists or not.
    root: PathBuf,
    /// The folder that file names are shown relative to.
    workspace: PathBuf,
    /// The folder whose files memories speak of.
    work_tree: Option<PathBuf>,
    states: States,
    pending: Pending,
    store: OpenStore,
    /// The global store, beside that of a workspace.
    global: OpenStore,
    /// The present event has to be answered by then.
    deadline: Deadline,
    /// When the host takes a new prompt.
    prompts: PromptTiming,
    evidence: Option<EvidenceLog>,
    patterns: RequestPatterns,
    redactor: Redactor,
    /// The pending writes that were settled, by session, until its next message: then the user is told.
    settled: HashMap<String, Vec<HeardLine>>,
    /// The memories that the last message of each session asked for: its turn may tell them once more.
    just_said: HashMap<String, Vec<HeardLine>>,
}

impl Conversations {
    /// The conversations that `host` has in the workspace of the context, beside their prompts.
    pub fn open(
        context: Context,
        host: &str,
        prompts: &PromptServer,
        background: &mut Background,
    ) -> Result<Self, ServiceError> {
        let place = context.place()?;
        let states = prompts.states();
        let mut conversations = Self {
            host: host.to_owned(),
            workspace: place.shown_root().to_owned(),
            work_tree: context.work_tree(&place),
            pending: Pending(context.journal(&place.root)),
            states,
            store: OpenStore::new(context.clone(), background.files(&place.root)),
            global: OpenStore::new(
                context.global(),
                background.files(&context.global().place()?.root),
            ),
            root: place.root,
            deadline: Deadline::after(Duration::ZERO),
            prompts: PromptTiming::default(),
            evidence: None,
            patterns: RequestPatterns::standard(),
            redactor: Redactor::standard(),
            settled: HashMap::new(),
            just_said: HashMap::new(),
            context,
        };
        refresh_projects(&conversations.context);
        // A store that cannot be opened now is opened when it is needed.
        let _ = conversations.follow_store();
        Ok(conversations)
    }

    /// The next event has to be answered by then: it waits for others until then, and no longer. A memory that cannot
    /// be stored by then becomes a pending write.
    pub const fn answer_by(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Says when the host takes a new prompt.
    pub const fn give_prompts(&mut self, timing: PromptTiming) {
        self.prompts = timing;
    }

    fn now(&self) -> Timestamp {
        self.context.clock.now()
    }

    /// The time to wait for a small file of a session.
    fn wait(&self) -> Duration {
        self.deadline.left().max(LAST_MOMENT)
    }

    /// Follows the store, where there is one: it may have come or gone, and its settings may be others by now.
    fn follow_store(&mut self) -> Result<(), ServiceError> {
        self.store.existing()?;
        self.follow_settings();
        Ok(())
    }

    /// Follows the global store beside the session's own, where there is one.
    fn follow_global(&mut self) {
        if self.context.scope == Scope::Workspace
            && let Err(error) = self.global.existing()
        {
            tracing::debug!(%error, "the global store cannot be opened");
        }
    }

    /// The same, and makes the store where there is none: something is to be remembered.
    fn make_store(&mut self) -> Result<(), ServiceError> {
        self.store.or_created()?;
        self.follow_settings();
        Ok(())
    }

    fn follow_settings(&mut self) {
        let Some(store) = self.store.get() else { return };
        self.redactor = store.redactor().clone();
        if self.evidence.is_none() {
            self.evidence = Some(evidence_of(store, &self.host));
        }
        self.patterns = store.request_patterns();
    }

    fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// True when a server of this session has handled this message or summary, or keeps something of it.
    fn is_handled(&self, session: &str, id: &String) -> bool {
        self.states.get(session, self.now()).handled.contains(id) || self.pending.holds(session, id)
    }

    /// The words of a session, in the form in which they may be stored.
    fn saying<'a>(&'a self, session: &'a str) -> Saying<'a> {
        Saying {
            session,
            host: &self.host,
            redactor: &self.redactor,
        }
    }

    /// Changes a session's state, and brings HOT.md up to date. Gives the cause for which the change is in memory alone,
    /// where it is.
    fn change_state(&mut self, session: &str, change: impl FnOnce(&mut SessionState)) -> Option<String> {
        let now = self.now();
        let (state, unwritten) = self.states.change(session, now, self.wait(), change);
        self.write_hot(&state);
        unwritten
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
        let root = self.workspace.display().to_string();
        let standard = Rules::default();
        let rules = self.store.get().map_or(&standard, |store| store.rules());
        let now = self.now();
        let mut state = state.clone();
        state.expire(now);
        let hot = render::hot_snapshot(&state, &root, &rules.hot, Some(now)).text;
        let mut text = self.redact(&render::with_working(&hot, &state, &root, &rules.session));
        if !text.is_empty() {
            text.push('\n');
        }
        if let Err(error) = sys::write_atomic(&folder.join(HOT), text.as_bytes()) {
            tracing::warn!(%error, "HOT.md is not up to date");
        }
    }

    /// Records events of a session.
    fn record(&self, session: &str, events: Vec<Event>) {
        let Some(log) = &self.evidence else { return };
        let events: Vec<Event> = events.into_iter().map(|event| event.session(session)).collect();
        if let Err(error) = log.append(&events, self.now()) {
            tracing::warn!(%error, "decisions could not be recorded");
        }
    }
}

/// The hash by which a session keeps a message or a summary: short, and without words of the host's.
fn short_hash(text: &str) -> String {
    sha256_hex(text.as_bytes()).chars().take(16).collect()
}

/// The words of a session, in the form in which they may be stored. Inside, sessions are known by their hashes.
#[derive(Clone, Copy)]
struct Saying<'a> {
    session: &'a str,
    host: &'a str,
    redactor: &'a Redactor,
}

impl Saying<'_> {
    fn redact(self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// A request for a memory that the session heard or read.
    fn request(self, kind: &Kind, text: &str, source: Source) -> AddRequest {
        AddRequest {
            text: self.redact(text),
            why: None,
            kind: Some(kind.clone()),
            source,
            importance: crate::model::Importance::default(),
            tags: Vec::new(),
            paths: Vec::new(),
            description: None,
            path: None,
            replaces: None,
            session: Some(self.session.to_owned()),
            host: self.host.to_owned(),
        }
    }
}
