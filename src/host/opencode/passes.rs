//! The conversations that rest, and the questions that the host's own model answers, between the wire and the timer of
//! the passes.

use std::path::Path;

use serde_json::{Value, json};

use super::Responder;
use super::wire::{Message, Named, Passed, Request, Said};
use crate::service::{HostModel, HostQuestion, HostReply, HostTask, PassTimer, Speaker, Utterance};

/// Tells of a conversation that rests or goes on.
pub(super) fn time(passes: &PassTimer, request: &Request) {
    match request {
        Request::Idle(idle) => {
            let message = |said: &Said| {
                let mut speakers = [Speaker::User, Speaker::Assistant].into_iter();
                let speaker = speakers.find(|speaker| speaker.as_str() == said.by)?;
                let text = said.text.clone();
                Some((Utterance { speaker, text }, said.at))
            };
            let messages = idle.messages.as_ref();
            let messages = messages.map(|messages| messages.iter().filter_map(message).collect());
            passes.rests(&idle.session, messages);
        }
        Request::Message(Message { session, .. }) => passes.hears(session),
        Request::Deleted(Named { session }) => passes.goes_on(session),
        _ => {}
    }
}

/// Tells of the conversation below which a session of a question may be made.
pub(super) fn hear(host: &HostModel, request: &Request) {
    match request {
        Request::Message(Message { session, .. }) => host.hears(session),
        Request::Deleted(Named { session }) => host.loses(session),
        _ => {}
    }
}

/// The plugin comes for a question about a store; it is answered when there is one.
pub(super) fn come(
    host: Option<&HostModel>,
    store: &Path,
    small_model: Option<String>,
    responder: Responder,
) {
    let reply: HostReply = Box::new(move |task| responder.send(Ok(task_json(task))));
    match host {
        Some(host) => host.comes(store, small_model, reply),
        None => reply(HostTask::Leave),
    }
}

/// The plugin brings an answer.
pub(super) fn bring(host: Option<&HostModel>, store: &Path, passed: Passed, responder: Responder) {
    if let Some(host) = host {
        let refused = || passed.error.unwrap_or_else(|| "the host says nothing".to_owned());
        let answer = passed.answer.map(String::into_bytes).ok_or_else(refused);
        host.brings(store, &passed.title, passed.deleted, answer);
    }
    responder.send(Ok(json!({})));
}

fn task_json(task: HostTask) -> Value {
    match task {
        HostTask::Ask(question) => json!({ "ask": question_json(&question) }),
        HostTask::Clear(titles) => json!({ "clear": titles }),
        HostTask::Leave => json!({}),
    }
}

fn question_json(question: &HostQuestion) -> Value {
    json!({
        "title": question.title,
        "parent": question.parent,
        "model": question.model,
        "system": question.system,
        "text": question.text,
        "time": u64::try_from(question.time.as_millis()).unwrap_or(u64::MAX),
        "most": question.most,
    })
}
