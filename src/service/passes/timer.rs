//! The passes that nobody asks for, on one thread of `mdmem serve`: a conversation that has rested for a while is given
//! to the model, and from time to time the memories are.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::config::PassModel;
use crate::store::{Beginning, Sessions, session_hash};

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

/// Asks about the conversations that rest, and about the memories.
pub struct PassTimer {
    /// True where conversations are read: by this process, or by the next one.
    pub reads: bool,
    /// Takes a session, and whether it rests. Absent where nothing is asked in this process.
    tell: Option<Sender<(String, bool)>>,
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
                let look = passes.reconcile.then(|| (None, Instant::now() + passes.pause));
                let mut keeper = Keeper {
                    context: context.clone(),
                    host,
                    due: look.into_iter().collect(),
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

    /// A conversation rests, or it goes on or is no more.
    pub fn hear(&self, session: &str, rests: bool) {
        // A thread that has panicked is in the log, and costs no conversation.
        let _ = self
            .tell
            .as_ref()
            .map(|tell| tell.send((session.to_owned(), rests)));
    }
}

struct Keeper {
    context: Context,
    host: Option<HostModel>,
    /// When the conversations that rest are given to the model, and, under `None`, the memories.
    due: BTreeMap<Option<String>, Instant>,
}

impl Keeper {
    fn keep(&mut self, told: &Receiver<(String, bool)>) {
        if self.context.settings().passes.extract
            && let Err(error) = self.take_up()
        {
            tracing::debug!(%error, "the notes of earlier processes could not be read");
        }
        loop {
            let next = self.due.iter().min_by_key(|(_, due)| **due);
            let next = next.map(|(what, due)| (what.clone(), *due));
            let heard = match &next {
                Some((_, due)) => told.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match (heard, next) {
                (Ok((session, true)), _) => {
                    let due = Instant::now() + self.context.settings().passes.pause;
                    self.due.insert(Some(session), due);
                }
                (Ok((session, false)), _) => drop(self.due.remove(&Some(session))),
                (Err(RecvTimeoutError::Disconnected), _) => return,
                (Err(RecvTimeoutError::Timeout), next) => {
                    let Some((what, _)) = next else { continue };
                    self.due.remove(&what);
                    let again = self
                        .ask(what.as_deref())
                        .unwrap_or_else(|error| pause_after(&error));
                    if let Some(pause) = again.or(what.is_none().then_some(LOOK)) {
                        self.due.insert(what, Instant::now() + pause);
                    }
                }
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
                self.due.insert(Some(kept.id), due);
            }
        }
        Ok(())
    }

    /// Gives a conversation to the model, or the memories where that is due. Gives the pause after which it is asked again,
    /// where it is.
    fn ask(&self, session: Option<&str>) -> Result<Option<Duration>, ServiceError> {
        let passes = self.context.settings().passes;
        let is_wanted = if session.is_some() {
            passes.extract
        } else {
            passes.reconcile
        };
        if !is_wanted || !can_ask(&self.context) {
            return Ok(None);
        }
        let store = if let Some(session) = session {
            let folder = Sessions::of(&self.context.place()?.root).folder(&session_hash(session));
            if folder.takes_files() && !folder.path().exists() {
                // Its host has deleted it, perhaps through another process.
                return Ok(None);
            }
            self.context.open_or_create(Beginning::ByNeed)?.0
        } else {
            let Some(store) = self.context.open_existing()? else {
                return Ok(None);
            };
            store
        };
        if Notes::is_waiting(&store) {
            return Ok(Some(AGAIN));
        }
        let passes = &store.settings().passes;
        let answerer = match (passes.model, &self.host) {
            (PassModel::Command, _) => Answerer::program(&store)?,
            (PassModel::Host, None) => return Ok(None),
            (PassModel::Host, Some(host)) => match host.model(passes.host_model.clone()) {
                Err(NotCome) => return Ok(Some(SOON)),
                Ok(None) => return Ok(None),
                Ok(Some(model)) => Answerer::Host(host.clone(), model),
            },
        };
        let Some(session) = session else {
            return reconcile_where_due(&self.context, &store, answerer).map(|()| None);
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
}

/// The pause after a pass that came to nothing, where it is tried again.
fn pause_after(error: &ServiceError) -> Option<Duration> {
    tracing::debug!(%error, "a model could not be queried");
    matches!(error, ServiceError::PassRuns(_) | ServiceError::NoAnswer { .. }).then_some(AGAIN)
}
