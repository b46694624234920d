//! The passes that nobody asks for: a conversation that has rested for a while is given to the model, on a thread of
//! its own (`mdmem serve`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::capture::Utterance;
use crate::store::{Beginning, SessionFolder, Sessions, session_hash};

use super::super::passes::{self, AGAIN, Answerer, HostLife, HostModel, Readiness, SOON};
use super::super::{Context, PastError, Run, ServiceError};
use super::left::left;
use super::{LearnRequest, Transcript, learn_by};

/// Something that a host tells of a conversation.
enum Told {
    Rests(String, Resting),
    GoesOn(String),
}

/// Asks about the conversations that rest.
pub struct PassTimer {
    context: Context,
    store: PathBuf,
    /// Absent where nothing is asked in this process.
    tell: Option<Sender<Told>>,
}

impl PassTimer {
    /// Begins to wait for conversations of a workspace. It ends with the last word of its host; a question that is
    /// asked then is answered to nobody. `host`: present where the agent's own model answers.
    pub fn start(context: Context, life: HostLife, host: Option<HostModel>) -> Result<Self, ServiceError> {
        let store = context.place()?.root;
        let tell = (life == HostLife::Long).then(|| {
            let (tell, told) = channel();
            let keeper = Keeper {
                context: context.clone(),
                store: store.clone(),
                host,
                resting: BTreeMap::new(),
            };
            std::thread::spawn(move || keeper.keep(&told));
            tell
        });
        Ok(Self { context, store, tell })
    }

    /// True when the person wants conversations to be given to a model.
    pub fn is_wanted(context: &Context) -> bool {
        context.settings().passes.extract && passes::can_ask(context)
    }

    /// True when the host is to tell which conversations rest.
    pub const fn listens(&self) -> bool {
        self.tell.is_some()
    }

    /// A conversation rests; these are its messages, each with its time. Without them, what the host keeps is read. One that
    /// the host has deleted is not read.
    pub fn rests(&self, session: &str, messages: Option<Vec<(Utterance, u64)>>) {
        let folder = self.folder(session);
        let resting = Resting {
            messages,
            due: Instant::now() + self.context.settings().passes.pause,
            mark: folder.unread(),
        };
        self.hear(Told::Rests(session.to_owned(), resting));
    }

    /// The user says something in a conversation.
    pub fn hears(&self, session: &str) {
        if let Err(error) = self.folder(session).mark_unread(self.context.clock.now()) {
            tracing::debug!(%error, "a conversation is not read after a restart");
        }
        self.goes_on(session);
    }

    /// A conversation goes on, or is gone: what it said before is not asked about now.
    pub fn goes_on(&self, session: &str) {
        self.hear(Told::GoesOn(session.to_owned()));
    }

    fn folder(&self, session: &str) -> SessionFolder {
        Sessions::of(&self.store).folder(&session_hash(session))
    }

    fn hear(&self, told: Told) {
        // A thread that has panicked is in the log, and costs no conversation.
        let _ = self.tell.as_ref().map(|tell| tell.send(told));
    }
}

/// A conversation that rests.
struct Resting {
    /// Its messages; `None`: the host keeps them.
    messages: Option<Vec<(Utterance, u64)>>,
    due: Instant,
    /// The mark that says that something in it is unread.
    mark: Option<String>,
}

/// The fate of a conversation after its turn.
enum Next {
    /// It is read.
    Done,
    /// It is not read now.
    Left,
    Again(Duration),
}

/// The thread.
struct Keeper {
    context: Context,
    store: PathBuf,
    host: Option<HostModel>,
    resting: BTreeMap<String, Resting>,
}

impl Keeper {
    fn keep(mut self, told: &Receiver<Told>) {
        self.take_up();
        loop {
            let next = self.resting.values().map(|resting| resting.due).min();
            let heard = match next {
                Some(due) => told.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match heard {
                Ok(Told::Rests(session, resting)) => drop(self.resting.insert(session, resting)),
                Ok(Told::GoesOn(session)) => drop(self.resting.remove(&session)),
                Err(RecvTimeoutError::Timeout) => self.next(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Takes up what earlier processes left. It has rested since it changed last.
    fn take_up(&mut self) {
        let pause = self.context.settings().passes.pause;
        match left(&self.context, &self.store) {
            Ok(left) => {
                let resting = left.into_iter().map(|left| {
                    let due = Instant::now() + pause.saturating_sub(left.rested);
                    let (messages, mark) = (None, left.mark);
                    (left.session, Resting { messages, due, mark })
                });
                self.resting.extend(resting);
            }
            Err(error) => tracing::debug!(%error, "what earlier processes left is not read"),
        }
    }

    /// Gives the conversation to the model that has waited longest.
    fn next(&mut self) {
        let first = self.resting.iter().min_by_key(|(_, resting)| resting.due);
        let session = first.map(|(session, _)| session.clone()).unwrap_or_default();
        let Some(ready) = self.resting.remove(&session) else {
            return;
        };
        match self.ask(&session, ready.messages.as_deref()) {
            Ok(Next::Done) => {
                let folder = Sessions::of(&self.store).folder(&session_hash(&session));
                if let Err(error) = folder.mark_read(ready.mark.as_deref()) {
                    tracing::debug!(%error, "a conversation that was read is looked at again");
                }
            }
            Ok(Next::Left) => {}
            Ok(Next::Again(pause)) => {
                let due = Instant::now() + pause;
                self.resting.insert(session, Resting { due, ..ready });
            }
            Err(error) => tracing::debug!(%error, "a conversation is not given to the model"),
        }
    }

    fn ask(&self, session: &str, messages: Option<&[(Utterance, u64)]>) -> Result<Next, ServiceError> {
        if !PassTimer::is_wanted(&self.context) {
            return Ok(Next::Left);
        }
        let folder = Sessions::of(&self.store).folder(&session_hash(session));
        if folder.takes_files() && !folder.path().exists() {
            // Its host has deleted it, perhaps through another process.
            return Ok(Next::Done);
        }
        let (store, _) = self.context.open_or_create(Beginning::ByNeed)?;
        if passes::is_waiting(&store) {
            return Ok(Next::Again(AGAIN));
        }
        let request = LearnRequest {
            transcript: match messages {
                Some(messages) => Transcript::Told(messages),
                None => Transcript::Kept(session),
            },
            session: Some(session),
            run: Run::Real,
        };
        let undone = "no conversation is read";
        let answerer = match Answerer::unasked(&self.context, &store, self.host.as_ref(), undone)? {
            Readiness::Ready(answerer) => answerer,
            Readiness::NobodyWaits => return Ok(Next::Again(SOON)),
            Readiness::NoModel => return Ok(Next::Left),
        };
        let learned = learn_by(answerer, &self.context, &store, &request);
        match learned {
            Ok(learned) if learned.is_more => Ok(Next::Again(Duration::ZERO)),
            // Or the host keeps it no more.
            Ok(_) | Err(ServiceError::Past(PastError::Unknown(_))) => Ok(Next::Done),
            Err(ServiceError::PassRuns(_) | ServiceError::NoAnswer { .. }) => Ok(Next::Again(AGAIN)),
            Err(error) => Err(error),
        }
    }
}
