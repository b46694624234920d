//! The parts that all passes by a model share (passes.md): who answers, one question per store at a time, the pauses after
//! failures.

mod backoff;
mod host_model;
pub(super) mod own_sessions;
mod owner;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::config::PassModel;
use crate::render::Scope;
use crate::store::{LOCAL, Store};
use crate::sys::{Env, FileLock, Group, Ran, RunLimits, Running, lock_note};

use super::{Context, ServiceError};

pub(super) use backoff::is_waiting;
use host_model::{Asked, NobodyWaits};
pub use host_model::{HostModel, HostQuestion, HostReply, HostTask};
pub(super) use owner::{is_a_persons, is_in_force, persons_words};

/// The variable under which every hook, plugin and server of mdmem does nothing: what answers a pass may be an agent
/// that has them too.
const PASS: &str = "MDMEM_PASS";
/// Held by the process that asks a model about a store.
const LOCK: &str = "pass.lock";
/// The bounds of an answer. More than this is printed by no model that was asked for a list.
const LIMITS: RunLimits = RunLimits {
    time: Duration::from_mins(1),
    bytes: 256 * 1024,
};

/// The pause before something is asked while another process asks, or after a failure.
pub(super) const AGAIN: Duration = Duration::from_mins(1);
/// The same while the agent's plugin has not come for a question.
pub(super) const SOON: Duration = Duration::from_secs(1);

/// The life of the process that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostLife {
    /// It lives as long as a person works with it.
    Long,
    /// It ends with its one turn: what is to be asked is left to the next process.
    OneTurn,
}

/// True in a process that a pass has started.
pub fn answers_a_pass(env: &Env) -> bool {
    env.var_os(PASS).is_some_and(|value| !value.is_empty())
}

/// True where the passes of a workspace have somebody to ask by themselves.
pub(super) fn can_ask(context: &Context) -> bool {
    let passes = context.settings().passes;
    let has_model = passes.model == PassModel::Host || !passes.command.is_empty();
    has_model && context.scope == Scope::Workspace
}

/// The one who answers a question.
pub(super) enum Answerer<'a> {
    /// The program of `passes.command`.
    Program(&'a [String]),
    /// A model of the host.
    Host {
        /// Makes the name of the session in which it answers.
        context: &'a Context,
        /// The way to the host.
        host: &'a HostModel,
        /// The model, by the host's name.
        model: String,
    },
}

/// Says whether something can be asked that nobody asks for by hand.
pub(super) enum Readiness<'a> {
    /// This one answers.
    Ready(Answerer<'a>),
    /// The agent's plugin is not there yet.
    NobodyWaits,
    /// The host has no small model, and no other one is named, which a person has been told; or the settings name the host
    /// only since the plugin was told that nobody asks it.
    NoModel,
}

impl<'a> Answerer<'a> {
    /// The program that the user's settings name; an error where they name none.
    pub(super) fn program(store: &'a Store) -> Result<Self, ServiceError> {
        let command = &store.settings().passes.command;
        if command.is_empty() {
            return Err(ServiceError::NoPassCommand);
        }
        Ok(Self::Program(command))
    }

    /// The one who answers what nobody asks for by hand, by the settings of now: the `host`, or the program. `undone` is
    /// what is not done without a model.
    pub(super) fn unasked(
        context: &'a Context,
        store: &'a Store,
        host: Option<&'a HostModel>,
        undone: &'static str,
    ) -> Result<Readiness<'a>, ServiceError> {
        let passes = &store.settings().passes;
        if passes.model == PassModel::Command {
            return Ok(Readiness::Ready(Self::program(store)?));
        }
        let Some(host) = host else {
            return Ok(Readiness::NoModel);
        };
        Ok(match host.model(passes.host_model.as_deref()) {
            Err(NobodyWaits) => Readiness::NobodyWaits,
            Ok(None) => {
                host.say_no_model(undone);
                Readiness::NoModel
            }
            Ok(Some(model)) => Readiness::Ready(Self::Host { context, host, model }),
        })
    }
}

/// A model, and the right to ask it about a store.
pub(super) struct Model<'a> {
    store: &'a Store,
    answerer: Answerer<'a>,
    _lock: FileLock,
}

/// The answer of a model.
pub(super) struct ModelAnswer {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The characters that these are.
    pub(super) chars: usize,
}

/// The file that the process holds which asks about a store.
pub(super) fn lock_file(store: &Path) -> PathBuf {
    store.join(LOCAL).join(LOCK)
}

impl<'a> Model<'a> {
    /// Takes the right to ask about a store; an error while another process has it.
    pub(super) fn new(store: &'a Store, answerer: Answerer<'a>) -> Result<Self, ServiceError> {
        let path = lock_file(store.root());
        let Some(mut lock) = FileLock::try_acquire(&path)? else {
            let holder = lock_note(&path)?.filter(|note| !note.is_empty());
            return Err(ServiceError::PassRuns(
                holder.unwrap_or_else(|| "another process".to_owned()),
            ));
        };
        lock.set_note(&format!("process {}", std::process::id()))?;
        Ok(Self {
            store,
            answerer,
            _lock: lock,
        })
    }

    /// The name of the program or of the model.
    pub(super) fn program(&self) -> String {
        match &self.answerer {
            Answerer::Program(command) => command.first().cloned().unwrap_or_default(),
            Answerer::Host { model, .. } => model.clone(),
        }
    }

    /// Asks, and gives the answer or the reason why there is none; in any case adds the time that it took to `millis`.
    /// `session`: the conversation that the question is about, by the host's name, where it is about one.
    pub(super) fn ask(
        &self,
        session: Option<&str>,
        question: &str,
        millis: &mut u64,
    ) -> Result<ModelAnswer, String> {
        let begin = Instant::now();
        let bytes = self.bytes(session, question);
        *millis += u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let bytes = bytes?;
        Ok(ModelAnswer {
            chars: String::from_utf8_lossy(&bytes).chars().count(),
            bytes,
        })
    }

    fn bytes(&self, session: Option<&str>, question: &str) -> Result<Vec<u8>, String> {
        match &self.answerer {
            Answerer::Program(command) => {
                let folder =
                    tempfile::tempdir().map_err(|error| format!("no empty folder for it: {error}"))?;
                let (program, arguments) = command.split_first().ok_or("no program is set")?;
                let mut command = Command::new(program);
                command.args(arguments).current_dir(folder.path()).env(PASS, "1");
                Running::start(command, Some(question.as_bytes().to_vec()), Group::Swept)
                    .and_then(|running| running.finish(LIMITS))
                    .and_then(Ran::answer)
                    .map_err(|error| error.to_string())
            }
            Answerer::Host { context, host, model } => {
                let asked = Asked {
                    store: self.store.root(),
                    nonce: context.ids.token(context.clock.now()),
                    session,
                    model,
                };
                host.ask(&asked, question.to_owned(), LIMITS)
            }
        }
    }

    /// The model answered: the pause after failures is over.
    pub(super) fn succeeded(&self) {
        backoff::succeeded(self.store);
    }

    /// The model gave no answer that can be used: the next question by itself waits. The person is told the first time.
    pub(super) fn failed(&self, cause: &str) {
        if backoff::failed(self.store) {
            let program = self.program();
            tracing::warn!(
                is_news = true,
                "`{program}` gave no answer that can be used: {cause}"
            );
        }
    }
}
