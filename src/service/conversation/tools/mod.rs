//! The tools of a model beside `memory_add`: they read and change single memories of the stores that a session sees.

mod change;
mod leave;
mod memory;
mod read;

use crate::capture;
use crate::config::{GlobalTools, Settings};
use crate::model::{PathError, StorePath};
use crate::policy::{Rules, SessionRules};
use crate::render::Scope;
use crate::store::{Snapshot, Store};
use crate::text::{spelled_out, strays};

use super::super::create::check_no_reserved;
use super::super::open_store::OpenStore;
use super::super::remove::named_paths;
use super::super::select_memory::Reach;
use super::super::{KeptConversations, NameError, ServiceError};
use super::Conversations;

pub use change::{Asking, MemoryEdit, MemoryWrite, ToolChange};
pub use leave::{Answered, Leave};
pub use memory::{ToolMemory, ToolRefusal, WhyRefused};
pub use read::{ToolRead, ToolTree, TreeLine};

pub(in crate::service) use change::check_worth;
pub(in crate::service) use memory::Present;
pub(super) use memory::parse;

/// A text is judged up to so many times the limit.
const TIMES: usize = 4;

impl Conversations {
    /// The settings of the session's store; without a store, those around it.
    pub fn settings_in_force(&self) -> Settings {
        if let Some(store) = self.store.get().or_else(|| self.global.get()) {
            return store.settings().clone();
        }
        self.context.settings()
    }

    /// The conversations that the hosts of this machine keep.
    pub fn kept(&self) -> Result<KeptConversations, ServiceError> {
        KeptConversations::with(&self.context, self.redactor.clone())
    }

    /// The rules in force.
    pub(super) fn rules(&self) -> Rules {
        self.settings_in_force().rules
    }

    /// The rules of the conversation's own memory.
    pub(super) fn session_rules(&self) -> SessionRules {
        self.rules().session
    }

    /// An error where the global store is meant and the person has not allowed it.
    pub(super) fn check_scope(&self, scope: Scope, answered: Answered) -> Result<(), ServiceError> {
        match (scope, self.settings_in_force().global_tools) {
            (Scope::Workspace, _) | (Scope::Global, GlobalTools::Allow) => Ok(()),
            (Scope::Global, GlobalTools::Ask) if answered == Answered::Allowed => Ok(()),
            (Scope::Global, GlobalTools::Ask) => Err(ServiceError::Unasked(Leave::Global)),
            (Scope::Global, GlobalTools::Deny) => Err(ServiceError::GlobalDenied),
        }
    }

    /// An error for what the user asked not to remember in this session.
    pub(super) fn check_declined(&self, session: &str, text: &str) -> Result<(), ServiceError> {
        let is_declined = self.states.get(session, self.now()).is_declined(text);
        if is_declined {
            Err(ServiceError::Declined)
        } else {
            Ok(())
        }
    }

    /// The store that is meant: the global one, also where it is the session's own.
    pub(super) const fn scope(&self, asked: Scope) -> Scope {
        match self.context.scope {
            Scope::Global => Scope::Global,
            Scope::Workspace => asked,
        }
    }

    pub(super) const fn store_of(&mut self, scope: Scope) -> &mut OpenStore {
        match (scope, self.context.scope) {
            (Scope::Global, Scope::Workspace) => &mut self.global,
            _ => &mut self.store,
        }
    }
}

fn unknown(name: &str) -> ServiceError {
    let nearest = Vec::new();
    let name = name.to_owned();
    NameError::Unknown { name, nearest }.into()
}

/// The path of the memory that a model names: by its path, with or without `.md`, or by another name that a person may
/// give. A name that no path of a memory can have is refused before anybody looks for it.
fn path_of(store: &Store, snapshot: &Snapshot, name: &str) -> Result<StorePath, ServiceError> {
    check_no_reserved(&stated_path(name)?)?;
    Ok(named_paths(snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0))
}

/// A name as a path of its own.
fn stated_path(name: &str) -> Result<StorePath, ServiceError> {
    let end = if name.is_empty() || name.ends_with(".md") {
        ""
    } else {
        ".md"
    };
    Ok(StorePath::new(&format!("{name}{end}"))?)
}

/// An error for a name with characters that nobody sees: it reads as another one, or as one that is there.
fn check_unseen(path: &StorePath) -> Result<(), ServiceError> {
    match strays(path.as_str()).next() {
        Some(_) => Err(PathError::Character(spelled_out(path.as_str())).into()),
        None => Ok(()),
    }
}

/// An error for a text of many times the limit: judging its words takes seconds, in which nobody else can write. What is
/// taken out of a text, such as credentials, is never so much of it.
pub(super) fn check_length(text: &str, limit: u32) -> Result<(), ServiceError> {
    let chars = text.chars().count();
    if chars / TIMES > limit as usize {
        return Err(ServiceError::OverLimit { chars, limit });
    }
    Ok(())
}

/// An error for a text that gives orders to its reader, or plants something.
pub(super) fn check_no_order(text: &str) -> Result<(), ServiceError> {
    capture::planted_words(text).map_or(Ok(()), |words| Err(ServiceError::Injection(words)))
}
