//! A session that a person chooses: the next one of the workspace begins with its work.

use crate::render;
use crate::session::{SessionState, WorkingMemory};
use crate::store::{SessionFolder, Sessions, Store, session_hash};

use super::{Context, ServiceError};

/// The work that the next session begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedOver {
    /// The hash of the session that left it.
    pub session: String,
    /// The words that the next session's prompt has about it.
    pub text: String,
}

/// Has the next new session of the workspace begin with the work of this one, in the place of the last one's, however
/// long ago that was. `name` is the host's name of the session, or the beginning of its hash.
pub fn hand_over(context: &Context, store: &Store, name: &str) -> Result<HandedOver, ServiceError> {
    let sessions = Sessions::of(store.root());
    let folder = find(&sessions, name)?;
    let left = folder.seen_state().and_then(SessionState::handed_over);
    let mut left = left.ok_or_else(|| ServiceError::NothingLeft(name.to_owned()))?;
    if !store.rules().session.is_working {
        left.working = WorkingMemory::default();
    }
    let root = context.place()?.shown_root().display().to_string();
    let text = render::left_by_the_last(&left, &root);
    sessions.offer(folder.hash())?;
    Ok(HandedOver {
        session: folder.hash().to_owned(),
        text: store.redactor().redact(&text).into_owned(),
    })
}

fn find(sessions: &Sessions, name: &str) -> Result<SessionFolder, ServiceError> {
    let folders = sessions.folders()?;
    let hash = session_hash(name);
    let is_meant = |folder: &SessionFolder| {
        folder.hash() == hash || (!name.is_empty() && folder.hash().starts_with(name))
    };
    let mut meant: Vec<SessionFolder> = folders.into_iter().filter(is_meant).collect();
    match meant.len() {
        0 => Err(ServiceError::NothingLeft(name.to_owned())),
        1 => Ok(meant.remove(0)),
        _ => Err(ServiceError::Sessions {
            name: name.to_owned(),
            candidates: meant.iter().map(|folder| folder.hash().to_owned()).collect(),
        }),
    }
}
