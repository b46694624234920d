//! The sessions whose state a store keeps: how full their contexts are, and the one with whose work the next begins.

use serde::Serialize;

use crate::model::Timestamp;
use crate::render;
use crate::session::{ContextMeter, SessionState, WorkingMemory};
use crate::store::{SessionFolder, Sessions, Store, session_hash};
use crate::text::some_of;

use super::{Context, ServiceError};

/// The context of a session. Where its level is not known, the figures are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionContext {
    /// The hash of the session's name.
    pub session: String,
    /// When an event last changed the session.
    pub updated: Timestamp,
    /// The model that answered last.
    pub model: String,
    /// The tokens of its last answer; `None` after a compaction.
    pub used: Option<u64>,
    /// The tokens at which the host compacts.
    pub usable: Option<u64>,
    /// The part of these that is used, in percent.
    pub percent: Option<u64>,
    /// The level.
    pub level: Option<&'static str>,
    /// The tokens that a turn adds.
    pub per_turn: Option<u64>,
    /// The turns that are left at that pace.
    pub turns_left: Option<u64>,
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
            usable: figures.map(|figures| figures.usable),
            percent: figures.map(|figures| figures.percent()),
            level: figures.map(|figures| figures.level.as_str()),
            per_turn: figures.and_then(|figures| figures.per_turn),
            turns_left: figures.and_then(|figures| figures.turns_left),
        })
    });
    let mut contexts: Vec<SessionContext> = measured.collect();
    contexts.sort_by(|a, b| (b.updated, &a.session).cmp(&(a.updated, &b.session)));
    contexts
}

/// The work that the next session begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    let mut left = left.ok_or_else(|| nothing_left(name))?;
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
        0 => Err(nothing_left(name)),
        1 => Ok(meant.remove(0)),
        count => Err(ServiceError::said(
            format!("`{name}` names {count} sessions"),
            format!(
                "Name one of them: {}.",
                some_of(meant.iter().map(SessionFolder::hash))
            ),
        )),
    }
}

fn nothing_left(name: &str) -> ServiceError {
    ServiceError::said(
        format!("no session `{name}` has work to hand over in this store"),
        "`mdmem sessions list` lists the conversations.",
    )
}
