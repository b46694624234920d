//! What a frozen prompt says, and may say no longer: what was forgotten, until a command scrubs it, and what a pattern of
//! the user's (`redact.patterns`) calls a secret by now.

use std::collections::HashSet;

use crate::document::Forgotten;
use crate::session::SessionState;
use crate::store::FrozenPrompt;
use crate::sys::FileStat;

use super::OpenStores;
use super::forget::unscrubbed;

/// The kind of what a pattern of the user's finds.
const CUSTOM: &str = "custom";

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

/// The sessions whose prompt was looked through with the present patterns.
#[derive(Default)]
pub(super) struct NewPatterns {
    patterns: Vec<String>,
    looked: HashSet<String>,
}

impl NewPatterns {
    /// Says whether a pattern finds something in a session's prompt: once for each list of patterns, because a person may
    /// have allowed what is found.
    pub(super) fn find_in(&mut self, stores: &OpenStores, session: &str, frozen: &FrozenPrompt) -> bool {
        let Some(store) = stores.workspace.as_ref().or(stores.global.as_ref()) else {
            return false;
        };
        if !store
            .redactor()
            .patterns()
            .eq(self.patterns.iter().map(String::as_str))
        {
            self.patterns = store.redactor().patterns().map(str::to_owned).collect();
            self.looked.clear();
        }
        if self.patterns.is_empty() || !self.looked.insert(session.to_owned()) {
            return false;
        }
        let has_found = |text: &String| {
            let found = store.redactor().find(text);
            found.iter().any(|secret| secret.kind == CUSTOM)
        };
        frozen.system.iter().any(has_found)
    }
}
