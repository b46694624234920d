//! The parts that all passes by a model share (docs/passes.md): who answers, one question per store at a time, the notes
//! between two passes, and whose words a memory has.

mod host_model;
mod notes;
mod timer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;

use crate::capture::{Proposal, RefusedProposal, read_answer};
use crate::config::PassModel;
use crate::evidence::Event;
use crate::git::trailer;
use crate::model::{Id, Kind, Oid, Status, StorePath, Zone};
use crate::policy::zone;
use crate::render::Scope;
use crate::store::{LOCAL, Snapshot, Store, StoredFile};
use crate::sys::{Env, FileLock, Group, Ran, RunLimits, Running, lock_note};

use super::kept_conversations::PASS_TITLE;
use super::{Context, HeardLine, ServiceError};

pub use host_model::{HostModel, HostQuestion};
pub(super) use notes::Notes;
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

/// A memory that a model is shown.
#[derive(Debug, Clone)]
pub(super) struct ShownMemory {
    /// Its id.
    pub(super) id: Id,
    /// Its path.
    pub(super) path: StorePath,
    /// Its content then.
    pub(super) blob: Oid,
    /// Its exact key then.
    pub(super) exact: String,
    /// Its type.
    pub(super) kind: Kind,
}

impl ShownMemory {
    /// The memory that has this number in a question, from 1 on.
    pub(super) fn of(shown: &[Self], number: u32) -> Option<&Self> {
        shown.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Its file as it is now.
    pub(super) fn file<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s StoredFile> {
        snapshot.file(&self.path).filter(|file| file.memory.id == self.id)
    }
}

impl From<&StoredFile> for ShownMemory {
    fn from(file: &StoredFile) -> Self {
        Self {
            id: file.memory.id.clone(),
            path: file.memory.path.clone(),
            blob: file.blob,
            exact: file.keys.exact.clone(),
            kind: file.memory.kind.clone(),
        }
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

    /// Asks a question, which may be about a session, and reads the proposals of its answer: about a conversation, where
    /// `kinds` are the types of the store, or about memories. The error is the cause for which there are none, in words
    /// without credentials.
    pub(super) fn ask(
        &self,
        session: Option<&str>,
        question: &str,
        kinds: Option<&[Kind]>,
        figures: &mut PassFigures,
    ) -> Result<Vec<Result<Proposal, RefusedProposal>>, String> {
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
            }
        };
        figures.millis += u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        let read = answer.and_then(|answer| {
            figures.chars_out += String::from_utf8_lossy(&answer).chars().count();
            read_answer(&answer, kinds).map_err(|fault| fault.to_string())
        });
        let read = read.map_err(|cause| self.store.redactor().redact(&cause).into_owned())?;
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

fn run(command: &[String], question: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| {
        format!(
            "cannot create a temporary folder for it: \
        {error}"
        )
    })?;
    let (program, arguments) = command.split_first().ok_or("no program is set")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path()).env(PASS, "1");
    Running::start(command, Some(question.as_bytes().to_vec()), Group::Swept)
        .and_then(|running| running.finish(LIMITS))
        .and_then(Ran::answer)
        .map_err(|error| error.to_string())
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

/// The paths of those memories that a person has had a hand in: they are no extraction's, or the last commit that
/// changed the file is none of a model's (a save, a move, a restore, a merge).
pub(super) fn persons_words<'f>(
    store: &Store,
    files: impl IntoIterator<Item = &'f StoredFile>,
) -> Result<BTreeSet<StorePath>, ServiceError> {
    let repo = store.repo();
    let head = repo.head()?.tip();
    let mut persons = BTreeSet::new();
    let mut left: BTreeSet<StorePath> = BTreeSet::new();
    for file in files {
        let path = &file.memory.path;
        let committed = match head.filter(|_| !file.memory.source.is_persons()) {
            Some(head) => repo.entry_at(head, path.as_ref())?,
            None => None,
        };
        let is_as_committed = committed.is_some_and(|committed| committed.oid == file.blob);
        let known = if is_as_committed { &mut left } else { &mut persons };
        known.insert(path.clone());
    }
    if let Some(head) = head.filter(|_| !left.is_empty()) {
        for step in repo.log(head, None)? {
            let step = step?;
            let op = step.commit.message.trailer(trailer::OP);
            let is_a_models = op.is_some_and(|op| BY_A_MODEL.contains(&op));
            let changed = |path: &StorePath| {
                let mut changes = step.changes.iter();
                changes.any(|change| change.path == Path::new(path.as_str()))
            };
            let found = left.extract_if(.., changed);
            persons.extend(found.filter(|_| !is_a_models));
            if left.is_empty() {
                break;
            }
        }
    }
    persons.extend(left);
    Ok(persons)
}
