//! Whether a text of a language with spaces shows that it lasts, and why not.

use super::clause::{self, Mood, Reading};
use super::length;
use super::passage::{Passage, QUOTED};
use super::status;
use super::verbs;
use super::words::Words;
use crate::capture::Rejection;
use crate::model::Kind;

/// Past forms that tell of a choice: what was chosen holds.
static CHOICE: Words = Words::new(
    "
    decided chose chosen agreed settled opted adopted picked selected standardised standardized concluded ruled dropped
    ",
);
/// Past forms that tell of a wish: what was wished for holds.
static WISH: Words =
    Words::new("asked requested insisted preferred wanted wished required demanded told said forbade");
/// Past forms of finding out: what was found may hold.
static FINDING: Words = Words::new("learned learnt discovered noticed realised realized found turned");
/// Grounds and contrasts, which make a report one of a choice.
static GROUNDS: Words = Words::new("because favour favor instead rather over since from due reduces");
/// Judgements: they decide nothing.
static JUDGEMENT: Words = Words::new(
    "popular nice good great better best slower faster large big interesting boring easy hard tired happy well many most",
);
static WISHES: Words =
    Words::new("wants want prefers prefer likes like dislikes expects expect hates insists values needs");

static ACTORS: Words = Words::new("we i you they he she the user team everyone everybody");
/// Orders that are rules also where a project is told of.
const HABITS: [&str; 9] = [
    "use", "prefer", "keep", "avoid", "ensure", "treat", "follow", "ask", "run",
];
const CONDITIONS: [&str; 6] = ["once", "when", "whenever", "if", "after", "before"];
/// Of a sentence without a finite verb: nothing happens until something else does.
const WAITING: [&str; 6] = ["waiting", "awaiting", "blocked", "pending", "paused", "postponed"];
const BE_CHOSEN: [&str; 4] = ["was", "were", "has", "have"];

/// What a clause says of a text.
enum Verdict {
    Lasts,
    Refused(Rejection),
    /// Nothing: the next clause decides.
    Silent,
}

/// Why a text does not last; `None` when it does.
pub(super) fn reason(kind: &Kind, passage: &Passage<'_>) -> Option<Rejection> {
    if let Some(reason) = status::commit(passage) {
        return Some(reason);
    }
    if length::is_fact(kind, passage.whole) && passage.sentences().count() == 1 && !is_status(&passage.prose)
    {
        return None;
    }
    let mut decided = None;
    for sentence in passage.sentences() {
        if status::is_editing(sentence) {
            return Some(Rejection::ActiveFileSnapshot);
        }
        for (labelled, clause) in clauses(sentence) {
            let reading = clause::read(clause);
            if let Some(reason) = status::reason(clause, &reading) {
                return Some(reason);
            }
            match verdict(kind, clause, &reading, labelled) {
                // A rule holds, whatever was told before it.
                Verdict::Lasts if decided.is_none() || reading.mood == Mood::Rule => decided = Some(None),
                Verdict::Refused(reason) if decided.is_none() => decided = Some(Some(reason)),
                Verdict::Silent if decided.is_none() && waits(&reading) => {
                    decided = Some(Some(Rejection::TemporaryStatus));
                }
                _ => {}
            }
        }
        if is_status(sentence) {
            return Some(Rejection::TemporaryStatus);
        }
    }
    decided.unwrap_or_else(|| Some(super::unshown(kind)))
}

/// Whether a sentence is labelled as a status.
fn is_status(prose: &str) -> bool {
    label(prose).is_some_and(|(label, _)| status::is_status_label(label))
}

/// The label of a sentence and what it labels: `Routing: …`, `src/a.rs - …`.
fn label(sentence: &str) -> Option<(&str, &str)> {
    let signs = [": ", "：", " - ", " — ", " – ", " → "];
    let (sign, (label, rest)) = signs
        .iter()
        .filter_map(|sign| Some((sign, sentence.split_once(sign)?)))
        .min_by_key(|(_, (label, _))| label.len())?;
    if !sign.starts_with([':', '：']) && !label.contains(QUOTED) {
        return None;
    }
    let reading = clause::read(label);
    let names = matches!(reading.mood, Mood::None | Mood::Report);
    (label.split_whitespace().count() <= 6 && names).then_some((label, rest))
}

fn waits(reading: &Reading<'_>) -> bool {
    reading.words.first().is_some_and(|word| WAITING.contains(word))
}

/// The clauses of a sentence: what dashes part, without its label. Tells whether there was a label.
fn clauses(sentence: &str) -> impl Iterator<Item = (bool, &str)> {
    let (labelled, rest) = label(sentence).map_or((false, sentence), |(_, rest)| (true, rest));
    let parts = rest
        .split(" — ")
        .flat_map(|part| part.split(" – "))
        .flat_map(|part| part.split(": "));
    parts
        .enumerate()
        .map(move |(at, part)| (labelled && at == 0, part.trim_end_matches(['.', ';', '!'])))
}

/// What a clause shows.
fn verdict(kind: &Kind, clause: &str, reading: &Reading<'_>, labelled: bool) -> Verdict {
    let kind_is = |name: &str| kind.as_str() == name;
    let words = reading.words.as_slice();
    let general = status::is_general(words) || reading.conditional;
    let says = |class: &Words| words.iter().any(|word| class.contains(word));
    match reading.mood {
        Mood::Order if kind_is("project") && !general && !HABITS.contains(&words[0]) => {
            Verdict::Refused(Rejection::TemporaryStatus)
        }
        Mood::Task => {
            let at_hand = words
                .iter()
                .any(|word| ["the", "this", "that", "these", "it"].contains(word));
            let habit = (kind_is("feedback") && !at_hand) || general;
            lasts_or(habit, Rejection::TemporaryStatus)
        }
        Mood::Present if kind_is("feedback") => {
            let subject = reading.subject();
            let plural = subject
                .last()
                .is_some_and(|word| word.ends_with('s') && !word.ends_with("ss"));
            let bare = subject
                .first()
                .is_some_and(|word| !["the", "a", "there", "this"].contains(word));
            lasts_or(
                general || (plural && bare) || says(&WISHES),
                Rejection::BadFeedback,
            )
        }
        Mood::Present if kind_is("decision") => {
            let mut told = words[reading.verb_at..].iter().take(4);
            let judges = JUDGEMENT.contains(words[0]) || told.any(|word| JUDGEMENT.contains(word));
            lasts_or(general || !judges, Rejection::BadDecision)
        }
        Mood::Rule | Mood::Order | Mood::Present => Verdict::Lasts,
        Mood::Past | Mood::Report => {
            let actor = reading.subject().first().is_none_or(|word| ACTORS.contains(word));
            let caused = words.contains(&"because") && reading.verb_at > 0;
            let chosen = (says(&CHOICE) && (actor || BE_CHOSEN.contains(&reading.verb())))
                || caused
                || (kind_is("decision") && says(&GROUNDS));
            let wished = reading.mood == Mood::Past && WISH.contains(reading.verb()) && kind_is("feedback");
            let found = FINDING.contains(reading.verb()) && words.contains(&"that");
            let located = labelled && reading.mood == Mood::Report && !verbs::is_work_done(reading.verb());
            // `Once a tag is published it must never move`: the verb found is not that of the rule.
            let rule = CONDITIONS.contains(&words[0]) && general;
            let lasting = rule || chosen || wished || found || located;
            let reason = if waits(reading) {
                Rejection::TemporaryStatus
            } else if kind_is("project") {
                Rejection::ProgressSnapshot
            } else {
                super::unshown(kind)
            };
            lasts_or(lasting, reason)
        }
        Mood::None if status::is_rule(words) => Verdict::Lasts,
        Mood::None if labelled && (status::has_value(clause) || words.len() <= 3) => Verdict::Lasts,
        Mood::None => Verdict::Silent,
    }
}

fn lasts_or(lasts: bool, reason: Rejection) -> Verdict {
    if lasts {
        Verdict::Lasts
    } else {
        Verdict::Refused(reason)
    }
}
