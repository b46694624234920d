//! The requests that may write, one after the other, on a thread of their own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::commands;
use super::wire::{Failure, Message, Request, ToolUse};
use super::{Responder, tool_use};
use crate::host::told::{Told, told};
use crate::host::tools::{self, ToolCall, ToolError, ToolTrouble};
use crate::service::{
    AfterTurn, Answered, CompactionPrompt, Conversations, Epoch, HostLife, Leave, PassTimer,
};
use crate::sys::{Deadline, survive};

/// The time that housekeeping may wait for others.
const HOUSEKEEPING: Duration = Duration::from_millis(500);

/// The thread that hears what a host tells, in its order.
pub(super) struct Writes {
    queue: Sender<Job>,
    thread: JoinHandle<()>,
    /// Present where a model is asked by itself.
    passes: Option<Arc<PassTimer>>,
    life: HostLife,
}

type Job = Box<dyn FnOnce(&mut Conversations) + Send>;

impl Writes {
    pub(super) fn start(conversations: Conversations, passes: Option<PassTimer>, life: HostLife) -> Self {
        let (queue, jobs) = channel();
        let thread = std::thread::spawn(move || hear(conversations, &jobs));
        let passes = passes.map(Arc::new);
        Self {
            queue,
            thread,
            passes,
            life,
        }
    }

    /// Has a request answered in its turn. Its time runs from now on.
    pub(super) fn answer(&self, request: Request, responder: Responder) {
        let deadline = Deadline::after(time_for(&request));
        let (passes, life) = (self.passes.clone(), self.life);
        self.give(move |conversations| {
            conversations.answer_by(deadline);
            if let Some(passes) = passes {
                time(&passes, conversations, &request);
            }
            let answered = survive(|| answer(conversations, request, life));
            responder.send(answered.unwrap_or_else(|panicked| Err(panicked.into())));
        });
    }

    /// Has a new epoch noted in its turn: the prompt is served already, and nobody waits for this.
    pub(super) fn note_epoch(&self, session: String, epoch: Epoch, reason: String) {
        self.give(move |conversations| {
            conversations.answer_by(Deadline::after(Duration::ZERO));
            conversations.epoch_begun(&session, &epoch, &reason);
        });
    }

    fn give(&self, job: impl FnOnce(&mut Conversations) + Send + 'static) {
        let given = self.queue.send(Box::new(job));
        given.expect("because its thread survives each job");
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
        Request::Message(_) | Request::Compacting { .. } | Request::Summarized { .. } => 800,
        // Nobody waits for a summary to be read, and a model waits for its tool.
        Request::Compacted { .. } | Request::Call { .. } => 2_000,
        _ => 500,
    })
}

fn hear(mut conversations: Conversations, jobs: &Receiver<Job>) {
    conversations.answer_by(Deadline::after(HOUSEKEEPING));
    if let Ok(Err(error)) = survive(|| conversations.keep_house()) {
        tracing::warn!(%error, "the files of earlier sessions are not cleaned up");
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
        Request::Idle { session } if passes.listens() => passes.hear(session, true),
        Request::Message(Message { session, .. }) => {
            if passes.reads {
                conversations.expect_pass(session);
            }
            passes.hear(session, false);
        }
        Request::Deleted { session } => passes.hear(session, false),
        _ => {}
    }
}

fn answer(conversations: &mut Conversations, request: Request, life: HostLife) -> Result<Value, Failure> {
    match request {
        Request::Message(heard) => return Ok(message(conversations, &heard)),
        Request::ToolUse(used) => return tool(conversations, &used),
        Request::Compacting {
            session,
            todos,
            context,
        } => {
            let (form, words) = conversations.compacting(&session, &todos, &context)?;
            return Ok(match form {
                CompactionPrompt::Append => json!({ "context": words }),
                CompactionPrompt::Replace => json!({ "prompt": words }),
            });
        }
        Request::Summarized { session, summary } => {
            return Ok(json!({ "text": conversations.summarized(&session, &summary)? }));
        }
        Request::Compacted { session, summary } => {
            return Ok(json!({ "entries": conversations.compacted(&session, &summary)? }));
        }
        Request::Call {
            session,
            tool,
            args,
            parent,
            allowed,
        } => {
            let ends_with_turn = life == HostLife::OneTurn;
            let answered = match allowed {
                Some(true) => Answered::Allowed,
                // Such a process answers by itself, with yes or no, and nobody sees it.
                None if ends_with_turn => Answered::Nobody,
                _ => Answered::NotYet,
            };
            let call = ToolCall {
                session: &session,
                tool: &tool,
                args: &args,
                is_subagent: parent.is_some(),
                answered,
                after: if ends_with_turn {
                    AfterTurn::Ends
                } else {
                    AfterTurn::GoesOn
                },
            };
            return match tools::call(conversations, call) {
                Err(ToolError {
                    kind: ToolTrouble::Ask(leave),
                    message,
                }) => {
                    let why = match answered {
                        Answered::Nobody => "nobody can be asked here",
                        _ if allowed.is_some() => "did not",
                        _ => {
                            let question = format!("{message}. {}", leave.question());
                            return Ok(json!({ "ask": question, "permission": permission(leave) }));
                        }
                    };
                    // This host hands on what the user says, which can be looked up.
                    let quote = match leave {
                        Leave::Persons | Leave::Pinned => Leave::QUOTE,
                        Leave::Global | Leave::Forgetting => "",
                    };
                    let otherwise = leave.otherwise();
                    Err(Failure::refused(format!(
                        "{message}, and {why}: {tool} did nothing; {otherwise}{quote}"
                    )))
                }
                Ok(text) if tool == tools::COMPACT => Ok(json!({ "text": text, "compact": true })),
                answered => {
                    let text = answered?;
                    let seen = tools::seen(&tool, &text);
                    let toast = seen.map(|message| json!({ "message": message, "variant": "info" }));
                    Ok(json!({ "text": text, "toast": toast }))
                }
            };
        }
        Request::Deleted { session } => conversations.deleted(&session)?,
        Request::Flush { session } => {
            conversations.flush(&session)?;
            return Ok(json!({ "text": "The memory in the system prompt has just been rendered again." }));
        }
        Request::Overview { session } => {
            return Ok(json!({ "text": commands::overview(&conversations.overview(&session)?) }));
        }
        Request::Usage(usage) => {
            if let Some(model) = usage.model() {
                conversations.answered(&usage.session, &model, &usage.tokens(), usage.token_limits());
            }
        }
        // A process that ends with its turn ends before such a message is answered.
        Request::Idle { session } if life == HostLife::Long => {
            let due = conversations.rests(&session);
            return Ok(due.map_or(json!({}), |due| json!({ "say": tools::advice(&due) })));
        }
        Request::Idle { .. }
        | Request::Pass { .. }
        | Request::Passed { .. }
        | Request::Hello(_)
        | Request::Prompt { .. }
        | Request::Bye {} => {}
    }
    Ok(json!({}))
}

/// OpenCode's name of the permission that a person is asked for.
const fn permission(leave: Leave) -> &'static str {
    match leave {
        Leave::Global => "memory_global",
        Leave::Persons | Leave::Pinned | Leave::Forgetting => "memory_change",
    }
}

/// Hears of a tool. Gives what enters the conversation in the place of its output, and what the model is to know then.
fn tool(conversations: &mut Conversations, used: &ToolUse) -> Result<Value, Failure> {
    let report = tool_use::report(used);
    if let Some(report) = &report {
        conversations.tool(&used.session, report)?;
    }
    let mut answer = json!({});
    let output = tool_use::output(used);
    if let Some(pruned) = output.and_then(|output| conversations.prune(&used.session, &used.call, &output)) {
        answer["output"] = pruned.into();
    }
    if used.output.is_some() {
        let note = report.and_then(|report| conversations.note_for(&used.session, &report));
        let due = conversations.take_advice(&used.session);
        let said = note.into_iter().chain(due.map(|due| tools::advice(&due)));
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            answer["advice"] = said.join("\n\n").into();
        }
    }
    Ok(answer)
}

fn message(conversations: &mut Conversations, message: &Message) -> Value {
    let Message {
        session, id, text, ..
    } = message;
    let heard = match message.command {
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
    let mut told = match message.command {
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
