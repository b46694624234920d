//! The levels of a conversation's context, and their rules (`context.*`).

use serde::{Deserialize, Serialize};

/// The fullness of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// There is room.
    #[default]
    Green,
    /// The first limit is reached, by default 70 %.
    Yellow,
    /// The second, 85 %.
    Red,
    /// The third, 92 %: the host compacts soon.
    Critical,
}

impl Level {
    /// Every level, upwards.
    pub const ALL: [Self; 4] = [Self::Green, Self::Yellow, Self::Red, Self::Critical];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
            Self::Critical => "critical",
        }
    }

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

/// The rules of the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelRules {
    /// The percentages at which yellow, red and critical begin.
    pub percent: [u32; 3],
    /// The lowest level that is worth a word; `None`: no level is.
    pub advise: Option<Level>,
}

impl Default for LevelRules {
    fn default() -> Self {
        Self {
            percent: [70, 85, 92],
            advise: Some(Level::Red),
        }
    }
}

/// The rules of a conversation's context (`context.*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContextRules {
    /// `context.levels` and `context.advise`.
    pub level: LevelRules,
    /// `context.compact`: whether an agent may have its conversation compacted.
    pub may_compact: bool,
    /// `context.intervene`: whether the advice becomes a message of its own where the context is nearly full.
    pub may_intervene: bool,
}

impl ContextRules {
    /// True where somebody wants to know the level; else nobody measures it.
    pub const fn is_on(&self) -> bool {
        self.level.advise.is_some() || self.may_compact || self.may_intervene
    }
}

/// The form of the words for a compaction (`compaction.prompt`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompactionPrompt {
    /// A part for the end of the host's own template.
    #[default]
    Append,
    /// A prompt in its place.
    Replace,
}
