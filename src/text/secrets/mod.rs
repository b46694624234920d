//! Secrets in text: where they are, and the text without them (docs/secrets.md).
//!
//! A secret is known by its form (`ghp_…`, a private key block), by its label (`password: …`, 密码是 …), or by a pattern of
//! the user's. Forms, labels, what joins a label to its value, ordinary words and placeholders are data: the tables in
//! [`forms`], [`labels`], [`joints`] and [`ordinary`]. A text is looked at once, for the words with which these begin; only
//! where such a word stands something is read.

mod around;
mod bare;
mod custom;
mod forms;
mod hints;
mod joints;
mod judge;
mod labels;
mod ordinary;
mod redactor;
mod seen;
mod value;

#[cfg(test)]
mod tests;

pub use bare::says_only_secrets;
pub use custom::PatternError;
pub use redactor::Redactor;

use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// The place of the value, in bytes: the value alone, without its label and its quotes.
    pub range: Range<usize>,
    /// The kind of secret: `password`, `github_token`, `private_key`, `custom` …
    pub kind: &'static str,
}

/// A part of a text, so long at most.
fn window(text: &str, from: usize, most: usize) -> &str {
    &text[from..text.floor_char_boundary(text.len().min(from + most))]
}

/// The line before a place, as far back as lines of a table and of a list are looked at.
fn line_before(text: &str, at: usize) -> &str {
    let near = &text[text.ceil_char_boundary(at.saturating_sub(200))..at];
    near.rsplit('\n').next().unwrap_or_default()
}

/// The character before a place; a line feed for an escape that stands for white space, as in JSON and in source code.
fn char_before(text: &str, at: usize) -> Option<char> {
    match text.as_bytes()[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => Some('\n'),
        [.., before] if before.is_ascii() => Some(char::from(before)),
        _ => text[..at].chars().next_back(),
    }
}
