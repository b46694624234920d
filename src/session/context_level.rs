//! The level of a conversation's context: how full it is, how fast it fills, and when that is worth a word
//! (docs/working.md).

use serde::{Deserialize, Serialize};

use crate::policy::{Level, LevelRules};

/// The most that the host keeps for an answer, where the model has no limit of its input.
const MOST_OUTPUT: u64 = 32_000;
/// The most that the host keeps free, where the model has such a limit and the person set nothing.
const MOST_RESERVED: u64 = 20_000;
/// The turns over which the growth is averaged.
const TREND_TURNS: usize = 5;
/// A figure above this is no count of tokens.
const ABSURD: u64 = 1 << 40;
/// Characters of a model's name that are kept.
const MODEL_CHARS: usize = 200;

/// The tokens of an answer, as the host counted them; negative and absurd figures count as unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// All of them.
    pub total: Option<i64>,
    /// Those that were sent and not cached.
    pub input: i64,
    /// Those of the answer.
    pub output: i64,
    /// Those that the provider's cache had.
    pub cache_read: i64,
    /// Those that it was given.
    pub cache_write: i64,
}

impl TokenUsage {
    /// The total, or the sum of the parts; `None` where there is no token, or a figure that cannot be true.
    pub fn used(&self) -> Option<u64> {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        let total = self.total.unwrap_or(0);
        let mut all = parts.into_iter().chain([total]);
        if !all.all(|figure| u64::try_from(figure).is_ok_and(|figure| figure < ABSURD)) {
            return None;
        }
        let used = if total > 0 { total } else { parts.iter().sum() };
        u64::try_from(used).ok().filter(|used| *used > 0)
    }
}

/// The limits of a model and of its host, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenLimits {
    /// The model's context.
    pub context: u64,
    /// The most that may be sent, where the model has such a limit.
    pub input: Option<u64>,
    /// The longest answer.
    pub output: u64,
    /// The tokens that the person told the host to keep free.
    pub reserved: Option<u64>,
    /// Tells that the host compacts by itself.
    pub compacts: bool,
}

impl TokenLimits {
    /// The tokens at which the host compacts by itself, by the host's own rule; `None` where it does not.
    pub fn usable(&self) -> Option<u64> {
        let usable = match self.input.filter(|input| *input > 0) {
            Some(input) => input.checked_sub(self.reserved.unwrap_or(self.output.min(MOST_RESERVED))),
            None => self.context.checked_sub(self.output.min(MOST_OUTPUT)),
        };
        usable.filter(|usable| *usable > 0 && self.compacts)
    }
}

/// The figures of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextFigures {
    /// The tokens of the last answer.
    pub used: u64,
    /// The tokens at which the host compacts.
    pub usable: u64,
    /// The level.
    pub level: Level,
    /// The tokens that a turn adds, averaged over the last five; `None` where the context does not grow.
    pub per_turn: Option<u64>,
    /// The turns that are left at that pace.
    pub turns_left: Option<u64>,
}

impl ContextFigures {
    /// The part that is used, in whole percent.
    pub fn percent(&self) -> u64 {
        let percent = u128::from(self.used) * 100 / u128::from(self.usable);
        u64::try_from(percent).unwrap_or(u64::MAX)
    }
}

/// The figures of a conversation's context that are known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextMeter {
    /// The model that answered last; another one begins anew.
    pub model: Option<String>,
    /// Its limits.
    pub limits: TokenLimits,
    /// The tokens of its last answer; `None` before the first, and after a compaction.
    pub used: Option<u64>,
    /// The highest level that was told, or that needs no word, since the last compaction.
    pub told: Level,
    /// The level whose advice is still to be told.
    pub due: Option<Level>,
    /// Tells that the host was asked to give the advice by itself since the last compaction.
    pub has_intervened: bool,
    /// The focus of the compaction that the agent asked for; `None` where it asked for none.
    pub focus: Option<String>,
    /// The tokens at the beginnings of the last turns, the newest last.
    pub turns: Vec<u64>,
}

impl ContextMeter {
    /// A model answered with these tokens. Gives the level that was crossed upwards for the first time since the last
    /// compaction, where that is worth a word. The first answer of a model raises no alarm.
    pub fn answered(
        &mut self,
        model: &str,
        usage: &TokenUsage,
        limits: TokenLimits,
        rules: &LevelRules,
    ) -> Option<Level> {
        let used = usage.used()?;
        let model: String = model.chars().take(MODEL_CHARS).collect();
        let is_new = self.model.as_ref() != Some(&model);
        if is_new {
            *self = Self {
                model: Some(model),
                ..Self::default()
            };
        }
        (self.used, self.limits) = (Some(used), limits);
        let level = level(used, limits.usable()?, rules);
        // A model that begins so full raises no alarm.
        self.has_intervened |= is_new && level == Level::Critical;
        if level <= self.told {
            return None;
        }
        self.told = level;
        let is_worth_a_word = !is_new && rules.advise.is_some_and(|least| level >= least);
        self.due = is_worth_a_word.then_some(level).or(self.due);
        is_worth_a_word.then_some(level)
    }

    /// Says whether the host is now to give the advice by itself: once between two compactions, at the highest level.
    pub fn intervene(&mut self, rules: &LevelRules) -> bool {
        let figures = self.figures(rules);
        let is_critical = figures.is_some_and(|figures| figures.level == Level::Critical);
        let is_due = is_critical && !self.has_intervened;
        self.has_intervened |= is_due;
        is_due
    }

    /// The user began a turn: a compaction that was asked for before and has not come is not to come any more.
    pub fn begin_turn(&mut self) {
        self.focus = None;
        self.turns.extend(self.used);
        let over = self.turns.len().saturating_sub(TREND_TURNS + 1);
        self.turns.drain(..over);
    }

    /// The conversation was compacted: nothing is known until the next answer.
    pub fn compacted(&mut self) {
        *self = Self {
            model: self.model.take(),
            limits: self.limits,
            ..Self::default()
        };
    }

    /// The figures; `None` where they are not known, or the host does not compact by itself.
    pub fn figures(&self, rules: &LevelRules) -> Option<ContextFigures> {
        let (used, usable) = (self.used?, self.limits.usable()?);
        let growth = self.growth();
        Some(ContextFigures {
            used,
            usable,
            level: level(used, usable, rules),
            per_turn: growth.map(|(tokens, turns)| tokens / turns),
            turns_left: growth
                .map(|(tokens, turns)| usable.saturating_sub(used).saturating_mul(turns) / tokens),
        })
    }

    /// The tokens that came in so many turns; `None` where the context did not grow.
    fn growth(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.turns.first()?, self.turns.last()?);
        let turns = u64::try_from(self.turns.len() - 1).ok()?;
        last.checked_sub(*first)
            .filter(|tokens| *tokens > 0)
            .map(|tokens| (tokens, turns))
    }
}

fn level(used: u64, usable: u64, rules: &LevelRules) -> Level {
    let is_reached = |percent: &&u32| u128::from(used) * 100 >= u128::from(usable) * u128::from(**percent);
    Level::ALL[rules.percent.iter().filter(is_reached).count()]
}
