//! Whether the next prompt shows what is being added, found while the commit waits for the disk. The prompt is rendered
//! later: of the two, only a commit by somebody else in between could tell otherwise.

use std::sync::Arc;

use crate::store::{CommitOutcome, Description, Snapshot};

use super::super::ServiceError;
use super::super::ranking::Ranking;
use super::{Adding, Arrived};

impl Adding<'_, '_> {
    /// [`Adding::commit`]; another thread ranks the memories meanwhile, and each of those that arrived gets the word for
    /// why the next prompt leaves it out.
    pub(in crate::service) fn commit_and_look(
        &mut self,
        description: &Description,
        arrived: &mut [&mut Arrived],
    ) -> Result<CommitOutcome, ServiceError> {
        if arrived.is_empty() {
            return self.commit(description);
        }
        let store = self.writer.store();
        let (scope, rules, now) = (store.place().scope(), store.rules(), store.now());
        let names: Vec<_> = arrived.iter().map(|arrived| arrived.name()).collect();
        let look = |snapshot: &Snapshot| -> Vec<Option<&'static str>> {
            let ranking = Ranking::by_rules(scope, rules, snapshot, now);
            let names = names.iter();
            names.map(|(path, id)| ranking.omission_at(path, id)).collect()
        };
        let look = &look;
        // Whoever is done lets go of it: a commit that finds it shared goes on with a copy.
        let snapshot = Arc::clone(self.writer.shared_snapshot());
        let (committed, words) = std::thread::scope(|threads| {
            let looking = std::thread::Builder::new().spawn_scoped(threads, move || look(&snapshot));
            let committed = self.commit(description);
            let words = match looking {
                Ok(looking) => looking.join().expect("because no look panics"),
                // The machine has no room for another thread.
                Err(_) => look(self.writer.snapshot()),
            };
            (committed, words)
        });
        for (arrived, word) in arrived.iter_mut().zip(words) {
            arrived.not_shown = word;
        }
        committed
    }
}
