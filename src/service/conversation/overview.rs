//! The memory at a glance, for a person who asks for it in the middle of a conversation.

use std::path::PathBuf;

use crate::model::Zone;
use crate::policy::Fate;
use crate::render::Scope;

use super::super::ServiceError;
use super::super::ranking::Ranking;
use super::super::waiting;
use super::Conversations;

/// The memory at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The store that is meant.
    pub scope: Scope,
    /// The folder of its files; it need not exist yet.
    pub root: PathBuf,
    /// The number of memories in force.
    pub in_force: usize,
    /// The number of those that a prompt would leave out now.
    pub left_out: usize,
    /// The number of pending writes of all sessions.
    pub waiting: usize,
    /// The texts in the session's system prompt; none before its first request.
    pub shown: Vec<String>,
}

impl Conversations {
    /// Looks at the memory of a session. `name` is the host's for it.
    pub fn overview(&mut self, name: &str) -> Result<Overview, ServiceError> {
        self.retry();
        let (mut in_force, mut left_out) = (0, 0);
        if let Some((store, snapshot)) = self.store.snapshot()? {
            let ranking = Ranking::new(store, &snapshot, store.now());
            for view in ranking.views() {
                if view.memory.is_active() && view.zone != Zone::Archive {
                    in_force += 1;
                    left_out += usize::from(matches!(view.fate, Fate::Omitted(_)));
                }
            }
        }
        let waiting = waiting(&self.context)?;
        let frozen = self.states.frozen(name);
        Ok(Overview {
            scope: self.context.scope,
            root: self.root.clone(),
            in_force,
            left_out,
            waiting: waiting.iter().filter_map(|waits| waits.count).sum(),
            shown: frozen.map(|frozen| frozen.system).unwrap_or_default(),
        })
    }
}
