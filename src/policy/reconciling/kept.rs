//! The concrete things that a text says: what other words for it may neither lose nor add. A URL, a path, a number, a
//! code span, and what a negation stands before.

use std::collections::BTreeSet;

use crate::policy::identity::Mention;
use crate::policy::retold::fact;
use crate::text::{canonical, is_unspaced, wording, words};

use super::LOSES_WORDS;

/// Words that negate, in the languages that have them as words of their own.
const NEGATIONS: &str = "not no never none nothing without cannot nor neither nicht kein keine keinen keinem keiner nie \
    niemals ohne ne pas jamais aucun aucune sans nunca sin ningún não nunca sem nenhum non mai senza nessun не нет никогда \
    без нельзя ні ніколи nie nigdy niet geen nooit zonder inte aldrig utan ikke aldri uden uten ei älä değil asla hayır لا لن \
    ليس לא אל नहीं मत không đừng tidak jangan δεν μην";

/// Signs that negate within a word of a script without spaces, and within a Korean one.
const NEGATING: [&str; 21] = [
    "不", "没", "沒", "無", "无", "勿", "未", "別", "别", "禁", "莫", "ない", "せん", "なし", "않", "못",
    "말고", "마세", "말아", "없", "금지",
];

/// The units that are a part of a number.
const UNITS: &str = "% ms s sec min h d b k m g kb mb gb tb kib mib gib px em pt mm cm km kg";

/// The number of words on either side for which a negation counts.
const SCOPE: usize = 3;

/// The reason why `text` says something else than `sources` say together, as far as concrete things can tell.
pub(super) fn difference(sources: &[&str], text: &str) -> Option<&'static str> {
    let before: Vec<Said> = sources.iter().map(|source| Said::of(source)).collect();
    let after = Said::of(text);
    let is_lost = before.iter().any(|said| {
        !said.things.is_subset(&after.things)
            || said.spans.iter().any(|span| !text.contains(span))
            || said.negated.iter().any(|scope| !after.negates(scope))
    });
    if is_lost {
        return Some(LOSES_WORDS);
    }
    let is_known = |thing: &String| before.iter().any(|said| said.things.contains(thing));
    let stands = |span: &String| sources.iter().any(|source| source.contains(span));
    let was_negated = |scope: &BTreeSet<String>| before.iter().any(|said| said.negates(scope));
    let adds = !after.things.iter().all(is_known)
        || !after.spans.iter().all(stands)
        || !after.negated.iter().all(was_negated);
    adds.then_some("adds_words")
}

/// The concrete things of a text.
struct Said {
    /// URLs and paths by their keys, and numbers with their units.
    things: BTreeSet<String>,
    /// The text of code spans and of the lines of code blocks.
    spans: BTreeSet<String>,
    /// The words for which each negation counts.
    negated: Vec<BTreeSet<String>>,
}

impl Said {
    fn of(text: &str) -> Self {
        let spans = wording(text).into_iter().filter_map(|word| {
            let code = word
                .starts_with(['`', '\n'])
                .then(|| word.trim_matches('`').trim())?;
            (!code.is_empty()).then(|| code.to_owned())
        });
        let plain = text.replace('`', " ");
        let mut things: BTreeSet<String> = Mention::all(&plain).map(|mention| mention.key).collect();
        things.extend(numbers(&wording(&plain)));
        Self {
            spans: spans.collect(),
            things,
            negated: clauses(&plain)
                .iter()
                .flat_map(|clause| negated(clause))
                .collect(),
        }
    }

    /// True when one of the words is negated.
    fn negates(&self, scope: &BTreeSet<String>) -> bool {
        let is_of = |known: &BTreeSet<String>| known.is_empty() || !known.is_disjoint(scope);
        !self.negated.is_empty() && (scope.is_empty() || self.negated.iter().any(is_of))
    }
}

fn numbers(wording: &[String]) -> impl Iterator<Item = String> {
    wording.iter().enumerate().filter_map(|(at, word)| {
        if !word.contains(char::is_numeric) {
            return None;
        }
        let next = wording.get(at + 1).filter(|next| is_unit(next));
        let counts = word.ends_with(char::is_numeric);
        Some(
            next.filter(|_| counts)
                .map_or_else(|| word.clone(), |unit| format!("{word}{unit}")),
        )
    })
}

fn is_unit(word: &str) -> bool {
    let word = word.to_lowercase();
    UNITS.split_whitespace().any(|unit| unit == word)
}

/// The parts of a text in which a negation counts.
fn clauses(text: &str) -> Vec<String> {
    let text = text
        .to_lowercase()
        .replace(['’', 'ʼ'], "'")
        .replace("n't", " not");
    let mut clauses = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_end = chars.peek().is_none_or(|next| next.is_whitespace());
        if "\n;!?。；！？，、".contains(c) || (".,:".contains(c) && is_end) {
            clauses.push(String::new());
        } else if let Some(clause) = clauses.last_mut() {
            clause.push(c);
        }
    }
    clauses
}

/// The words for which each negation of a clause counts: those behind it, and in scripts where it may stand last, those
/// before it.
fn negated(clause: &str) -> Vec<BTreeSet<String>> {
    let clause = canonical(clause);
    let all: Vec<&str> = words(&clause).collect();
    let told = |at: usize| {
        let word = Some(all[at]).filter(|word| !is_negation(word));
        word.and_then(fact).map(str::to_owned)
    };
    let scope = |at: usize| -> BTreeSet<String> {
        let behind: BTreeSet<String> = (at + 1..all.len()).filter_map(told).take(SCOPE).collect();
        let may_stand_last = all[at].starts_with(is_unspaced) || !all[at].is_ascii();
        if !behind.is_empty() && !may_stand_last {
            return behind;
        }
        let before = (0..at).rev().filter_map(told).take(SCOPE);
        behind.into_iter().chain(before).collect()
    };
    let places = (0..all.len()).filter(|at| is_negation(all[*at]));
    places.map(scope).collect()
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.split_whitespace().any(|known| known == word)
        || !word.is_ascii() && NEGATING.iter().any(|sign| word.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_for_the_same_are_no_difference() {
        for (sources, text) in [
            (vec!["Use pnpm here", "The repo uses pnpm"], "The repo uses pnpm"),
            (
                vec!["Never push to main.", "Don't push to main"],
                "Do not push to main.",
            ),
            (
                vec!["Tests are in `tests/`", "Run `make t`"],
                "Tests are in `tests/`; run `make t`",
            ),
            (vec!["Port 8080, retry 3 times"], "Retry 3 times on port 8080"),
            (
                vec!["Docs: https://x.example/a."],
                "The docs are at <https://x.example/a>",
            ),
            (vec!["不要提交 dist", "dist 不提交"], "不要提交 dist"),
            (vec!["No tabs"], "Use no tabs at all"),
            (vec!["src/a.rs is generated"], "`src/a.rs` is generated"),
        ] {
            assert_eq!(difference(&sources, text), None, "{sources:?} / {text}");
        }
    }

    #[test]
    fn a_path_a_number_a_url_a_code_span_and_a_negation_stay() {
        for (sources, text) in [
            (vec!["Use a.rs", "Tests are in tests/b.rs"], "Use a.rs"),
            (vec!["Port 8080"], "The port"),
            (vec!["Wait 5 ms"], "Wait 5 s"),
            (vec!["Docs: https://x.example/a"], "There are docs"),
            (vec!["Run `make t`"], "Run the tests"),
            (vec!["Run it:\n\n```\nmake t\n```"], "Run it"),
            (vec!["Never push to main"], "Push to main"),
            (vec!["Don’t push to main"], "Push to main"),
            (
                vec!["Never push to main", "Do not edit generated files"],
                "Never push to main; edit generated files",
            ),
            (vec!["不要提交 dist"], "提交 dist"),
            (vec!["dist をコミットしない"], "dist をコミットする"),
            (vec!["dist 커밋하지 않는다"], "dist 커밋한다"),
            (vec!["Не трогай src/a.rs"], "Трогай src/a.rs"),
            (vec!["Niemals auf main pushen"], "Auf main pushen"),
            (vec!["npm: never"], "npm"),
        ] {
            assert_eq!(
                difference(&sources, text),
                Some(LOSES_WORDS),
                "{sources:?} / {text}"
            );
        }
    }

    #[test]
    fn nothing_concrete_comes_in() {
        for (source, text) in [
            ("The port is set", "The port is 8080"),
            ("Docs are online", "Docs are at https://x.example"),
            ("Run the tests", "Run `make t`"),
            ("Edit the config", "Edit etc/app.toml"),
            ("Push to main", "Never push to main"),
            ("Never push to main; edit b", "Never push to main; never edit b"),
        ] {
            assert_eq!(
                difference(&[source], text),
                Some("adds_words"),
                "{source} / {text}"
            );
        }
    }
}
