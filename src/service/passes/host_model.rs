//! The small model of the agent that mdmem serves. The agent's plugin comes for a question, has it answered in a
//! session of its own, and brings the answer; what is asked, when, and what the answer means is decided here.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::sys::{AskError, AskLimits};

use super::own_sessions;

/// The time beyond the model's own in which the plugin brings its answer.
const GRACE: Duration = Duration::from_secs(10);
/// The system prompt of the session.
const SYSTEM: &str =
    "You propose what should be remembered of a conversation. You answer with JSON alone, and use no tool.";

/// A question for the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostQuestion {
    /// The title of the session to be made, by which every event of it is known.
    pub title: String,
    /// The conversation that the question is about, by the host's name.
    pub parent: String,
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

/// The place at which the plugin and the pass that asks meet. A clone is the same place.
#[derive(Clone, Default)]
pub(in crate::service) struct HostModel(Arc<(Mutex<Desk>, Condvar)>);

#[derive(Default)]
struct Desk {
    visitor: Option<Visitor>,
    /// The title of the question that is out, and its answer.
    out: Option<String>,
    answer: Option<Result<Vec<u8>, String>>,
    /// The titles that the plugin was told to clear.
    cleared: BTreeSet<String>,
    /// A person has heard that there is no model.
    has_said: bool,
}

/// The plugin, which waits for a question.
struct Visitor {
    small_model: Option<String>,
    reply: HostReply,
}

/// Says whether a question can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service) enum Readiness {
    /// The plugin waits; this model is the one to ask.
    Ready(String),
    /// The plugin is not there yet.
    NobodyWaits,
    /// The host has no small model, and no other one is named.
    NoModel,
}

impl HostModel {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plugin comes for a question. `left`: the sessions that a crash left.
    pub(in crate::service) fn comes(&self, small_model: Option<String>, left: Vec<String>, reply: HostReply) {
        let mut desk = self.desk();
        let left: Vec<String> = left
            .into_iter()
            .filter(|title| desk.out.as_ref() != Some(title) && desk.cleared.insert(title.clone()))
            .collect();
        if !left.is_empty() {
            return reply(HostTask::Clear(left));
        }
        let before = desk.visitor.replace(Visitor { small_model, reply });
        if let Some(before) = before {
            (before.reply)(HostTask::Leave);
        }
    }

    /// The plugin brings an answer; one that nobody waits for any more is thrown away.
    pub(in crate::service) fn brings(&self, title: &str, answer: Result<Vec<u8>, String>) {
        let mut desk = self.desk();
        if desk.out.as_deref() == Some(title) {
            desk.answer = Some(answer);
            self.0.1.notify_all();
        }
    }

    /// No question comes any more.
    pub(in crate::service) fn close(&self) {
        if let Some(visitor) = self.desk().visitor.take() {
            (visitor.reply)(HostTask::Leave);
        }
    }

    /// Says whether a question can be asked, and of which model: the one that is `named`, else the host's small one.
    pub(in crate::service) fn readiness(&self, named: Option<&str>) -> Readiness {
        let desk = self.desk();
        let Some(visitor) = &desk.visitor else {
            return Readiness::NobodyWaits;
        };
        let model = named.or(visitor.small_model.as_deref());
        model.map_or(Readiness::NoModel, |model| Readiness::Ready(model.to_owned()))
    }

    /// Says once that there is no model.
    pub(in crate::service) fn say_no_model(&self) {
        if !std::mem::replace(&mut self.desk().has_said, true) {
            tracing::warn!(
                is_news = true,
                "no conversation is given to a model: the agent has no `small_model`, and `passes.host_model` names none"
            );
        }
    }

    /// Has a question answered, in a session whose title is registered before the host hears of it.
    pub(super) fn ask(&self, asked: &Asked<'_>, text: String, limits: AskLimits) -> Result<Vec<u8>, String> {
        let title = own_sessions::register(asked.store, &asked.nonce).map_err(|error| error.to_string())?;
        let mut desk = self.desk();
        let Some(visitor) = desk.visitor.take() else {
            own_sessions::release(asked.store, &title);
            return Err("the agent's plugin does not come for the question".to_owned());
        };
        (desk.out, desk.answer) = (Some(title.clone()), None);
        (visitor.reply)(HostTask::Ask(HostQuestion {
            title,
            parent: asked.session.to_owned(),
            model: asked.model.to_owned(),
            system: SYSTEM,
            text,
            time: limits.time,
            most: limits.bytes,
        }));
        let patience = limits.time + GRACE;
        let is_out = |desk: &mut Desk| desk.answer.is_none();
        let waited = self.0.1.wait_timeout_while(desk, patience, is_out);
        let mut desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        desk.out = None;
        match desk.answer.take() {
            None => Err(AskError::TooSlow(limits.time).to_string()),
            Some(Ok(answer)) if answer.len() > limits.bytes => {
                Err(AskError::TooLong(limits.bytes).to_string())
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
    /// The conversation, by the host's name.
    pub(super) session: &'a str,
    /// The model, by the host's name.
    pub(super) model: &'a str,
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const LIMITS: AskLimits = AskLimits {
        time: Duration::from_secs(20),
        bytes: 4,
    };

    #[test]
    fn a_question_is_answered_by_the_plugin_that_comes_for_it() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join(".mdmem")).unwrap();
        let host = HostModel::default();
        assert_eq!(host.readiness(Some("a/b")), Readiness::NobodyWaits);
        let (reply, tasks) = channel();
        let come = |small: Option<&str>, left: Vec<String>| {
            let reply = reply.clone();
            let reply = Box::new(move |task| reply.send(task).unwrap());
            host.comes(small.map(str::to_owned), left, reply);
        };
        come(None, Vec::new());
        assert_eq!(host.readiness(None), Readiness::NoModel);
        assert_eq!(host.readiness(Some("a/b")), Readiness::Ready("a/b".to_owned()));
        come(Some("c/d"), Vec::new());
        assert_eq!(
            tasks.recv().unwrap(),
            HostTask::Leave,
            "the one before waits no longer"
        );
        assert_eq!(host.readiness(None), Readiness::Ready("c/d".to_owned()));
        for (answer, expected) in [
            (Ok(b"[]".to_vec()), Ok(b"[]".to_vec())),
            (Err("no".to_owned()), Err("no".to_owned())),
            (
                Ok(b"[1,2]".to_vec()),
                Err("its answer has more than 4 bytes".to_owned()),
            ),
        ] {
            come(Some("c/d"), Vec::new());
            // Tasks of an earlier round.
            while tasks.try_recv().is_ok() {}
            let plugin = host.clone();
            let asked = Asked {
                store: temp.path(),
                nonce: "N1".to_owned(),
                session: "s",
                model: "c/d",
            };
            let got = std::thread::scope(|scope| {
                let asking = scope.spawn(|| host.ask(&asked, "what?".to_owned(), LIMITS));
                let HostTask::Ask(question) = tasks.recv().unwrap() else {
                    panic!()
                };
                assert_eq!(
                    own_sessions::registered(temp.path()),
                    std::slice::from_ref(&question.title)
                );
                plugin.brings("mdmem pass other", Ok(Vec::new()));
                plugin.brings(&question.title, answer);
                asking.join().unwrap()
            });
            assert_eq!(got, expected);
        }
        come(None, own_sessions::registered(temp.path()));
        assert!(matches!(tasks.recv().unwrap(), HostTask::Clear(left) if left == ["mdmem pass N1"]));
        come(None, own_sessions::registered(temp.path()));
        assert!(
            tasks.try_recv().is_err(),
            "it is told once: the host may be unable to delete it"
        );
        own_sessions::release(temp.path(), "mdmem pass ../N1");
        own_sessions::release(temp.path(), "mdmem pass N1");
        assert!(own_sessions::registered(temp.path()).is_empty());
        host.close();
        assert_eq!(tasks.recv().unwrap(), HostTask::Leave);
    }
}
