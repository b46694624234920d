//! The reasons for a memory's place: the numbers of its rank, for a person who asks.

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

use super::selection::{Candidates, Reason, Selection};
use crate::model::Zone;

/// The fate of a memory in a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fate {
    /// Shown in full.
    Pinned,
    /// Shown by a line.
    Ranked,
    /// A candidate for the tree of other folders.
    Cold,
    /// Left out.
    Omitted(Reason),
}

impl Fate {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Ranked => "ranked",
            Self::Cold => "cold",
            Self::Omitted(_) => "omitted",
        }
    }

    /// The reason why it is left out.
    pub const fn reason(self) -> Option<Reason> {
        match self {
            Self::Omitted(reason) => Some(reason),
            _ => None,
        }
    }
}

/// The word, and the `reason` why it is left out.
impl Serialize for Fate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut form = serializer.serialize_struct("Fate", 2)?;
        form.serialize_field("fate", self.as_str())?;
        form.serialize_field("reason", &self.reason().map(Reason::as_str))?;
        form.end()
    }
}

/// The places of a memory among those that competed for a line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// Its place among all.
    #[serde(rename = "rank")]
    pub overall: usize,
    /// The number of all.
    #[serde(rename = "ranked_of")]
    pub of: usize,
    /// Its place among those of its type.
    #[serde(rename = "rank_in_type")]
    pub in_type: usize,
    /// The number of those of its type.
    #[serde(rename = "ranked_of_type")]
    pub of_type: usize,
}

/// The numbers that decided about the place of one memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rank {
    /// Its place; `None` when it did not compete.
    #[serde(flatten)]
    pub place: Option<Place>,
    /// Most memories of its type; `None` = no limit of its own.
    pub type_cap: Option<usize>,
    /// Most memories of all types.
    pub max_entries: usize,
    /// Most characters of the ranked block.
    pub max_chars: usize,
}

impl Selection {
    /// The fate of the memory at place `entry`, which lies in this zone.
    pub fn fate(&self, entry: usize, zone: Zone) -> Fate {
        match (self.reason(entry), zone) {
            (Some(reason), _) => Fate::Omitted(reason),
            (None, Zone::Pinned) => Fate::Pinned,
            (None, Zone::Cold) => Fate::Cold,
            (None, Zone::Ranked | Zone::Archive) => Fate::Ranked,
        }
    }

    /// The rank of the memory at place `entry` of the candidates that this selection was made from.
    pub fn rank(&self, entry: usize, candidates: &Candidates<'_>) -> Rank {
        let rules = candidates.rules;
        let memory = candidates.memory(entry);
        Rank {
            place: self.place(entry, candidates),
            type_cap: rules.type_rule(&memory.kind).and_then(|rule| rule.cap),
            max_entries: rules.render.max_entries,
            max_chars: rules.render.max_chars,
        }
    }

    fn place(&self, entry: usize, candidates: &Candidates<'_>) -> Option<Place> {
        let kind = &candidates.memory(entry).kind;
        let before = self.order.iter().position(|other| *other == entry)?;
        let same = |others: &[usize]| {
            let kinds = others.iter().map(|other| &candidates.memory(*other).kind);
            kinds.filter(|other| *other == kind).count()
        };
        Some(Place {
            overall: before + 1,
            of: self.order.len(),
            in_type: same(&self.order[..=before]),
            of_type: same(&self.order),
        })
    }
}
