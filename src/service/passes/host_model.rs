//! The host's own model: a question is given to the host's plugin, which brings the answer.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::config::PassModel;
use crate::sys::{RunError, RunLimits};

use super::super::Context;
use super::{HostLife, can_ask};

/// The plugin may take longer than the model for this part of the model's time.
const GRACE: u32 = 6;
/// The only system prompt of the session in which it is answered.
const SYSTEM: &str =
    "You propose what a coding agent's memory should say. You answer with JSON alone, and use no tool.";

/// A question to the model of a host.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct HostQuestion {
    /// The title of the session to be made for it.
    pub title: String,
    /// The conversation below which it is made, as the host names it; `None`: the one in which the person spoke last.
    pub parent: Option<String>,
    /// The model, by the host's name.
    pub model: String,
    /// The system prompt.
    pub system: &'static str,
    /// The question.
    pub text: String,
    /// The time in which the model answers, in milliseconds.
    pub time: u64,
    /// The bytes of the longest answer.
    pub most: usize,
}

impl HostQuestion {
    /// An empty question, to be answered within these limits.
    pub(super) fn within(limits: RunLimits) -> Self {
        Self {
            system: SYSTEM,
            time: u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX),
            most: limits.bytes,
            ..Self::default()
        }
    }
}

/// Gives a question to the plugin.
type Put = Box<dyn Fn(&HostQuestion) + Send>;
type Answer = Result<Vec<u8>, String>;

/// The plugin has not come yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotCome;

/// The way from the passes of a process to the plugin of its host.
#[derive(Clone, Default)]
pub struct HostModel(Arc<Mutex<Desk>>);

#[derive(Default)]
struct Desk {
    /// The plugin, once it has come, and the small model of its host.
    plugin: Option<(Option<String>, Put)>,
    /// The title of the question that is being answered, and who waits for that.
    asked: Option<(String, Sender<Answer>)>,
}

impl HostModel {
    /// True where the questions of a workspace are answered by its host.
    pub fn is_wanted(context: &Context, life: HostLife) -> bool {
        let passes = context.settings().passes;
        let is_hosts = passes.model == PassModel::Host && life == HostLife::Long;
        is_hosts && (passes.extract || passes.reconcile) && can_ask(context)
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plugin answers from now on what it is given by `put`. Where neither it nor the settings name a model nothing
    /// is asked, and a person is told so.
    pub fn comes(&self, context: &Context, small_model: Option<String>, put: Put) {
        if small_model.is_none() && context.settings().passes.host_model.is_none() {
            tracing::warn!(
                is_news = true,
                "no model to query: the agent has no `small_model`, and `passes.host_model` is not set"
            );
        }
        self.desk().plugin = Some((small_model, put));
    }

    /// The plugin brings what came of the question with this title.
    pub fn brings(&self, title: &str, answer: Answer) {
        let asked = self.desk().asked.take_if(|(asked, _)| asked == title);
        if let Some((_, waits)) = asked {
            // It may have been given up.
            let _ = waits.send(answer);
        }
    }

    /// The model that would be asked, where the settings name `named` and one is known; an error before the plugin has
    /// come.
    pub(super) fn model(&self, named: Option<String>) -> Result<Option<String>, NotCome> {
        let desk = self.desk();
        let (small_model, _) = desk.plugin.as_ref().ok_or(NotCome)?;
        Ok(named.or_else(|| small_model.clone()))
    }

    /// Asks a question, and waits for its answer.
    pub(super) fn ask(&self, question: &HostQuestion) -> Answer {
        let limits = super::LIMITS;
        let (sender, answer) = channel();
        {
            let mut desk = self.desk();
            desk.asked = Some((question.title.clone(), sender));
            if let Some((_, put)) = &desk.plugin {
                put(question);
            }
        }
        match answer.recv_timeout(limits.time + limits.time / GRACE) {
            Err(_) => Err(RunError::TooSlow(limits.time).to_string()),
            Ok(Ok(answer)) if answer.len() > limits.bytes => Err(RunError::TooLong(limits.bytes).to_string()),
            Ok(answer) => answer,
        }
    }
}
