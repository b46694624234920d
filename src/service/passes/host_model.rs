//! The small model of the agent that mdmem serves. The agent's plugin comes for a question, has it answered in a
//! session of its own, and brings the answer; what is asked, when, and what the answer means is decided here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::config::PassModel;
use crate::sys::{FileLock, RunError, RunLimits};

use super::super::Context;
use super::{HostLife, can_ask, lock_file, own_sessions};

/// The part of the model's time that the plugin has beyond it to bring the answer.
const GRACE: u32 = 6;
/// The part of the model's time in which the plugin comes for the next question of a pass.
const COMING: u32 = 12;
/// The system prompt of the session.
const SYSTEM: &str =
    "You propose what a coding agent's memory should say. You answer with JSON alone, and use no tool.";

/// A question for the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostQuestion {
    /// The title of the session to be made, by which every event of it is known.
    pub title: String,
    /// The conversation below which the session is made, by the host's name: its subject, else the last one of which was
    /// heard; hosts do not list what works for another session. `None`: there is none.
    pub parent: Option<String>,
    /// The model that is asked, as the host names it.
    pub model: String,
    /// The system prompt, in the place of the host's own.
    pub system: &'static str,
    /// The question.
    pub text: String,
    /// The time that the model has.
    pub time: Duration,
    /// The most bytes of an answer that is of use.
    pub most: usize,
}

/// A task for the plugin that comes for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostTask {
    /// Have this question answered.
    Ask(HostQuestion),
    /// Delete the sessions of these titles: a crash left them.
    Clear(Vec<String>),
    /// There will be none.
    Leave,
}

/// The way back to the plugin.
pub type HostReply = Box<dyn FnOnce(HostTask) + Send>;

/// The place at which the plugin and the passes that ask meet. A clone is the same place.
#[derive(Clone, Default)]
pub struct HostModel(Arc<(Mutex<Desk>, Condvar)>);

#[derive(Default)]
struct Desk {
    visitor: Option<Visitor>,
    /// The titles of the questions that are out, each with its answer. There may be two: the workspace has got another
    /// store while a question about the one before is out.
    out: BTreeMap<String, Option<Answer>>,
    /// The titles that the plugin was told to clear.
    cleared: BTreeSet<String>,
    /// The conversation in which a user spoke last.
    latest: Option<String>,
    /// The words by which a person has heard that there is no model.
    said: BTreeSet<&'static str>,
}

/// An answer, or the reason why there is none.
type Answer = Result<Vec<u8>, String>;

/// The plugin, which waits for a question.
struct Visitor {
    small_model: Option<String>,
    reply: HostReply,
}

/// The plugin does not wait for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NobodyWaits;

impl HostModel {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True where passes of this context may ask the host.
    pub fn is_wanted(context: &Context, life: HostLife) -> bool {
        let passes = context.settings().passes;
        let is_hosts = passes.model == PassModel::Host && life == HostLife::Long;
        is_hosts && (passes.extract || passes.reconcile) && can_ask(context)
    }

    /// The user says something in a conversation.
    pub fn hears(&self, session: &str) {
        self.desk().latest = Some(session.to_owned());
    }

    /// A conversation is gone.
    pub fn loses(&self, session: &str) {
        self.desk().latest.take_if(|latest| latest == session);
    }

    /// The plugin comes for a question about this store.
    pub fn comes(&self, store: &Path, small_model: Option<String>, reply: HostReply) {
        let mut left = own_sessions::registered(store);
        // While a process asks, the session may be that one's.
        if !left.is_empty() && !matches!(FileLock::try_acquire(&lock_file(store)), Ok(Some(_))) {
            left.clear();
        }
        let mut desk = self.desk();
        left.retain(|title| !desk.out.contains_key(title) && desk.cleared.insert(title.clone()));
        if !left.is_empty() {
            return reply(HostTask::Clear(left));
        }
        let before = desk.visitor.replace(Visitor { small_model, reply });
        if let Some(before) = before {
            (before.reply)(HostTask::Leave);
        }
        self.0.1.notify_all();
    }

    /// The plugin brings the answer to the question of this title, or says why there is none; an answer for which nobody
    /// waits any more is thrown away. `is_deleted`: the session of that title is gone.
    pub fn brings(&self, store: &Path, title: &str, is_deleted: bool, answer: Answer) {
        if is_deleted {
            own_sessions::release(store, title);
        }
        if let Some(out) = self.desk().out.get_mut(title) {
            *out = Some(answer);
            self.0.1.notify_all();
        }
    }

    /// No question comes any more.
    pub fn close(&self) {
        if let Some(visitor) = self.desk().visitor.take() {
            (visitor.reply)(HostTask::Leave);
        }
    }

    /// The model to be asked: the one that is `named`, else the host's small one, where there is one.
    pub(super) fn model(&self, named: Option<&str>) -> Result<Option<String>, NobodyWaits> {
        let desk = self.desk();
        let visitor = desk.visitor.as_ref().ok_or(NobodyWaits)?;
        Ok(named.map(str::to_owned).or_else(|| visitor.small_model.clone()))
    }

    /// Says once that there is no model; `undone` is what is not done for want of it.
    pub(super) fn say_no_model(&self, undone: &'static str) {
        if self.desk().said.insert(undone) {
            tracing::warn!(
                is_news = true,
                "{undone} by a model: the agent has no `small_model`, and `passes.host_model` names none"
            );
        }
    }

    /// Has a question answered, in a session whose title is registered before the host hears of it.
    pub(super) fn ask(&self, asked: &Asked<'_>, text: String, limits: RunLimits) -> Answer {
        let title = own_sessions::register(asked.store, &asked.nonce).map_err(|error| error.to_string())?;
        let is_alone = |desk: &mut Desk| desk.visitor.is_none();
        let waited = self
            .0
            .1
            .wait_timeout_while(self.desk(), limits.time / COMING, is_alone);
        let mut desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        let Some(visitor) = desk.visitor.take() else {
            own_sessions::release(asked.store, &title);
            return Err("the agent's plugin does not come for the question".to_owned());
        };
        desk.out.insert(title.clone(), None);
        let parent = asked.session.map(str::to_owned).or_else(|| desk.latest.clone());
        (visitor.reply)(HostTask::Ask(HostQuestion {
            title: title.clone(),
            parent,
            model: asked.model.to_owned(),
            system: SYSTEM,
            text,
            time: limits.time,
            most: limits.bytes,
        }));
        let patience = limits.time + limits.time / GRACE;
        let is_out = |desk: &mut Desk| desk.out.get(&title).is_some_and(Option::is_none);
        let waited = self.0.1.wait_timeout_while(desk, patience, is_out);
        let mut desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        match desk.out.remove(&title).flatten() {
            None => Err(RunError::TooSlow(limits.time).to_string()),
            Some(Ok(answer)) if answer.len() > limits.bytes => {
                Err(RunError::TooLong(limits.bytes).to_string())
            }
            Some(answer) => answer,
        }
    }
}

/// The subject of a question, and the model that is asked.
pub(super) struct Asked<'a> {
    /// The folder of the store.
    pub(super) store: &'a Path,
    /// A word that nobody else makes.
    pub(super) nonce: String,
    /// The conversation, by the host's name, where it is about one.
    pub(super) session: Option<&'a str>,
    /// The model, by the host's name.
    pub(super) model: &'a str,
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    const LIMITS: RunLimits = RunLimits {
        time: Duration::from_secs(20),
        bytes: 4,
    };

    /// A place, its store, and the tasks that come back; the plugin comes with this small model.
    struct Place {
        temp: tempfile::TempDir,
        host: HostModel,
        reply: Sender<HostTask>,
        tasks: Receiver<HostTask>,
    }

    impl Place {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            std::fs::create_dir(temp.path().join(".mdmem")).unwrap();
            let (reply, tasks) = channel();
            let host = HostModel::default();
            Self {
                temp,
                host,
                reply,
                tasks,
            }
        }

        fn come(&self, small: Option<&str>) {
            let reply = self.reply.clone();
            let reply = Box::new(move |task| reply.send(task).unwrap());
            self.host.comes(self.temp.path(), small.map(str::to_owned), reply);
        }

        fn asked<'a>(&'a self, session: Option<&'a str>) -> Asked<'a> {
            Asked {
                store: self.temp.path(),
                nonce: "N1".to_owned(),
                session,
                model: "c/d",
            }
        }

        fn registered(&self) -> Vec<String> {
            own_sessions::registered(self.temp.path())
        }
    }

    #[test]
    fn a_question_is_answered_by_the_plugin_that_comes_for_it() {
        let place = Place::new();
        let (host, tasks) = (&place.host, &place.tasks);
        assert_eq!(host.model(Some("a/b")), Err(NobodyWaits));
        place.come(None);
        assert_eq!(host.model(None), Ok(None));
        assert_eq!(host.model(Some("a/b")), Ok(Some("a/b".to_owned())));
        place.come(Some("c/d"));
        assert_eq!(
            tasks.recv().unwrap(),
            HostTask::Leave,
            "the one before waits no longer"
        );
        assert_eq!(host.model(None), Ok(Some("c/d".to_owned())));
        let lock = FileLock::try_acquire(&lock_file(place.temp.path())).unwrap();
        for (answer, expected) in [
            (Ok(b"[]".to_vec()), Ok(b"[]".to_vec())),
            (Err("no".to_owned()), Err("no".to_owned())),
            (
                Ok(b"[1,2]".to_vec()),
                Err("its answer has more than 4 bytes".to_owned()),
            ),
        ] {
            let asked = place.asked(Some("s"));
            let got = std::thread::scope(|scope| {
                let asking = scope.spawn(|| host.ask(&asked, "what?".to_owned(), LIMITS));
                // Between two questions the plugin is not there for a moment.
                place.come(Some("c/d"));
                let mut heard = tasks.iter().filter(|task| *task != HostTask::Leave);
                let Some(HostTask::Ask(question)) = heard.next() else {
                    panic!()
                };
                assert_eq!(place.registered(), std::slice::from_ref(&question.title));
                let bring = |title: &str, answer| host.brings(place.temp.path(), title, false, answer);
                bring("mdmem pass other", Ok(Vec::new()));
                bring(&question.title, answer);
                asking.join().unwrap()
            });
            assert_eq!(got, expected);
        }
        drop(lock);
        place.come(None);
        let left = tasks.iter().find(|task| *task != HostTask::Leave).unwrap();
        assert!(matches!(left, HostTask::Clear(left) if left == ["mdmem pass N1"]));
        place.come(None);
        assert!(
            tasks.try_iter().all(|task| task == HostTask::Leave),
            "it is told once: the host may be unable to delete it"
        );
        for title in ["mdmem pass ../N1", "mdmem pass N1"] {
            host.brings(place.temp.path(), title, true, Ok(Vec::new()));
        }
        assert!(place.registered().is_empty());
        host.close();
        assert_eq!(tasks.recv().unwrap(), HostTask::Leave);
    }

    #[test]
    fn a_plugin_that_hangs_or_stays_away_ends_the_question() {
        let place = Place::new();
        let limits = RunLimits {
            time: Duration::from_millis(120),
            bytes: 4,
        };
        let ask = || place.host.ask(&place.asked(None), String::new(), limits);
        place.come(Some("c/d"));
        assert_eq!(ask().unwrap_err(), "it gave no answer within 0 s");
        assert_eq!(place.registered().len(), 1, "the session may be there");
        own_sessions::release(place.temp.path(), "mdmem pass N1");
        assert_eq!(
            ask().unwrap_err(),
            "the agent's plugin does not come for the question"
        );
        assert!(place.registered().is_empty());
    }

    #[test]
    fn each_of_two_questions_gets_its_own_answer() {
        let place = Place::new();
        let lock = FileLock::try_acquire(&lock_file(place.temp.path())).unwrap();
        let out = |nonce: &str| {
            let (host, store) = (place.host.clone(), place.temp.path().to_owned());
            let word = nonce.to_owned();
            let asking = std::thread::spawn(move || {
                let asked = Asked {
                    store: &store,
                    nonce: word,
                    session: None,
                    model: "c/d",
                };
                host.ask(&asked, String::new(), LIMITS)
            });
            place.come(None);
            let task = place.tasks.recv().unwrap();
            assert!(matches!(task, HostTask::Ask(question) if question.title.ends_with(nonce)));
            asking
        };
        for (nonce, asking) in ["N1", "N2"].map(|nonce| (nonce, out(nonce))).into_iter().rev() {
            let answer = nonce.as_bytes().to_vec();
            let title = format!("mdmem pass {nonce}");
            place
                .host
                .brings(place.temp.path(), &title, true, Ok(answer.clone()));
            assert_eq!(asking.join().unwrap(), Ok(answer));
        }
        drop(lock);
    }

    #[test]
    fn a_question_about_no_conversation_is_asked_below_the_latest() {
        let place = Place::new();
        let limits = RunLimits {
            time: Duration::from_millis(10),
            bytes: 4,
        };
        let parent = |session| {
            place.come(None);
            assert!(
                place
                    .host
                    .ask(&place.asked(session), String::new(), limits)
                    .is_err()
            );
            own_sessions::release(place.temp.path(), "mdmem pass N1");
            match place.tasks.recv().unwrap() {
                HostTask::Ask(question) => question.parent,
                task => panic!("{task:?}"),
            }
        };
        assert_eq!(parent(None), None);
        for (lost, expected) in [("s1", Some("s2")), ("s2", None)] {
            place.host.hears("s1");
            place.host.hears("s2");
            place.host.loses(lost);
            assert_eq!(parent(None).as_deref(), expected);
        }
        assert_eq!(parent(Some("s1")).as_deref(), Some("s1"));
    }
}
