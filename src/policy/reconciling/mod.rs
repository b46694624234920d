//! The judgement on what a model would change of the memories of a store (passes.md, "Reconciling"). Nothing is deleted;
//! a person's words change by a person alone; other words may lose nothing concrete, and bring nothing in.

mod batches;
mod kept;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Content, Kind, Memory};
use crate::text::{canonical, one_line};

use super::retold::retells;

pub use batches::batches;

/// The share of a store that a pass may change, and the number that it may always change.
const SHARE: usize = 10;
const ALWAYS: usize = 3;
/// The most characters of the reason for a contradiction.
const MOST_WHY: usize = 200;

/// A number that the question did not have, or one of them twice.
const NO_REF: &str = "invalid_memory_ref";
/// The pass has changed as much of the store as it may.
const OVER_LIMIT: &str = "over_limit";
/// A path, a number, a URL, a code span, a negation or a line of a note would be lost.
const LOSES_WORDS: &str = "loses_words";

/// A change that a model proposes. Memories are named by the numbers of the question, from 1 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposed {
    /// A new memory.
    Add {
        /// Its type.
        kind: Kind,
        /// Its text.
        text: String,
    },
    /// Other words for a memory.
    Update {
        /// The memory.
        number: u32,
        /// The new text.
        text: String,
    },
    /// A memory was said again.
    Reinforce {
        /// The memory.
        number: u32,
    },
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

impl Proposed {
    /// The memories that it names.
    pub fn refs(&self) -> Vec<u32> {
        match self {
            Self::Add { .. } => Vec::new(),
            Self::Merge { refs, .. } => refs.clone(),
            Self::Update { number, .. } | Self::Reinforce { number } | Self::Delete { number } => {
                vec![*number]
            }
            Self::Flag { a, b, .. } => vec![*a, *b],
        }
    }

    /// Its words; none for a change without them.
    pub fn text(&self) -> &str {
        match self {
            Self::Add { text, .. } | Self::Update { text, .. } | Self::Merge { text, .. } => text,
            Self::Flag { why, .. } => why,
            Self::Reinforce { .. } | Self::Delete { .. } => "",
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

/// The most memories of a store of this size that a pass may change.
pub fn most_changed(memories: usize) -> usize {
    (memories / SHARE).max(ALWAYS)
}

/// Judges proposals, one after the other. The reason of a refusal is a word for the log.
#[derive(Clone)]
pub struct Reconciling<'a> {
    named: &'a BTreeMap<u32, Named<'a>>,
    left: usize,
    flags_left: usize,
    changed: BTreeSet<u32>,
}

impl<'a> Reconciling<'a> {
    /// Begins a pass that may change `most` memories, and flag as many contradictions.
    pub const fn new(named: &'a BTreeMap<u32, Named<'a>>, most: usize) -> Self {
        Self {
            named,
            left: most,
            flags_left: most,
            changed: BTreeSet::new(),
        }
    }

    /// The change that the rules allow.
    pub fn judge(&mut self, proposed: &Proposed) -> Result<Verdict, &'static str> {
        let refs = proposed.refs();
        let distinct: BTreeSet<u32> = refs.iter().copied().collect();
        if distinct.len() < refs.len() {
            return Err(NO_REF);
        }
        let is_flag = matches!(proposed, Proposed::Flag { .. });
        for number in &refs {
            match self.named.get(number).ok_or(NO_REF)?.hold {
                Hold::Changed => return Err("memory_ref_target_changed"),
                Hold::Gone => return Err("memory_ref_target_unavailable"),
                Hold::Protected if !is_flag => return Err("protected_memory_source"),
                _ if self.changed.contains(number) => return Err("named_twice"),
                _ => {}
            }
        }
        let verdict = match proposed {
            Proposed::Merge { refs, text } => self.merge(refs, text)?,
            Proposed::Delete { number } => match self.hold(*number) {
                Hold::Persons => Verdict::Suggest(vec![(*number, None)]),
                _ => Verdict::Archive(*number),
            },
            Proposed::Update { number, text } => self.rewrite(*number, text)?,
            Proposed::Flag { a, b, why } => {
                self.flags_left = self.flags_left.checked_sub(1).ok_or(OVER_LIMIT)?;
                Verdict::Flag(*a, *b, one_line(why).chars().take(MOST_WHY).collect())
            }
            Proposed::Add { .. } | Proposed::Reinforce { .. } => return Err("invalid_proposal"),
        };
        let changes = match &verdict {
            Verdict::Merge { gone, body, .. } => gone.len() + usize::from(body.is_some()),
            Verdict::Archive(_) | Verdict::Rewrite(..) => 1,
            Verdict::Suggest(_) | Verdict::Flag(..) => 0,
        };
        self.left = self.left.checked_sub(changes).ok_or(OVER_LIMIT)?;
        if changes > 0 {
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

    fn merge(&self, refs: &[u32], text: &str) -> Result<Verdict, &'static str> {
        let mut refs = refs.to_vec();
        refs.sort_by_key(|number| &self.memory(*number).id);
        let [kept, _, ..] = refs[..] else {
            return Err(NO_REF);
        };
        let memories: Vec<&Memory> = refs.iter().map(|number| self.memory(*number)).collect();
        if memories.iter().any(|memory| memory.kind != memories[0].kind) {
            return Err("other_type");
        }
        let persons: Vec<u32> = refs
            .iter()
            .copied()
            .filter(|number| self.hold(*number) == Hold::Persons)
            .collect();
        let others = |kept: u32| refs.iter().copied().filter(move |number| *number != kept);
        let Some((&owner, more)) = persons.split_first() else {
            return Ok(Verdict::Merge {
                kept,
                gone: others(kept).collect(),
                body: Some(body(memories[0], &memories, text)?),
            });
        };
        let owners = self.memory(owner);
        if more.is_empty() && others(owner).all(|number| says(owners, self.memory(number))) {
            return Ok(Verdict::Merge {
                kept: owner,
                gone: others(owner).collect(),
                body: None,
            });
        }
        let new = (owner, Some(body(owners, &memories, text)?));
        let archived = more.iter().map(|number| (*number, None));
        Ok(Verdict::Suggest([new].into_iter().chain(archived).collect()))
    }

    fn rewrite(&self, number: u32, text: &str) -> Result<Verdict, &'static str> {
        let memory = self.memory(number);
        let new = body(memory, &[memory], text)?;
        if canonical(&new) == canonical(&memory.content.as_body()) {
            return Err("nothing_new");
        }
        Ok(match self.hold(number) {
            Hold::Persons => Verdict::Suggest(vec![(number, Some(new))]),
            _ => Verdict::Rewrite(number, new),
        })
    }
}

/// The body of the memory that stays: the text, and every reason that one of the memories gives.
fn body(kept: &Memory, memories: &[&Memory], text: &str) -> Result<String, &'static str> {
    let notes = memories.iter().filter_map(|memory| match &memory.content {
        Content::Note { body } => Some(body),
        Content::Fact { .. } => None,
    });
    let lines: Vec<&str> = notes.flat_map(|body| body.lines()).map(str::trim).collect();
    let has = |line: &&str| text.lines().any(|kept| kept.trim() == *line);
    if !lines.iter().filter(|line| !line.is_empty()).all(has) {
        return Err(LOSES_WORDS);
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
