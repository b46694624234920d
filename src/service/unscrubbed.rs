//! What was forgotten, and is still said by what is kept of sessions: a prompt leaves it out before a command scrubs it.

use std::collections::HashSet;

use crate::document::Forgotten;
use crate::session::SessionState;
use crate::sys::FileStat;

use super::forget::unscrubbed;
use super::prompt::OpenStores;

/// The memories that were forgotten by hand, of which the sessions and the prompts may still say the words: no command
/// has written since.
#[derive(Default)]
pub(super) struct Unscrubbed {
    /// The stats of the lists of what was forgotten, for which everything is scrubbed.
    done: [Option<FileStat>; 2],
    /// The lists, where something is left.
    pub(super) lists: Vec<Forgotten>,
    /// The sessions that were given a prompt without them.
    pub(super) told: HashSet<String>,
}

impl Unscrubbed {
    /// Looks at the lists of these stores again, if they changed or were not done.
    pub(super) fn follow(&mut self, stores: &OpenStores) {
        let both = [stores.global.as_ref(), stores.workspace.as_ref()];
        let stats = both.map(|store| store?.forgotten_stat());
        if stats == self.done {
            return;
        }
        let lists: Vec<Forgotten> = both.into_iter().flatten().filter_map(unscrubbed).collect();
        if lists.is_empty() {
            self.done = stats;
        }
        if lists != self.lists {
            self.lists = lists;
            self.told.clear();
        }
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.lists.iter().any(|list| list.holds(text))
    }

    /// The state without the words.
    pub(super) fn clean(&self, mut state: SessionState) -> SessionState {
        if !self.lists.is_empty() {
            state.leave_out(|text| self.are_in(text));
        }
        state
    }
}
