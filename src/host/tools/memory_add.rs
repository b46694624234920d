//! `memory_add {text, type?, why?, scope?}`: one fact, deduplicated.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scope, words};
use crate::model::Kind;
use crate::service::{Added, AdditionOutcome, Conversations, MemoryAdd, Reinforced, Rejection, ToolAddition};

/// Stores the fact, and says what became of it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let request = MemoryAdd {
        session: call.session.to_owned(),
        is_allowed: call.is_allowed,
        text: args.needed("text"),
        kind: args.text("type").map(|name| Kind::new(&name)),
        why: args.text("why"),
        scope: scope(args),
    };
    let added = conversations
        .memory_add(&request)
        .map_err(|error| words::refused(&error))?;
    Ok(match added {
        ToolAddition::Added(added, advice) => answer(&added, advice),
        ToolAddition::SaidAlready(line) => match &line.path {
            Some(path) => format!("Known already: the user's own words are in {path}."),
            None => "Known already: the user's own words are kept, and stored as soon as that can be done."
                .to_owned(),
        },
    })
}

fn answer(added: &Added, advice: Option<Rejection>) -> String {
    let path = &added.path;
    let mut lines = vec![match added.outcome {
        AdditionOutcome::Promoted => format!("Stored in {path}."),
        AdditionOutcome::Superseded => format!("Stored in {path}; it takes the place of an older memory."),
        AdditionOutcome::AbsorbedExact | AdditionOutcome::AbsorbedIdentity => {
            let reinforced = match added.reinforced {
                Some(Reinforced::Yes(count)) => format!("reinforced (count {count})"),
                Some(Reinforced::Readonly) => "its file is readonly and stays as it is".to_owned(),
                Some(Reinforced::TooSoon) | None => {
                    "reinforced less than a week ago, so it stays as it is".to_owned()
                }
            };
            format!("Known already: {path} says it ({reinforced}).")
        }
        AdditionOutcome::RejectedCapacity => format!("Stored in the archive, {path}."),
        AdditionOutcome::AlreadyForgotten => {
            "Not stored: this was forgotten for good, and only the user can say it again.".to_owned()
        }
    }];
    if let Some(reason) = advice {
        let reason = reason.as_str();
        lines.push(format!(
            "Advice: it reads like {reason}, which rarely holds for long. Store what will still be true next week."
        ));
    }
    if let Some(limit @ ("type_cap" | "global_cap" | "char_budget")) = added.not_shown {
        lines.push(format!(
            "The prompt has no place for it ({limit}): stronger memories come first. Tell the user, who can say it himself, \
             set `importance: high` in {path}, or look at `mdmem why {path}`."
        ));
    }
    if !added.redacted.is_empty() {
        lines.push("A secret in it was replaced by [REDACTED:…].".to_owned());
    }
    lines.join("\n")
}
