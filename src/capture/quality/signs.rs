//! The signs by which a text that lasts is told from a text that passes, and their weights: its words and their classes,
//! alone and one behind the other, and its form. Which of them count, and how much, is learned (`weights.txt`).
//!
//! The weights are those of a logistic regression over the signs of the labelled lines below `tests/eval` (all but those
//! that are kept unseen) and of 324 lines of public memory banks, in tenths: first with an L1 penalty, which drops what
//! tells nothing, then with an L2 penalty over what is left.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

use super::cjk;
use super::passage::{Passage, QUOTED, words};
use super::words::{Phrases, classes, is};
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::{is_cjk, pattern};

/// Signs with their weights, above zero for what lasts. `<…>` is a class of words, `^` the beginning; a type and a colon
/// stand before a sign that counts for memories of that type alone.
static WEIGHTS: LazyLock<HashMap<&str, i32>> = LazyLock::new(|| {
    let rows = include_str!("weights.txt").lines();
    let row = |row: &'static str| {
        let (weight, sign) = row.trim_start().split_once(' ')?;
        Some((sign, weight.parse().ok()?))
    };
    rows.filter_map(row).collect()
});

/// Signs that name the reason of a refusal, the surest first.
const REASONS: [(&str, Rejection); 9] = [
    ("<pipeline>", Rejection::CommitOrCiSnapshot),
    ("<trouble>", Rejection::TransientBugState),
    ("<deployment>", Rejection::DeploymentSnapshot),
    ("<dated>", Rejection::TemporaryStatus),
    ("<cjk dated>", Rejection::TemporaryStatus),
    ("<now>", Rejection::TemporaryStatus),
    ("<plan>", Rejection::TemporaryStatus),
    ("^ <work>", Rejection::TemporaryStatus),
    ("^ <doing>", Rejection::TemporaryStatus),
];

/// Classes that several others make up.
const UNIONS: [(&str, &[&str]); 2] = [
    ("general", &["universal", "condition", "cause", "modal verb"]),
    ("verb", &["work", "other verb"]),
];

/// The lengths of a text in words, each up to the next.
const LENGTHS: [usize; 5] = [6, 9, 13, 18, 26];

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

/// Praise, and advice about nothing in particular.
static VAGUE: Phrases = Phrases::new(
    "
    pay attention to, best practices, be careful, good job, great job, well done, keep up, keep it up, high quality, nice work,
    looks good, as needed, 写得, 继续保持, 做得好, 辛苦, 頑張, よくでき, 잘했, 수고
    ",
);

/// A label of up to fifty characters before what it labels.
static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[^:：]{1,50}(?::\s|：)"));

/// The weight of a text, above zero where it lasts, and the reason to refuse it where it does not.
pub(super) fn weigh(kind: &Kind, passage: &Passage<'_>) -> (i32, Rejection) {
    let kind = kind.as_str();
    let signs = of(kind, passage);
    let sum = signs.iter().filter_map(|sign| WEIGHTS.get(sign.as_str())).sum();
    let named = REASONS.iter().find(|(sign, _)| signs.contains(*sign));
    let reason = match (kind, named) {
        (_, Some((_, reason))) => *reason,
        ("feedback", None) => Rejection::BadFeedback,
        ("decision", None) => Rejection::BadDecision,
        _ => Rejection::ProgressSnapshot,
    };
    (sum, reason)
}

/// The signs of a text as a memory of this type.
pub(super) fn of(kind: &str, passage: &Passage<'_>) -> HashSet<String> {
    let prose = &passage.prose.replace("from now on", "always");
    let mut signs = HashSet::from([String::from("any"), format!("{kind}: any")]);
    let mut add = |sign: &str| {
        signs.insert(format!("{kind}: {sign}"));
        signs.insert(sign.to_owned());
    };
    for mark in ["(", ";", "=", "→"] {
        if passage.whole.contains(mark) {
            add(&format!("has {mark}"));
        }
    }
    for (shown, sign) in [
        (passage.whole.ends_with(['.', '。']), "full stop"),
        (prose.contains(QUOTED), "quotes"),
        (passage.is_ticked(), "ticked"),
        (LABEL.is_match(prose), "label"),
        (DATED.is_in(prose), "<dated>"),
        (VAGUE.is_in(prose), "<vague>"),
    ] {
        if shown {
            add(sign);
        }
    }
    if passage.is_cjk() {
        cjk::signs(passage).into_iter().for_each(add);
        let chars: Vec<char> = prose.chars().collect();
        let runs = (1..4).flat_map(|length| chars.windows(length));
        let letters = runs.filter(|run| run.iter().all(|c| is_cjk(*c)));
        signs.extend(letters.map(String::from_iter));
        return signs;
    }
    let all = words(prose);
    let count = all.iter().filter(|word| **word != ",").count();
    let most = LENGTHS.iter().find(|most| count < **most);
    add(&most.map_or("long".to_owned(), |most| format!("under {most} words")));
    let mut before = vec![String::from("^")];
    for word in all {
        let names = names(word);
        for name in &names {
            for before in &before {
                let pair = format!("{before} {name}");
                signs.insert(format!("{kind}: {pair}"));
                signs.insert(pair);
            }
            signs.insert(format!("{kind}: {name}"));
            signs.insert(name.clone());
        }
        before = names;
    }
    signs
}

/// A word and its classes. What names something stands for all of its form.
fn names(word: &str) -> Vec<String> {
    let shape = shape(word);
    let known = if shape == word { classes(word) } else { &[] };
    let mut names = vec![shape.to_owned()];
    names.extend(known.iter().map(|class| format!("<{class}>")));
    for (union, of) in UNIONS {
        if known.iter().any(|class| of.contains(class)) {
            names.push(format!("<{union}>"));
        }
    }
    let form = if shape.starts_with(|c: char| c.is_ascii_digit()) {
        "number"
    } else if shape != word {
        return names;
    } else if word.len() > 4 && word.ends_with("ed") {
        "past"
    } else if word.len() > 4 && word.ends_with("ing") {
        "doing"
    } else if is_plural(word) {
        "plural"
    } else {
        return names;
    };
    names.push(format!("<{form}>"));
    if is_third_person(word) {
        names.push("<third person>".to_owned());
    }
    names
}

/// What stands for a word that names something: a quotation, an address, a number, a date, a path, an identifier.
fn shape(word: &str) -> &str {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    if word.contains(QUOTED) {
        "`"
    } else if word.contains("://") {
        "://"
    } else if is_date(word) {
        "date"
    } else if is_number && word.contains(':') {
        "0:0"
    } else if is_number && word.contains(|c: char| !c.is_ascii_digit()) {
        "0x"
    } else if is_number {
        if word.len() < 4 { "0" } else { "0000" }
    } else if word.contains('/') {
        "/"
    } else if has_digit || word.contains(['_', '.']) {
        "a_b"
    } else {
        word
    }
}

/// `2025-04-12`, `12.04.2025`.
fn is_date(word: &str) -> bool {
    let mut parts = word.split(['-', '.', '/']);
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    parts.clone().count() == 3 && parts.clone().all(digits) && parts.any(|part| part.len() == 4)
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

#[cfg(test)]
pub(super) fn weighed() -> impl Iterator<Item = &'static str> {
    WEIGHTS.keys().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_classes_and_its_form() {
        for (word, class) in [
            ("carries", "<third person>"),
            ("stores", "<third person>"),
            ("services", "<plural>"),
            ("implemented", "<past>"),
            ("wrote", "<past>"),
            ("rebuilding", "<doing>"),
            ("fix", "<verb>"),
            ("whenever", "<general>"),
            ("40", "<number>"),
        ] {
            assert!(names(word).iter().any(|name| name == class), "{word}");
        }
        assert!(!is_third_person("status") && !is_plural("status"));
    }

    #[test]
    fn what_names_something_stands_for_all_of_its_form() {
        let shapes = [
            "2025-04-12",
            "14:05",
            "8",
            "8080",
            "0.5",
            "src/a.rs",
            "a_b",
            "v2",
            "https://x.example",
        ]
        .map(shape);
        assert_eq!(
            shapes,
            ["date", "0:0", "0", "0000", "0x", "/", "a_b", "a_b", "://"]
        );
    }
}
