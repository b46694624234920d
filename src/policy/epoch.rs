//! Epochs: when the bytes in a session's prompt may change.
//!
//! A provider caches the beginning of a conversation. Text that changes there makes every later request pay for
//! the whole conversation again, so a session keeps the bytes that it was given until the ladder in [`decide_epoch`]
//! finds a reason to give it new ones. The store freezes the bytes; here the choice is only made.

use serde::{Deserialize, Serialize};

use std::time::Duration;

use crate::model::Timestamp;

/// The numbers of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochRules {
    /// The time after the last response from which on the provider's cache counts as cold (`epoch.ttl`).
    pub ttl: Duration,
    /// The longest time for which a text stays frozen.
    pub max_age: Duration,
    /// Percent of the context in use at which a session is rendered once more (`epoch.pressure_percent`). At 0 a session
    /// never is: the conversation is longest then, and a new prefix the dearest.
    pub pressure_percent: u32,
}

impl Default for EpochRules {
    fn default() -> Self {
        Self {
            ttl: Duration::from_mins(5),
            max_age: Duration::from_hours(1),
            pressure_percent: 0,
        }
    }
}

/// The facts that are kept of a session's epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frozen<'a> {
    /// The hash of the frozen bytes.
    pub hash: &'a str,
    /// When they were frozen.
    pub at: Timestamp,
    /// The pressure of the context when the session last asked ([`EpochDecision::pressure`]).
    pub pressure: Pressure,
}

/// The fill of the context, seen from the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Pressure {
    /// Below it, or never known.
    #[default]
    Below,
    /// At or above it.
    Above,
}

impl From<bool> for Pressure {
    fn from(is_above: bool) -> Self {
        if is_above { Self::Above } else { Self::Below }
    }
}

impl From<Pressure> for bool {
    fn from(pressure: Pressure) -> Self {
        pressure == Pressure::Above
    }
}

/// The part of its context that a session uses, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUse {
    /// Tokens in use.
    pub tokens: u64,
    /// Tokens that fit; 0 = unknown.
    pub limit: u64,
}

/// A cause for new bytes, whatever the cache says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForcedBy {
    /// A memory was moved into the pinned folder.
    Promote,
    /// A memory was moved out of the pinned folder.
    Demote,
    /// Somebody asked for a new epoch.
    Flush,
    /// The conversation was replaced by its summary.
    Compaction,
    /// A memory was forgotten for good.
    Forget,
    /// A memory was deleted.
    Delete,
    /// A memory came back from history.
    Restore,
    /// A secret was taken out.
    Redaction,
}

impl ForcedBy {
    /// The word in logs and in the session's file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Demote => "demote",
            Self::Flush => "flush",
            Self::Compaction => "compaction",
            Self::Forget => "forget",
            Self::Delete => "delete",
            Self::Restore => "restore",
            Self::Redaction => "redaction",
        }
    }
}

/// The rung of the ladder that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EpochReason {
    /// Nothing was frozen yet.
    First,
    /// A render would give the frozen bytes.
    Unchanged,
    /// Something asked for it.
    Forced(ForcedBy),
    /// The context has just become this full.
    Pressure,
    /// The provider's cache is cold, or the text too old.
    Ttl,
    /// Nothing spoke against the old bytes.
    Kept,
}

impl std::fmt::Display for EpochReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Unchanged => "unchanged",
            Self::Forced(by) => return write!(f, "forced:{}", by.as_str()),
            Self::Pressure => "pressure",
            Self::Ttl => "ttl",
            Self::Kept => "kept",
        })
    }
}

/// The answer of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochDecision {
    /// The reason.
    pub reason: EpochReason,
    /// To be kept with the session, whatever the action: the next crossing is seen against it.
    pub pressure: Pressure,
}

impl EpochDecision {
    /// Says whether new bytes are rendered, frozen and served instead of the frozen ones.
    pub const fn renders(self) -> bool {
        !matches!(self.reason, EpochReason::Unchanged | EpochReason::Kept)
    }
}

/// The facts that a session brings along when it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochQuestion<'a> {
    /// The hash of what would be rendered now; `None`: nobody has looked. Then a rung that speaks for a render asks for
    /// a look, and every other one is as if the bytes were to differ.
    pub would_be: Option<&'a str>,
    /// The time of the question.
    pub now: Timestamp,
    /// When the model last answered in this session; `None` = not known.
    pub last_response: Option<Timestamp>,
    /// The fill of the context; `None` = not known.
    pub context: Option<ContextUse>,
    /// The cause that has asked for new bytes since the epoch began.
    pub forced: Option<ForcedBy>,
}

/// The ladder, in the order of the specification: first, unchanged, forced, pressure, ttl, kept.
///
/// A crossing of the pressure threshold is spent by being seen, also when an earlier rung answered: the bytes
/// were as fresh then as a render would have made them. Context use that is not known leaves the pressure as it was.
/// A time in the future (the clock was set back) counts by its distance, so that staleness stays bounded.
pub fn decide_epoch(
    frozen: Option<Frozen<'_>>,
    question: &EpochQuestion<'_>,
    rules: &EpochRules,
) -> EpochDecision {
    let before = frozen.map(|frozen| frozen.pressure).unwrap_or_default();
    let pressure = pressure(question.context, before, rules);
    let reason = reason(frozen, question, rules, pressure);
    EpochDecision { reason, pressure }
}

fn reason(
    frozen: Option<Frozen<'_>>,
    question: &EpochQuestion<'_>,
    rules: &EpochRules,
    pressure: Pressure,
) -> EpochReason {
    let Some(frozen) = frozen else {
        return EpochReason::First;
    };
    if question.would_be == Some(frozen.hash) {
        return EpochReason::Unchanged;
    }
    if let Some(by) = question.forced {
        return EpochReason::Forced(by);
    }
    if pressure == Pressure::Above && frozen.pressure == Pressure::Below {
        return EpochReason::Pressure;
    }
    let passed = |since: Timestamp, most| {
        Duration::from_millis(question.now.millis_since(since).unsigned_abs()) > most
    };
    let cold = question.last_response.is_some_and(|at| passed(at, rules.ttl));
    if cold || passed(frozen.at, rules.max_age) {
        return EpochReason::Ttl;
    }
    EpochReason::Kept
}

fn pressure(context: Option<ContextUse>, before: Pressure, rules: &EpochRules) -> Pressure {
    match context {
        Some(ContextUse { tokens, limit }) if limit > 0 && rules.pressure_percent > 0 => {
            // In 128 bits: a host may say any number, and a product must not wrap.
            let used = u128::from(tokens) * 100;
            if used >= u128::from(limit) * u128::from(rules.pressure_percent) {
                Pressure::Above
            } else {
                Pressure::Below
            }
        }
        _ => before,
    }
}

#[cfg(test)]
mod tests;
