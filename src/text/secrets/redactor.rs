//! Finding secrets and taking them out of a text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::text::one_line;

use super::custom::{Custom, PatternError};
use super::labelled::read_label;
use super::labels::{LABELS, USER_LABELS, spellings};
use super::shapes::{SHAPES, read_shape};
use super::{Secret, accounts, bearer, key_block, url_credentials};

/// What stands in the place of a secret, before its kind and `]`.
const MARK: &str = "[REDACTED:";
/// The longest kind that is read back as one.
const LONGEST_KIND: usize = 40;
/// How often a text is looked at again after something was taken out of it.
const MOST_PASSES: usize = 8;

/// Finds secrets. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    custom: Arc<[Custom]>,
}

/// What a hit of the automaton is the beginning of.
#[derive(Debug, Clone, Copy)]
enum Hint {
    Shape(usize),
    Label(usize),
    User,
    Url,
    Bearer,
    KeyBlock,
}

/// Everything that is looked for, in one pass.
struct Hints {
    automaton: AhoCorasick,
    meanings: Vec<Hint>,
}

static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let mut hints: Vec<(String, Hint)> = vec![
        ("://".to_owned(), Hint::Url),
        ("bearer".to_owned(), Hint::Bearer),
        (key_block::HINT.to_owned(), Hint::KeyBlock),
    ];
    for (index, shape) in SHAPES.iter().enumerate() {
        hints.extend(
            shape
                .hints
                .iter()
                .map(|hint| ((*hint).to_owned(), Hint::Shape(index))),
        );
    }
    for (index, label) in LABELS.iter().enumerate() {
        hints.extend(
            spellings(label.words)
                .into_iter()
                .map(|word| (word, Hint::Label(index))),
        );
    }
    for words in USER_LABELS {
        hints.extend(spellings(words).into_iter().map(|word| (word, Hint::User)));
    }
    let (words, meanings): (Vec<String>, Vec<Hint>) = hints.into_iter().unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(words)
        .expect("because the tables are small");
    Hints { automaton, meanings }
});

impl Redactor {
    /// The rules that are built in, and these patterns (`redact.patterns`). Of a pattern with a group, the first
    /// group is the secret, else all that it matches; its kind is `custom`.
    pub fn new(extra_patterns: &[String]) -> Result<Self, PatternError> {
        let custom: Result<Vec<Custom>, PatternError> = extra_patterns
            .iter()
            .map(|pattern| Custom::new(pattern))
            .collect();
        Ok(Self {
            custom: custom?.into(),
        })
    }

    /// The rules that are built in.
    pub fn standard() -> Self {
        Self::default()
    }

    /// The secrets of a text, in order and apart from each other. What was redacted before is none.
    pub fn find(&self, text: &str) -> Vec<Secret> {
        let marks = marks(text);
        let mut found = Vec::new();
        find_built_in(text, &marks, &mut found);
        for custom in self.custom.iter() {
            custom.find(text, |range| {
                found.push(Secret {
                    range,
                    kind: "custom",
                });
            });
        }
        found.retain(|secret| !secret.range.is_empty());
        if found.is_empty() {
            return found;
        }
        apart(outside(merged(found), &marks))
    }

    /// The patterns of the user's that it knows beside its own rules.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.custom.iter().map(Custom::as_str)
    }

    /// The text with `[REDACTED:kind]` for every secret; borrowed where it has none. Redacting twice is redacting once.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_unless(text, |_| false)
    }

    /// Like [`Self::redact`], for a text that is shown on one line, where a label meets a value that a line break parted
    /// from it: only then its lines are joined.
    pub fn redact_line<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_line_unless(text, |_| false)
    }

    /// Like [`Self::redact_line`], but for the secrets of which `is_fine` says that they are none.
    pub fn redact_line_unless<'t>(&self, text: &'t str, is_fine: impl Fn(&str) -> bool) -> Cow<'t, str> {
        let redacted = self.redact_unless(text, &is_fine);
        let line = match self.redact_unless(&one_line(&redacted), &is_fine) {
            Cow::Owned(line) => line,
            Cow::Borrowed(_) => return redacted,
        };
        Cow::Owned(line)
    }

    /// Like [`Self::redact`], but for the secrets of which `is_fine` says that they are none.
    pub fn redact_unless<'t>(&self, text: &'t str, is_fine: impl Fn(&str) -> bool) -> Cow<'t, str> {
        let mut redacted = Cow::Borrowed(text);
        // A pass only takes away what is no mark, so that this ends; more than two are hardly met.
        for _ in 0..MOST_PASSES {
            let mut secrets = self.find(&redacted);
            secrets.retain(|secret| !is_fine(&redacted[secret.range.clone()]));
            if secrets.is_empty() {
                break;
            }
            redacted = Cow::Owned(replaced(&redacted, &secrets));
        }
        redacted
    }
}

fn find_built_in(text: &str, marks: &[Range<usize>], found: &mut Vec<Secret>) {
    let hints = &*HINTS;
    let mut users = Vec::new();
    // What a secret covers is not read again: labels inside a long value would be read once each.
    let mut covered = 0;
    let mut marks = marks.iter().peekable();
    for hit in hints.automaton.find_overlapping_iter(text) {
        while let Some(mark) = marks.next_if(|mark| mark.start <= hit.start()) {
            covered = covered.max(mark.end);
        }
        if hit.start() < covered {
            continue;
        }
        let secret = match hints.meanings[hit.pattern().as_usize()] {
            Hint::Shape(index) => read_shape(text, hit.start(), index).map(|range| Secret {
                range,
                kind: SHAPES[index].kind,
            }),
            Hint::Label(index) => read_label(text, hit.range(), &LABELS[index]),
            Hint::User => {
                users.push(hit.range());
                None
            }
            Hint::Url => url_credentials::read(text, hit.end()),
            Hint::Bearer => bearer::read(text, hit.range()),
            Hint::KeyBlock => key_block::read(text, hit.start()),
        };
        if let Some(secret) = secret {
            covered = secret.range.end;
            found.push(secret);
        }
    }
    accounts::find(text, &users, found);
}

/// In order, and what overlaps as one, of the kind of the first.
fn merged(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut merged: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => merged.push(secret),
        }
    }
    merged
}

/// Where a text was redacted before.
fn marks(text: &str) -> Vec<Range<usize>> {
    let is_kind = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let mark = |(at, _): (usize, &str)| {
        let rest = &text[at + MARK.len()..];
        let kind = rest
            .find(|c| !is_kind(c))
            .filter(|&end| end > 0 && end <= LONGEST_KIND)?;
        rest[kind..]
            .starts_with(']')
            .then(|| at..at + MARK.len() + kind + 1)
    };
    text.match_indices(MARK).filter_map(mark).collect()
}

/// What of the secrets is no mark.
fn outside(found: Vec<Secret>, marks: &[Range<usize>]) -> Vec<Secret> {
    if marks.is_empty() {
        return found;
    }
    let mut parts = Vec::with_capacity(found.len());
    let mut next = 0;
    for secret in found {
        while next < marks.len() && marks[next].end <= secret.range.start {
            next += 1;
        }
        let mut start = secret.range.start;
        for mark in marks[next..]
            .iter()
            .take_while(|mark| mark.start < secret.range.end)
        {
            if start < mark.start {
                parts.push(Secret {
                    range: start..mark.start,
                    kind: secret.kind,
                });
            }
            start = mark.end;
        }
        if start < secret.range.end {
            parts.push(Secret {
                range: start..secret.range.end,
                kind: secret.kind,
            });
        }
    }
    parts
}

/// Two secrets that touch are one: their marks would say no more.
fn apart(found: Vec<Secret>) -> Vec<Secret> {
    let mut apart: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match apart.last_mut() {
            Some(last) if last.range.end == secret.range.start => last.range.end = secret.range.end,
            _ => apart.push(secret),
        }
    }
    apart
}

fn replaced(text: &str, secrets: &[Secret]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut from = 0;
    for secret in secrets {
        redacted.push_str(&text[from..secret.range.start]);
        redacted.push_str(MARK);
        redacted.push_str(secret.kind);
        redacted.push(']');
        from = secret.range.end;
    }
    redacted.push_str(&text[from..]);
    redacted
}
