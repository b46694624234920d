//! A page of a conversation, and the places where reading goes on.

use crate::archive::{Conversation, Mark, Message, Reading};

use super::super::ServiceError;
use super::Past;

/// A page of a conversation.
#[derive(Debug, Clone)]
pub struct Page {
    /// The messages, in their order.
    pub messages: Vec<Message>,
    /// The place before which there are older messages; `None`: there are none.
    pub before: Option<Mark>,
    /// The place behind which there are newer ones; `None`: there are none.
    pub after: Option<Mark>,
}

impl Past {
    /// At most so many messages of a conversation from one of its ends, or from a place.
    pub fn page(&self, of: &Conversation, reading: &Reading, most: usize) -> Result<Page, ServiceError> {
        let mut messages = self.messages(of, reading, most.saturating_add(1))?;
        let is_more = messages.len() > most;
        let is_inside = matches!(
            reading,
            Reading::NewestBefore(Some(_)) | Reading::OldestBehind(Some(_))
        );
        let (has_older, has_newer) = match reading {
            Reading::NewestBefore(_) => {
                messages.drain(..usize::from(is_more));
                (is_more, is_inside)
            }
            Reading::OldestBehind(_) => {
                messages.truncate(most);
                (is_inside, is_more)
            }
        };
        let first = messages.first().filter(|_| has_older);
        let last = messages.last().filter(|_| has_newer);
        Ok(Page {
            before: first.map(|message| message.mark.clone()),
            after: last.map(|message| message.mark.clone()),
            messages,
        })
    }
}
