//! A concrete thing that a text names, and where its name ends.

use std::ops::Range;

use super::{path, url};
use crate::text::{is_punctuation, is_space};

/// A URL or a path in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Mention {
    /// `url:…` or `path:…`, normalised: two mentions with one key name one thing.
    pub(in crate::policy) key: String,
    /// The bytes of the text that name it, without quotes around them.
    pub(in crate::policy) span: Range<usize>,
}

impl Mention {
    /// Finds the mention that gives a text its identity: its first URL, else the first path in quotes, else the first
    /// bare path.
    pub(in crate::policy) fn first(text: &str) -> Option<Self> {
        Self::all(text).next()
    }

    /// Every mention in a text, URLs first, then paths in quotes, then bare ones. Later ones may lie within earlier
    /// ones.
    pub(in crate::policy) fn all(text: &str) -> impl Iterator<Item = Self> {
        url::mentions(text)
            .chain(path::in_quotes(text))
            .chain(path::bare(text))
    }
}

/// White space, quotes, `<>`, or CJK punctuation.
pub(super) fn is_delimiter(c: char) -> bool {
    is_space(c) || is_quote(c) || matches!(c, '<' | '>') || is_cjk_punctuation(c)
}

fn is_quote(c: char) -> bool {
    matches!(c, '`' | '"' | '\'' | '‘'..='‟' | '«' | '»' | '‹' | '›')
}

/// 、。「」 and the like, the full-width forms that part sentences, and the ellipsis and dash that CJK text uses.
/// Full-width letters' companions in names (．－＿／) are not among them, nor is the dot in katakana names.
fn is_cjk_punctuation(c: char) -> bool {
    match c {
        '…'
        | '—'
        | '！'
        | '（'
        | '）'
        | '，'
        | '：'
        | '；'
        | '？'
        | '［'
        | '］'
        | '｛'
        | '｝'
        | '｟'..='､' => true,
        '\u{3001}'..='\u{303f}' => is_punctuation(c),
        _ => false,
    }
}
