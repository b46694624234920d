//! The name of a user beside a password.

use std::ops::Range;

use super::Secret;
use super::labelled::{begins_word, joined};
use super::stand_in::is_stand_in;
use super::value::{Candidate, Joint};

/// A name that is further away than this, in bytes or in lines, is not beside.
const BESIDE: usize = 240;
const LINES: usize = 3;

/// Adds the names that stand beside the passwords already found; `labels` are the words that name a user.
pub(super) fn find(text: &str, labels: &[Range<usize>], found: &mut Vec<Secret>) {
    let mut passwords: Vec<usize> = found
        .iter()
        .filter(|secret| secret.kind == "password")
        .map(|secret| secret.range.start)
        .collect();
    if passwords.is_empty() {
        return;
    }
    passwords.sort_unstable();
    for label in labels {
        if is_beside(text, label.end, &passwords) && begins_word(text, label) {
            let name = name(text, label);
            found.extend(name.map(|range| Secret {
                range,
                kind: "username",
            }));
        }
    }
}

/// True when a password is near, and no empty line between.
fn is_beside(text: &str, at: usize, passwords: &[usize]) -> bool {
    let next = passwords.partition_point(|&password| password < at);
    let between = |from: usize, to: usize| {
        let is_near = to - from <= BESIDE;
        is_near && {
            let between = &text.as_bytes()[from..to];
            let breaks = between.split(|&byte| byte == b'\n').count() - 1;
            breaks <= LINES && !between.windows(2).any(|pair| pair == b"\n\n")
        }
    };
    passwords.get(next).is_some_and(|&password| between(at, password))
        || (next > 0 && between(passwords[next - 1], at))
}

/// The name that a label gives.
fn name(text: &str, label: &Range<usize>) -> Option<Range<usize>> {
    let joined = joined(text, label)?;
    let candidate = Candidate::read(text, joined.at, joined.joint)?;
    let value = &text[candidate.range.clone()];
    let is_known = is_stand_in(value);
    let is_word = value.chars().count() >= 2 && !value.contains(char::is_whitespace);
    // After a verb a name is followed by the end of its part of the sentence.
    let rest = text[candidate.range.end..].trim_start_matches(['"', '\'', '`', ' ']);
    let ends = || {
        rest.is_empty()
            || ENDS.iter().any(|end| rest.starts_with(end))
            || rest.starts_with(crate::text::is_cjk)
    };
    (is_word && !is_known && (joined.joint != Joint::Verb || candidate.is_quoted || ends()))
        .then_some(candidate.range)
}

/// Words that end the part of a sentence that gives a name.
const ENDS: &[&str] = &[
    ",", ".", ";", "\n", "\r", "|", ")", "/", "and ", "with ", "und ", "mit ", "y ", "con ", "et ", "avec ",
    "，", "、", "。", "；",
];
