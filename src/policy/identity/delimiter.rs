//! Where a URL or a path in running text ends.

use crate::text::{is_punctuation, is_space};

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
