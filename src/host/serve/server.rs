//! What a host asks for, passed on to the use cases.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use super::wire::{
    Accounting, Answer, Compacted, Compacting, CompactionPrompt, Done, Failure, FailureKind, Heard,
    HeardMemory, Hello, LearnedEntry, Message, Prompt, RefusedRequest, Request, Served, Watch, Welcome,
};
use super::{ServeError, serve, tool_use, tools};
use crate::model::Timestamp;
use crate::service::{
    Background, CompactionRequest, Context, ContextUse, Conversations, HeardOutcome, MassDeletion,
    ServiceError, SessionRequest, Todo, UserMessage, WatchState, housekeep, sweep,
};

/// What the model is told when the user asks to remember what was said just before.
const REMEMBER: &str = include_str!("../../../templates/prompt/remember.txt");

/// How long the answer to `hello` waits for the watch to begin.
const WAIT_FOR_WATCH: Duration = Duration::from_millis(50);

/// Serves one host until it ends. `context_in` gives the context of the folder that the host works in.
pub fn run(
    input: impl BufRead,
    output: impl Write,
    context_in: impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
) -> Result<(), ServeError> {
    let mut server = Server::default();
    let ended = serve(input, output, |request| server.answer(request, &context_in));
    server.end();
    ended
}

#[derive(Default)]
struct Server {
    background: Background,
    current: Option<Current>,
}

/// What is served after `hello`.
struct Current {
    context: Context,
    conversations: Conversations,
}

impl Server {
    fn answer(
        &mut self,
        request: Request,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) -> Result<Answer, Failure> {
        if let Request::Hello(hello) = &request {
            let welcome = self.hello(hello, context_in);
            return welcome.map(Answer::Welcome).map_err(|error| failed(&error));
        }
        let Some(current) = &mut self.current else {
            return Ok(Answer::Done(Done {}));
        };
        cover(&mut self.background, &current.context);
        let generation = self.background.generation();
        current.answer(request, generation)
    }

    fn hello(
        &mut self,
        hello: &Hello,
        context_in: &impl Fn(Option<&Path>) -> Result<Context, ServiceError>,
    ) -> Result<Welcome, ServiceError> {
        let context = context_in(hello.directory.as_deref().map(Path::new))?;
        let place = context.place()?;
        cover(&mut self.background, &context);
        let host = if hello.host.is_empty() {
            "serve"
        } else {
            &hello.host
        };
        tracing::info!("serves {host} {} in {}", hello.version, place.root.display());
        let conversations = Conversations::open(context.clone(), host)?;
        keep_house(context.clone(), host.to_owned());
        self.current = Some(Current {
            context,
            conversations,
        });
        Ok(Welcome {
            protocol: hello.protocol,
            store: place.exists().then(|| place.root.display().to_string()),
            tools: tools::all(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            watch: self.background.state(WAIT_FOR_WATCH).map(watch),
        })
    }

    /// Commits what was saved in the last moment: the host waits for the answer to `bye` and then ends.
    fn end(&self) {
        let Some(current) = &self.current else { return };
        let swept = current.context.open_existing().and_then(|store| match store {
            Some(store) => sweep(&store, MassDeletion::Ask).map(|_| ()),
            None => Ok(()),
        });
        if let Err(error) = swept {
            tracing::warn!(%error, "what was saved last is not committed yet: the next mdmem does it");
        }
    }
}

impl Current {
    fn answer(&mut self, request: Request, generation: u64) -> Result<Answer, Failure> {
        let conversations = &mut self.conversations;
        let answer = match request {
            Request::Prompt(prompt) => self.prompt(prompt, generation).map(Answer::Served),
            Request::Message(message) => self.message(message).map(Answer::Heard),
            Request::ToolUse(used) => {
                let session = used.session.clone();
                let noted =
                    tool_use::report(used).map_or(Ok(()), |report| conversations.tool(&session, &report));
                noted.map(done)
            }
            Request::Compacting(compacting) => self.compacting(compacting).map(Answer::CompactionPrompt),
            Request::Compacted(compacted) => self.compacted(&compacted).map(Answer::Accounting),
            Request::Call(call) => return tools::call(conversations, &call).map(Answer::ToolAnswer),
            Request::Deleted(named) => conversations.deleted(&named.session).map(done),
            Request::Flush(named) => conversations.flush(&named.session).map(done),
            Request::Usage(_) | Request::Hello(_) | Request::Bye => Ok(done(())),
        };
        answer.map_err(|error| failed(&error))
    }

    fn prompt(&mut self, prompt: Prompt, generation: u64) -> Result<Served, ServiceError> {
        // Sub-agents work on what they are told.
        if prompt.parent.is_some() {
            return Ok(nothing());
        }
        let request = SessionRequest {
            context: prompt
                .tokens
                .zip(prompt.limit)
                .map(|(tokens, limit)| ContextUse { tokens, limit }),
            last_response: prompt.last_response_at.and_then(|at| at.timestamp()),
            session: prompt.session,
        };
        let served = self.conversations.prompt(&request, generation)?;
        Ok(Served {
            system: served.system,
            reason: served.reason,
            hash: served.hash,
        })
    }

    fn message(&mut self, message: Message) -> Result<Heard, ServiceError> {
        let heard = self.conversations.message(&UserMessage {
            session: message.session,
            id: message.message_id,
            text: message.text,
        })?;
        let memories = heard.memories.into_iter().map(|memory| {
            let (outcome, path, id) = match memory.outcome {
                HeardOutcome::Stored { outcome, path, id } => {
                    (outcome.as_str(), Some(path.to_string()), Some(id.to_string()))
                }
                HeardOutcome::Pending => ("pending", None, None),
            };
            HeardMemory {
                outcome: outcome.to_owned(),
                path,
                id,
                kind: memory.kind.to_string(),
                text: memory.text,
            }
        });
        let refused = heard.refused.into_iter().map(|(reason, text)| RefusedRequest {
            reason: reason.to_owned(),
            text,
        });
        Ok(Heard {
            memories: memories.collect(),
            refused: refused.collect(),
            instruction: heard.asks_the_model.then(|| REMEMBER.trim_end().to_owned()),
        })
    }

    fn compacting(&mut self, compacting: Compacting) -> Result<CompactionPrompt, ServiceError> {
        let todos = compacting.todos.into_iter().map(|todo| Todo {
            content: todo.content,
            status: todo.status,
            priority: todo.priority.unwrap_or_default(),
        });
        let prompt = self.conversations.compacting(&CompactionRequest {
            session: compacting.session,
            todos: todos.collect(),
            context: compacting.context,
        })?;
        Ok(CompactionPrompt { prompt })
    }

    fn compacted(&mut self, compacted: &Compacted) -> Result<Accounting, ServiceError> {
        let learned = self
            .conversations
            .compacted(&compacted.session, &compacted.summary)?;
        let entry = |line: crate::service::LearnedLine| LearnedEntry {
            outcome: line.outcome.to_owned(),
            reason: line.reason.map(str::to_owned),
            path: line.path.map(|path| path.to_string()),
            text: line.text,
        };
        Ok(Accounting {
            entries: learned.lines.into_iter().map(entry).collect(),
        })
    }
}

fn watch(state: WatchState) -> Watch {
    let (state, detail, since) = match state {
        WatchState::Starting => ("starting", None, None),
        WatchState::Watching => ("watching", None, None),
        WatchState::Waiting { holder } => ("waiting", Some(holder), None),
        WatchState::Blocked { cause, since } => ("blocked", Some(cause), Some(since)),
        WatchState::Gone { since } => ("gone", None, Some(since)),
    };
    Watch {
        state,
        detail,
        since: since.map(Timestamp::to_rfc3339),
    }
}

/// What earlier conversations left is put in order beside the first prompt, not before it.
fn keep_house(context: Context, host: String) {
    let work = move || {
        if let Err(error) = housekeep(context, &host) {
            tracing::warn!(%error, "what earlier sessions left is not put in order");
        }
    };
    let thread = std::thread::Builder::new().name("housekeeping".to_owned());
    if let Err(error) = thread.spawn(work) {
        tracing::warn!(%error, "what earlier sessions left is not put in order");
    }
}

/// A store that cannot be watched is no reason not to serve a session: what changes is then seen a minute later.
fn cover(background: &mut Background, context: &Context) {
    if let Err(error) = background.cover(context) {
        tracing::warn!(%error, "the store is not watched");
    }
}

const fn done(_: ()) -> Answer {
    Answer::Done(Done {})
}

fn nothing() -> Served {
    Served {
        system: Vec::new(),
        reason: "subagent".to_owned(),
        hash: String::new(),
    }
}

fn failed(error: &ServiceError) -> Failure {
    Failure::new(FailureKind::Failed, error.to_string())
}
