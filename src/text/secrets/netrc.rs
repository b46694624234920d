//! The file in which `ftp`, `curl` and `git` find passwords: `machine … login … password …`, on one line or several.

use std::ops::Range;

use super::Secret;
use super::ordinary::is_ordinary;
use super::placeholder::is_placeholder;

/// How an entry begins.
pub(super) const HINTS: &str = "machine, default";
/// An entry is no longer than this.
const MOST: usize = 512;

/// The secrets of the entry whose first word is at `at`. An entry names a user as well as a password: a sentence does
/// not.
pub(super) fn read(text: &str, at: &Range<usize>) -> Vec<Secret> {
    let window = &text[at.end..text.floor_char_boundary(text.len().min(at.end + MOST))];
    if !window.starts_with(char::is_whitespace) {
        return Vec::new();
    }
    let mut words = window.split_whitespace();
    if text[at.clone()].eq_ignore_ascii_case("machine") {
        words.next();
    }
    let mut secrets = Vec::new();
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        let kind = match key {
            "login" | "account" => "username",
            "password" => "password",
            _ => break,
        };
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        let range = start..start + value.len();
        secrets.push(Secret { range, kind });
    }
    let has = |kind| secrets.iter().any(|secret: &Secret| secret.kind == kind);
    if !(has("username") && has("password")) {
        return Vec::new();
    }
    secrets.retain(|secret| {
        let value = &text[secret.range.clone()];
        !is_placeholder(value, false, "") && !is_ordinary(&value.to_lowercase())
    });
    secrets
}

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn an_entry_is_read_on_one_line_and_on_several() {
        let redactor = Redactor::standard();
        for (text, expected) in [
            (
                "machine git.example.org login fakeuser password fakeword",
                "machine git.example.org login [REDACTED:username] password [REDACTED:password]",
            ),
            (
                "machine git.example.org\n  login fakeuser\n  password fakeword\nmachine b",
                "machine git.example.org\n  login [REDACTED:username]\n  password [REDACTED:password]\nmachine b",
            ),
            (
                "default login fakeuser password fakeword",
                "default login [REDACTED:username] password [REDACTED:password]",
            ),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
        for text in [
            "The machine needs a login and a password by tomorrow",
            "machine git.example.org login <user> password <password>",
            "the default login page",
            "default login form password field",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
