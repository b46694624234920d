//! The memories that the prompt shows, and for every other one the single reason why not.

use super::budget::{self, Layout, Section};
use super::competition::Caps;
use super::dormancy::Dormancy;
use super::order;
use super::rules::Rules;
use super::{Entry, duplicates};
use crate::model::{Content, Memory, Status, Timestamp, Zone};
use crate::text::says_only_secrets;

/// The reason why a memory is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// `status: superseded`.
    Superseded,
    /// It lies in `archive/`.
    Archived,
    /// A merge set it aside: it contradicts another memory.
    Conflict,
    /// Another memory says the same.
    Duplicate {
        /// The place of the one that is shown in its stead.
        kept: usize,
    },
    /// Enough stronger ones of its type are shown (`type.NAME.cap`).
    TypeCap,
    /// Enough stronger ones are shown (`render.max_entries`).
    GlobalCap,
    /// Its line, or its whole body when it is pinned, does not fit any more.
    CharBudget,
    /// The budget is too small for anything.
    EmptyRenderBudget,
    /// Its file cannot be read.
    Unreadable,
    /// It says nothing but a secret, which is taken out.
    Redacted,
    /// It says nothing at all: somebody emptied its file.
    Empty,
    /// Claude Code wrote it, and it orders its reader about or plants something.
    Planted,
}

impl Reason {
    /// True when the memory is as good as those that are shown, and the prompt has no room for it.
    pub const fn is_of_a_limit(self) -> bool {
        matches!(
            self,
            Self::TypeCap | Self::GlobalCap | Self::CharBudget | Self::EmptyRenderBudget
        )
    }

    /// What a person is told of it in a table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Conflict => "conflict copy",
            Self::TypeCap => "over its type's cap",
            Self::GlobalCap => "over the cap",
            Self::CharBudget | Self::EmptyRenderBudget => "no room",
            Self::Redacted => "suspected secret",
            Self::Planted => "reads like an instruction",
            other => other.as_str(),
        }
    }

    /// The word for it in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Superseded => "superseded",
            Self::Conflict => "conflict",
            Self::Archived => "archived",
            Self::Duplicate { .. } => "duplicate",
            Self::TypeCap => "type_cap",
            Self::GlobalCap => "global_cap",
            Self::CharBudget => "char_budget",
            Self::EmptyRenderBudget => "empty_render_budget",
            Self::Unreadable => "unreadable",
            Self::Redacted => "redacted",
            Self::Empty => "empty",
            Self::Planted => "prompt_injection",
        }
    }
}

/// A memory that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Omitted {
    /// Its place among the candidates.
    pub entry: usize,
    /// The reason.
    pub reason: Reason,
}

/// The memories of one store, and what decides among them.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    /// Every memory, in any order. A place in this list names a memory in a [`Selection`].
    pub entries: &'a [Entry<'a>],
    /// The store's dormancy.
    pub dormancy: &'a Dormancy,
    /// The store's rules.
    pub rules: &'a Rules,
}

impl<'a> Candidates<'a> {
    pub(super) fn memory(&self, entry: usize) -> &'a Memory {
        self.entries[entry].memory
    }
}

/// The memories of one store that the prompt shows. Every candidate is in exactly one of `pinned`, `sections`, `cold`,
/// `omitted`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Shown in full, by path.
    pub pinned: Vec<usize>,
    /// Those pinned ones that do not fit and that the block tells of; none where there is no room even for saying so.
    pub pinned_left_out: Vec<usize>,
    /// Shown by a line each: the sections in their order, in each the strongest first. None is empty.
    pub sections: Vec<Section>,
    /// In other folders, by path: for the tree.
    pub cold: Vec<usize>,
    /// All others, by their place.
    pub omitted: Vec<Omitted>,
    /// Those that competed for a line, the strongest first, whether they won one or not.
    pub order: Vec<usize>,
    /// Characters that the pinned and the ranked block have together, with the break between them.
    pub chars: usize,
}

impl Selection {
    /// The memories with a line, as they are printed.
    pub fn ranked(&self) -> impl Iterator<Item = usize> {
        self.sections
            .iter()
            .flat_map(|section| &section.lines)
            .map(|shown| shown.entry)
    }

    /// The number of memories that are left out for want of room, but for those that the pinned block counts.
    pub fn without_room(&self) -> usize {
        let without_room = self
            .omitted
            .iter()
            .filter(|omitted| omitted.reason.is_of_a_limit());
        without_room.count() - self.pinned_left_out.len()
    }

    /// Gives the reason why a memory is left out; `None` when the prompt shows it.
    pub fn reason(&self, entry: usize) -> Option<Reason> {
        let at = self.omitted.binary_search_by_key(&entry, |omitted| omitted.entry);
        at.ok().map(|at| self.omitted[at].reason)
    }
}

/// Chooses what a prompt of at most `chars` characters shows of a store at `now`; `layout` says what each part costs.
/// Pinned files come first, the ranked ones get what they leave, up to `render.max_chars`; the tree is not in it.
pub fn select(candidates: &Candidates<'_>, now: Timestamp, chars: usize, layout: &impl Layout) -> Selection {
    let mut selection = Selection::default();
    let active = selection.admit(candidates);
    let mut pinned = std::mem::take(&mut selection.pinned);
    let path = |entry: &usize| candidates.memory(*entry).path.as_str();
    pinned.sort_unstable_by_key(path);
    selection.cold.sort_unstable_by_key(path);

    let fitted = budget::fit_pinned(&pinned, candidates, chars, layout);
    for entry in &fitted.left_out {
        selection.leave_out(*entry, Reason::CharBudget);
    }
    if fitted.chars > 0 {
        selection.pinned_left_out = fitted.left_out;
    }
    selection.pinned = fitted.shown;
    let between = if fitted.chars > 0 { layout.block_break() } else { 0 };
    let left = chars.saturating_sub(fitted.chars + between);

    let order = selection.compete(active, candidates, now);
    let capped = selection.cap(order, candidates.rules);
    let left = candidates.rules.render.max_chars.min(left);
    let lines = budget::fit_lines(&capped, candidates, now, left, layout);
    for omitted in lines.omitted {
        selection.leave_out(omitted.entry, omitted.reason);
    }
    selection.sections = lines.sections;
    selection.chars = fitted.chars + if lines.chars > 0 { between + lines.chars } else { 0 };
    selection.omitted.sort_unstable_by_key(|omitted| omitted.entry);
    selection
}

impl Selection {
    /// Tells apart what each memory is eligible for, and gives those that compete for the ranked part.
    fn admit(&mut self, candidates: &Candidates<'_>) -> Vec<usize> {
        let mut active = Vec::new();
        for (place, entry) in candidates.entries.iter().enumerate() {
            match entry.eligibility {
                Err(reason) => self.leave_out(place, reason),
                Ok(Zone::Pinned) => self.pinned.push(place),
                Ok(Zone::Cold) => self.cold.push(place),
                Ok(Zone::Ranked | Zone::Archive) => active.push(place),
            }
        }
        active
    }

    /// The candidates that compete for a line, the strongest first.
    pub(super) fn competing(candidates: &Candidates<'_>, now: Timestamp) -> Vec<usize> {
        let mut selection = Self::default();
        let active = selection.admit(candidates);
        let order = selection.compete(active, candidates, now);
        order.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Hides duplicates, and gives the others with their types, the strongest first.
    fn compete<'a>(
        &mut self,
        active: Vec<usize>,
        candidates: &Candidates<'a>,
        now: Timestamp,
    ) -> Vec<(usize, &'a str)> {
        let active = self.hide_duplicates(active, candidates);
        order::by_strength(
            active.into_iter(),
            |entry| candidates.memory(entry),
            candidates.dormancy,
            now,
            candidates.rules,
        )
    }

    fn leave_out(&mut self, entry: usize, reason: Reason) {
        self.omitted.push(Omitted { entry, reason });
    }

    /// Those of `active` that no other one hides.
    fn hide_duplicates(&mut self, active: Vec<usize>, candidates: &Candidates<'_>) -> Vec<usize> {
        let entries: Vec<Entry<'_>> = active.iter().map(|entry| candidates.entries[*entry]).collect();
        let mut hidden = vec![false; active.len()];
        for duplicate in duplicates(&entries) {
            if !std::mem::replace(&mut hidden[duplicate.hidden], true) {
                let kept = active[duplicate.kept];
                self.leave_out(active[duplicate.hidden], Reason::Duplicate { kept });
            }
        }
        let mut hidden = hidden.into_iter();
        let mut active = active;
        active.retain(|_| !hidden.next().unwrap_or(false));
        active
    }

    /// Those of `order` that the caps let through.
    fn cap<'a>(&mut self, order: Vec<(usize, &'a str)>, rules: &'a Rules) -> Vec<usize> {
        let mut caps = Caps::new(rules);
        let mut through = Vec::new();
        for (entry, kind) in order {
            self.order.push(entry);
            match caps.pass(kind) {
                Some(reason) => self.leave_out(entry, reason),
                None => through.push(entry),
            }
        }
        through
    }
}

/// The zone in which a prompt may show a memory, or the reason why none does, whatever room there is.
pub type Eligibility = Result<Zone, Reason>;

/// The eligibility of a memory that lies in this zone, and can be read. It does not change while the file stays as it is.
pub fn eligibility(memory: &Memory, zone: Zone) -> Eligibility {
    if memory.status == Status::Superseded {
        Err(Reason::Superseded)
    } else if memory.conflict_of.is_some() {
        Err(Reason::Conflict)
    } else if zone == Zone::Archive {
        Err(Reason::Archived)
    } else if says_nothing(&memory.content, memory.description.as_deref()) {
        Err(Reason::Redacted)
    } else if is_emptied(memory) {
        Err(Reason::Empty)
    } else {
        Ok(zone)
    }
}

/// True where a memory has neither words nor properties, whatever else its frontmatter says: somebody emptied its file.
pub fn is_emptied(memory: &Memory) -> bool {
    memory.content.keyed_text().trim_start().is_empty() && memory.properties.is_empty()
}

/// True where the words of a memory are but the name of a secret that was taken out of them, and so is what stands beside
/// them: a fact's reason, a note's description.
pub fn says_nothing(content: &Content, description: Option<&str>) -> bool {
    let beside = match content {
        Content::Fact { rationale, .. } => rationale.as_deref(),
        Content::Note { .. } => description,
    };
    says_only_secrets(content.keyed_text()) && beside.is_none_or(says_only_secrets)
}

#[cfg(test)]
mod tests;
