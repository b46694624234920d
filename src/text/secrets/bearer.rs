//! Bearer credentials without the name of their header: `use Bearer …`. With the name, `authorization` is their label.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use super::escapes::char_before;
use super::stand_in::is_stand_in;
use crate::text::pattern;

/// Of a length that is no word.
static CREDENTIAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^[ \t"'`:=]{1,4}([A-Za-z0-9._~+/=-]{15,}[A-Za-z0-9_~+/=-])"#));

/// Gives the credential behind the word `bearer` at this place, if there is one.
pub(super) fn read(text: &str, at: &Range<usize>) -> Option<Secret> {
    let value = CREDENTIAL.captures(&text[at.end..])?.get(1)?;
    let has = |is: fn(&u8) -> bool| value.as_str().bytes().any(|byte| is(&byte));
    let is_drawn = has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let is_part = char_before(text, at.start).is_some_and(char::is_alphanumeric);
    (is_drawn && !is_part && !is_stand_in(value.as_str())).then(|| Secret {
        range: at.end + value.start()..at.end + value.end(),
        kind: "bearer_token",
    })
}
