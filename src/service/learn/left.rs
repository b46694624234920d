//! The conversations of the workspace that earlier processes left without a pass.

use std::path::Path;
use std::time::Duration;

use crate::store::{Sessions, session_hash};

use super::super::{Chosen, Context, Past, ServiceError};

/// A conversation in which something was said that no model has read.
pub(super) struct Left {
    /// The host's name for it.
    pub(super) session: String,
    /// The time since it changed last.
    pub(super) rested: Duration,
    /// The mark that says so.
    pub(super) mark: Option<String>,
}

/// The conversations that were left, as their hosts keep them. One that another process serves is that one's. The mark of
/// one that its host no longer keeps goes.
pub(super) fn left(context: &Context, store: &Path) -> Result<Vec<Left>, ServiceError> {
    let mut folders = Sessions::of(store).unread();
    folders.retain(|folder| folder.hold_open().is_some());
    if folders.is_empty() {
        return Ok(Vec::new());
    }
    // Nothing says that the conversations are gone as long as the host's own files cannot be read.
    let kept = Past::open(context)?.conversations(Chosen::default())?;
    let mut found = Vec::new();
    for folder in folders {
        let mark = folder.unread();
        let of = kept.iter().find(|of| session_hash(&of.id) == folder.hash());
        let Some(of) = of else {
            folder.mark_read(mark.as_deref())?;
            continue;
        };
        let rested = context.clock.now().millis_since(of.updated);
        found.push(Left {
            session: of.id.clone(),
            rested: Duration::from_millis(u64::try_from(rested).unwrap_or_default()),
            mark,
        });
    }
    Ok(found)
}
