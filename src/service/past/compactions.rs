//! The compactions of one conversation or of several, the newest first.

use crate::archive::{Compaction, Conversation};

use super::super::ServiceError;
use super::{Chosen, Past};

/// A compaction, and its conversation.
pub type FoundCompaction = (Conversation, Compaction);

/// The compactions that were found.
#[derive(Debug, Default)]
pub struct Compactions {
    /// The compactions: the conversation that changed last first, and of each the newest first.
    pub found: Vec<FoundCompaction>,
    /// The number of conversations that were not looked into, because so many messages were read before.
    pub unread: usize,
}

impl Past {
    /// At most so many compactions of the conversation of this name; without a name, of all that are chosen. After so
    /// many messages no further conversation is begun.
    pub fn compactions(
        &self,
        name: Option<&str>,
        chosen: Chosen,
        most: usize,
        most_messages: usize,
    ) -> Result<Compactions, ServiceError> {
        let of = match name {
            Some(_) => vec![self.conversation(name, chosen.reach)?],
            None => self.conversations(chosen)?,
        };
        let (mut compactions, mut read, mut left) = (Compactions::default(), 0, of.len());
        for conversation in of {
            if compactions.found.len() >= most || read >= most_messages {
                break;
            }
            let facts = self.facts(std::slice::from_ref(&conversation))?;
            read += facts.asked + facts.answers + facts.compactions.len();
            left -= 1;
            let newest = facts.compactions.into_iter().rev();
            compactions
                .found
                .extend(newest.map(|found| (conversation.clone(), found)));
        }
        let is_full = compactions.found.len() >= most;
        compactions.found.truncate(most);
        compactions.unread = if is_full { 0 } else { left };
        Ok(compactions)
    }
}
