//! The memories that a change of settings takes out of the prompt.

use std::collections::BTreeSet;

use super::{Ranking, ServiceError};
use serde::Serialize;

use crate::model::{Oid, StorePath};
use crate::policy::Fate;
use crate::store::{SETTINGS, Snapshot, Store};

/// The memories that are as they were, and that a prompt showed before the settings changed and does not show since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Unshown {
    /// Their number.
    pub count: usize,
    /// The number of all that were shown before.
    pub of: usize,
    /// The last commit with the settings from before; `None` where there was no commit.
    #[serde(skip)]
    pub last_in: Option<Oid>,
}

impl Unshown {
    /// Counts the memories of `before` that `now` has and does not show; `None` where it shows all of them.
    pub(super) fn since(before: &ShownPaths, now: &Store) -> Result<Option<Self>, ServiceError> {
        let shown = ShownPaths::of(now, &now.load()?);
        let is_unshown =
            |path: &&StorePath| !shown.paths.contains(path) && now.is_something_there(path.as_ref());
        let count = before.paths.iter().filter(is_unshown).count();
        Ok((count > 0).then_some(Self {
            count,
            of: before.paths.len(),
            last_in: before.head,
        }))
    }

    /// Says whether they are more than half of those that were shown.
    pub const fn is_most(&self) -> bool {
        self.count * 2 > self.of
    }

    /// The command that brings the settings back, as a sentence.
    pub fn hint(&self) -> Option<String> {
        let last = self.last_in?.short();
        Some(format!(
            "`mdmem restore {last} {SETTINGS}` takes the settings back, here and with the next sync everywhere."
        ))
    }
}

impl std::fmt::Display for Unshown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, of, .. } = self;
        write!(
            f,
            "the settings that came take {count} of {of} memories out of the prompt"
        )
    }
}

/// The memories that prompts show at one time: in full, by a line, or by their name in the tree.
pub(super) struct ShownPaths {
    paths: BTreeSet<StorePath>,
    head: Option<Oid>,
}

impl ShownPaths {
    /// Those of a snapshot, by the settings with which the store was opened.
    pub(super) fn of(store: &Store, snapshot: &Snapshot) -> Self {
        let views = Ranking::new(store, snapshot, store.now()).views().into_iter();
        let shown = views.filter(|view| !matches!(view.fate, Fate::Omitted(_)));
        Self {
            paths: shown.map(|view| view.memory.path).collect(),
            head: snapshot.head,
        }
    }
}
