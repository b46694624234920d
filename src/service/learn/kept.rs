//! A conversation that its host keeps: the messages behind the place to which a model has read it.

use crate::archive::{Conversation, Mark, Message, Reading};
use crate::capture::Utterance;
use crate::model::Timestamp;

use super::super::{Chosen, Context, Past, ServiceError};
use super::transcript::utterance;

/// The messages that are read at once. More than one question has room for, so that it is known that more follow.
const PAGE: usize = 200;

/// The conversation.
pub(super) struct Kept {
    pub(super) past: Past,
    pub(super) of: Conversation,
}

impl Kept {
    /// The conversation of this name, among those of the workspace.
    pub(super) fn find(context: &Context, name: &str) -> Result<Self, ServiceError> {
        let past = Past::open(context)?;
        let of = past.conversation(Some(name), Chosen::default())?;
        Ok(Self { past, of })
    }

    /// The next messages behind a time, in milliseconds, each with its own: what the user and the agent said.
    pub(super) fn messages(&self, behind: u64) -> Result<Vec<(Utterance, u64)>, ServiceError> {
        let mut found = Vec::new();
        let time = Timestamp::from_millis(i64::try_from(behind).unwrap_or(i64::MAX));
        // Behind every message of that time.
        let id = char::MAX.to_string();
        let mut from = Reading::OldestBehind((behind > 0).then_some(Mark { time, id }));
        while found.len() < PAGE {
            let page = self.past.messages(&self.of, &from, PAGE)?;
            let Some(last) = page.last() else { break };
            from = Reading::OldestBehind(Some(last.mark.clone()));
            found.extend(page.iter().filter_map(said));
        }
        Ok(found)
    }
}

fn said(message: &Message) -> Option<(Utterance, u64)> {
    let text = message.texts().collect::<Vec<_>>().join("\n");
    let at = u64::try_from(message.mark.time.as_millis()).unwrap_or_default();
    let said = utterance(message.role, text).filter(|said| !said.text.trim().is_empty())?;
    Some((said, at))
}
