//! The reason why a text that will not last is refused, and what a statement of a fact looks like.

use super::passage::{Passage, words};
use super::words::{Phrases, classes, is};
use crate::capture::Rejection;
use crate::model::Kind;

/// Classes of words that name the reason, the surest first.
const REASONS: [(&str, Rejection); 5] = [
    ("pipeline", Rejection::CommitOrCiSnapshot),
    ("trouble", Rejection::TransientBugState),
    ("deployment", Rejection::DeploymentSnapshot),
    ("now", Rejection::TemporaryStatus),
    ("plan", Rejection::TemporaryStatus),
];

/// Words behind which a form in `-s` is a plural.
const BEFORE_NOUNS: [&str; 9] = ["in", "of", "for", "to", "with", "on", "at", "from", "by"];

/// Days and stages.
static DATED: Phrases = Phrases::new(
    "
    today, yesterday, tomorrow, tonight, heute, gestern, aujourd'hui, hoy, ayer, hoje, ontem, сегодня, вчера, wip,
    derzeit, momentan, actuellement, actualmente, lately, recently, currently, aktuell, stopgap, vacation, noon, deadline,
    for now, right now, at the moment, for the moment, the time being, so far, not yet, these days, in progress, on hold,
    in the works, under way, in the middle of, in review, up next, future work, depuis ce, keeps failing, does nothing,
    since the, after the last, after the change, are left, to follow, takes over, left to, cause unknown, reason unknown,
    unknown cause, nobody knows, cause still, cause not, cause has not, needs investigation, these days, these weeks,
    once more, one more time, first attempt, last attempt, another attempt, the remaining, half-written, half-finished,
    half-done, unfinished, out for repair, under repair, out of order, few days, few weeks, depuis midi, de momento,
    por ahora, vorerst
    ",
);

/// The reason to refuse a text that will not last.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Rejection {
    let all = words(&passage.prose);
    let is_any = |class: &str| all.iter().any(|word| is(word, class));
    let begins_work = all
        .first()
        .is_some_and(|word| is(word, "work") || word.ends_with("ing"));
    let named = REASONS.iter().find(|(class, _)| is_any(class));
    match (kind.as_str(), named) {
        (_, Some((_, reason))) => *reason,
        _ if DATED.is_in(&passage.prose) || begins_work => Rejection::TemporaryStatus,
        ("feedback", None) => Rejection::BadFeedback,
        ("decision", None) => Rejection::BadDecision,
        _ => Rejection::ProgressSnapshot,
    }
}

/// Ends in `-s`, as a plural does and a verb in the third person.
fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

/// `uses`, `carries`; of a verb that is known.
fn is_third_person(word: &str) -> bool {
    let ends = [("s", ""), ("es", ""), ("ies", "y")].into_iter();
    let mut stems = ends.filter_map(|(end, put)| Some(format!("{}{put}", word.strip_suffix(end)?)));
    classes(word).is_empty() && stems.any(|stem| is(&stem, "work") || is(&stem, "other verb"))
}

/// True when a text is about a single thing, or about us, in the present: `the cart service listens on …`.
pub(super) fn states_a_fact(passage: &Passage<'_>) -> bool {
    let all = words(&passage.prose);
    let is_any = |word: &str, of: &[&str]| of.iter().any(|class| is(word, class));
    let is_ours = |at: usize| all[at - 1] == "we" && is_any(all[at], &["can", "work", "other verb"]);
    let is_finite = |at: &usize| is_any(all[*at], &["is", "was", "have", "modal verb", "can"]);
    let is_third = |at: &usize| {
        let is_object =
            |next: &&str| is(next, "determiner") || next.starts_with(|c: char| c.is_ascii_digit());
        let object = all.get(at + 1).is_some_and(is_object);
        let behind_noun = is(all[at - 1], "determiner") || BEFORE_NOUNS.contains(&all[at - 1]);
        (is_third_person(all[*at]) || object && is_plural(all[*at])) && !behind_noun
    };
    let verb = (1..all.len())
        .find(is_finite)
        .or_else(|| (1..all.len()).find(is_third));
    (1..all.len()).any(is_ours) || verb.is_some_and(|at| !is(all[at], "can") && !is_plural(all[at - 1]))
}
