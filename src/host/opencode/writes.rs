//! The requests that may write, one after the other, on a thread of their own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::commands;
use super::wire::{Command, Failure, FailureKind, Message, Request, ToolUse, Usage};
use super::{Responder, tool_use};
use crate::host::told::{Told, told};
use crate::host::tools::{self, ToolCall, ToolTrouble};
use crate::service::{AfterTurn, CompactionPrompt, Conversations, Epoch, PassTimer, Todo, UserCommand};
use crate::sys::{Deadline, survive};

/// The length of the queue. A host sends one request after the other for each session.
const QUEUE: usize = 256;
/// The time that housekeeping may wait for others.
const HOUSEKEEPING: Duration = Duration::from_millis(500);

/// The thread that hears what a host tells, in its order.
pub(super) struct Writes {
    queue: SyncSender<Job>,
    thread: JoinHandle<()>,
    /// Present where a model is asked by itself.
    passes: Option<Arc<PassTimer>>,
}

type Job = Box<dyn FnOnce(&mut Conversations) + Send>;

impl Writes {
    pub(super) fn start(conversations: Conversations, passes: Option<PassTimer>) -> Self {
        let (queue, jobs) = sync_channel(QUEUE);
        let thread = std::thread::spawn(move || hear(conversations, &jobs));
        let passes = passes.map(Arc::new);
        Self {
            queue,
            thread,
            passes,
        }
    }

    /// Has a request answered in its turn. Its time runs from now on.
    pub(super) fn answer(&self, request: Request, responder: Responder) {
        let deadline = Deadline::after(time_for(&request));
        let refuse = responder.clone();
        let passes = self.passes.clone();
        let given = self.give(move |conversations| {
            conversations.answer_by(deadline);
            if let Some(passes) = passes {
                time(&passes, conversations, &request);
            }
            let answered = survive(|| answer(conversations, request));
            responder.send(answered.unwrap_or_else(|panicked| Err(panicked.into())));
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
            Err(TrySendError::Disconnected(_)) => unreachable!("because its thread survives each job"),
        }
    }

    /// Ends when everything that was given is heard.
    pub(super) fn end(self) {
        drop(self.queue);
        // A panic is in the log, and everything is heard.
        let _ = self.thread.join();
    }
}

/// The time that a request may wait for others: less than the plugin waits for its answer, and little in any case,
/// because requests of other sessions may stand behind it.
const fn time_for(request: &Request) -> Duration {
    Duration::from_millis(match request {
        Request::Message(_) | Request::Compacting(_) | Request::Summarized(_) => 800,
        // Nobody waits for a summary to be read, and a model waits for its tool.
        Request::Compacted(_) | Request::Call(_) => 2_000,
        _ => 500,
    })
}

fn hear(mut conversations: Conversations, jobs: &Receiver<Job>) {
    conversations.answer_by(Deadline::after(HOUSEKEEPING));
    if let Ok(Err(error)) = survive(|| conversations.keep_house()) {
        tracing::warn!(%error, "what earlier sessions left is not put in order");
    }
    for job in jobs {
        // Whoever waits for it was told.
        let _ = survive(|| job(&mut conversations));
    }
    conversations.end();
}

/// Tells of a conversation that rests or goes on.
fn time(passes: &PassTimer, conversations: &Conversations, request: &Request) {
    match request {
        Request::Idle(named) => passes.hear(&named.session, true),
        Request::Message(Message { session, .. }) => {
            if passes.reads {
                conversations.expect_pass(session);
            }
            passes.hear(session, false);
        }
        Request::Deleted(named) => passes.hear(&named.session, false),
        _ => {}
    }
}

fn answer(conversations: &mut Conversations, request: Request) -> Result<Value, Failure> {
    match request {
        Request::Message(heard) => return Ok(message(conversations, &heard)),
        Request::ToolUse(used) => return tool(conversations, &used),
        Request::Compacting(asked) => {
            let todos: Vec<Todo> = asked.todos.into_iter().map(Into::into).collect();
            let (form, words) = conversations.compacting(&asked.session, &todos, &asked.context)?;
            return Ok(match form {
                CompactionPrompt::Append => json!({ "context": words }),
                CompactionPrompt::Replace => json!({ "prompt": words }),
            });
        }
        Request::Summarized(told) => {
            let text = conversations.summarized(&told.session, &told.summary)?;
            return Ok(json!({ "text": text }));
        }
        Request::Compacted(told) => {
            let learned = conversations.compacted(&told.session, &told.summary)?;
            return Ok(json!({ "entries": learned }));
        }
        Request::Call(call) => {
            let not_allowed = match call.allowed {
                Some(_) => Some("did not"),
                // Such a process answers by itself, with yes or no, and nobody sees it.
                None if call.ends_with_turn => Some("nobody can be asked here"),
                None => None,
            };
            let call = ToolCall {
                session: &call.session,
                tool: &call.tool,
                args: &call.args,
                is_subagent: call.parent.is_some(),
                is_allowed: call.allowed == Some(true),
                after: if call.ends_with_turn {
                    AfterTurn::Ends
                } else {
                    AfterTurn::GoesOn
                },
            };
            return match tools::call(conversations, call) {
                Err(asked) if asked.kind == ToolTrouble::Ask => match not_allowed {
                    Some(why) => {
                        let message = format!("{asked}, and {why}: {} did nothing", call.tool);
                        Err(Failure::new(FailureKind::Refused, message))
                    }
                    None => Ok(json!({ "ask": asked.message })),
                },
                Ok(text) if call.tool == tools::COMPACT => Ok(json!({ "text": text, "compact": true })),
                answered => Ok(json!({ "text": answered? })),
            };
        }
        Request::Deleted(named) => conversations.deleted(&named.session)?,
        Request::Flush(named) => {
            conversations.flush(&named.session)?;
            return Ok(json!({ "text": "The memory in the system prompt has just been read anew." }));
        }
        Request::Overview(named) => {
            let overview = conversations.overview(&named.session)?;
            return Ok(json!({ "text": commands::overview(&overview) }));
        }
        Request::Usage(usage) => return Ok(measured(conversations, &usage)),
        Request::Advised(named) => conversations.advised(&named.session),
        Request::Pass(_)
        | Request::Passed(_)
        | Request::Idle(_)
        | Request::Hello(_)
        | Request::Prompt(_)
        | Request::Bye {} => {}
    }
    Ok(json!({}))
}

/// Hears of a tool. Gives what enters the conversation in the place of its output, and what the model is to know then.
fn tool(conversations: &mut Conversations, used: &ToolUse) -> Result<Value, Failure> {
    if let Some(report) = tool_use::report(used) {
        conversations.tool(&used.session, &report)?;
    }
    let mut answer = json!({});
    let output = tool_use::output(used);
    if let Some(pruned) = output.and_then(|output| conversations.prune(&used.session, &used.call, &output)) {
        answer["output"] = pruned.into();
    }
    if let Some(due) = conversations.take_advice(&used.session) {
        answer["advice"] = tools::advice(&due).into();
    }
    Ok(answer)
}

fn measured(conversations: &mut Conversations, usage: &Usage) -> Value {
    let (tokens, limits) = (usage.tokens(), usage.token_limits());
    let measured = conversations.answered(&usage.session, &usage.model, &tokens, limits);
    let mut answer = json!({});
    if let Some(due) = &measured.advice {
        answer["advice"] = tools::advice(due).into();
    }
    if let Some(due) = &measured.intervention {
        answer["intervention"] = tools::advice(due).into();
    }
    answer
}

fn message(conversations: &mut Conversations, message: &Message) -> Value {
    let Message {
        session, id, text, ..
    } = message;
    let command = message.command.map(|command| match command {
        Command::Remember => UserCommand::Remember,
        Command::Forget => UserCommand::Forget,
    });
    let heard = match command {
        Some(command) => conversations.command(session, id, command, text),
        None => conversations.message(session, id, text),
    };
    let refused = |(reason, text): &(&str, String)| json!({ "reason": reason, "text": text });
    let mut answer = json!({
        "memories": heard.memories,
        "refused": heard.refused.iter().map(refused).collect::<Value>(),
    });
    if !heard.tasks.is_empty() {
        answer["tasks"] = json!(heard.tasks);
    }
    let mut told = match command {
        Some(command) => Some(commands::told(command, &heard)),
        None => told(&heard),
    };
    if let Some(due) = &heard.advice {
        let text = &mut told.get_or_insert_with(Told::default).text;
        let gap = if text.is_empty() { "" } else { "\n" };
        text.extend([gap, &tools::advice(due)]);
    }
    if let Some(told) = told {
        answer["told"] = json!(told);
    }
    answer
}
