//! The JSON forms of the hosts' conversations.

use serde_json::{Value, json};

use crate::model::Timestamp;
use crate::service::{
    Compaction, Conversation, Facts, Message, Page, Part, PastHit, Plan, Texts, Tokens, Trigger,
};

/// A conversation.
pub(crate) fn conversation_json(conversation: &Conversation) -> Value {
    json!({
        "id": conversation.id,
        "host": conversation.host,
        "parent": conversation.parent,
        "title": conversation.title,
        "directory": conversation.directory.to_string_lossy(),
        "created": conversation.created.to_rfc3339(),
        "updated": conversation.updated.to_rfc3339(),
        "tokens": conversation.tokens.as_ref().map(tokens_json),
    })
}

/// A page of a conversation.
pub(crate) fn page_json(conversation: &Conversation, page: &Page, texts: Texts) -> Value {
    let messages = page.messages.iter().map(|message| message_json(message, texts));
    json!({
        "session": conversation_json(conversation),
        "messages": messages.collect::<Value>(),
        "before": page.before.as_ref().map(ToString::to_string),
        "after": page.after.as_ref().map(ToString::to_string),
    })
}

/// A message, with what its tools were given and gave where that is asked for.
pub(crate) fn message_json(message: &Message, texts: Texts) -> Value {
    let parts = message.parts.iter().map(|part| part_json(part, texts));
    json!({
        "id": message.mark.id,
        "cursor": message.mark.to_string(),
        "time": message.mark.time.to_rfc3339(),
        "role": message.role.as_str(),
        "model": message.model,
        "tokens": message.tokens.as_ref().map(tokens_json),
        "error": message.error,
        "parts": parts.collect::<Value>(),
    })
}

fn part_json(part: &Part, texts: Texts) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Aside(text) => json!({"type": "aside", "text": text}),
        Part::Call(call) => {
            let mut form = json!({"type": "tool", "tool": call.tool, "state": call.state.as_str()});
            if texts == Texts::WithTools {
                // Redaction may have left no JSON.
                let input = serde_json::from_str(&call.input);
                form["input"] = input.unwrap_or_else(|_| call.input.as_str().into());
                form["output"] = call.output.as_str().into();
            }
            form
        }
        Part::Changed(files) => json!({"type": "files", "files": files}),
        Part::Compaction(trigger) => json!({"type": "compaction", "trigger": trigger_word(*trigger)}),
        Part::Unread => json!({"type": "unread"}),
    }
}

/// A message that a search found.
pub(crate) fn past_hit_json(hit: &PastHit) -> Value {
    json!({
        "session": hit.conversation.id,
        "title": hit.conversation.title,
        "id": hit.mark.id,
        "cursor": hit.mark.to_string(),
        "time": hit.mark.time.to_rfc3339(),
        "role": hit.role.as_str(),
        "snippet": {"before": hit.snippet.before, "hit": hit.snippet.hit, "behind": hit.snippet.behind},
    })
}

/// A compaction.
pub(crate) fn compaction_json(session: &str, compaction: &Compaction) -> Value {
    json!({
        "session": session,
        "cursor": compaction.mark.to_string(),
        "time": compaction.mark.time.to_rfc3339(),
        "trigger": compaction.trigger.map(trigger_word),
        "tokens_before": compaction.before,
        "summary": compaction.summary,
    })
}

/// The word for who asked for a compaction.
pub(crate) const fn trigger_word(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Auto => "auto",
        Trigger::Asked => "asked",
    }
}

/// A plan, without its text.
pub(crate) fn plan_json(plan: &Plan) -> Value {
    json!({
        "name": plan.name,
        "size": plan.size,
        "session": plan.conversation.as_ref().map(|of| &of.id),
        "title": plan.conversation.as_ref().map(|of| &of.title),
    })
}

/// The facts about conversations.
pub(crate) fn facts_json(facts: &Facts) -> Value {
    let tools = facts.tools.iter();
    let tools = tools.map(|(tool, used)| (tool.clone(), json!({"calls": used.calls, "failed": used.failed})));
    let times = facts.compactions.iter().map(|found| found.mark.time);
    json!({
        "sessions": facts.conversations,
        "asked": facts.asked,
        "answers": facts.answers,
        "tokens": tokens_json(&facts.tokens),
        "peak": facts.peak,
        "models": facts.models,
        "tools": tools.collect::<serde_json::Map<_, _>>(),
        "files": facts.files,
        "compactions": times.map(Timestamp::to_rfc3339).collect::<Value>(),
        "decisions": facts.decisions,
        "errors": facts.errors,
    })
}

fn tokens_json(tokens: &Tokens) -> Value {
    json!({
        "total": tokens.total(),
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
    })
}
