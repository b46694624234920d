//! Use case: ask a model what should be remembered of a conversation (`mdmem learn`, docs/passes.md). The model only
//! proposes; `conversation::learned` decides and carries out.

mod transcript;

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use crate::capture::Talk;
use crate::evidence::{Event, EventType};
use crate::model::{Memory, Timestamp};
use crate::policy::resembling;
use crate::render::{Scope, extraction_prompt};
use crate::store::{PROTOCOL, Snapshot, Store, WAIT_FOR_WRITER, built_in_protocol, session_hash};
use crate::sys::{Deadline, start_own_program};

use super::conversation::Teaching;
use super::passes::{Answerer, Model, Notes, PassFigures, Shown, in_force};
use super::{
    Background, Chosen, Context, Conversations, HeardLine, KeptConversations, PromptServer, Run, ServiceError,
};

use transcript::Part;

/// So often a model may fail at the same messages.
const MOST_FAILURES: u32 = 3;
/// The most proposals of an answer that count.
const MOST: usize = 40;

/// The place where a conversation stands.
pub enum Transcript<'a> {
    /// In this file.
    File(&'a Path),
    /// The host keeps it, under this name or a part of it.
    Kept(&'a str),
}

/// A conversation that a model is asked about.
pub struct LearnRequest<'a> {
    /// The conversation.
    pub transcript: Transcript<'a>,
    /// The agent's name for it; `None`: the one in the file, else the file's own path.
    pub session: Option<&'a str>,
    /// Says whether anything is stored.
    pub run: Run,
}

/// The result of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Learned {
    /// The session, hashed.
    pub session: String,
    /// The number of messages that the model read; 0: nothing was new, and nobody was asked.
    pub messages: usize,
    /// True when messages are left for another pass.
    #[serde(rename = "more")]
    pub is_more: bool,
    /// What the question took.
    #[serde(flatten)]
    pub asked: PassFigures,
    /// The outcome of each proposal.
    #[serde(rename = "proposals")]
    pub lines: Vec<HeardLine>,
}

/// Asks the program of `passes.command` about the messages of a conversation that no model has read yet, and carries out
/// what the rules allow of its answer.
pub fn learn(context: &Context, store: &Store, request: &LearnRequest<'_>) -> Result<Learned, ServiceError> {
    learn_by(Answerer::program(store)?, context, store, request)
}

/// Begins a pass over the conversation of a session that ends, in a process of its own, where a person wants that. It is
/// waited for by nobody.
pub fn learn_on_close(context: &Context, transcript: &Path, session: &str) -> Result<(), ServiceError> {
    let passes = context.settings().passes;
    if !passes.on_close || !passes.extract || passes.command.is_empty() || context.scope == Scope::Global {
        return Ok(());
    }
    if context
        .open_existing()?
        .is_some_and(|store| Notes::is_waiting(&store))
    {
        return Ok(());
    }
    let file = [
        OsStr::new("learn"),
        OsStr::new("--transcript"),
        transcript.as_os_str(),
    ];
    let session = [OsStr::new("--session"), OsStr::new(session)];
    Ok(start_own_program(
        &[&file[..], &session].concat(),
        context.env.current_dir(),
    )?)
}

/// The same as [`learn`], by whoever answers.
pub(super) fn learn_by(
    answerer: Answerer,
    context: &Context,
    store: &Store,
    request: &LearnRequest<'_>,
) -> Result<Learned, ServiceError> {
    store.check_settings()?;
    let model = Model::new(context, store, answerer)?;
    let began = context.clock.now();
    let mut background = Background::of_one_event();
    let prompts = PromptServer::open(context.clone(), &mut background)?;
    let conversations = Conversations::open(context.clone(), "pass", &prompts, &mut background)?;
    let clean = |text: &str| store.redactor().redact(text).into_owned();
    let (name, session, from, failed, part);
    match request.transcript {
        Transcript::File(file) => {
            name = match request.session {
                Some(session) => session.to_owned(),
                None => transcript::name_of(file)?,
            };
            session = session_hash(&name);
            (from, failed) = conversations.learned_to(&session);
            part = transcript::part(file, from, clean)?;
        }
        Transcript::Kept(named) => {
            let hosts = KeptConversations::open(context)?;
            let of = hosts.conversation(Some(named), Chosen::default())?;
            session = session_hash(&of.id);
            (from, failed) = conversations.learned_to(&session);
            part = match &of.transcript {
                Some(file) => transcript::part(file, from, clean)?,
                None => transcript::kept(&hosts, &of, from, clean)?,
            };
            name = of.id;
        }
    }
    let mut pass = Pass {
        store,
        model,
        conversations,
        name,
        session,
        from,
        began,
    };
    let learned = pass.over(&part, failed, request.run);
    pass.conversations.close();
    learned
}

/// A question to a model.
struct Pass<'a> {
    store: &'a Store,
    model: Model<'a>,
    conversations: Conversations,
    /// The agent's name for the session.
    name: String,
    /// The same, hashed.
    session: String,
    /// The place behind the messages that were read before.
    from: u64,
    /// The time before the messages were read.
    began: Timestamp,
}

impl Pass<'_> {
    /// Asks about a part of the conversation, at which the model failed so often before.
    fn over(&mut self, part: &Part, failed: u32, run: Run) -> Result<Learned, ServiceError> {
        let mut learned = Learned {
            session: self.session.clone(),
            messages: part.messages.len(),
            is_more: part.is_more,
            ..Learned::default()
        };
        self.conversations.answer_by(Deadline::after(WAIT_FOR_WRITER));
        if part.messages.is_empty() {
            if run == Run::Real {
                self.note(part, part.end, 0);
            }
            return Ok(learned);
        }
        let kinds = self.conversations.known_kinds()?;
        let snapshot = self.store.load()?;
        let mut shown = akin(self.store, &snapshot, part);
        let memories: Vec<&Memory> = shown.iter().map(|file| &file.memory).collect();
        let prompt = extraction_prompt(&self.rules(), &memories, &part.messages, &kinds);
        shown.truncate(prompt.shown);
        let was_there = self.conversations.has_files(&self.session);
        let asked = &mut learned.asked;
        let answer = self.model.ask(Some(&self.name), &prompt.text, MOST, asked);
        if was_there && !self.conversations.has_files(&self.session) {
            // A person has just thrown the conversation away.
            self.record(
                &learned,
                Event::new(EventType::PassFailed).detail("reason", "the session was deleted"),
            );
            return Ok(learned);
        }
        let proposals = match answer {
            Ok(proposals) => proposals,
            Err(cause) => return Err(self.failed(&learned, part, failed + 1, &cause, run)),
        };
        let teaching = Teaching {
            proposals: &proposals,
            shown: &shown,
            kinds: &kinds,
            talk: &Talk::of(&part.messages),
        };
        self.conversations.answer_by(Deadline::after(WAIT_FOR_WRITER));
        let extraction = self.conversations.learn(&self.session, &teaching, run);
        let carried_out = extraction.and_then(|extraction| {
            learned.lines = extraction.lines;
            extraction.failure.map_or(Ok(()), Err)
        });
        if let Err(error) = carried_out {
            // The part that was carried out is absorbed when the same messages are read once more.
            self.failed(&learned, part, failed + 1, &error.to_string(), run);
            return Err(error);
        }
        if run == Run::Real {
            self.note(part, part.end, 0);
            self.record(&learned, Event::new(EventType::PassEnded));
            self.model.succeeded();
        }
        Ok(learned)
    }

    /// The store's PROTOCOL.md, as it is now.
    fn rules(&self) -> String {
        let path = self.store.root().join(PROTOCOL);
        let read = crate::sys::read_regular(&path, crate::store::MAX_FILE)
            .ok()
            .flatten();
        let text = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let text = text.unwrap_or_else(|| built_in_protocol(&self.store.rules().hot_dir));
        self.store.redactor().redact(&text).into_owned()
    }

    /// Notes that the model gave no answer. Messages at which it failed three times are passed over.
    fn failed(
        &mut self,
        learned: &Learned,
        part: &Part,
        failures: u32,
        cause: &str,
        run: Run,
    ) -> ServiceError {
        let is_passed_over = failures >= MOST_FAILURES && run == Run::Real;
        let cause = self.store.redactor().redact(cause).into_owned();
        if run == Run::Real {
            let mut event = Event::new(EventType::PassFailed).detail("reason", cause.as_str());
            let (mut read, mut failures) = (self.from, failures);
            if is_passed_over {
                (read, failures) = (part.end, 0);
                event = event.reason("passed_over");
            }
            self.note(part, read, failures);
            self.record(learned, event);
            self.model.failed(&cause);
        }
        ServiceError::NoAnswer {
            program: self.model.program(),
            cause,
            is_passed_over,
        }
    }

    /// Notes how far the conversation is read, and how often the model failed at what follows.
    fn note(&mut self, part: &Part, read: u64, failures: u32) {
        let is_done = read == part.end && !part.is_more;
        let read_at = is_done.then_some(self.began);
        self.conversations
            .set_learned_to(&self.session, read, failures, read_at);
    }

    fn record(&mut self, learned: &Learned, event: Event) {
        let messages = [("messages", learned.messages)];
        let event = learned.asked.tell(event, &messages, &learned.lines);
        self.conversations.record_pass(&self.session, event);
    }
}

/// The memories in force, those first that are most like what is said.
fn akin(store: &Store, snapshot: &Snapshot, part: &Part) -> Shown {
    let said = part.messages.iter().map(|message| message.text.as_str());
    let said = said.collect::<Vec<_>>().join("\n");
    let files = in_force(store, snapshot);
    let words = files.iter().map(|file| file.memory.content.keyed_text());
    let alike = resembling(&said, &words.collect::<Vec<_>>(), files.len());
    let others = (0..files.len()).filter(|place| !alike.contains(place));
    let places = alike.iter().copied().chain(others);
    places.map(|place| files[place].clone()).collect()
}
