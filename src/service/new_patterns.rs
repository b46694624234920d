//! The frozen prompts that say what a pattern of the user's (`redact.patterns`) calls a secret by now.

use std::collections::HashSet;

use crate::store::FrozenPrompt;

use super::OpenStores;

/// The kind of what a pattern of the user's finds.
const CUSTOM: &str = "custom";

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
