//! The contexts of a store's sessions, as their files have them: for a meter that changes nothing.

use crate::model::Timestamp;
use crate::session::{ContextFigures, ContextMeter};
use crate::store::{Sessions, Store};

/// The context of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionContext {
    /// The hash of the session's name.
    pub session: String,
    /// When an event last changed the session.
    pub updated: Timestamp,
    /// The model that answered last.
    pub model: String,
    /// The tokens of its last answer; `None` after a compaction.
    pub used: Option<u64>,
    /// The figures; `None` where the level is not known.
    pub figures: Option<ContextFigures>,
}

/// The contexts that are measured, the newest first. A file that cannot be read stays where it is, and is left out.
pub fn contexts(store: &Store) -> Vec<SessionContext> {
    let rules = store.rules().context.level;
    let folders = Sessions::of(store.root()).folders().unwrap_or_default();
    let measured = folders.iter().filter_map(|folder| {
        let state = folder.seen_state()?;
        let figures = state.context.figures(&rules);
        let ContextMeter { model, used, .. } = state.context;
        Some(SessionContext {
            session: folder.hash().to_owned(),
            updated: state.updated,
            model: model?,
            used,
            figures,
        })
    });
    let mut contexts: Vec<SessionContext> = measured.collect();
    contexts.sort_by(|a, b| (b.updated, &a.session).cmp(&(a.updated, &b.session)));
    contexts
}
