//! Use case: the prompt of a store as a ledger. What is in it, what comes next, and what each limit leaves out?

use std::collections::BTreeMap;

use serde::Serialize;

use super::why::limit;
use super::{MemoryView, Ranking, ServiceError};
use crate::model::{StorePath, Timestamp};
use crate::policy::Fate;
use crate::store::{Snapshot, Store};

/// The most memories that are named as the next ones.
const NEXT: usize = 5;

/// What the prompt of a store shows, and what it leaves out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ledger {
    /// The memories that it shows, as it prints them: the pinned ones, then the ranked ones by section.
    pub shown: Vec<LedgerEntry>,
    /// The characters that these take.
    pub chars: usize,
    /// The characters that the ranked ones may take.
    pub max_chars: usize,
    /// The strongest memories for which a limit leaves no room.
    pub next: Vec<LedgerEntry>,
    /// The reasons for which the others are not shown, the most frequent first.
    pub left_out: Vec<LeftOutBy>,
}

/// A memory of a ledger.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerEntry {
    /// The memory.
    #[serde(flatten)]
    pub view: MemoryView,
    /// The characters that it takes in the prompt.
    pub prompt_chars: usize,
    /// The reason why it is not shown, in words.
    #[serde(skip)]
    pub why: String,
}

/// A reason for which memories are not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOutBy {
    /// The reason, in words.
    pub why: String,
    /// The number of memories.
    pub memories: usize,
    /// The strongest of them.
    pub first: StorePath,
    /// The setting that limits them, and the value that lets in the first.
    pub setting: Option<(String, usize)>,
}

/// The ledger of the prompt that a store has now.
pub fn ledger(store: &Store) -> Result<Ledger, ServiceError> {
    Ok(ledger_at(store, &store.load()?, store.now()))
}

/// The ledger of the prompt that these files of a store make at a time.
pub(super) fn ledger_at(store: &Store, files: &Snapshot, at: Timestamp) -> Ledger {
    let ranking = Ranking::new(store, files, at);
    let entry = |(at, prompt_chars)| LedgerEntry {
        view: ranking.view(at),
        prompt_chars,
        why: String::new(),
    };
    let shown: Vec<LedgerEntry> = ranking.shown().into_iter().map(entry).collect();
    let (mut next, mut left_out) = (Vec::new(), BTreeMap::new());
    for at in ranking.order() {
        let Fate::Omitted(reason) = ranking.fate(at) else {
            continue;
        };
        let memory = &files.files[at].memory;
        let (why, setting) = limit(reason, &memory.kind, store.rules());
        let by = left_out.entry(why.clone()).or_insert_with(|| LeftOutBy {
            why: why.clone(),
            memories: 0,
            first: memory.path.clone(),
            setting,
        });
        by.memories += 1;
        if reason.is_of_a_limit() && next.len() < NEXT {
            next.push(LedgerEntry {
                view: ranking.view(at),
                prompt_chars: 0,
                why,
            });
        }
    }
    let mut left_out: Vec<LeftOutBy> = left_out.into_values().collect();
    left_out.sort_by_key(|by| std::cmp::Reverse(by.memories));
    Ledger {
        shown,
        chars: ranking.chars(),
        max_chars: store.rules().render.max_chars,
        next,
        left_out,
    }
}
