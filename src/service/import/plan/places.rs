//! What came from a place of a source before: the id that an import makes tells the content, the file and the place in it.

use std::collections::{BTreeMap, HashSet};

use super::{Plan, Planning, content_digits};
use crate::document::{Key, KeyEdit, Value, edit};
use crate::model::{Id, Memory, Status, StorePath};
use crate::service::import::entry::{ImportFate, ImportedItem, WHOLE};
use crate::text::{sha256_hex, wording};

/// The digits of an id of ours that tell the content, and those that tell the file; the rest tell the place in that.
pub(super) const OF_CONTENT: std::ops::Range<usize> = 4..20;
const OF_FILE: std::ops::Range<usize> = 20..30;
const OF_PLACE: std::ops::RangeFrom<usize> = 30..;
/// The least share of words that a fact has in common with the one in whose place it comes.
const LEAST_SHARED: f64 = 0.5;

/// What an entry came to, as far as it says what stands in its place now.
#[derive(Default)]
pub(super) struct Arrived {
    /// The id that its content and its place give; `None` where it is no memory.
    pub(super) place: Option<Id>,
    pub(super) text: String,
    /// The memory that has the id that its tool gave it, and other words.
    pub(super) older: Option<StorePath>,
    /// Which of the files it is.
    pub(super) file: Option<usize>,
}

impl Planning<'_> {
    /// A fact in force of the file from which a note with this id would be.
    pub(super) fn fact_of(&self, content: &Id) -> Option<&Memory> {
        let file = &content.as_str()[OF_FILE];
        let mut facts = self
            .imported
            .values()
            .filter(|memory| memory.is_active() && memory.id.as_str()[OF_FILE] == *file);
        facts
            .find(|memory| memory.id.as_str()[OF_PLACE] != digits(WHOLE)[..6])
            .copied()
    }

    /// Puts what came in the place of what an earlier import made of the same place, and stands in the source no more: a
    /// note in that of the note of its file, a fact in that of the one under its heading with most of its words.
    pub(super) fn replace(&self, plan: &mut Plan) {
        let of_file = |id: &Id| id.as_str()[OF_FILE].to_owned();
        let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, arrived) in self.arrived.iter().enumerate() {
            if let Some(place) = &arrived.place {
                by_file.entry(of_file(place)).or_default().push(at);
            }
            if let (Some(older), Some(_)) = (&arrived.older, arrived.file) {
                self.put(plan, at, self.present.file(older).map(|file| &file.memory));
            }
        }
        let named: HashSet<&str> = self
            .arrived
            .iter()
            .filter_map(|arrived| Some(&arrived.place.as_ref()?.as_str()[OF_CONTENT]))
            .collect();
        let whole = &digits(WHOLE)[..6];
        for file in &self.present.files {
            let memory = &file.memory;
            let is_kept = !is_ours(&memory.id) || named.contains(&memory.id.as_str()[OF_CONTENT]);
            if is_kept || !memory.is_active() || memory.readonly || !file.is_readable {
                continue;
            }
            let Some(here) = by_file.get(&of_file(&memory.id)) else {
                continue;
            };
            let is_edited = is_edited(memory);
            let place = &memory.id.as_str()[OF_PLACE];
            let is_at = |at: &&usize| {
                self.arrived[**at]
                    .place
                    .as_ref()
                    .is_some_and(|id| id.as_str()[OF_PLACE] == *place)
            };
            let is_new =
                |at: &&usize| self.arrived[**at].file.is_some() || self.gone(&plan.items[**at]).is_some();
            let next = if place == whole {
                here.iter()
                    .find(is_at)
                    .or_else(|| here.iter().find(is_new))
                    .or(here.first())
            } else {
                let said = memory.content.keyed_text();
                let mut like: Vec<(f64, &usize)> = here
                    .iter()
                    .filter(is_at)
                    .filter(is_new)
                    .map(|at| (shared(said, &self.arrived[*at].text), at))
                    .collect();
                like.sort_by(|one, other| other.0.total_cmp(&one.0));
                let is_one = like.len() == 1 && is_edited;
                like.first()
                    .filter(|(shared, _)| *shared >= LEAST_SHARED || is_one)
                    .map(|(_, at)| *at)
            };
            match next {
                Some(at) if !is_edited => self.put(plan, *at, Some(memory)),
                Some(at) if is_new(&at) => {
                    let path = &memory.path;
                    plan.items[*at].say(format!("{path} was edited here, so it stays beside the new text"));
                }
                _ => {}
            }
        }
    }

    /// The memory of an entry that was superseded, as that of a source which says again what it said.
    fn gone(&self, told: &ImportedItem) -> Option<&Memory> {
        let id = told.id.as_ref().and_then(|id| Id::parse(id).ok())?;
        let there = self.there.get(&id)?;
        (told.fate == ImportFate::AlreadyThere && there.status == Status::Superseded).then_some(there)
    }

    /// Puts an entry in the place of a memory.
    fn put(&self, plan: &mut Plan, at: usize, old: Option<&Memory>) {
        let (Some(old), told) = (old, &mut plan.items[at]) else {
            return;
        };
        let Some(id) = told.id.as_ref().and_then(|id| Id::parse(id).ok()) else {
            return;
        };
        // What is said already, as facts for one, is no memory of its own.
        if self.arrived[at].file.is_none() && !self.there.contains_key(&id) {
            return;
        }
        if let Some(again) = self.gone(told) {
            plan.replaced.push((again.path.clone(), None));
            told.fate = ImportFate::Changed;
        }
        told.say(format!("replaces {}", old.path));
        if let Some(file) = self.arrived[at].file {
            told.fate = ImportFate::Changed;
            let (_, bytes) = &mut plan.files[file];
            let supersedes = KeyEdit::Set(Key::Supersedes, Value::List(vec![old.id.to_string()]));
            if let Ok(edited) = edit(bytes, &[supersedes]) {
                *bytes = edited;
            }
        }
        plan.replaced.push((old.path.clone(), Some(id)));
    }
}

/// Says whether a memory that an import made has other words since. A file with keys of its own is not asked about.
fn is_edited(memory: &Memory) -> bool {
    let imported = &memory.id.as_str()[OF_CONTENT];
    let unnamed = Memory {
        aliases: Vec::new(),
        ..memory.clone()
    };
    let is_same = |memory: &Memory| content_digits(memory, None) == *imported;
    !memory.has_own_keys && !is_same(memory) && !is_same(&unnamed)
}

/// The share of their words that two texts have in common.
fn shared(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|text| wording(text).into_iter().collect::<HashSet<_>>());
    let (both, all) = (one.intersection(&other).count(), one.len() + other.len());
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let share = 2.0 * both as f64 / all.max(1) as f64;
    share
}

pub(super) fn digits(text: &str) -> String {
    sha256_hex(text.as_bytes())
}

/// Says whether an import made an id of the content.
pub(super) fn is_ours(id: &Id) -> bool {
    let digits = id.as_str().strip_prefix("mem_").unwrap_or_default();
    digits.len() == 32
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
