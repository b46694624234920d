//! A text under judgement: as it stands, as its own prose, and clause by clause.

use std::borrow::Cow;

use super::english::{self, Reading};
use super::general;
use super::table::Table;
use crate::text::{is_cjk, one_line};

/// The most characters that are judged. A fact is a sentence or two; what follows them cannot make it one again.
const MOST_CHARS: usize = 4_000;

/// A text, in the forms that the reasons ask about.
pub(super) struct Passage<'t> {
    /// As it stands, without white space at its ends; its first 4,000 characters.
    pub(super) whole: &'t str,
    /// One line in lower case, with plain quotes, without what it quotes: inline code and quoted words are an `x`.
    pub(super) prose: String,
    /// The clauses of `prose`: what stands between full stops and semicolons.
    clauses: Vec<String>,
}

impl<'t> Passage<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let whole = head(text.trim(), MOST_CHARS);
        let prose = prose(whole);
        let clauses = clauses(&prose);
        Self {
            whole,
            prose,
            clauses,
        }
    }

    /// Whether the prose or one of its clauses matches a row.
    pub(super) fn says(&self, table: &Table) -> bool {
        table.matches(&self.prose) || self.clauses.iter().any(|clause| table.matches(clause))
    }

    /// Whether a clause matches a row and does not speak in general: "the tests are green" tells of one case, "a
    /// branch is merged when the tests are green" of every.
    pub(super) fn says_of_one_case(&self, table: &Table) -> bool {
        self.clauses
            .iter()
            .any(|clause| table.matches(clause) && !general::is(clause))
    }

    /// How its English clauses read.
    pub(super) fn readings(&self) -> impl Iterator<Item = Reading<'_>> {
        self.clauses.iter().map(|clause| english::read(clause))
    }

    /// Whether most of its letters are Chinese, Japanese or Korean.
    pub(super) fn is_cjk(&self) -> bool {
        is_mostly_cjk(&self.prose)
    }
}

/// A line without what marks all of it as code or as bold.
pub(super) fn unmarked(line: &str) -> &str {
    let bold = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    bold.unwrap_or(line).trim_matches('`').trim()
}

/// Whether most of the letters and digits of a text are Chinese, Japanese or Korean.
pub(super) fn is_mostly_cjk(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    let cjk = text.chars().filter(|c| is_cjk(*c)).count();
    cjk * 2 > letters
}

fn head(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(end, _)| &text[..end])
}

/// See [`Passage::prose`].
fn prose(text: &str) -> String {
    let line = one_line(text).to_lowercase();
    let line = line
        .replace(['’', '‘', '´'], "'")
        .replace("**", "")
        .replace("__", "");
    let mut quoted: Cow<'_, str> = Cow::Owned(line);
    for (open, close) in [
        ('`', '`'),
        ('"', '"'),
        ('“', '”'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('„', '“'),
    ] {
        if quoted.contains(open) {
            quoted = Cow::Owned(without_quoted(&quoted, open, close));
        }
    }
    quoted.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with an `x` for what stands between two marks.
fn without_quoted(text: &str, open: char, close: char) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let Some((_, behind)) = after.split_once(close) else {
            break;
        };
        kept.push_str(before);
        kept.push('x');
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// See [`Passage::clauses`].
fn clauses(prose: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut clause = String::new();
    let mut chars = prose.chars().peekable();
    while let Some(c) = chars.next() {
        let at_end = chars.peek().is_none_or(|next| next.is_whitespace());
        if matches!(c, '。' | '；' | '！' | '？') || (matches!(c, '.' | ';' | '!' | '?') && at_end) {
            clauses.push(clause.trim().to_owned());
            clause.clear();
        } else {
            clause.push(c);
        }
    }
    clauses.push(clause.trim().to_owned());
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_what_the_text_says_itself() {
        let passage =
            Passage::new("  Use `Should we?`,\n never “Now What”; it’s **old**. See v1.2 「今」 \"open");
        assert_eq!(passage.prose, "use x, never x; it's old. see v1.2 x \"open");
        assert_eq!(
            passage.clauses,
            ["use x, never x", "it's old", "see v1.2 x \"open"]
        );
    }

    #[test]
    fn letters_tell_the_script() {
        assert!(is_mostly_cjk("用 pnpm 安装依赖，不得混用"));
        assert!(!is_mostly_cjk("Use pnpm 安装"));
        assert!(!is_mostly_cjk("…"));
    }
}
