//! Use case: ask a model what should be remembered of a conversation (`mdmem learn`, docs/passes.md). The model only
//! proposes; `conversation::learned` decides and carries out.

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::capture::{Speaker, Talk, Utterance, in_one_batch};
use crate::evidence::{Event, EventType};
use crate::model::{Memory, Timestamp};
use crate::policy::resembling;
use crate::render::{Scope, extraction_prompt};
use crate::store::{PROTOCOL, Snapshot, Store, WAIT_FOR_WRITER, built_in_protocol, session_hash};
use crate::sys::{self, Deadline, SysError, from_json, start_own_program};

use super::conversation::Teaching;
use super::kept_conversations::ClaudeLine;
use super::passes::{Answerer, Model, Notes, PassFigures, Shown, in_force};
use super::{
    Background, Chosen, ClaudeCode, Context, Conversation, Conversations, HeardLine, KeptConversations, Mark,
    PromptServer, Reading, Role, Run, ServiceError,
};

/// So often a model may fail at the same messages.
const MOST_FAILURES: u32 = 3;
/// The most proposals of an answer that count.
const MOST: usize = 40;
/// The bytes of the longest transcript.
const MOST_BYTES: u64 = 1 << 30;
/// The messages that are looked at for one question: more than it has room for, so that it is known whether more follow.
const PAGE: usize = 200;

/// A conversation that a model is asked about: in a file, or else as a host keeps it.
pub struct LearnRequest<'a> {
    /// The file.
    pub file: Option<&'a Path>,
    /// The agent's name for it, or a part of that; of a file, the one in it or its own path where this is absent.
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
    let (name, file, kept) = if let Some(file) = request.file {
        (request.session.map(str::to_owned), Some(file.to_owned()), None)
    } else {
        let hosts = KeptConversations::open(context)?;
        let of = hosts.conversation(request.session, Chosen::default())?;
        (Some(of.id.clone()), of.transcript.clone(), Some((hosts, of)))
    };
    let (stated, said) = file.as_deref().map_or_else(|| Ok(Default::default()), in_file)?;
    let name = name.unwrap_or(stated);
    let session = session_hash(&name);
    let (from, failed) = conversations.learned_to(&session);
    // A transcript that is shorter than what was read of it is another one, and is read from its beginning.
    let is_whole = kept.is_some() && file.is_none() || from <= said.len() as u64;
    let from = if is_whole { from } else { 0 };
    let said = match kept {
        Some((hosts, of)) if file.is_none() => kept_behind(&hosts, of, from)?,
        _ => said
            .into_iter()
            .zip(1..)
            .skip_while(|(_, at)| *at <= from)
            .take(PAGE)
            .collect(),
    };
    let part = Part::of(&said, from, |text| store.redactor().redact(text).into_owned());
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
    /// The last message that was read before.
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
            Err((cause, is_setting)) => {
                // A command that cannot run has failed at no message.
                let failed = failed + u32::from(!is_setting);
                return Err(self.failed(&learned, part, failed, &cause, run));
            }
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

/// The messages of a conversation that one question is about.
struct Part {
    messages: Vec<Utterance>,
    /// The place of the last of them: its number in a transcript, its time in milliseconds where the host keeps none.
    end: u64,
    /// True when messages follow.
    is_more: bool,
}

impl Part {
    /// The oldest of these messages behind `from`, each with its place, as far as there is room.
    fn of(said: &[(Utterance, u64)], from: u64, clean: impl Fn(&str) -> String) -> Self {
        let cleaned = said.iter().map(|(message, _)| Utterance {
            text: clean(&message.text),
            speaker: message.speaker,
        });
        let messages = in_one_batch(cleaned);
        Self {
            end: said[..messages.len()].last().map_or(from, |(_, at)| *at),
            is_more: messages.len() < said.len(),
            messages,
        }
    }
}

/// The name of the session that a file is of (the one in it, else the file's own path), and the messages: JSON lines of an
/// agent, or a text whose messages begin with `User:` and `Assistant:`.
fn in_file(file: &Path) -> Result<(String, Vec<Utterance>), ServiceError> {
    let failed = |error| SysError::io("read", file, error);
    let missing = || failed(std::io::ErrorKind::NotFound.into());
    let bytes = sys::read_regular(file, MOST_BYTES).map_err(failed)?;
    let bytes = bytes.ok_or_else(missing)?;
    let (mut session, mut said) = (None, Vec::<Utterance>::new());
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if is_json {
            if let Some(line) = ClaudeCode::line(line).or_else(|| by_role(line)) {
                session = session.or(line.session);
                said.extend(line.said.and_then(|(role, text)| utterance(role, text)));
            }
            continue;
        }
        let line = String::from_utf8_lossy(line);
        let labelled = line
            .split_once(':')
            .and_then(|(label, rest)| utterance(role(label)?, rest.to_owned()));
        match (labelled, said.last_mut()) {
            (Some(message), _) => said.push(message),
            // What stands above the first label is nobody's.
            (None, message) => message
                .into_iter()
                .for_each(|message| message.text.push_str(&line)),
        }
    }
    for message in &mut said {
        message.text = message.text.trim().to_owned();
    }
    said.retain(|message| !message.text.is_empty());
    let by_path = || format!("transcript {}", file.canonicalize().unwrap_or_default().display());
    Ok((session.unwrap_or_else(by_path), said))
}

/// A line of the common form `{"role": "user", "content": "…"}`.
fn by_role(line: &[u8]) -> Option<ClaudeLine> {
    let line: Value = from_json(line).ok()?;
    let role = role(line["role"].as_str()?)?;
    Some(ClaudeLine {
        session: line["session"].as_str().map(str::to_owned),
        said: line["content"].as_str().map(|text| (role, text.to_owned())),
    })
}

fn role(word: &str) -> Option<Role> {
    let mut roles = [Role::User, Role::Assistant].into_iter();
    roles.find(|role| word.trim().eq_ignore_ascii_case(role.as_str()))
}

/// The words of somebody; `None` for a summary, which repeats them.
fn utterance(role: Role, text: String) -> Option<Utterance> {
    let speaker = match role {
        Role::User => Speaker::User,
        Role::Assistant => Speaker::Assistant,
        Role::Summary => return None,
    };
    Some(Utterance { speaker, text })
}

/// The messages behind a time, in milliseconds, of a conversation whose host keeps no transcript.
fn kept_behind(
    hosts: &KeptConversations,
    of: Conversation,
    from: u64,
) -> Result<Vec<(Utterance, u64)>, ServiceError> {
    let time = Timestamp::from_millis(i64::try_from(from).unwrap_or(i64::MAX));
    // Behind every message of that time.
    let id = char::MAX.to_string();
    let behind = Reading::OldestBehind((from > 0).then_some(Mark { time, id }));
    let page = hosts.page(of, &behind, PAGE, false)?;
    let said = page.messages.into_iter().filter_map(|message| {
        let text = message.texts().collect::<Vec<_>>().join("\n").trim().to_owned();
        let at = u64::try_from(message.mark.time.as_millis()).unwrap_or_default();
        // An answer of calls alone says nothing.
        let said = utterance(message.role, text).filter(|said| !said.text.is_empty());
        Some((said?, at))
    });
    Ok(said.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a transcript behind the first `from`, the number of the last one, and whether more follow.
    fn read(content: &str, from: u64) -> (Vec<String>, u64, bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        crate::sys::write_atomic(&file, content.as_bytes()).unwrap();
        let said = in_file(&file).unwrap().1.into_iter().zip(1..);
        let said: Vec<_> = said.skip_while(|(_, at)| *at <= from).collect();
        let part = Part::of(&said, from, |text| text.replace("hunter2", "***"));
        let said = |message: &Utterance| format!("{}: {}", message.speaker.as_str(), message.text);
        (part.messages.iter().map(said).collect(), part.end, part.is_more)
    }

    #[test]
    fn a_plain_text_and_json_lines_are_read_from_any_place() {
        let text = "A chat\n\nUser: we use hunter2\nand: tabs\n\nassistant: ok\nUSER: bye";
        let (said, end, is_more) = read(text, 0);
        assert_eq!(
            said,
            ["user: we use ***\nand: tabs", "assistant: ok", "user: bye"]
        );
        assert_eq!((end, is_more), (3, false));
        assert_eq!(read(text, end).0, [""; 0]);
        let grown = format!("{text}\n{{}}\nUser: hi");
        assert_eq!(read(&grown, end).0, ["user: hi"], "a brace changes no form");
        let json = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"tool\",\"content\":\"x\"}\nnoise\n\
            {\"role\":\"assistant\",\"content\":\"yes\"}\n{\"role\":\"user\",\"cont";
        let (said, end, _) = read(json, 0);
        assert_eq!(said, ["user: hi", "assistant: yes"]);
        assert_eq!(read(json, end).0, [""; 0], "half a line is not read yet");
        let whole = format!("{json}ent\":\"go\"}}\n");
        assert_eq!(read(&whole, end).0, ["user: go"], "when the line is whole");
        assert_eq!(read("", 0), (vec![], 0, false));
    }

    #[test]
    fn what_does_not_fit_into_one_question_is_for_the_next() {
        let line = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "a".repeat(9_000));
        let all = line.repeat(5);
        let (first, end, is_more) = read(&all, 0);
        assert_eq!((first.len(), end, is_more), (2, 2, true));
        let (second, end, _) = read(&all, end);
        assert_eq!(second.len(), 2);
        assert_eq!(read(&all, end).0.len(), 1);
    }
}
