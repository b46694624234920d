//! The passes that nobody asks for, on one thread of `mdmem serve`: a conversation that has rested for a while is given
//! to the model, and from time to time the memories are.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::config::PassModel;
use crate::store::{Beginning, Sessions, Store, session_hash};

use super::super::learn::learn_by;
use super::super::reconcile::reconcile_where_due;
use super::super::{
    Chosen, Context, ConversationError, KeptConversations, LearnRequest, Run, ServiceError, Transcript,
};
use super::host_model::NotCome;
use super::{Answerer, HostModel, Notes, can_ask};

/// The pause before something is asked while another process asks, or after a failure.
const AGAIN: Duration = Duration::from_mins(1);
/// The same while the agent's plugin has not come.
const SOON: Duration = Duration::from_secs(1);
/// The pause between two looks at the memories.
const LOOK: Duration = Duration::from_mins(10);

/// The life of the process that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostLife {
    /// It lives as long as a person works with it.
    Long,
    /// It ends with its one turn: what is to be asked is left to the next process.
    OneTurn,
}

enum Told {
    Rests(String),
    GoesOn(String),
}

/// Asks about the conversations that rest, and about the memories.
pub struct PassTimer {
    /// True where conversations are read: by this process, or by the next one.
    pub reads: bool,
    /// Absent where nothing is asked in this process.
    tell: Option<Sender<Told>>,
}

impl PassTimer {
    /// Begins to wait, where a person wants passes. It ends with the last word of its host; a question that is asked then
    /// is answered to nobody. `host`: present where the agent's own model answers.
    pub fn start(context: &Context, life: HostLife, host: Option<HostModel>) -> Option<Self> {
        let passes = context.settings().passes;
        let is_wanted = (passes.extract || passes.reconcile) && can_ask(context);
        is_wanted.then(|| Self {
            reads: passes.extract,
            tell: (life == HostLife::Long).then(|| {
                let (tell, told) = channel();
                let mut keeper = Keeper {
                    context: context.clone(),
                    host,
                    resting: BTreeMap::new(),
                    look: passes.reconcile.then(|| Instant::now() + passes.pause),
                };
                std::thread::spawn(move || keeper.keep(&told));
                tell
            }),
        })
    }

    /// True when the host is to tell which conversations rest.
    pub const fn listens(&self) -> bool {
        self.reads && self.tell.is_some()
    }

    /// A conversation rests.
    pub fn rests(&self, session: &str) {
        self.hear(Told::Rests(session.to_owned()));
    }

    /// A conversation goes on, or is no more.
    pub fn goes_on(&self, session: &str) {
        self.hear(Told::GoesOn(session.to_owned()));
    }

    fn hear(&self, told: Told) {
        // A thread that has panicked is in the log, and costs no conversation.
        let _ = self.tell.as_ref().map(|tell| tell.send(told));
    }
}

struct Keeper {
    context: Context,
    host: Option<HostModel>,
    /// The conversations that rest, and when they are due.
    resting: BTreeMap<String, Instant>,
    /// When the memories are looked at, where that is wanted.
    look: Option<Instant>,
}

impl Keeper {
    fn keep(&mut self, told: &Receiver<Told>) {
        if self.context.settings().passes.extract
            && let Err(error) = self.take_up()
        {
            tracing::debug!(%error, "what earlier processes left is not read");
        }
        loop {
            let next = self.resting.values().copied().chain(self.look).min();
            let heard = match next {
                Some(due) => told.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match heard {
                Ok(Told::Rests(session)) => {
                    let due = Instant::now() + self.context.settings().passes.pause;
                    self.resting.insert(session, due);
                }
                Ok(Told::GoesOn(session)) => drop(self.resting.remove(&session)),
                Err(RecvTimeoutError::Timeout) => self.next(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// The conversations in which something was said that no model has read, as their hosts keep them. One that another
    /// process serves is that one's.
    fn take_up(&mut self) -> Result<(), ServiceError> {
        let (now, pause) = (self.context.clock.now(), self.context.settings().passes.pause);
        let mut left = Sessions::of(&self.context.place()?.root).folders()?;
        left.retain(|folder| folder.seen_state().is_some_and(|state| state.unread.is_some()));
        left.retain(|folder| folder.hold_open().is_some());
        if left.is_empty() {
            return Ok(());
        }
        for kept in KeptConversations::open(&self.context)?.conversations(Chosen::default())? {
            let hash = session_hash(&kept.id);
            if left.iter().any(|folder| folder.hash() == hash) {
                let rested = u64::try_from(now.millis_since(kept.updated)).unwrap_or_default();
                let due = Instant::now() + pause.saturating_sub(Duration::from_millis(rested));
                self.resting.insert(kept.id, due);
            }
        }
        Ok(())
    }

    /// Asks about what is due first.
    fn next(&mut self) {
        let now = Instant::now();
        if self.look.is_some_and(|look| look <= now) {
            let pause = self.reconcile().unwrap_or_else(|error| pause_after(&error));
            self.look = Some(Instant::now() + pause.unwrap_or(LOOK));
            return;
        }
        let first = self.resting.iter().min_by_key(|(_, due)| **due);
        let Some(session) = first.map(|(session, _)| session.clone()) else {
            return;
        };
        self.resting.remove(&session);
        if let Some(pause) = self.read(&session).unwrap_or_else(|error| pause_after(&error)) {
            self.resting.insert(session, Instant::now() + pause);
        }
    }

    /// Gives a conversation to the model. Gives the pause after which it is asked again, where it is.
    fn read(&self, session: &str) -> Result<Option<Duration>, ServiceError> {
        if !self.context.settings().passes.extract || !can_ask(&self.context) {
            return Ok(None);
        }
        let folder = Sessions::of(&self.context.place()?.root).folder(&session_hash(session));
        if folder.takes_files() && !folder.path().exists() {
            // Its host has deleted it, perhaps through another process.
            return Ok(None);
        }
        let (store, _) = self.context.open_or_create(Beginning::ByNeed)?;
        let answerer = match self.answerer(&store)? {
            Ok(answerer) => answerer,
            Err(pause) => return Ok(pause),
        };
        let request = LearnRequest {
            transcript: Transcript::Kept(session),
            session: Some(session),
            run: Run::Real,
        };
        match learn_by(answerer, &self.context, &store, &request) {
            Ok(learned) => Ok(learned.is_more.then_some(Duration::ZERO)),
            // The host keeps it no more.
            Err(ServiceError::Conversation(ConversationError::Unknown(_))) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the memories to the model, where that is due.
    fn reconcile(&self) -> Result<Option<Duration>, ServiceError> {
        if !self.context.settings().passes.reconcile || !can_ask(&self.context) {
            return Ok(None);
        }
        let Some(store) = self.context.open_existing()? else {
            return Ok(None);
        };
        match self.answerer(&store)? {
            Ok(answerer) => reconcile_where_due(&self.context, &store, answerer).map(|()| None),
            Err(pause) => Ok(pause),
        }
    }

    /// Who answers just now; else the pause before it is looked again, where it is.
    fn answerer(&self, store: &Store) -> Result<Result<Answerer, Option<Duration>>, ServiceError> {
        if Notes::is_waiting(store) {
            return Ok(Err(Some(AGAIN)));
        }
        let passes = &store.settings().passes;
        if passes.model == PassModel::Command {
            return Answerer::program(store).map(Ok);
        }
        let Some(host) = &self.host else {
            return Ok(Err(None));
        };
        Ok(match host.model(passes.host_model.clone()) {
            Err(NotCome) => Err(Some(SOON)),
            Ok(None) => Err(None),
            Ok(Some(model)) => Ok(Answerer::Host(host.clone(), model)),
        })
    }
}

/// The pause after a pass that came to nothing, where it is tried again.
fn pause_after(error: &ServiceError) -> Option<Duration> {
    tracing::debug!(%error, "a model is not asked");
    matches!(error, ServiceError::PassRuns(_) | ServiceError::NoAnswer { .. }).then_some(AGAIN)
}
