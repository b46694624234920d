//! The rungs of the ladder, and the pressure that each question leaves.

use super::*;

const MINUTE: i64 = 60 * 1000;
/// With a rung that is off unless it is set.
const RULES: EpochRules = EpochRules {
    ttl: Duration::from_mins(5),
    max_age: Duration::from_hours(1),
    pressure_percent: 65,
};
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
    decide_epoch(Some(frozen), question, &RULES).reason.to_string()
}

#[test]
fn a_session_without_an_epoch_is_rendered() {
    let decision = decide_epoch(None, &question(), &RULES);
    assert_eq!(decision.reason, EpochReason::First);
    assert!(decision.renders());
}

#[test]
fn new_content_alone_changes_nothing() {
    let decision = decide_epoch(Some(frozen()), &question(), &RULES);
    assert_eq!(decision.reason.to_string(), "kept");
    assert!(!decision.renders());
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
    let rules = RULES;
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
fn a_full_context_keeps_its_bytes_unless_a_percentage_is_set() {
    let full = EpochQuestion {
        context: Some(used(99)),
        ..question()
    };
    let decision = decide_epoch(Some(frozen()), &full, &EpochRules::default());
    assert_eq!(decision.reason, EpochReason::Kept);
}

#[test]
fn a_crossing_is_spent_when_another_rung_answers() {
    let forced = EpochQuestion {
        context: Some(used(90)),
        forced: Some(ForcedBy::Flush),
        ..question()
    };
    let decision = decide_epoch(Some(frozen()), &forced, &RULES);
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
    assert_eq!(decide_epoch(None, &next, &RULES).pressure, Pressure::Above);
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
            decide_epoch(Some(above), &question, &RULES).pressure,
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
