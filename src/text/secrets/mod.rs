//! Secrets in text: where they are, and the text without them (capture.md, "Redaction").
//!
//! A secret is known by its shape (`ghp_…`, a private key block), by its label (`password: …`, 密码是 …), or by a
//! pattern of the user's. Shapes, labels, ordinary words and placeholders are data: the tables in
//! [`shapes`], [`labels`], [`command_line`], [`connectors`] and [`ordinary`]. A text is looked at once, for the words
//! with which these begin; only where such a word stands something is read.

mod accounts;
mod bare;
mod bearer;
mod below;
mod beside;
mod command_line;
mod connectors;
mod custom;
mod escapes;
mod hints;
mod judge;
mod key_block;
mod labelled;
mod labels;
mod ordinary;
mod pairs;
mod redactor;
mod seen;
mod shapes;
mod sql;
mod stand_in;
mod tables;
mod url_credentials;
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
