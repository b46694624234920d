//! The passes that nobody asks for, on one thread of `mdmem serve`: a conversation that has rested for a while is given
//! to the model, and from time to time the memories are. And what a store keeps between two passes
//! (`.mdmem/passes.json`), so that neither a restart nor a second process asks again: the pause after failures, and the
//! last pass over the memories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::config::PassModel;
use crate::git::trailer;
use crate::model::{Oid, Timestamp};
use crate::store::{Beginning, LOCAL, Sessions, Store, session_hash};
use crate::sys;

use super::super::learn::learn_by;
use super::super::reconcile::reconcile_where_due;
use super::super::{Chosen, Context, KeptConversations, LearnRequest, Run, ServiceError};
use super::host_model::NotCome;
use super::{Answerer, HostModel, can_ask};

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
            file: None,
            session: Some(session),
            run: Run::Real,
        };
        let learned = learn_by(answerer, &self.context, &store, &request)?;
        Ok(learned.is_more.then_some(Duration::ZERO))
    }
}

/// The pause after a pass that came to nothing, where it is tried again.
fn pause_after(error: &ServiceError) -> Option<Duration> {
    tracing::debug!(%error, "a model could not be queried");
    matches!(error, ServiceError::PassRuns(_) | ServiceError::NoAnswer { .. }).then_some(AGAIN)
}

const FILE: &str = "passes.json";
/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 4096;
/// The first pause after a failure, which doubles up to the longest, in milliseconds.
const FIRST: i64 = 60 * 1000;
const LONGEST: i64 = 6 * 60 * 60 * 1000;
/// So many writes are enough for a pass over the memories at any time.
const WRITES: usize = 8;
/// After this a single write is enough, in milliseconds.
const PAUSE: i64 = 12 * 60 * 60 * 1000;
/// The operations of commits that are no writes of memories: the pass itself, housekeeping, a merge of others' writes.
const NO_WRITES: [&str; 4] = ["reconcile", "auto", "init", "sync"];

/// The notes of one store.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::service) struct Notes {
    /// The failures since the last answer.
    failures: u32,
    /// Nobody is asked before, in milliseconds since 1970.
    until: i64,
    /// The last pass over the memories, else the first look at them.
    reconciled: Option<i64>,
    /// The commit that it read.
    head: Option<Oid>,
}

impl Notes {
    fn of(store: &Store) -> Self {
        let bytes = sys::read_regular(&place(store), MOST_BYTES).ok().flatten();
        serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Changes the notes of a store. One pass more or less is all that it costs where that fails.
    pub(in crate::service) fn change(store: &Store, change: impl FnOnce(&mut Self)) {
        let before = Self::of(store);
        let mut notes = before.clone();
        change(&mut notes);
        let json = serde_json::to_vec(&notes).expect("because notes are numbers and a name");
        if notes != before
            && let Err(error) = sys::write_private(&place(store), &json)
        {
            tracing::debug!(%error, "the next pass could not be noted");
        }
    }

    pub(super) const fn succeeded(&mut self) {
        (self.failures, self.until) = (0, 0);
    }

    /// Begins the pause after a failure; true for the first one.
    pub(super) fn failed(&mut self, now: Timestamp) -> bool {
        let pause = (FIRST << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.until = now.as_millis().saturating_add(pause);
        self.failures == 1
    }

    /// Says whether the pause after a failure is not over. One that is longer than any is of a clock that was set back.
    pub(in crate::service) fn is_waiting(store: &Store) -> bool {
        let left = Self::of(store).until.saturating_sub(store.now().as_millis());
        (1..=LONGEST).contains(&left)
    }

    /// Notes a pass over the memories as they are now.
    pub(in crate::service) fn reconciled(store: &Store) -> Result<(), ServiceError> {
        let head = store.repo().head()?.tip();
        Self::change(store, |notes| {
            (notes.reconciled, notes.head) = (Some(store.now().as_millis()), head);
        });
        Ok(())
    }

    /// Says whether a pass over the memories is due. The first look at a store begins its 12 hours.
    pub(in crate::service) fn is_due(store: &Store) -> Result<bool, ServiceError> {
        let notes = Self::of(store);
        let Some(head) = store.repo().head()?.tip() else {
            return Ok(false);
        };
        let mut writes = 0;
        if notes.head != Some(head) {
            for step in store.repo().walk(head, notes.head)? {
                let step = step?;
                let op = step.commit.message.trailer(trailer::OP);
                let is_memory = |path: &Path| path.extension().is_some_and(|end| end == "md");
                let is_write = step.changes.iter().any(|change| is_memory(&change.path));
                writes += usize::from(is_write && op.is_none_or(|op| !NO_WRITES.contains(&op)));
                if writes == WRITES {
                    return Ok(true);
                }
            }
        }
        let now = store.now().as_millis();
        if notes.reconciled.is_none() {
            Self::change(store, |notes| notes.reconciled = Some(now));
        }
        // A clock that was set back is no reason to wait.
        let since = now.saturating_sub(notes.reconciled.unwrap_or(now));
        Ok(writes > 0 && !(0..PAUSE).contains(&since))
    }
}

fn place(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_double_up_to_six_hours() {
        let now = Timestamp::from_seconds(1_795_000_000);
        let mut notes = Notes::default();
        for minutes in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360] {
            assert_eq!(notes.failed(now), minutes == 1);
            assert_eq!((notes.until - now.as_millis()) / FIRST, minutes);
        }
        notes.succeeded();
        assert_eq!(notes, Notes::default());
    }
}
