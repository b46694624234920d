//! Finding secrets and taking them out of a text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::text::{one_line, without_escapes};

use super::custom::{Custom, PatternError};
use super::hints::{HINTS, Meaning};
use super::joints::read_label;
use super::seen::seen;
use super::{Secret, around, forms};

/// The text in the place of a secret, before its kind and `]`.
const MARK: &str = "[REDACTED:";
/// The end of the name of a memory's file.
const MARKDOWN: &str = ".md";
/// The longest kind that is read back as one.
const LONGEST_KIND: usize = 40;
/// The readers of shapes, values, tables and calls may look at each byte as often as this. The rest of a text in which
/// more of them overlap is one secret: no person writes such a text.
const MOST_LOOKS: usize = 8;
/// No text is given up before so many bytes.
const ALWAYS_READ: usize = 16 * 1024;
/// The number of times that a text is looked at again after something was taken out of it.
const MOST_PASSES: usize = 8;
/// The kind of a text that is given up.
const UNREAD: &str = "unread";

/// Finds secrets. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    custom: Arc<[Custom]>,
}

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

    /// The secrets of a text, in order and apart from each other. An earlier redaction is no secret. Sequences and
    /// characters that nobody sees (colours, zero-width spaces) hide none: they may stand inside the place of a secret.
    pub fn find(&self, text: &str) -> Vec<Secret> {
        let mut found = self.find_as_it_is(text);
        let known = found.len();
        for seen in seen(text) {
            found.extend(self.find_as_it_is(&seen.text).into_iter().map(|secret| Secret {
                range: seen.stored(&secret.range, text),
                kind: secret.kind,
            }));
        }
        if found.len() > known {
            found = settled(found, &marks(text));
        }
        found
    }

    /// The secrets that stand in a text as its characters are.
    fn find_as_it_is(&self, text: &str) -> Vec<Secret> {
        let marks = marks(text);
        let mut found = find_built_in(text, &marks);
        for custom in self.custom.iter() {
            custom.find(text, |range| {
                found.push(Secret {
                    range,
                    kind: "custom",
                });
            });
        }
        settled(found, &marks)
    }

    /// The secrets of the name of a file or a folder: an extension is not a part of a value.
    pub fn find_in_name(&self, name: &str) -> Vec<Secret> {
        let found = name.rsplit_once('.').map(|(stem, _)| self.find(stem));
        found
            .filter(|found| !found.is_empty())
            .unwrap_or_else(|| self.find(name))
    }

    /// The path with `[REDACTED:kind]` for every secret in one of its names.
    pub fn redact_path(&self, path: &str) -> String {
        self.redact_path_unless(path, |_| false)
    }

    fn redact_path_unless(&self, path: &str, is_allowed: impl Fn(&str) -> bool) -> String {
        let names = path.split('/').map(|name| {
            let mut found = self.find_in_name(name);
            found.retain(|secret| !is_allowed(&name[secret.range.clone()]));
            replaced(name, &found)
        });
        names.collect::<Vec<_>>().join("/")
    }

    /// The text with `[REDACTED:kind]` for every secret in the path of a memory that it names, but for those that are
    /// allowed. A path may have spaces: it is what stands in the line before `.md`, from the end of a path before it.
    pub fn redact_paths(&self, text: &str, is_allowed: impl Fn(&str) -> bool) -> String {
        let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(end) = rest.find(MARKDOWN) {
            let (piece, after) = rest.split_at(end + MARKDOWN.len());
            let begin = piece.rfind(['\n', '\t', '`']).map_or(0, |at| at + 1);
            shown.push_str(&piece[..begin]);
            shown.push_str(&self.redact_path_unless(&piece[begin..], &is_allowed));
            rest = after;
        }
        shown + rest
    }

    /// The patterns of the user's that it knows beside its own rules.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.custom.iter().map(Custom::as_str)
    }

    /// The text with `[REDACTED:kind]` for every secret, and then without colours; borrowed where it has none. Redacting twice is redacting once.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_unless(text, |_| false)
    }

    /// Like [`Self::redact`], for a text that is shown on one line, where a label meets a value that a line break
    /// parted from it: only then its lines are joined.
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
        for pass in 0.. {
            let mut secrets = self.find(&redacted);
            secrets.retain(|secret| !is_fine(&redacted[secret.range.clone()]));
            let Some(first) = secrets.first() else { break };
            if pass >= MOST_PASSES {
                // Each value that is taken out shows another one: nobody can say where the secrets end.
                let start = if pass < 2 * MOST_PASSES {
                    first.range.start
                } else {
                    0
                };
                let (range, kind) = (start..redacted.len(), UNREAD);
                secrets = vec![Secret { range, kind }];
            }
            // A colour that stays would be read as a part of what stands there, once it is spelled out in a file.
            redacted = Cow::Owned(without_escapes(&replaced(&redacted, &secrets)).into_owned());
        }
        redacted
    }
}

/// Finds the secrets of the tables.
fn find_built_in(text: &str, marks: &[Range<usize>]) -> Vec<Secret> {
    let hints = &*HINTS;
    // Those of `later` stand behind text that has to be read, too.
    let (mut found, mut users, mut later) = (Vec::new(), Vec::new(), Vec::new());
    let mut marks = marks.iter().peekable();
    let (mut at, mut looked_at) = (0, 0);
    let has_tables = text.contains('|');
    // Text that a secret covers is not read again: labels inside a long value would be read once each.
    while let Some(next) = hints.next(text, at) {
        at = next;
        if looked_at > MOST_LOOKS * (at + ALWAYS_READ) {
            found.push(Secret {
                range: text.floor_char_boundary(at)..text.len(),
                kind: UNREAD,
            });
            break;
        }
        if let Some(mark) = marks.next_if(|mark| mark.start <= at) {
            at = at.max(mark.end);
            continue;
        }
        let known = found.len();
        for (range, meaning) in hints.at(text, at) {
            match meaning {
                Meaning::Form(form) => {
                    let mut secrets = forms::read(text, &range, form, &mut looked_at).into_iter();
                    found.extend(secrets.next());
                    later.extend(secrets);
                }
                Meaning::Label(label) => {
                    later.extend(around::columns(text, &range, label, has_tables, &mut looked_at));
                    found.extend(read_label(text, &range, label, &mut looked_at));
                }
                Meaning::User => users.push(range),
            }
            if found.len() > known {
                break;
            }
        }
        let covered = found[known..].iter().map(|secret| secret.range.end).max();
        at = covered.unwrap_or(at + 1);
    }
    found.append(&mut later);
    around::accounts(text, &users, &mut found);
    found
}

/// In order, apart from each other and from the marks. Secrets that overlap or touch are one, of the kind of the
/// first.
fn settled(mut found: Vec<Secret>, marks: &[Range<usize>]) -> Vec<Secret> {
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut settled: Vec<Secret> = Vec::with_capacity(found.len());
    let mut add = |range: Range<usize>, kind| match settled.last_mut() {
        _ if range.is_empty() => {}
        Some(last) if last.range.end == range.start => last.range.end = range.end,
        _ => settled.push(Secret { range, kind }),
    };
    let (mut done, mut next) = (0, 0);
    for Secret { range, kind } in found {
        let mut start = range.start.max(done);
        done = done.max(range.end);
        while next < marks.len() && marks[next].end <= start {
            next += 1;
        }
        for mark in marks[next..].iter().take_while(|mark| mark.start < range.end) {
            add(start..mark.start.max(start), kind);
            start = mark.end.max(start);
        }
        add(start..range.end.max(start), kind);
    }
    settled
}

/// Gives the places at which a text was redacted before.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    let is_kind = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let mark = |(at, _): (usize, &str)| {
        let rest = text[at..].strip_prefix(MARK)?;
        let kind = rest
            .find(|c| !is_kind(c))
            .filter(|&end| end > 0 && end <= LONGEST_KIND)?;
        rest[kind..]
            .starts_with(']')
            .then(|| at..at + MARK.len() + kind + 1)
    };
    text.match_indices('[').filter_map(mark).collect()
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
