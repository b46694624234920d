//! The part of a conversation's state that its agent keeps itself (docs/working.md), beside what is read from its tools.

use serde::{Deserialize, Serialize};

use super::{Blocks, Pool, PoolItem, PoolKind};
use crate::text::canonical;

/// The number of packages that are kept.
const DEPENDENCIES: usize = 3;
/// The block that the next session is told.
pub(crate) const GOAL: &str = "goal";
/// Characters of an item.
const CHARS: usize = 200;

/// The lists of a conversation's state that its agent may add to or clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionList {
    /// The notes of the agent.
    Note,
    /// The paths that tools showed.
    File,
    /// The tasks that are still to be done.
    Todo,
    /// The decisions.
    Decision,
    /// The errors that are open.
    Error,
    /// The packages that were added, removed or updated.
    Dependency,
}

impl SessionList {
    /// Every list.
    pub const ALL: [Self; 6] = [
        Self::Note,
        Self::File,
        Self::Todo,
        Self::Decision,
        Self::Error,
        Self::Dependency,
    ];
}

/// The blocks, the packages and the pool of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkingMemory {
    /// The blocks.
    pub blocks: Blocks,
    /// The packages that commands or the agent named, newest last.
    pub dependencies: Vec<String>,
    /// Notes and paths.
    pub pool: Pool,
}

impl WorkingMemory {
    /// The goal, and nothing else.
    #[must_use]
    pub fn goal_alone(&self) -> Self {
        let mut blocks = self.blocks.clone();
        blocks.0.retain(|block| block.name == GOAL);
        Self {
            blocks,
            ..Self::default()
        }
    }

    /// Names a package as the newest; of more than three the oldest goes.
    pub fn depend(&mut self, text: &str) {
        let text = item(text);
        let same = canonical(&text);
        self.dependencies.retain(|known| canonical(known) != same);
        self.dependencies.push(text);
        let over = self.dependencies.len().saturating_sub(DEPENDENCIES);
        self.dependencies.drain(..over);
    }

    /// Notes a text.
    pub fn note(&mut self, text: &str) {
        self.pool.add(PoolKind::Note, &item(text));
    }

    /// Takes everything away whose text is so.
    pub(super) fn leave_out(&mut self, is_one: impl Fn(&str) -> bool) {
        self.remove_if(&is_one);
        self.blocks.remove_if(is_one);
    }

    /// Takes packages and notes away whose text is so; true where there was one.
    pub(super) fn remove_if(&mut self, is_gone: impl Fn(&str) -> bool) -> bool {
        let before = self.dependencies.len();
        self.dependencies.retain(|text| !is_gone(text));
        let removed = self.pool.remove_if(|item: &PoolItem| is_gone(&item.text));
        removed || self.dependencies.len() < before
    }
}

/// The part of a text that is kept of an item.
pub(super) fn item(text: &str) -> String {
    text.trim().chars().take(CHARS).collect()
}
