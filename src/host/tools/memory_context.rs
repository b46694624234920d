//! `memory_context {}`: how full the conversation's context is.

use super::arguments::Arguments;
use super::{ToolCall, ToolError};
use crate::service::{ContextAdvice, ContextFigures, Conversations};

/// Says it.
#[expect(clippy::unnecessary_wraps, reason = "a call of a tool may be refused")]
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    _args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let view = conversations.context_view(call.session);
    let level = match (&view.figures, view.used) {
        (Some(figures), _) => format!("The context is {}.", in_words(figures)),
        (None, Some(used)) => format!(
            "{used} tokens are in use. There is no level: the host does not compact by itself, or says no limit."
        ),
        (None, None) => "How full the context is, is not known before the next answer.".to_owned(),
    };
    let chars = view.prompt_chars;
    Ok(format!(
        "{level}\nmdmem's part of the system prompt has {chars} characters."
    ))
}

/// One line about a context that is filling up: the figures, and what to do.
pub(crate) fn advice(advice: &ContextAdvice) -> String {
    let keep = if advice.has_session_memory {
        "write down with session_memory what the next one needs"
    } else {
        "say in a few lines what the next one needs"
    };
    let then = if advice.may_compact {
        "then call memory_compact at the next natural break"
    } else {
        "because the conversation is compacted soon"
    };
    let figures = in_words(&advice.figures);
    format!("mdmem: the context is {figures}. Finish the step at hand and {keep}, {then}.")
}

/// The figures of a context, as the end of a sentence.
fn in_words(figures: &ContextFigures) -> String {
    let ContextFigures { used, usable, .. } = figures;
    let trend = figures.per_turn.zip(figures.turns_left);
    let trend = trend.map(|(tokens, turns)| format!("; a turn adds about {tokens}, turns left: {turns}"));
    let (percent, level) = (figures.percent(), figures.level.as_str());
    let trend = trend.unwrap_or_default();
    format!("{percent} % full ({level}), {used} of the {usable} tokens at which the host compacts{trend}")
}
