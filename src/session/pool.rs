//! The pool of a conversation: its agent's notes, and the paths that its tools showed, by how much they matter now
//! (docs/working.md).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// The most items that are kept.
const KEPT: usize = 50;
/// The mentions that count at most.
const MENTIONS: u32 = 8;
/// The part of a score that stays with each item of the same kind that is added.
const DECAY: f64 = 0.85;
/// The figure that each further mention adds to a score, before the decay.
const PER_MENTION: f64 = 0.5;
/// A file below this score goes.
const LEAST: f64 = 0.01;

/// The kinds of what a pool holds. Each ages by items of its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PoolKind {
    /// A note of the agent's. It goes when it is cleared, or by the limit of the pool.
    Note,
    /// The path of a file that a tool showed. It goes when nobody mentions it for long.
    File,
}

/// Something in the pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolItem {
    /// Its kind.
    pub kind: PoolKind,
    /// The note, or the path.
    pub text: String,
    /// The times that it was mentioned, its adding among them; at most 8.
    pub mentions: u32,
    /// The items of its kind that were added since it was last mentioned.
    pub age: u32,
}

impl PoolItem {
    /// Gives `(1 + 0.5 · (mentions − 1)) · 0.85^age`.
    pub fn score(&self) -> f64 {
        let further = f64::from(self.mentions.saturating_sub(1));
        (1.0 + PER_MENTION * further) * DECAY.powf(f64::from(self.age))
    }
}

/// The items, the one mentioned last at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pool(Vec<PoolItem>);

impl Pool {
    /// The items by score, the highest first; of equals the one mentioned later.
    pub fn ranked(&self) -> Vec<&PoolItem> {
        let mut ranked: Vec<&PoolItem> = self.0.iter().rev().collect();
        ranked.sort_by(|one, other| by_score(other, one));
        ranked
    }

    /// Adds an item; one that is there is mentioned. Files below a hundredth go, and of more than 50 items the least.
    pub fn add(&mut self, kind: PoolKind, text: &str) {
        if self.mention(kind, text) {
            return;
        }
        for item in self.0.iter_mut().filter(|item| item.kind == kind) {
            item.age = item.age.saturating_add(1);
        }
        self.0
            .retain(|item| item.kind == PoolKind::Note || item.score() >= LEAST);
        if self.0.len() >= KEPT {
            let least = self.ranked().last().map(|least| (*least).clone());
            self.0.retain(|item| Some(item) != least.as_ref());
        }
        self.0.push(PoolItem {
            kind,
            text: text.to_owned(),
            mentions: 1,
            age: 0,
        });
    }

    /// Counts a mention of an item; false where there is no such item.
    pub fn mention(&mut self, kind: PoolKind, text: &str) -> bool {
        let is_it = |item: &PoolItem| item.kind == kind && item.text == text;
        let Some(at) = self.0.iter().position(is_it) else {
            return false;
        };
        let mut item = self.0.remove(at);
        item.mentions = item.mentions.saturating_add(1).min(MENTIONS);
        item.age = 0;
        self.0.push(item);
        true
    }

    /// The conversation was compacted: the better half of the files stays, rounded up.
    pub fn compact(&mut self) {
        let ranked = self
            .ranked()
            .into_iter()
            .filter(|item| item.kind == PoolKind::File);
        let files: Vec<String> = ranked.map(|file| file.text.clone()).collect();
        let over = &files[files.len().div_ceil(2)..];
        self.0
            .retain(|item| item.kind == PoolKind::Note || !over.contains(&item.text));
    }

    /// Takes away the items for which this holds; true where there was one.
    pub fn remove_if(&mut self, is_gone: impl Fn(&PoolItem) -> bool) -> bool {
        let before = self.0.len();
        self.0.retain(|item| !is_gone(item));
        self.0.len() < before
    }
}

fn by_score(one: &PoolItem, other: &PoolItem) -> Ordering {
    one.score().total_cmp(&other.score())
}
