//! Cookies: `Cookie: session=…; theme=dark`, `Set-Cookie: sid=…; Path=/`.

use std::ops::Range;

use super::Secret;
use super::labelled::joined;
use super::ordinary::is_ordinary;
use super::placeholder::is_placeholder;

pub(super) const HINT: &str = "cookie";
/// All cookies together are no longer than this.
const MOST: usize = 4096;
/// The value of a session is no shorter than this.
const SHORTEST: usize = 6;
/// What is drawn is a secret under any name when it is as long as this.
const SHORTEST_DRAWN: usize = 24;
/// What the names of cookies have in them that say who somebody is.
const NAMES: &[&str] = &[
    "sess", "sid", "auth", "token", "jwt", "login", "remember", "csrf", "xsrf", "sso", "identity", "ticket",
];

/// The secrets of the cookies that the header or the flag at `at` gives.
pub(super) fn read(text: &str, at: &Range<usize>) -> Vec<Secret> {
    joined(text, at).map_or_else(Vec::new, |joined| read_pairs(text, joined.at))
}

/// The secrets of the cookies that begin at `at`.
pub(super) fn read_pairs(text: &str, at: usize) -> Vec<Secret> {
    let at = at + usize::from(text[at..].starts_with(['"', '\'', '`']));
    let window = &text[at..text.floor_char_boundary(text.len().min(at + MOST))];
    let line = &window[..window.find(['\n', '\r', '"', '\'', '`']).unwrap_or(window.len())];
    let mut secrets = Vec::new();
    let mut start = at;
    for pair in line.split(';') {
        // What follows a sentence's semicolon is no cookie.
        let Some((name, value)) = pair.split_once('=') else {
            break;
        };
        let value = value.split(' ').next().unwrap_or_default().trim_end_matches(',');
        if is_secret(name.trim(), value) {
            let from = start + name.len() + 1;
            secrets.push(Secret {
                range: from..from + value.len(),
                kind: "cookie",
            });
        }
        start += pair.len() + 1;
    }
    secrets
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_name = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let says_who = NAMES.iter().any(|part| name.contains(part)) && value.len() >= SHORTEST;
    let is_drawn = has_digit && has_letter && value.len() >= SHORTEST_DRAWN;
    is_name
        && (says_who || is_drawn)
        && !is_placeholder(value, false, "")
        && !is_ordinary(&value.to_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn who_somebody_is_goes_and_the_rest_stays() {
        let redactor = Redactor::standard();
        for (text, expected) in [
            (
                "Cookie: theme=dark; session=fake0123; lang=en",
                "Cookie: theme=dark; session=[REDACTED:cookie]; lang=en",
            ),
            (
                "set-cookie: sid=fakeFake01; Path=/; HttpOnly",
                "set-cookie: sid=[REDACTED:cookie]; Path=/; HttpOnly",
            ),
            (
                "Cookie: a_session=fake0123; xsrf=fake4567",
                "Cookie: a_session=[REDACTED:cookie]; xsrf=[REDACTED:cookie]",
            ),
            (
                "curl -b 'sessionid=fake0123' https://x.example.org",
                "curl -b 'sessionid=[REDACTED:cookie]' https://x.example.org",
            ),
            (
                "headers = {'Cookie': 'sid=fake0123'}",
                "headers = {'Cookie': 'sid=[REDACTED:cookie]'}",
            ),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
        for text in [
            "Cookie: session=<session>",
            "Cookie: session=$SESSION; theme=dark",
            "The cookie is HttpOnly; Secure; SameSite=Lax",
            "cookie: sessionid=required",
            "const cookie = serialize(session, options);",
            "cookie = f'session={session_id}'",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
