//! A list of words that is asked often.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Words with white space between them.
pub(super) struct Words {
    list: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    pub(super) const fn new(list: &'static str) -> Self {
        Self {
            list,
            set: OnceLock::new(),
        }
    }

    /// Whether the word is one of them.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.set
            .get_or_init(|| self.list.split_whitespace().collect())
            .contains(word)
    }

    /// The words, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.list.split_whitespace()
    }
}
