//! The acts of an agent on its conversation's own memory (docs/working.md).

use crate::policy::SessionRules;
use crate::render;
use crate::session::{BlockEdit, BlockRefusal, BlockRule, SessionList, SessionState};
use crate::store::session_hash;

use super::super::ServiceError;
use super::Conversations;
use super::tools::check_no_order;

/// Something that an agent does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionMemory {
    /// It asks for the present state.
    Show,
    /// It sets a block.
    Set {
        /// The name of the block.
        block: String,
        /// The text; nothing takes the block away.
        text: String,
    },
    /// It adds a line to a block.
    Append {
        /// The name of the block.
        block: String,
        /// The text.
        text: String,
    },
    /// It notes a text.
    Note {
        /// The list to add it to.
        list: SessionList,
        /// The text.
        text: String,
    },
    /// It empties a list.
    ClearList(SessionList),
    /// It takes the items away that say exactly this.
    ClearText(String),
    /// It empties every list; the blocks stay.
    ClearAll,
}

/// The conversation's own memory after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMemoryShown {
    /// The state, as the prompt of the next epoch shows it; empty where there is nothing.
    pub text: String,
    /// The cause for which it is in memory alone, where it is.
    pub unwritten: Option<String>,
}

/// The reason why the conversation's own memory stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// `session.working` is not on.
    #[error(
        "conversations have no memory of their own here (`session.working`): keep it in your answer, or \
         use memory_add for what later sessions need"
    )]
    Off,
    /// A block stays as it is.
    #[error(transparent)]
    Block(#[from] BlockRefusal),
    /// Nothing can be added to this list: it is read from the tools.
    #[error("the list `{0:?}` is filled from tool calls: use `note` without `slot`")]
    NotByHand(SessionList),
    /// The output of this call is not kept.
    #[error("there is no output of this name; the newest 300 are kept, for 7 days: run the tool again")]
    NoOutput,
    /// No item says this.
    #[error("no item has exactly this text: use op `show` to list them")]
    NoItem,
}

impl Conversations {
    /// True where a conversation has a memory of its own.
    pub fn has_session_memory(&self) -> bool {
        self.session_rules().is_working
    }

    /// Does it, and gives the state that it leaves. A text that gives orders to its reader is refused; credentials are
    /// taken out.
    pub fn session_memory(
        &mut self,
        session: &str,
        act: &SessionMemory,
    ) -> Result<SessionMemoryShown, ServiceError> {
        let session = session_hash(session);
        self.retry();
        let rules = self.session_rules();
        if !rules.is_working {
            return Err(SessionRefusal::Off.into());
        }
        let act = self.clean(act)?;
        let now = self.now();
        let mut done = Ok(());
        let unwritten = match act {
            SessionMemory::Show => None,
            act => self.change_state(&session, |state| {
                done = apply(state, &act, &rules, now);
                state.updated = now;
            }),
        };
        done?;
        let mut state = self.states.get(&session, now);
        state.expire(now);
        let root = self.workspace.display().to_string();
        let hot = render::hot_snapshot(&state, &root, &self.rules().hot, Some(now)).text;
        let text = render::with_working(&hot, &state, &root, &rules);
        Ok(SessionMemoryShown {
            text: self.redact(&text),
            unwritten,
        })
    }

    /// The same with texts that may be kept and shown.
    fn clean(&self, act: &SessionMemory) -> Result<SessionMemory, ServiceError> {
        let mut act = act.clone();
        if let SessionMemory::Set { text, .. }
        | SessionMemory::Append { text, .. }
        | SessionMemory::Note { text, .. } = &mut act
        {
            check_no_order(text)?;
            *text = self.redact(text);
        }
        Ok(act)
    }
}

fn apply(
    state: &mut SessionState,
    act: &SessionMemory,
    rules: &SessionRules,
    now: crate::model::Timestamp,
) -> Result<(), SessionRefusal> {
    let known = BlockRule::all(&rules.blocks);
    let blocks = &mut state.working.blocks;
    match act {
        SessionMemory::Show => {}
        SessionMemory::Set { block, text } => blocks.edit(&known, block, BlockEdit::Set(text))?,
        SessionMemory::Append { block, text } => blocks.edit(&known, block, BlockEdit::Append(text))?,
        SessionMemory::Note { list, text } => match list {
            SessionList::Note => state.working.note(text),
            SessionList::Dependency => state.working.depend(text),
            SessionList::Todo => state.add_todo(text, now),
            SessionList::File | SessionList::Error | SessionList::Decision => {
                return Err(SessionRefusal::NotByHand(*list));
            }
        },
        SessionMemory::ClearList(list) => state.clear_list(*list),
        SessionMemory::ClearText(text) => {
            if !state.clear_text(text) {
                return Err(SessionRefusal::NoItem);
            }
        }
        SessionMemory::ClearAll => SessionList::ALL
            .into_iter()
            .for_each(|list| state.clear_list(list)),
    }
    Ok(())
}
