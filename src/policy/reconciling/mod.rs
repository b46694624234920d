//! The judgement on what a model would change of the memories of a store (passes.md, "Reconciling"). Nothing is deleted;
//! a person's words change by a person alone; other words may lose nothing concrete, and bring nothing in.

mod batches;
mod kept;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Content, Memory};
use crate::text::{canonical, one_line};

use super::retold::retells;

pub use batches::batches;

/// The share of a store that a pass may change, and the number that it may always change.
const SHARE: usize = 10;
const ALWAYS: usize = 3;
/// The most characters of the reason for a contradiction.
const MOST_WHY: usize = 200;

/// A change that a model wants. Memories are named by the numbers of the question, from 1 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Several memories become one with this text.
    Merge {
        /// The memories.
        refs: Vec<u32>,
        /// The text.
        text: String,
    },
    /// A memory holds no longer.
    Delete {
        /// The memory.
        number: u32,
    },
    /// A memory says the same in other words.
    Rewrite {
        /// The memory.
        number: u32,
        /// The new text.
        text: String,
    },
    /// Two memories contradict each other.
    Flag {
        /// The first one.
        a: u32,
        /// The other one.
        b: u32,
        /// The reason.
        why: String,
    },
}

impl Operation {
    /// The memories that it names.
    pub fn refs(&self) -> Vec<u32> {
        match self {
            Self::Merge { refs, .. } => refs.clone(),
            Self::Delete { number } | Self::Rewrite { number, .. } => vec![*number],
            Self::Flag { a, b, .. } => vec![*a, *b],
        }
    }

    /// The words that people are shown.
    pub fn text(&self) -> &str {
        match self {
            Self::Merge { text, .. } | Self::Rewrite { text, .. } => text,
            Self::Delete { .. } => "",
            Self::Flag { why, .. } => why,
        }
    }

    /// The word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Merge { .. } => "merge",
            Self::Delete { .. } => "delete",
            Self::Rewrite { .. } => "rewrite",
            Self::Flag { .. } => "flag",
        }
    }
}

/// The protection of a memory that an operation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// A model's words: they may change.
    Free,
    /// A person's words.
    Persons,
    /// It is readonly, or holds a credential.
    Protected,
    /// It says something else than the question showed.
    Changed,
    /// It is gone, or not in force any more.
    Gone,
}

/// A memory that an operation may name.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Its protection.
    pub hold: Hold,
}

/// A change that the rules allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// One memory stays, and says what the others say.
    Merge {
        /// The one that stays.
        kept: u32,
        /// The others, which it supersedes.
        gone: Vec<u32>,
        /// Its new body; `None`: a person's words say it already.
        body: Option<String>,
    },
    /// A memory goes to the archive.
    Archive(u32),
    /// A memory gets another body.
    Rewrite(u32, String),
    /// A person is asked: for each memory its new body, `None` for the archive.
    Suggest(Vec<(u32, Option<String>)>),
    /// Two memories contradict each other.
    Flag(u32, u32, String),
}

/// The reason why an operation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// A number that the question did not have, or one of them twice.
    Ref,
    /// The memory was changed meanwhile.
    Changed,
    /// The memory is not in force any more.
    Gone,
    /// The memory is readonly, or holds a credential.
    Protected,
    /// An operation before it names the memory.
    NamedTwice,
    /// A path, a number, a URL, a code span, a negation or a line of a note would be lost.
    LosesWords,
    /// A path, a number, a URL, a code span or a negation would come in.
    AddsWords,
    /// Memories of several types are not one.
    OtherType,
    /// The text is the present one.
    NothingNew,
    /// It is on file already, or a person has settled it.
    KnownConflict,
    /// The pass has changed as much of the store as it may.
    OverLimit,
}

impl Refused {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ref => "invalid_memory_ref",
            Self::Changed => "memory_ref_target_changed",
            Self::Gone => "memory_ref_target_unavailable",
            Self::Protected => "protected_memory_source",
            Self::NamedTwice => "named_twice",
            Self::LosesWords => "loses_words",
            Self::AddsWords => "adds_words",
            Self::OtherType => "other_type",
            Self::NothingNew => "nothing_new",
            Self::KnownConflict => "known_conflict",
            Self::OverLimit => "over_limit",
        }
    }
}

/// The most memories of a store of this size that a pass may change.
pub fn most_changed(memories: usize) -> usize {
    (memories / SHARE).max(ALWAYS)
}

/// Judges operations, one after the other. `is_known` says whether a contradiction of two memories is on file.
#[derive(Clone)]
pub struct Reconciling<'a> {
    named: &'a BTreeMap<u32, Named<'a>>,
    is_known: &'a dyn Fn(&Memory, &Memory) -> bool,
    left: usize,
    flags_left: usize,
    changed: BTreeSet<u32>,
    flagged: BTreeSet<(u32, u32)>,
}

impl<'a> Reconciling<'a> {
    /// Begins a pass that may change `most` memories, and flag as many contradictions.
    pub fn new(
        named: &'a BTreeMap<u32, Named<'a>>,
        most: usize,
        is_known: &'a dyn Fn(&Memory, &Memory) -> bool,
    ) -> Self {
        Self {
            named,
            is_known,
            left: most,
            flags_left: most,
            changed: BTreeSet::new(),
            flagged: BTreeSet::new(),
        }
    }

    /// The change that the rules allow.
    pub fn judge(&mut self, operation: &Operation) -> Result<Verdict, Refused> {
        let refs = operation.refs();
        let distinct: BTreeSet<u32> = refs.iter().copied().collect();
        if distinct.len() < refs.len() {
            return Err(Refused::Ref);
        }
        for number in &refs {
            match self.named.get(number).ok_or(Refused::Ref)?.hold {
                Hold::Changed => return Err(Refused::Changed),
                Hold::Gone => return Err(Refused::Gone),
                Hold::Protected if !matches!(operation, Operation::Flag { .. }) => {
                    return Err(Refused::Protected);
                }
                _ => {}
            }
            if self.changed.contains(number) {
                return Err(Refused::NamedTwice);
            }
        }
        let verdict = match operation {
            Operation::Merge { refs, text } => self.merge(refs, text),
            Operation::Delete { number } => Ok(match self.hold(*number) {
                Hold::Persons => Verdict::Suggest(vec![(*number, None)]),
                _ => Verdict::Archive(*number),
            }),
            Operation::Rewrite { number, text } => self.rewrite(*number, text),
            Operation::Flag { a, b, why } => self.flag(*a, *b, why),
        }?;
        let changes: Vec<u32> = match &verdict {
            Verdict::Merge { kept, gone, body } => {
                let kept = body.as_ref().map(|_| *kept);
                gone.iter().copied().chain(kept).collect()
            }
            Verdict::Archive(number) | Verdict::Rewrite(number, _) => vec![*number],
            Verdict::Suggest(_) | Verdict::Flag(..) => Vec::new(),
        };
        self.left = self.left.checked_sub(changes.len()).ok_or(Refused::OverLimit)?;
        if !changes.is_empty() {
            self.changed.extend(refs);
        }
        Ok(verdict)
    }

    fn hold(&self, number: u32) -> Hold {
        self.named[&number].hold
    }

    fn memory(&self, number: u32) -> &'a Memory {
        self.named[&number].memory
    }

    fn merge(&self, refs: &[u32], text: &str) -> Result<Verdict, Refused> {
        let Some(kept) = refs.iter().copied().min_by_key(|number| &self.memory(*number).id) else {
            return Err(Refused::Ref);
        };
        if refs.len() < 2 {
            return Err(Refused::Ref);
        }
        let kind = &self.memory(kept).kind;
        if refs.iter().any(|number| self.memory(*number).kind != *kind) {
            return Err(Refused::OtherType);
        }
        let mut memories: Vec<&Memory> = refs.iter().map(|number| self.memory(*number)).collect();
        memories.sort_by_key(|memory| &memory.id);
        let mut persons: Vec<u32> = refs.to_vec();
        persons.retain(|number| self.hold(*number) == Hold::Persons);
        persons.sort_by_key(|number| &self.memory(*number).id);
        let others = |kept: u32| refs.iter().copied().filter(move |number| *number != kept);
        let Some((first, more)) = persons.split_first() else {
            return Ok(Verdict::Merge {
                kept,
                gone: others(kept).collect(),
                body: Some(body(self.memory(kept), &memories, text)?),
            });
        };
        let owner = self.memory(*first);
        if more.is_empty() && others(*first).all(|number| says(owner, self.memory(number))) {
            return Ok(Verdict::Merge {
                kept: *first,
                gone: others(*first).collect(),
                body: None,
            });
        }
        let new = body(owner, &memories, text)?;
        let archived = more.iter().map(|number| (*number, None));
        Ok(Verdict::Suggest(
            [(*first, Some(new))].into_iter().chain(archived).collect(),
        ))
    }

    fn rewrite(&self, number: u32, text: &str) -> Result<Verdict, Refused> {
        let memory = self.memory(number);
        let new = body(memory, &[memory], text)?;
        if canonical(&new) == canonical(&memory.content.as_body()) {
            return Err(Refused::NothingNew);
        }
        Ok(match self.hold(number) {
            Hold::Persons => Verdict::Suggest(vec![(number, Some(new))]),
            _ => Verdict::Rewrite(number, new),
        })
    }

    fn flag(&mut self, a: u32, b: u32, why: &str) -> Result<Verdict, Refused> {
        let pair = (a.min(b), a.max(b));
        if (self.is_known)(self.memory(a), self.memory(b)) || !self.flagged.insert(pair) {
            return Err(Refused::KnownConflict);
        }
        self.flags_left = self.flags_left.checked_sub(1).ok_or(Refused::OverLimit)?;
        let why: String = one_line(why).chars().take(MOST_WHY).collect();
        Ok(Verdict::Flag(a, b, why))
    }
}

/// The body of the memory that stays: the text, and every reason that one of the memories gives.
fn body(kept: &Memory, memories: &[&Memory], text: &str) -> Result<String, Refused> {
    let notes = memories.iter().filter_map(|memory| match &memory.content {
        Content::Note { body } => Some(body),
        Content::Fact { .. } => None,
    });
    let lines: Vec<&str> = notes.flat_map(|body| body.lines()).map(str::trim).collect();
    let has = |line: &&str| text.lines().any(|kept| kept.trim() == *line);
    if !lines.iter().filter(|line| !line.is_empty()).all(has) {
        return Err(Refused::LosesWords);
    }
    let sources: Vec<&str> = memories
        .iter()
        .map(|memory| memory.content.keyed_text())
        .collect();
    if let Some(refused) = kept::difference(&sources, text) {
        return Err(refused);
    }
    if matches!(kept.content, Content::Note { .. }) || !lines.is_empty() {
        return Ok(text.trim().to_owned());
    }
    let mut reasons: Vec<&str> = memories
        .iter()
        .filter_map(|memory| memory.content.rationale())
        .collect();
    let mut known = BTreeSet::new();
    reasons.retain(|reason| known.insert(canonical(reason)));
    let text = one_line(text);
    Ok(if reasons.is_empty() {
        text
    } else {
        format!("{text}\n\nWhy: {}", reasons.join(" "))
    })
}

/// Says whether the words of a person say what another memory says.
fn says(persons: &Memory, other: &Memory) -> bool {
    let (text, said) = (persons.content.keyed_text(), other.content.keyed_text());
    let is_fact = |memory: &Memory| matches!(memory.content, Content::Fact { .. });
    is_fact(persons)
        && is_fact(other)
        && retells(text, said)
        && kept::difference(&[said, text], text).is_none()
}

#[cfg(test)]
mod tests;
