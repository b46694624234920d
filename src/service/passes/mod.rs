//! The parts that all passes by a model share (docs/passes.md): who answers, one question per store at a time, the notes
//! between two passes, and whose words a memory has.

mod host_model;
mod timer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use crate::capture::read_answer;
use crate::config::PassModel;
use crate::evidence::Event;
use crate::model::{Status, Zone};
use crate::policy::{Hold, Proposal, zone};
use crate::render::Scope;
use crate::store::{LOCAL, Snapshot, Store, StoredFile};
use crate::sys::{Env, FileLock, Group, Ran, RunLimits, Running, Work, lock_note};

use super::kept_conversations::PASS_TITLE;
use super::{Context, HeardLine, ServiceError};

pub use host_model::{HostModel, HostQuestion};
pub(super) use timer::Notes;
pub use timer::{HostLife, PassTimer};

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
/// The operations by which mdmem writes what a model proposed.
pub(super) const BY_A_MODEL: [&str; 2] = ["learn", "reconcile"];

/// True in a process that a pass has started.
pub fn answers_a_pass(env: &Env) -> bool {
    env.var_os(PASS).is_some_and(|value| !value.is_empty())
}

/// True where no process asks a model about this store: a question that its host still has is of a process that is gone.
pub fn nobody_asks(store: &Path) -> bool {
    matches!(FileLock::try_acquire(&lock_file(store)), Ok(Some(_)))
}

/// True where the passes of a workspace have somebody to ask by themselves.
fn can_ask(context: &Context) -> bool {
    let passes = context.settings().passes;
    let has_model = passes.model == PassModel::Host || !passes.command.is_empty();
    has_model && context.scope == Scope::Workspace
}

/// The memories that a model is shown: the first one has the number 1.
pub(super) type Shown = Vec<Arc<StoredFile>>;

/// Those of a store that may be shown: the ones in force that can be read as they stand.
pub(super) fn in_force(store: &Store, snapshot: &Snapshot) -> Shown {
    let is_shown = |file: &&Arc<StoredFile>| {
        let is_whole = file.is_readable && !file.has_conflict() && file.memory.conflict_of.is_none();
        is_whole && is_in_force(file, store)
    };
    snapshot.files.iter().filter(is_shown).cloned().collect()
}

/// The file of a memory that was shown, as it is now.
pub(super) fn present<'s>(shown: &StoredFile, snapshot: &'s Snapshot) -> Option<&'s StoredFile> {
    let file = snapshot.file(&shown.memory.path)?;
    (file.memory.id == shown.memory.id).then_some(file)
}

/// The protection of each memory that was shown.
pub(super) fn holds(shown: &[Arc<StoredFile>], store: &Store, snapshot: &Snapshot) -> Vec<Hold> {
    let hold = |shown: &Arc<StoredFile>| match present(shown, snapshot) {
        Some(file) if is_in_force(file, store) => {
            let path = &file.memory.path;
            if file.blob != shown.blob {
                Hold::Changed
            } else if file.memory.readonly || !file.findings.is_empty() || snapshot.is_redacted(path) {
                Hold::Protected
            } else if file.memory.source.is_persons() {
                Hold::Persons
            } else {
                Hold::Free
            }
        }
        _ => Hold::Gone,
    };
    shown.iter().map(hold).collect()
}

/// Why nothing comes of a proposal.
pub(super) enum Unmade {
    /// The rules refuse it: the outcome, and the reason.
    Refused(&'static str, &'static str),
    /// Something failed, and the pass with it.
    Failed(ServiceError),
}

impl<E: Into<ServiceError>> From<E> for Unmade {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Unmade {
    /// The rules refuse it for this reason.
    pub(super) const fn rejected(reason: &'static str) -> Self {
        Self::Refused("rejected", reason)
    }
}

/// The one who answers a question.
pub(super) enum Answerer {
    /// The program of `passes.command`.
    Program(Vec<String>),
    /// This model of the host.
    Host(HostModel, String),
}

impl Answerer {
    /// The program of the settings.
    pub(super) fn program(store: &Store) -> Result<Self, ServiceError> {
        match &store.settings().passes.command {
            command if command.is_empty() => Err(ServiceError::said(
                "no program is set to query a model (`passes.command`)",
                "Set one: `mdmem config set --user passes.command '[\"claude\", \"-p\"]'`.",
            )),
            command => Ok(Self::Program(command.clone())),
        }
    }
}

/// The model that answers about one store. Nobody else asks about it as long as this is there.
pub(super) struct Model<'a> {
    context: &'a Context,
    store: &'a Store,
    answerer: Answerer,
    _lock: FileLock,
}

fn lock_file(store: &Path) -> PathBuf {
    store.join(LOCAL).join(LOCK)
}

impl<'a> Model<'a> {
    /// The model, for this process alone.
    pub(super) fn new(
        context: &'a Context,
        store: &'a Store,
        answerer: Answerer,
    ) -> Result<Self, ServiceError> {
        let path = lock_file(store.root());
        let Some(mut lock) = FileLock::try_acquire(&path)? else {
            let holder = lock_note(&path)?.filter(|note| !note.is_empty());
            return Err(ServiceError::PassRuns(
                holder.unwrap_or_else(|| "another process".to_owned()),
            ));
        };
        lock.set_note(&format!("process {}", std::process::id()))?;
        Ok(Self {
            context,
            store,
            answerer,
            _lock: lock,
        })
    }

    /// The program or the model that is asked, as it is named to people.
    pub(super) fn program(&self) -> String {
        match &self.answerer {
            Answerer::Program(command) => command.first().cloned().unwrap_or_default(),
            Answerer::Host(_, model) => model.clone(),
        }
    }

    /// Asks a question, which may be about a session, and reads the proposals of its answer, `most` of them. The error is
    /// the cause for which there are none, in words without credentials, and whether that is the command of the settings.
    pub(super) fn ask(
        &self,
        session: Option<&str>,
        question: &str,
        most: usize,
        figures: &mut PassFigures,
    ) -> Result<Vec<Proposal>, (String, bool)> {
        let _work = Work::of(format!("asking {}", self.program()), 0);
        let begin = Instant::now();
        figures.chars_in += question.chars().count();
        let answer = match &self.answerer {
            Answerer::Program(command) => run(command, question),
            Answerer::Host(host, model) => {
                let nonce = self.context.ids.token(self.context.clock.now());
                host.ask(&HostQuestion {
                    title: format!("{PASS_TITLE}{nonce}"),
                    parent: session.map(str::to_owned),
                    model: model.clone(),
                    text: question.to_owned(),
                    ..HostQuestion::within(LIMITS)
                })
                .map_err(|cause| (cause, false))
            }
        };
        figures.millis += u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let read = answer.and_then(|answer| {
            figures.chars_out += String::from_utf8_lossy(&answer).chars().count();
            read_answer(&answer, most).map_err(|fault| (fault.to_string(), false))
        });
        let redacted = |cause: String| self.store.redactor().redact(&cause).into_owned();
        let read = read.map_err(|(cause, is_setting)| (redacted(cause), is_setting))?;
        figures.unread += read.unread;
        Ok(read.proposals)
    }

    /// The model gave an answer that can be used.
    pub(super) fn succeeded(&self) {
        Notes::change(self.store, Notes::succeeded);
    }

    /// It gave none; people are told of the first failure.
    pub(super) fn failed(&self, cause: &str) {
        let mut is_first = false;
        Notes::change(self.store, |notes| is_first = notes.failed(self.store.now()));
        if is_first {
            let program = self.program();
            tracing::warn!(is_news = true, "`{program}` gave no usable answer: {cause}");
        }
    }
}

fn run(command: &[String], question: &str) -> Result<Vec<u8>, (String, bool)> {
    let folder = tempfile::tempdir()
        .map_err(|error| (format!("cannot create a temporary folder for it: {error}"), true))?;
    let none = || ("no program is set".to_owned(), true);
    let (program, arguments) = command.split_first().ok_or_else(none)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path()).env(PASS, "1");
    Running::start(command, Some(question.as_bytes().to_vec()), Group::Swept)
        .and_then(|running| running.finish(LIMITS))
        .and_then(Ran::answer)
        .map_err(|error| (error.to_string(), error.is_of_command()))
}

/// What the questions of a pass took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PassFigures {
    /// The characters of the questions.
    pub chars_in: usize,
    /// The characters of the answers.
    pub chars_out: usize,
    /// The time that the answers took.
    pub millis: u64,
    /// The proposals beyond those that count.
    pub unread: usize,
}

impl PassFigures {
    /// The event of the pass, with these figures, others of its own, and how often each outcome was.
    pub(super) fn tell(&self, event: Event, others: &[(&'static str, usize)], lines: &[HeardLine]) -> Event {
        let own = [
            ("characters in", self.chars_in),
            ("characters out", self.chars_out),
            ("unread", self.unread),
        ];
        let mut counts: BTreeMap<&str, usize> = own.iter().chain(others).copied().collect();
        for line in lines {
            *counts.entry(line.outcome).or_default() += 1;
        }
        event
            .detail("counts", json!(counts))
            .detail("millis", self.millis)
    }
}

/// Says whether a memory is in force, and shown to agents.
pub(super) fn is_in_force(file: &StoredFile, store: &Store) -> bool {
    let zone = zone(&file.memory.path, store.rules());
    file.memory.status == Status::Active && matches!(zone, Zone::Ranked | Zone::Pinned)
}
