//! Bearer credentials without the name of their header: `use Bearer …`. With the name, `authorization` is their label.

use std::ops::Range;

use super::Secret;
use super::escapes::char_before;
use super::stand_in::is_stand_in;

/// Of this length it is no word.
const SHORTEST: usize = 16;

/// Gives the credential behind the word `bearer` at this place, if there is one.
pub(super) fn read(text: &str, at: Range<usize>) -> Option<Secret> {
    if char_before(text, at.start).is_some_and(char::is_alphanumeric) {
        return None;
    }
    let rest = &text[at.end..];
    let value = rest.trim_start_matches([' ', '\t', '"', '\'', '`', ':', '=']);
    let gap = rest.len() - value.len();
    if gap == 0 || gap > 4 {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '~' | '+' | '/' | '=' | '-');
    let value = &value[..value.find(|c| !is_part(c)).unwrap_or(value.len())];
    let value = value.trim_end_matches('.');
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_both =
        value.contains(|c: char| c.is_ascii_lowercase()) && value.contains(|c: char| c.is_ascii_uppercase());
    let is_secret = (has_digit || has_both) && value.len() >= SHORTEST && !is_stand_in(value);
    let start = at.end + gap;
    is_secret.then(|| Secret {
        range: start..start + value.len(),
        kind: "bearer_token",
    })
}
