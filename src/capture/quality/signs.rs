//! The signs by which a text that lasts is told from a text that passes, and their weights. A sign is a class of words, the
//! form of a verb, or the form of the text, never a wording.
//!
//! The weights were found by counting: a logistic regression over the signs of 2,400 labelled lines (rule files, memory
//! banks and handoffs of 125 authors, and the evaluation sets), first with an L1 penalty, which drops the signs that
//! tell nothing, then with a weak L2 penalty; in tenths. Two weights of feedback are heavier than counted, because
//! feedback has to be a rule or a preference: a definite subject, and a plain Chinese or Japanese statement. The lines
//! are other people's, and no part of the project. Eight signs came later, for what holds today alone (work in progress,
//! measures, the time after an event, jobs) and for empty praise: they were counted with the others kept near their weights,
//! over the sets of the tests and the seen half of `tests/eval/worth.jsonl`. A ninth, a name with its number, was put.

use std::collections::HashSet;

use super::cjk;
use super::clause::{self, Opening};
use super::passage::{Passage, QUOTED, words};
use super::words::{Phrases, classes, is};
use crate::capture::{Rejection, is_one_job};
use crate::model::Kind;

/// The weight of a text before any sign of it counts.
const START: i32 = 9;

/// A sign, the type of memory in which it counts, and its weight: above zero for what lasts; `-` is any.
const WEIGHTS: &str = "\
no subject | feedback | 36
has | project | 30
cjk general | - | 30
choice | - | 29
third person | - | 24
long | - | 23
label | - | 22
rule first | - | 21
third person first | - | 20
label | decision | 19
cjk statement | - | 19
condition first | - | 18
plural subject | - | 17
equals | - | 17
cjk general | feedback | 16
third person | decision | 15
state | - | 15
cjk stated | decision | 15
general | feedback | 14
rule word | - | 12
no verb | reference | 12
cause | - | 12
name, no verb | - | 10
label, no verb | - | 10
cjk stated | - | 10
the first | project | 9
modal | - | 9
general | decision | 9
numbered | - | 10
full stop | - | 9
limit | - | 8
condition | - | 9
can | project | 9
plural first | - | 8
plural first | project | 7
general | - | 7
be | - | 7
quote first | - | 6
- | reference | 6
judgement | project | 6
can | - | 6
other first | feedback | 5
other first | - | 5
is | - | 5
pipeline | - | -4
the first | decision | -6
no quote | - | -6
plan | - | -7
past | decision | -7
deployment | - | -8
short | - | -9
no verb | project | -11
has | - | -11
count | - | -11
aside | - | -11
- | project | -12
date | - | -12
measured | - | -12
stage | - | -13
outcome first | - | -13
countable | - | -13
cjk work inside | - | -13
third person | project | -14
perfect | - | -14
is at a stage | - | -14
report | - | -15
asked to | - | -16
label | project | -15
work first | - | -17
ticked | - | -17
novelty | - | -17
the first | feedback | -31
cjk stated | feedback | -20
past | - | -20
there are | - | -20
status label | - | -21
cjk work | - | -22
after an event | - | -23
was | - | -24
one job | - | -25
cjk past | - | -27
progressive | - | -30
be | feedback | -27
now | - | -32
cjk done | - | -35
judgement | decision | -38
vague | - | -39
dated | - | -56
cjk dated | - | -56";

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

/// Praise, and advice about nothing in particular.
static VAGUE: Phrases = Phrases::new(
    "
    pay attention to, best practices, be careful, good job, great job, well done, keep up, keep it up, high quality, nice work,
    looks good, as needed, 写得, 继续保持, 做得好, 辛苦, 頑張, よくでき, 잘했, 수고
    ",
);

/// The weight of a text, above zero where it lasts, and the reason to refuse it where it does not.
pub(super) fn weigh(kind: &Kind, passage: &Passage<'_>) -> (i32, Rejection) {
    let (kind, signs) = (kind.as_str(), of(passage));
    let counts = |(sign, of_kind, _): &(&str, &str, i32)| {
        (*sign == "-" || signs.has(sign)) && (*of_kind == "-" || *of_kind == kind)
    };
    let sum: i32 = weights().filter(counts).map(|(.., weight)| weight).sum();
    let named = REASONS.iter().find(|(sign, _)| signs.has(sign));
    let reason = match (kind, named) {
        (_, Some((_, reason))) => *reason,
        ("feedback", None) => Rejection::BadFeedback,
        ("decision", None) => Rejection::BadDecision,
        _ => Rejection::ProgressSnapshot,
    };
    (START + sum, reason)
}

pub(super) fn weights() -> impl Iterator<Item = (&'static str, &'static str, i32)> {
    WEIGHTS.lines().filter_map(|line| {
        let mut parts = line.split(" | ");
        Some((parts.next()?, parts.next()?, parts.next()?.parse().ok()?))
    })
}

/// The signs of a text, each once.
#[derive(Default)]
pub(super) struct Signs(Vec<&'static str>);

impl Signs {
    pub(super) fn add_if(&mut self, shown: bool, sign: &'static str) {
        if shown && !self.has(sign) {
            self.0.push(sign);
        }
    }

    pub(super) fn has(&self, sign: &str) -> bool {
        self.0.contains(&sign)
    }
}

/// The signs of a text.
pub(super) fn of(passage: &Passage<'_>) -> Signs {
    let mut signs = Signs::default();
    let prose = &passage.prose.replace("from now on", "always");
    let all: Vec<&str> = words(prose).iter().map(|word| word.text).collect();
    of_words(&all, &mut signs);
    signs.add_if(DATED.is_in(prose), "dated");
    signs.add_if(VAGUE.is_in(prose), "vague");
    // Chinese, Japanese and Korean have signs of their own for work at hand.
    signs.add_if(!passage.is_cjk() && is_one_job(passage.whole), "one job");
    signs.add_if(all.iter().any(|word| is_date(word)), "date");
    signs.add_if(passage.is_ticked(), "ticked");
    signs.add_if(!prose.contains(QUOTED), "no quote");
    signs.add_if(passage.whole.ends_with(['.', '。']), "full stop");
    signs.add_if(passage.whole.contains('='), "equals");
    signs.add_if(passage.whole.contains('('), "aside");
    let label = label(prose);
    if let Some((label, _)) = label {
        of_label(label, &mut signs);
    }
    if passage.is_cjk() {
        cjk::signs(passage, &mut signs);
        return signs;
    }
    let different: HashSet<&str> = all.iter().copied().collect();
    signs.add_if(all.len() < 8, "short");
    signs.add_if(different.len() > 20, "long");
    of_opening(
        &clause::read(label.map_or(prose, |(_, statement)| statement)),
        &mut signs,
    );
    if signs.has("no verb") {
        let mut later = passage.whole.split_whitespace().skip(1);
        signs.add_if(
            later.any(|word| word.contains(char::is_uppercase)),
            "name, no verb",
        );
        signs.add_if(label.is_some(), "label, no verb");
    }
    signs
}

fn of_words(all: &[&str], signs: &mut Signs) {
    for class in all.iter().flat_map(|word| classes(word)) {
        signs.add_if(true, class);
    }
    let mut general = ["universal", "condition", "cause", "modal verb"].iter();
    let general = general.any(|sign| signs.has(sign));
    signs.add_if(general, "general");
    let numbered = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let next = |at: usize| all.get(at + 1).copied().unwrap_or("");
    for (at, word) in all.iter().enumerate() {
        // `is rotating it`, `being investigated`, `waiting for comments`; but `is missing` and `is binding` describe.
        let doing = next(at).len() > 5 && next(at).ends_with("ing") && !is(next(at), "adjective");
        signs.add_if(is(word, "is") && doing || *word == "being", "progressive");
        let event = is(word, "event");
        let after =
            at >= 2 && event && is(all[at - 1], "the") && ["after", "since", "from"].contains(&all[at - 2]);
        signs.add_if(after, "after an event");
        let estimate = is(word, "about") && numbered(next(at));
        let large = numbered(word) && word.chars().filter(char::is_ascii_digit).count() > 4;
        signs.add_if(
            estimate || large || numbered(word) && next(at) == "of",
            "measured",
        );
        signs.add_if(numbered(next(at)) && *word == "at", "measured");
        signs.add_if(is(word, "limit"), "limit");
        // `port 8080`, `version 3`: a name, and no measure.
        signs.add_if(is(word, "numbered name") && numbered(next(at)), "numbered");
        signs.add_if(*word == "asked" && next(at) == "to", "asked to");
    }
    signs.add_if(
        all.len() > 3 && all[0] == "there" && is(all[1], "is"),
        "there are",
    );
    for pair in all.windows(2) {
        let near = is(pair[0], "near") && is(pair[1], "time");
        signs.add_if(near || is(pair[0], "month") && numbered(pair[1]), "dated");
    }
    let counted = |at: usize| {
        all.iter()
            .skip(at + 1)
            .take(2)
            .any(|word| is(word, "countable") || *word == "of")
    };
    signs.add_if((0..all.len()).any(|at| numbered(all[at]) && counted(at)), "count");
    let mut wait = all.iter().skip_while(|word| **word != "until");
    signs.add_if(wait.any(|word| is(word, "comes")), "dated");
}

fn of_label(label: &str, signs: &mut Signs) {
    let all: Vec<&str> = words(label).iter().map(|word| word.text).collect();
    let mut inner = Signs::default();
    of_words(&all, &mut inner);
    let status = ["now", "dated", "stage", "plan"]
        .iter()
        .any(|sign| inner.has(sign));
    let past = |word: &&str| clause::is_past(word) && !clause::is_base(word);
    let told = all.iter().any(|word| past(word) || is(word, "session"));
    signs.add_if(true, "label");
    signs.add_if(status || told, "status label");
}

fn of_opening(opening: &Opening<'_>, signs: &mut Signs) {
    signs.add_if(true, opening.first);
    signs.add_if(true, opening.verb);
    signs.add_if(opening.conditional, "condition first");
    let subject = opening.subject();
    signs.add_if(
        subject.last().is_some_and(|word| clause::is_plural(word)),
        "plural subject",
    );
    let is_so = ["be", "perfect", "was"].contains(&opening.verb);
    signs.add_if(is_so && is(opening.complement(), "stage"), "is at a stage");
    let verb = opening.words.get(opening.verb_at);
    signs.add_if(verb.is_some_and(|verb| is(verb, "outcome")), "outcome first");
}

/// The label of a text and what it labels: `Routing: …`, `src/a.rs - …`.
fn label(prose: &str) -> Option<(&str, &str)> {
    let marks = [": ", "：", " - ", " — ", " – ", " → "];
    let (mark, (label, rest)) = marks
        .iter()
        .filter_map(|mark| Some((mark, prose.split_once(mark)?)))
        .min_by_key(|(_, (label, _))| label.len())?;
    let named = mark.starts_with([':', '：']) || label.contains(QUOTED);
    (named && !label.is_empty() && label.split_whitespace().count() <= 6).then_some((label, rest))
}

/// `2025-04-12`, `12.04.2025`.
fn is_date(word: &str) -> bool {
    let mut parts = word.split(['-', '.', '/']);
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    parts.clone().count() == 3 && parts.clone().all(digits) && parts.any(|part| part.len() == 4)
}
