//! The requests that may write, one after the other, on a thread of their own.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::server::failed;
use super::wire::{
    Accounting, Answer, Compacted, Compacting, CompactionPrompt, Done, Failure, FailureKind, Heard,
    HeardMemory, LearnedEntry, Message, RefusedRequest, Request, ToolAnswer,
};
use super::{Responder, tool_use};
use crate::host::tools;
use crate::service::{
    CompactionRequest, Conversations, Epoch, HeardOutcome, ServiceError, Todo, UserMessage,
};
use crate::sys::Deadline;

/// The instruction to the model when the user asks to remember the words just before.
const REMEMBER: &str = include_str!("../../../templates/prompt/remember.txt");

/// The length of the queue. A host sends one request after the other for each session.
const QUEUE: usize = 256;
/// The time that housekeeping may wait for others.
const HOUSEKEEPING: Duration = Duration::from_millis(500);

/// The thread that hears what a host tells, in its order.
pub(super) struct Writes {
    queue: SyncSender<Job>,
    thread: JoinHandle<()>,
}

type Job = Box<dyn FnOnce(&mut Conversations) + Send>;

impl Writes {
    pub(super) fn start(conversations: Conversations) -> Self {
        let (queue, jobs) = sync_channel(QUEUE);
        let thread = std::thread::spawn(move || hear(conversations, &jobs));
        Self { queue, thread }
    }

    /// Has a request answered in its turn. Its time runs from now on.
    pub(super) fn answer(&self, request: Request, responder: Responder) {
        let deadline = Deadline::after(time_for(&request));
        let refuse = responder.clone();
        let given = self.give(move |conversations| {
            conversations.answer_by(deadline);
            responder.send(answer(conversations, request));
        });
        if !given {
            let message = format!("{QUEUE} requests wait already: try again later");
            refuse.send(Err(Failure::new(FailureKind::Failed, message)));
        }
    }

    /// Has a new epoch noted in its turn: the prompt is served already, and nobody waits for this.
    pub(super) fn note_epoch(&self, session: String, epoch: Epoch, reason: String) {
        let given = self.give(move |conversations| {
            conversations.answer_by(Deadline::after(Duration::ZERO));
            conversations.epoch_begun(&session, &epoch, &reason);
        });
        if !given {
            tracing::warn!("too much waits: what a new prompt shows is not recorded");
        }
    }

    /// Enqueues a job; false when the queue is full.
    fn give(&self, job: impl FnOnce(&mut Conversations) + Send + 'static) -> bool {
        match self.queue.try_send(Box::new(job)) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => false,
            Err(TrySendError::Disconnected(_)) => panic!("the thread that writes has panicked"),
        }
    }

    /// Ends when everything that was given is heard. A panic there is a panic here.
    pub(super) fn end(self) {
        drop(self.queue);
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// The time that a request may wait for others: less than the plugin waits for its answer, and little in any case, because
/// requests of other sessions may stand behind it.
const fn time_for(request: &Request) -> Duration {
    Duration::from_millis(match request {
        Request::Message(_) | Request::Compacting(_) => 800,
        // Nobody waits for a summary to be read, and a model waits for its tool.
        Request::Compacted(_) | Request::Call(_) => 2_000,
        _ => 500,
    })
}

fn hear(mut conversations: Conversations, jobs: &Receiver<Job>) {
    conversations.answer_by(Deadline::after(HOUSEKEEPING));
    if let Err(error) = conversations.keep_house() {
        tracing::warn!(%error, "what earlier sessions left is not put in order");
    }
    for job in jobs {
        job(&mut conversations);
    }
    conversations.end();
}

fn answer(conversations: &mut Conversations, request: Request) -> Result<Answer, Failure> {
    let answer = match request {
        Request::Message(heard) => message(conversations, heard).map(Answer::Heard),
        Request::ToolUse(used) => {
            let session = used.session.clone();
            let noted = tool_use::report(used).map_or(Ok(()), |report| conversations.tool(&session, &report));
            noted.map(done)
        }
        Request::Compacting(asked) => compacting(conversations, asked).map(Answer::CompactionPrompt),
        Request::Compacted(told) => compacted(conversations, &told).map(Answer::Accounting),
        Request::Call(call) => {
            let text = tools::call(conversations, &call.session, &call.tool, &call.args)?;
            return Ok(Answer::ToolAnswer(ToolAnswer { text }));
        }
        Request::Deleted(named) => conversations.deleted(&named.session).map(done),
        Request::Flush(named) => conversations.flush(&named.session).map(done),
        Request::Usage(_) | Request::Hello(_) | Request::Prompt(_) | Request::Bye => Ok(done(())),
    };
    answer.map_err(|error| failed(&error))
}

fn message(conversations: &mut Conversations, message: Message) -> Result<Heard, ServiceError> {
    let heard = conversations.message(&UserMessage {
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

fn compacting(
    conversations: &mut Conversations,
    compacting: Compacting,
) -> Result<CompactionPrompt, ServiceError> {
    let todos = compacting.todos.into_iter().map(|todo| Todo {
        content: todo.content,
        status: todo.status,
        priority: todo.priority.unwrap_or_default(),
    });
    let prompt = conversations.compacting(&CompactionRequest {
        session: compacting.session,
        todos: todos.collect(),
        context: compacting.context,
    })?;
    Ok(CompactionPrompt { prompt })
}

fn compacted(conversations: &mut Conversations, compacted: &Compacted) -> Result<Accounting, ServiceError> {
    let learned = conversations.compacted(&compacted.session, &compacted.summary)?;
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

const fn done(_: ()) -> Answer {
    Answer::Done(Done {})
}
