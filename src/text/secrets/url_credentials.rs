//! Names and passwords in addresses: `scheme://user:password@host`.

use super::Secret;
use super::stand_in::is_stand_in;

/// The greatest length of the text before the `@`.
const MOST: usize = 512;
/// A user without a password is a token when it is as long as this.
const SHORTEST_TOKEN: usize = 16;

/// The user and the password of an address whose `://` ends at `at`.
pub(super) fn read(text: &str, at: usize) -> Option<Secret> {
    let window = &text[at..text.floor_char_boundary(text.len().min(at + MOST))];
    let is_end = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '"' | '`' | '<' | '>' | '\\')
    };
    let authority = &window[..window.find(is_end).unwrap_or(window.len())];
    let user_info = &authority[..authority.rfind('@')?];
    let is_secret = if let Some((_, password)) = user_info.split_once(':') {
        !is_stand_in(password)
    } else {
        let has_digit = user_info.contains(|c: char| c.is_ascii_digit());
        let has_letter = user_info.contains(|c: char| c.is_ascii_alphabetic());
        user_info.len() >= SHORTEST_TOKEN && has_digit && has_letter && !is_stand_in(user_info)
    };
    is_secret.then(|| Secret {
        range: at..at + user_info.len(),
        kind: "url_credentials",
    })
}
