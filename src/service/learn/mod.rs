//! Use case: ask a model what should be remembered of a conversation (`mdmem learn`, passes.md). The model only
//! proposes; `conversation::learned` decides and carries out.

mod kept;
mod left;
mod on_close;
mod timer;
mod transcript;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::capture::{Talk, Utterance, read_answer};
use crate::evidence::{Event, EventType};
use crate::model::{Kind, Memory, Status, Zone};
use crate::policy::most_akin;
use crate::render::{ExtractionPrompt, extraction_prompt};
use crate::store::{PROTOCOL, Snapshot, Store, WAIT_FOR_WRITER, built_in_protocol, session_hash};
use crate::sys::{Deadline, SysError};

use super::conversation::{Shown, Teaching};
use super::passes::{Answerer, Model};
use super::{Background, Context, Conversations, HeardLine, PromptServer, Run, ServiceError};

use kept::Kept;
pub use on_close::learn_on_close;
pub use timer::PassTimer;
use transcript::Part;

/// So often a model may fail at the same messages.
const MOST_FAILURES: u32 = 3;

/// The place where a conversation stands.
pub enum Transcript<'a> {
    /// In this file.
    File(&'a Path),
    /// The host told it: the messages, the oldest first, each with its time.
    Told(&'a [(Utterance, u64)]),
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The session, hashed.
    pub session: String,
    /// The number of messages that the model read; 0: nothing was new, and nobody was asked.
    pub messages: usize,
    /// True when messages are left for another pass.
    pub is_more: bool,
    /// The characters of the question.
    pub chars_in: usize,
    /// The characters of the answer.
    pub chars_out: usize,
    /// The time that the answer took.
    pub millis: u64,
    /// The outcome of each proposal.
    pub lines: Vec<HeardLine>,
    /// The number of proposals beyond those that count.
    pub unread: usize,
}

/// Asks the program of `passes.command` about the messages of a conversation that no model has read yet, and carries out
/// what the rules allow of its answer.
pub fn learn(context: &Context, store: &Store, request: &LearnRequest<'_>) -> Result<Learned, ServiceError> {
    learn_by(Answerer::program(store)?, context, store, request)
}

fn learn_by(
    answerer: Answerer<'_>,
    context: &Context,
    store: &Store,
    request: &LearnRequest<'_>,
) -> Result<Learned, ServiceError> {
    store.check_settings()?;
    let model = Model::new(store, answerer)?;
    let mut background = Background::of_one_event();
    let prompts = PromptServer::open(context.clone(), &mut background)?;
    let conversations = Conversations::open(context.clone(), "pass", &prompts, &mut background)?;
    let kept = match request.transcript {
        Transcript::Kept(name) => Some(Kept::find(context, name)?),
        _ => None,
    };
    let name = request.session(kept.as_ref())?;
    let session = session_hash(&name);
    let (from, failed) = conversations.learned_to(&session)?;
    let mut pass = Pass {
        store,
        model,
        conversations,
        name,
        session,
        from,
    };
    let clean = |text: &str| store.redactor().redact(text).into_owned();
    let part = match (&request.transcript, &kept) {
        (Transcript::File(file), _) => transcript::part(file, from, clean)?,
        (Transcript::Told(messages), _) => transcript::told(messages, from, clean),
        (Transcript::Kept(_), Some(kept)) => match kept.past.transcript(&kept.of) {
            Some(file) => transcript::part(&file, from, clean)?,
            None => transcript::told(&kept.messages(from)?, from, clean),
        },
        (Transcript::Kept(_), None) => unreachable!("because it was found above"),
    };
    let learned = pass.over(&part, failed, request.run);
    pass.conversations.close();
    learned
}

impl LearnRequest<'_> {
    /// The agent's name for the conversation.
    fn session(&self, kept: Option<&Kept>) -> Result<String, ServiceError> {
        match (self.session, &self.transcript) {
            (Some(session), _) => Ok(session.to_owned()),
            (None, Transcript::Told(_) | Transcript::Kept(_)) => {
                Ok(kept.map_or_else(String::new, |kept| kept.of.id.clone()))
            }
            (None, Transcript::File(file)) => {
                if let Some(session) = transcript::session_in(file)? {
                    return Ok(session);
                }
                let full = file.canonicalize();
                let full = full.map_err(|error| SysError::io("read", *file, error))?;
                Ok(format!("transcript {}", full.display()))
            }
        }
    }
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
}

/// A question, the memories that it shows, and the types of the store.
struct Question {
    prompt: ExtractionPrompt,
    shown: Vec<Shown>,
    kinds: Vec<Kind>,
}

impl Pass<'_> {
    /// Asks about a part of the conversation, at which the model failed so often before.
    fn over(&mut self, part: &Part, failed: u32, run: Run) -> Result<Learned, ServiceError> {
        let mut learned = Learned {
            session: self.session.clone(),
            messages: part.messages.len(),
            is_more: part.is_more,
            chars_in: 0,
            chars_out: 0,
            millis: 0,
            lines: Vec::new(),
            unread: 0,
        };
        self.conversations.answer_by(Deadline::after(WAIT_FOR_WRITER));
        if part.messages.is_empty() {
            if run == Run::Real {
                self.conversations.set_learned_to(&self.session, part.end, 0);
            }
            return Ok(learned);
        }
        let question = self.question(part)?;
        learned.chars_in = question.prompt.text.chars().count();
        let was_there = self.conversations.has_files(&self.session);
        let answer = self
            .model
            .ask(Some(&self.name), &question.prompt.text, &mut learned.millis);
        if was_there && !self.conversations.has_files(&self.session) {
            // A person has just thrown the conversation away.
            self.record(
                &learned,
                Event::new(EventType::PassFailed).detail("reason", "the session was deleted"),
            );
            return Ok(learned);
        }
        let read = answer.and_then(|answer| {
            learned.chars_out = answer.chars;
            let numbers = u32::try_from(question.shown.len()).unwrap_or(u32::MAX);
            read_answer(&answer.bytes, numbers, &question.kinds).map_err(|fault| fault.to_string())
        });
        let answer = match read {
            Ok(answer) => answer,
            Err(cause) => return Err(self.failed(&learned, part, failed + 1, &cause, run)),
        };
        learned.unread = answer.unread;
        let teaching = Teaching {
            answer: &answer,
            shown: &question.shown,
            talk: &Talk::of(&part.messages),
            end: part.end,
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
            self.conversations.set_learned_to(&self.session, part.end, 0);
            self.record(&learned, Event::new(EventType::PassEnded));
            self.model.succeeded();
        }
        Ok(learned)
    }

    fn question(&mut self, part: &Part) -> Result<Question, ServiceError> {
        let kinds = self.conversations.known_kinds()?;
        let snapshot = self.store.load()?;
        let memories = akin(&snapshot, part);
        let rules = self.rules();
        let prompt = extraction_prompt(&rules, &memories, &part.messages, &kinds);
        let shown = memories.iter().take(prompt.shown).filter_map(|memory| {
            let file = snapshot.file(&memory.path)?;
            Some(Shown {
                id: memory.id.clone(),
                path: memory.path.clone(),
                blob: file.blob,
                exact: file.keys.exact.clone(),
                kind: memory.kind.clone(),
            })
        });
        Ok(Question {
            shown: shown.collect(),
            prompt,
            kinds,
        })
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
        let is_passed_over = failures >= MOST_FAILURES;
        let cause = self.store.redactor().redact(cause).into_owned();
        let program = self.model.program();
        if run == Run::Real {
            let (read, failures) = if is_passed_over {
                (Some(part.end), 0)
            } else {
                (None, failures)
            };
            let read = read.unwrap_or(self.from);
            self.conversations.set_learned_to(&self.session, read, failures);
            let event = Event::new(EventType::PassFailed).detail("reason", cause.as_str());
            let event = if is_passed_over {
                event.reason("passed_over")
            } else {
                event
            };
            self.record(learned, event);
            self.model.failed(&cause);
        }
        ServiceError::NoAnswer {
            program,
            cause,
            is_passed_over: is_passed_over && run == Run::Real,
        }
    }

    fn record(&mut self, learned: &Learned, event: Event) {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        counts.insert("messages", count(learned.messages));
        counts.insert("characters in", count(learned.chars_in));
        counts.insert("characters out", count(learned.chars_out));
        counts.insert("unread", count(learned.unread));
        for line in &learned.lines {
            *counts.entry(line.outcome).or_default() += 1;
        }
        let event = event
            .detail("counts", json!(counts))
            .detail("millis", learned.millis);
        self.conversations.record_pass(&self.session, event);
    }
}

/// The memories in force, those first that are most like what is said.
fn akin<'s>(snapshot: &'s Snapshot, part: &Part) -> Vec<&'s Memory> {
    let said: Vec<&str> = part
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    let said = crate::text::canonical(&said.join("\n"));
    let files = snapshot.files.iter().filter(|file| {
        let is_shown = matches!(file.zone, Zone::Ranked | Zone::Pinned);
        is_shown && file.is_readable && file.memory.status == Status::Active
    });
    let files: Vec<_> = files.collect();
    let words = files.iter().map(|file| {
        let exact = file.keys.exact.as_str();
        exact.split_once(':').map_or(exact, |(_, canonical)| canonical)
    });
    let words: Vec<&str> = words.collect();
    let places = most_akin(&said, &words).into_iter();
    places.map(|place| &files[place].memory).collect()
}
