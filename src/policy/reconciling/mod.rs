//! The judgement on what a model would change of the memories of a store (passes.md, "Reconciling"). Nothing is deleted;
//! a person's words change by a person alone; other words may lose nothing concrete, and bring nothing in.

mod kept;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::model::{Content, Memory};
use crate::text::{canonical, one_line};

use super::retold::{facts, retells};

/// The share of a store that a pass may change, and the number that it may always change.
const SHARE: usize = 10;
const ALWAYS: usize = 3;
/// The most characters of the reason for a contradiction.
const MOST_WHY: usize = 200;
/// The most memories of one merge.
const MOST_REFS: usize = 20;

/// A number that the question did not have, or one of them twice.
const NO_REF: &str = "invalid_memory_ref";
/// The pass has changed as much of the store as it may.
const OVER_LIMIT: &str = "over_limit";
/// A path, a number, a URL, a code span, a negation or a line of a note would be lost.
const LOSES_WORDS: &str = "loses_words";

/// A change that a model proposes, as it answers it. Memories are named by the numbers of the question, from 1 on; 0 is
/// none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Proposal {
    /// What is to be done.
    pub action: Action,
    /// The memory.
    #[serde(rename = "ref")]
    pub number: u32,
    /// The memories of a merge.
    pub refs: Vec<u32>,
    /// The memories that contradict each other.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// The type of a new memory.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The new text.
    pub text: Option<String>,
    /// The reason of the fact, or of the contradiction.
    pub why: Option<String>,
    /// The hook of a note.
    pub description: Option<String>,
    /// The rest of a note.
    pub body: Option<String>,
    /// The words of the conversation that it comes from.
    pub evidence: Option<String>,
}

/// What a proposal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new memory.
    Add,
    /// Other words for a memory.
    #[serde(alias = "rewrite")]
    Update,
    /// A memory was said again.
    Reinforce,
    /// Several memories become one with this text.
    Merge,
    /// A memory holds no longer.
    Delete,
    /// Two memories contradict each other.
    Flag,
    /// Nothing: the place for what holds today alone.
    Passing,
    /// Nothing that can be done.
    #[default]
    #[serde(skip)]
    Invalid,
}

impl Proposal {
    /// The memories that it names.
    pub fn refs(&self) -> Vec<u32> {
        match self.action {
            Action::Update | Action::Reinforce | Action::Delete => vec![self.number],
            Action::Merge => self.refs.clone(),
            Action::Flag => vec![self.a, self.b],
            Action::Add | Action::Passing | Action::Invalid => Vec::new(),
        }
    }

    /// Its words; none for a change without them.
    pub fn text(&self) -> &str {
        let text = match self.action {
            Action::Flag => &self.why,
            Action::Reinforce | Action::Delete => &None,
            _ => &self.text,
        };
        text.as_deref().unwrap_or_default()
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

impl Hold {
    /// The reason for which such a memory does not change.
    pub const fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Free | Self::Persons => None,
            Self::Protected => Some("protected_memory_source"),
            Self::Changed => Some("memory_ref_target_changed"),
            Self::Gone => Some("memory_ref_target_unavailable"),
        }
    }
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

/// The one that has this number in a question, from 1 on.
pub fn numbered<T>(shown: &[T], number: u32) -> Option<&T> {
    shown.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// The most memories of a store of this size that a pass may change.
pub fn most_changed(memories: usize) -> usize {
    (memories / SHARE).max(ALWAYS)
}

/// Judges proposals, one after the other. The reason of a refusal is a word for the log.
#[derive(Clone)]
pub struct Reconciling<'a> {
    named: &'a [Named<'a>],
    left: usize,
    flags_left: usize,
    changed: BTreeSet<u32>,
}

impl<'a> Reconciling<'a> {
    /// Begins a pass that may change `most` memories, and flag as many contradictions.
    pub const fn new(named: &'a [Named<'a>], most: usize) -> Self {
        Self {
            named,
            left: most,
            flags_left: most,
            changed: BTreeSet::new(),
        }
    }

    /// The change that the rules allow.
    pub fn judge(&mut self, proposal: &Proposal) -> Result<Verdict, &'static str> {
        let (action, text, refs) = (proposal.action, proposal.text(), proposal.refs());
        if refs.is_empty() && action != Action::Merge {
            return Err("invalid_proposal");
        }
        if text.is_empty() && action != Action::Delete {
            return Err("empty");
        }
        let distinct: BTreeSet<u32> = refs.iter().copied().collect();
        if distinct.len() < refs.len() {
            return Err(NO_REF);
        }
        for number in &refs {
            let hold = numbered(self.named, *number).ok_or(NO_REF)?.hold;
            let may_be_flagged = hold == Hold::Protected && action == Action::Flag;
            if let Some(reason) = hold.refusal().filter(|_| !may_be_flagged) {
                return Err(reason);
            }
            if self.changed.contains(number) {
                return Err("named_twice");
            }
        }
        let verdict = match action {
            Action::Merge => self.merge(&refs, text)?,
            Action::Delete => match self.at(refs[0]).hold {
                Hold::Persons => Verdict::Suggest(vec![(refs[0], None)]),
                _ => Verdict::Archive(refs[0]),
            },
            Action::Update => self.rewrite(refs[0], text)?,
            Action::Flag => {
                self.flags_left = self.flags_left.checked_sub(1).ok_or(OVER_LIMIT)?;
                Verdict::Flag(refs[0], refs[1], one_line(text).chars().take(MOST_WHY).collect())
            }
            _ => return Err("invalid_proposal"),
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

    fn at(&self, number: u32) -> Named<'a> {
        *numbered(self.named, number).expect("because it was looked for")
    }

    fn merge(&self, refs: &[u32], text: &str) -> Result<Verdict, &'static str> {
        let mut refs = refs.to_vec();
        refs.sort_by_key(|number| &self.at(*number).memory.id);
        let [kept, _, ..] = refs[..] else {
            return Err(NO_REF);
        };
        if refs.len() > MOST_REFS {
            return Err(NO_REF);
        }
        let memories: Vec<&Memory> = refs.iter().map(|number| self.at(*number).memory).collect();
        if memories.iter().any(|memory| memory.kind != memories[0].kind) {
            return Err("other_type");
        }
        let persons: Vec<u32> = refs
            .iter()
            .copied()
            .filter(|number| self.at(*number).hold == Hold::Persons)
            .collect();
        let others = |kept: u32| refs.iter().copied().filter(move |number| *number != kept);
        let Some((&owner, more)) = persons.split_first() else {
            return Ok(Verdict::Merge {
                kept,
                gone: others(kept).collect(),
                body: Some(body(memories[0], &memories, text)?),
            });
        };
        let owners = self.at(owner).memory;
        if more.is_empty() && others(owner).all(|number| says(owners, self.at(number).memory)) {
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
        let memory = self.at(number).memory;
        let new = body(memory, &[memory], text)?;
        if canonical(&new) == canonical(&memory.content.as_body()) {
            return Err("nothing_new");
        }
        Ok(match self.at(number).hold {
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

/// Parts memories (canonical texts, and the characters that they take) into batches of at most `most` characters, each
/// in the order in which they came. Those that share a rare word stand beside each other. One that is longer than a
/// batch is in none.
pub fn batches(memories: &[(&str, usize)], most: usize) -> Vec<Vec<usize>> {
    let told: Vec<BTreeSet<&str>> = memories
        .iter()
        .map(|(text, _)| facts(text).into_iter().collect())
        .collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for word in told.iter().flatten() {
        *uses.entry(word).or_default() += 1;
    }
    let rarest = |at: &usize| {
        let shared = told[*at].iter().filter(|word| uses[*word] > 1);
        shared.min_by_key(|word| uses[*word])
    };
    let mut order: Vec<usize> = (0..memories.len()).filter(|at| memories[*at].1 <= most).collect();
    if order.iter().map(|at| memories[*at].1).sum::<usize>() > most {
        order.sort_by_key(rarest);
    }
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for at in order {
        let size = memories[at].1;
        if size > room || batches.is_empty() {
            batches.push(Vec::new());
            room = most;
        }
        room -= size;
        batches.last_mut().expect("because there is one").push(at);
    }
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches
}

#[cfg(test)]
mod tests;
