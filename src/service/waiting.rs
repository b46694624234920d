//! Use case: the requests that wait to be stored, whoever heard them.

use std::path::Path;

use crate::store::{WAIT_FOR_WRITER, Waits};
use crate::sys::Deadline;

use super::{Background, Context, Conversations, HeardLine, PromptServer, ServiceError};

/// The pending writes of the store that is meant, also while it is away.
pub fn waiting(context: &Context) -> Result<Vec<Waits>, ServiceError> {
    Ok(waiting_at(context, &context.place()?.root))
}

/// Those of the store at `root`.
pub(super) fn waiting_at(context: &Context, root: &Path) -> Vec<Waits> {
    let waits = context.journal(root).and_then(|journal| journal.waits());
    waits.into_iter().collect()
}

/// Stores what waits, as a server would at its beginning; gives what became of it. For the commands of a person whose
/// agent is gone.
pub fn settle_waiting(context: &Context) -> Result<Vec<HeardLine>, ServiceError> {
    if waiting(context)?.is_empty() {
        return Ok(Vec::new());
    }
    let mut background = Background::default();
    let prompts = PromptServer::open(context.clone(), &mut background)?;
    let mut conversations = Conversations::open(context.clone(), "cli", &prompts, &mut background)?;
    conversations.answer_by(Deadline::after(WAIT_FOR_WRITER));
    Ok(conversations.settle())
}
