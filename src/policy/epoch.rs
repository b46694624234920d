//! Epochs: when the bytes in a session's prompt may change.
//!
//! A provider caches the beginning of a conversation. Text that changes there makes every later request pay for
//! the whole conversation again, so a session keeps the bytes that it was given until the ladder in [`decide_epoch`]
//! finds a reason to give it new ones. What is frozen and where belongs to the store; here it is only decided.

use std::time::Duration;

use crate::model::Timestamp;

/// The numbers of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochRules {
    /// The time after the last response from which on the provider's cache counts as cold (`epoch.ttl`).
    pub ttl: Duration,
    /// The longest time for which a text stays frozen (`epoch.max_age`).
    pub max_age: Duration,
    /// Percent of the context in use at which a session is rendered once more (`epoch.pressure_percent`).
    pub pressure_percent: u32,
}

impl Default for EpochRules {
    fn default() -> Self {
        Self {
            ttl: Duration::from_mins(5),
            max_age: Duration::from_hours(1),
            pressure_percent: 65,
        }
    }
}

/// What is kept of a session's epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frozen<'a> {
    /// The hash of the frozen bytes.
    pub hash: &'a str,
    /// When they were frozen.
    pub at: Timestamp,
    /// Whether the context was under pressure when the session last asked ([`EpochDecision::pressure`]).
    pub pressure: Pressure,
}

/// How full the context was, seen from the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pressure {
    /// Below it, or never known.
    #[default]
    Below,
    /// At or above it.
    Above,
}

/// How much of its context a session uses, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUse {
    /// Tokens in use.
    pub tokens: u64,
    /// Tokens that fit; 0 = unknown.
    pub limit: u64,
}

/// What asked for new bytes whatever the cache says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForcedBy {
    /// A memory was moved into `system/`.
    Promote,
    /// A memory was moved out of `system/`.
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
    const ALL: [Self; 8] = [
        Self::Promote,
        Self::Demote,
        Self::Flush,
        Self::Compaction,
        Self::Forget,
        Self::Delete,
        Self::Restore,
        Self::Redaction,
    ];

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

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == word)
    }
}

/// The rung of the ladder that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EpochReason {
    /// Nothing was frozen yet.
    First,
    /// What would be rendered is what is frozen.
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

/// What to do with the frozen bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EpochAction {
    /// Serve them.
    Keep,
    /// Render, freeze and serve new ones.
    Render,
}

/// The answer of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochDecision {
    /// Why.
    pub reason: EpochReason,
    /// To be kept with the session, whatever the action: the next crossing is seen against it.
    pub pressure: Pressure,
}

impl EpochDecision {
    /// What the reason means for the frozen bytes.
    pub const fn action(self) -> EpochAction {
        match self.reason {
            EpochReason::Unchanged | EpochReason::Kept => EpochAction::Keep,
            EpochReason::First | EpochReason::Forced(_) | EpochReason::Pressure | EpochReason::Ttl => {
                EpochAction::Render
            }
        }
    }
}

/// What a session brings along when it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochQuestion<'a> {
    /// The hash of what would be rendered now; `None`: nobody has looked. Then a rung that speaks for a render asks for a
    /// look, and every other one is as if the bytes were to differ.
    pub would_be: Option<&'a str>,
    /// The time of the question.
    pub now: Timestamp,
    /// When the model last answered in this session; `None` = not known.
    pub last_response: Option<Timestamp>,
    /// How full the context is; `None` = not known.
    pub context: Option<ContextUse>,
    /// What has asked for new bytes since the epoch began.
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
        Some(ContextUse { tokens, limit }) if limit > 0 => {
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
mod tests {
    use super::*;

    const MINUTE: i64 = 60 * 1000;
    const NOW: Timestamp = Timestamp::from_millis(1_000 * MINUTE);

    fn ago(minutes: i64) -> Timestamp {
        Timestamp::from_millis(NOW.as_millis() - minutes * MINUTE)
    }

    fn frozen() -> Frozen<'static> {
        Frozen {
            hash: "old",
            at: ago(10),
            pressure: Pressure::Below,
        }
    }

    fn question() -> EpochQuestion<'static> {
        EpochQuestion {
            would_be: Some("new"),
            now: NOW,
            last_response: Some(ago(1)),
            context: None,
            forced: None,
        }
    }

    fn used(tokens: u64) -> ContextUse {
        ContextUse { tokens, limit: 100 }
    }

    fn reason(frozen: Frozen<'_>, question: &EpochQuestion<'_>) -> String {
        decide_epoch(Some(frozen), question, &EpochRules::default())
            .reason
            .to_string()
    }

    #[test]
    fn a_session_without_an_epoch_is_rendered() {
        let decision = decide_epoch(None, &question(), &EpochRules::default());
        assert_eq!(decision.reason, EpochReason::First);
        assert_eq!(decision.action(), EpochAction::Render);
    }

    #[test]
    fn new_content_alone_changes_nothing() {
        let decision = decide_epoch(Some(frozen()), &question(), &EpochRules::default());
        assert_eq!(decision.reason.to_string(), "kept");
        assert_eq!(decision.action(), EpochAction::Keep);
    }

    #[test]
    fn every_rung_comes_before_the_next() {
        // Everything speaks for a render at once; taking the reasons away one by one shows the order.
        let old = Frozen {
            at: ago(61),
            ..frozen()
        };
        let mut question = EpochQuestion {
            would_be: Some("old"),
            last_response: Some(ago(6)),
            context: Some(used(65)),
            forced: Some(ForcedBy::Restore),
            ..question()
        };
        assert_eq!(reason(old, &question), "unchanged");
        question.would_be = Some("new");
        assert_eq!(reason(old, &question), "forced:restore");
        question.forced = None;
        assert_eq!(reason(old, &question), "pressure");
        question.context = Some(used(64));
        assert_eq!(reason(old, &question), "ttl");
        question.last_response = Some(ago(5));
        assert_eq!(reason(old, &question), "ttl");
        assert_eq!(reason(Frozen { at: ago(60), ..old }, &question), "kept");
    }

    #[test]
    fn nobody_needs_to_look_where_the_bytes_are_kept_anyway() {
        for would_be in [None, Some("new")] {
            let mut question = EpochQuestion {
                would_be,
                ..question()
            };
            assert_eq!(reason(frozen(), &question), "kept");
            question.forced = Some(ForcedBy::Flush);
            assert_eq!(reason(frozen(), &question), "forced:flush");
        }
    }

    #[test]
    fn the_bounds_themselves_are_inside() {
        let question = EpochQuestion {
            last_response: Some(ago(5)),
            ..question()
        };
        assert_eq!(
            reason(
                Frozen {
                    at: ago(60),
                    ..frozen()
                },
                &question
            ),
            "kept"
        );
        let later = EpochQuestion {
            now: Timestamp::from_millis(NOW.as_millis() + 1),
            ..question
        };
        assert_eq!(
            reason(
                Frozen {
                    at: ago(60),
                    ..frozen()
                },
                &later
            ),
            "ttl"
        );
        assert_eq!(reason(Frozen { at: NOW, ..frozen() }, &later), "ttl");
    }

    #[test]
    fn a_host_that_does_not_know_its_last_response_is_bounded_by_age_alone() {
        let question = EpochQuestion {
            last_response: None,
            ..question()
        };
        assert_eq!(
            reason(
                Frozen {
                    at: ago(60),
                    ..frozen()
                },
                &question
            ),
            "kept"
        );
        assert_eq!(
            reason(
                Frozen {
                    at: ago(61),
                    ..frozen()
                },
                &question
            ),
            "ttl"
        );
    }

    #[test]
    fn pressure_renders_once_for_each_crossing() {
        let rules = EpochRules::default();
        let mut frozen = frozen();
        let mut seen = Vec::new();
        for tokens in [10, 65, 70, 99, 40, 64, 80, 81] {
            let question = EpochQuestion {
                context: Some(used(tokens)),
                ..question()
            };
            let decision = decide_epoch(Some(frozen), &question, &rules);
            frozen.pressure = decision.pressure;
            seen.push(decision.reason.to_string());
        }
        assert_eq!(
            seen,
            [
                "kept", "pressure", "kept", "kept", "kept", "kept", "pressure", "kept"
            ]
        );
    }

    #[test]
    fn a_crossing_is_spent_when_another_rung_answers() {
        let forced = EpochQuestion {
            context: Some(used(90)),
            forced: Some(ForcedBy::Flush),
            ..question()
        };
        let decision = decide_epoch(Some(frozen()), &forced, &EpochRules::default());
        assert_eq!(decision.pressure, Pressure::Above);
        let fresh = Frozen {
            pressure: decision.pressure,
            ..frozen()
        };
        let next = EpochQuestion {
            forced: None,
            ..forced
        };
        assert_eq!(reason(fresh, &next), "kept");
        assert_eq!(
            decide_epoch(None, &next, &EpochRules::default()).pressure,
            Pressure::Above
        );
    }

    #[test]
    fn context_use_that_is_not_known_forgets_no_crossing() {
        let above = Frozen {
            pressure: Pressure::Above,
            ..frozen()
        };
        for context in [None, Some(ContextUse { tokens: 5, limit: 0 })] {
            let question = EpochQuestion {
                context,
                ..question()
            };
            assert_eq!(
                decide_epoch(Some(above), &question, &EpochRules::default()).pressure,
                Pressure::Above
            );
        }
    }

    #[test]
    fn absurd_numbers_are_numbers() {
        let question = EpochQuestion {
            context: Some(ContextUse {
                tokens: u64::MAX,
                limit: u64::MAX,
            }),
            last_response: Some(Timestamp::from_millis(i64::MIN)),
            now: Timestamp::from_millis(i64::MAX),
            ..question()
        };
        assert_eq!(reason(frozen(), &question), "pressure");
    }

    #[test]
    fn a_clock_that_was_set_back_freezes_nothing_forever() {
        let question = EpochQuestion {
            last_response: None,
            ..question()
        };
        assert_eq!(
            reason(
                Frozen {
                    at: ago(-30),
                    ..frozen()
                },
                &question
            ),
            "kept"
        );
        assert_eq!(
            reason(
                Frozen {
                    at: ago(-61),
                    ..frozen()
                },
                &question
            ),
            "ttl"
        );
    }

    #[test]
    fn the_words_for_what_forces_are_read_back() {
        for by in ForcedBy::ALL {
            assert_eq!(ForcedBy::parse(by.as_str()), Some(by));
        }
        assert_eq!(ForcedBy::parse("forced"), None);
    }
}
